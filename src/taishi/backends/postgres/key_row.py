"""A document that servers share, such as the API keys, in a row of the database."""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable
from contextlib import AbstractContextManager

from ...errors import UnreachableError
from ...ports.keys import DocumentName
from .database import Database
from .locks import AdvisoryLocks
from .queries import Queries

LOCK_SECONDS = 10.0
FRESH_SECONDS = 0.5  # a change elsewhere is seen after so long
# While the database is away nobody can revoke a key there either; what was read last counts on.
STALE_SECONDS = 300.0
WAIT_SECONDS = 2.0  # for a connection
_TABLES: dict[DocumentName, str] = {
    "keys": "api_keys",
    "sessions": "page_sessions",
    "oauth": "oauth_connections",
}
_LOCK_NAMES: dict[DocumentName, str] = {
    "keys": "api keys",
    "sessions": "page sessions",
    "oauth": "oauth connections",
}


class KeyRow:
    """Implements ports.KeyDocument."""

    def __init__(
        self, database: Database, locks: AdvisoryLocks, name: DocumentName = "keys"
    ) -> None:
        self._queries = Queries(database, wait=WAIT_SECONDS)
        self._locks = locks
        self._name: DocumentName = name
        self._table = _TABLES[name]
        self._guard = threading.Lock()
        self._read_at = -STALE_SECONDS
        self._version: Hashable | None = None

    @property
    def where(self) -> str:
        return f"the table {self._table} ({self._queries.database.host})"

    def stamp(self) -> Hashable | None:
        known = self._version is not None
        if known and time.monotonic() - self._read_at < FRESH_SECONDS:
            return self._version
        is_usable = known and time.monotonic() - self._read_at < STALE_SECONDS
        # One asks; if the server hangs, the others do not wait for him.
        if not self._guard.acquire(blocking=not is_usable):
            return self._version
        try:
            return self._asked()
        finally:
            self._guard.release()

    def _asked(self) -> Hashable | None:
        try:
            self._version = self._queries.value(f"SELECT version FROM {self._table}")
        except UnreachableError:
            if time.monotonic() - self._read_at > STALE_SECONDS:
                raise
            return self._version
        self._read_at = time.monotonic()
        return self._version

    def read(self) -> bytes:
        return bytes(self._queries.value(f"SELECT document FROM {self._table}") or b"{}")

    def write(self, data: bytes) -> None:
        self._queries.execute(
            f"INSERT INTO {self._table} AS held (version, document) VALUES (1, %s) "
            "ON CONFLICT (only_row) "
            "DO UPDATE SET version = held.version + 1, document = excluded.document",
            (data,),
        )
        with self._guard:
            self._read_at = -STALE_SECONDS

    def locked(self) -> AbstractContextManager[None]:
        with self._guard:
            self._read_at = -STALE_SECONDS  # whoever changes them reads them as they are
        return self._locks.hold(_LOCK_NAMES[self._name], LOCK_SECONDS)

    def beside(self, name: DocumentName) -> KeyRow:
        return KeyRow(self._queries.database, self._locks, name)

    def close(self) -> None:
        self._locks.close()
        self._queries.database.close()
