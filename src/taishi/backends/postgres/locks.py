"""Named locks for a whole fleet: advisory locks of one session, gone when the process is (H5)."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import psycopg

from ...errors import BusyError, UnreachableError
from .database import Database
from .driver_errors import translated

log = logging.getLogger("taishi.postgres")
POLL_SECONDS = (0.002, 0.1)  # the first pause between two tries, and the longest


@dataclass(slots=True)
class _Local:
    """The lock of a name within this process, and how many hold it or wait for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    users: int = 0


class AdvisoryLocks:
    """Implements ports.Locks.

    The session would grant a lock to itself twice, so a lock of the process comes first. All are
    held on one connection outside the pool: holders use the pool's for what they do meanwhile. If
    it breaks, the server lets go of all; what is written under a lock is safe to repeat.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: psycopg.Connection | None = None
        self._using = threading.Lock()
        self._names: dict[int, _Local] = {}
        self._guard = threading.Lock()
        self._closed = False

    @contextmanager
    def hold(self, name: str, timeout: float = 60.0) -> Iterator[None]:
        key = number_of(name)
        end = time.monotonic() + timeout
        with self._held_here(key, name, timeout):
            self._acquire(key, name, timeout, end)
            try:
                yield
            finally:
                self._release(key)

    @contextmanager
    def _held_here(self, key: int, name: str, timeout: float) -> Iterator[None]:
        with self._guard:
            local = self._names.setdefault(key, _Local())
            local.users += 1
        try:
            if not local.lock.acquire(timeout=max(timeout, 0.0)):
                raise _busy(name, timeout)
            try:
                yield
            finally:
                local.lock.release()
        finally:
            with self._guard:
                local.users -= 1
                if not local.users:
                    self._names.pop(key, None)

    def _acquire(self, key: int, name: str, timeout: float, end: float) -> None:
        pause = POLL_SECONDS[0]
        while not self._try(key):
            left = end - time.monotonic()
            if left <= 0:
                raise _busy(name, timeout)
            time.sleep(min(pause, left))
            pause = min(pause * 2, POLL_SECONDS[1])

    def _try(self, key: int) -> bool:
        """On a connection that the server closed meanwhile, as by a restart, once more."""
        query = "SELECT pg_try_advisory_lock(%s)"
        try:
            return self._ask(query, key)
        except UnreachableError:
            return self._ask(query, key)

    def _release(self, key: int) -> None:
        """Without an error: what was done under the lock is done."""
        with suppress(BusyError):
            try:
                if not self._ask("SELECT pg_advisory_unlock(%s)", key):
                    log.warning("a lock was lost with its connection while it was held")
            except Exception as error:  # a broken connection has let go by itself
                log.warning("a lock could not be released, its connection is gone: %s", error)

    def _ask(self, query: str, key: int) -> bool:
        with self._using, translated(self._database.host):
            connection = self._connection
            if connection is None or connection.closed:
                connection = self._connection = self._database.connect()
            try:
                found = connection.execute(query, (key,)).fetchone()
            except psycopg.OperationalError:
                connection.close()
                raise
        return bool(found and found[0])

    def close(self) -> None:
        with self._using:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


def number_of(name: str) -> int:
    """A name as the 64 bits that an advisory lock has."""
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _busy(name: str, timeout: float) -> BusyError:
    return BusyError(f"{name[:80]!a} is held by another writer for over {timeout:g} s; try again")
