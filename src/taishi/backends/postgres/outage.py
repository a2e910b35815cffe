"""Tells when the server is away, so that nobody waits for it in vain, and when it can only be read.

A server that was stopped refuses connections; one whose machine hangs says nothing at all, and a
query on it would never return. Whenever something takes long or fails, a thread tries a fresh
connection. While that fails the server is away: all connections are cut, so that whoever waits on
one gets an error, and new requests are refused at once. The same thread notices when it is back.

A server that answers may be a standby since a failover, or its database or role was set so that
nothing can be written. Whoever is refused a write says so, and the same thread asks again until a
new connection may write.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg

from ...errors import UnreachableError
from ...observe.repeated_trouble import RepeatedTrouble
from .driver_errors import first_line, refusal_of, refused

log = logging.getLogger("taishi")
SLOW_SECONDS = 1.0  # a query that takes longer makes us ask whether the server is there
PROBE_SECONDS = 2  # for the answer; the least that libpq takes
AGAIN_SECONDS = 0.5  # between two tries while it is away
WHY_SECONDS = 0.1
IS_READ_ONLY = (
    "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool"
)
Connect = Callable[[int], psycopg.Connection[Any]]


class Outages:
    """`is_away` and `is_read_only` are what is known now; `using` notes who waits on which
    connection."""

    def __init__(
        self,
        connect: Connect,
        host: str,
        returned: Callable[[], None],
        writable: Callable[[], None] = lambda: None,
    ) -> None:
        """`connect(seconds)` makes a connection; `returned` is called when the server is back,
        `writable` when new connections may write and older ones may not."""
        self._connect = connect
        self._host = host
        self._returned = returned
        self._writable = writable
        self._lock = threading.Lock()
        self._in_use: dict[int, tuple[float, psycopg.Connection[Any]]] = {}
        self._others: weakref.WeakSet[psycopg.Connection[Any]] = weakref.WeakSet()
        self._suspected = threading.Event()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        self._answered = 0.0  # when a probe last did
        self._error: Exception | None = None  # of the last probe that failed
        self._refusal = ""  # what it was, see UnreachableError
        self._was_refused = False  # a write, since the last probe
        self._away, self._reading = RepeatedTrouble(log), RepeatedTrouble(log)
        self._is_gone = threading.Event()
        self.is_read_only = False

    @property
    def is_away(self) -> bool:
        return self._is_gone.is_set()

    @contextmanager
    def using(self, connection: psycopg.Connection[Any]) -> Iterator[None]:
        key = id(connection)
        with self._lock:
            self._in_use[key] = time.monotonic(), connection
            self._start()
        try:
            yield
        finally:
            with self._lock:
                self._in_use.pop(key, None)

    def watch(self, connection: psycopg.Connection[Any]) -> None:
        """One outside the pool, for as long as it is open: cut as well when the server is away."""
        with self._lock:
            self._others.add(connection)

    def suspect(self) -> None:
        """Something failed or is silent: find out whether the server is there."""
        with self._lock:
            self._start()
        self._suspected.set()

    def refused_write(self) -> None:
        """Of a session that may not write: find out whether a new one may."""
        self._was_refused = True
        if not self.is_read_only:  # else it is asked all the time
            self.suspect()

    def hears_why(self) -> bool:
        """For whoever got no connection, and asked why: a server that refuses says so at once."""
        return self._is_gone.wait(WHY_SECONDS)

    def error(self) -> UnreachableError:
        """For whoever asks for something while it is away: the cause that the last try met."""
        return refused(self._host, self._error) or UnreachableError(
            f"{self._host} does not answer. Check that it runs."
        )

    def _start(self) -> None:
        if self._thread is None and not self._closed.is_set():
            self._thread = threading.Thread(target=self._watch, name="taishi-outages", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Not waited for: it may be in the middle of asking a server that says nothing."""
        self._closed.set()
        self._suspected.set()

    def _watch(self) -> None:
        while not self._closed.is_set():
            asked = self._suspected.wait(SLOW_SECONDS)
            self._suspected.clear()
            if not self._closed.is_set() and (asked or self.is_read_only or self._is_slow()):
                self._probe_until_back(asked)

    def _is_slow(self) -> bool:
        before = time.monotonic() - SLOW_SECONDS
        with self._lock:
            oldest = min((since for since, _ in self._in_use.values()), default=before)
        # A query may well take long: the server is asked again only now and then.
        return oldest < before and time.monotonic() - self._answered > 5 * SLOW_SECONDS

    def _probe_until_back(self, asked: bool) -> None:
        """It may have been away for a moment only, between two looks: connections are gone then."""
        while not self._closed.is_set():
            if self._answers():
                self._answered = time.monotonic()
                if self.is_away or asked:
                    self._returned()
                self._is_gone.clear()
                self._away.over("%s answers again", self._host)
                return
            self._is_gone.set()
            why = self._why()
            self._away.met("%s; going on without it", why)
            self._cut_all()
            self._closed.wait(AGAIN_SECONDS)

    def _answers(self) -> bool:
        try:
            with self._connect(PROBE_SECONDS) as connection:
                self.note_writing(connection)
        except psycopg.errors.TooManyConnections:
            return True
        except (psycopg.Error, OSError) as error:
            self._error = error
            return False
        return True

    def note_writing(self, connection: psycopg.Connection[Any]) -> None:
        """Of a new connection: whether it may write is so of all that are made now."""
        was_refused, self._was_refused = self._was_refused, False
        row = connection.execute(IS_READ_ONLY).fetchone()
        was_read_only, self.is_read_only = self.is_read_only, bool(row and row[0])
        if self.is_read_only:
            self._reading.met("%s can only be read: recall works, nothing new is kept", self._host)
        elif was_read_only or was_refused:
            self._writable()
            self._reading.over("%s can be written again", self._host)

    def _why(self) -> str:
        """A server that refuses the role is not the same as one that is silent. If it does the one
        after the other, that is told at once."""
        kind, told = refusal_of(self._host, self._error)
        if kind != self._refusal:
            self._refusal, self._away = kind, RepeatedTrouble(log)
        return told.rstrip(".") or f"{self._host} does not answer ({first_line(self._error)})"

    def _cut_all(self) -> None:
        with self._lock:
            connections = [connection for _, connection in self._in_use.values()]
            connections += list(self._others)
            for connection in connections:
                _cut(connection)


def _cut(connection: psycopg.Connection[Any]) -> None:
    """Whoever waits on it gets an error. Only its socket is touched: another thread is using the
    rest."""
    with (
        suppress(psycopg.Error, OSError),
        socket.socket(fileno=os.dup(connection.pgconn.socket)) as copy,
    ):
        copy.shutdown(socket.SHUT_RDWR)
