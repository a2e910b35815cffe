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
# While the database is away nobody can revoke a key there either; what was read last counts on. If
# it is only this server that cannot reach it, a revocation goes unnoticed here for so long.
STALE_SECONDS = 300.0
ANSWER_SECONDS = 0.2  # that a request waits for its answer, if what was read last will do
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


class _Question:
    """What version there is: asked on a thread of its own, so that nobody has to wait for it."""

    def __init__(self) -> None:
        self.is_answered = threading.Event()
        self.version: Hashable | None = None
        self.error: Exception | None = None


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
        self._question: _Question | None = None  # under way
        self._read_at = -STALE_SECONDS
        self._ask_again = 0.0  # not before, if what was read last will do
        self._version: Hashable | None = None

    @property
    def where(self) -> str:
        return f"the table {self._table} ({self._queries.database.host})"

    @property
    def is_permanent(self) -> bool:
        return True

    def stamp(self) -> Hashable | None:
        """Runs in the event loop of a server: as long as what was read last counts, a database that
        does not answer is waited for once and shortly, and by one caller only."""
        now = time.monotonic()
        with self._guard:
            is_usable = self._version is not None and now - self._read_at < STALE_SECONDS
            if is_usable and now < self._ask_again:
                return self._version
            question, is_mine = self._question, self._question is None
            if question is None:
                question = self._question = _Question()
                threading.Thread(
                    target=self._ask, args=(question,), name="taishi-keys", daemon=True
                ).start()
        patience = ANSWER_SECONDS if is_mine else 0.0
        if not question.is_answered.wait(patience if is_usable else None):
            return self._version
        if question.error is None:
            return question.version
        if is_usable and isinstance(question.error, UnreachableError):
            return self._version
        raise question.error

    def _ask(self, question: _Question) -> None:
        asked_at = time.monotonic()
        try:
            question.version = self._queries.value(f"SELECT version FROM {self._table}")
        except Exception as error:
            question.error = error
        with self._guard:
            if self._question is question:
                self._question = None
                self._ask_again = time.monotonic() + FRESH_SECONDS
                if question.error is None:
                    self._version, self._read_at = question.version, asked_at
        question.is_answered.set()

    def _outdate(self) -> None:
        """What is known or being asked does not count any more."""
        with self._guard:
            self._question = None
            self._read_at = -STALE_SECONDS

    def read(self) -> bytes:
        return bytes(self._queries.value(f"SELECT document FROM {self._table}") or b"{}")

    def write(self, data: bytes) -> None:
        self._queries.execute(
            f"INSERT INTO {self._table} AS held (version, document) VALUES (1, %s) "
            "ON CONFLICT (only_row) "
            "DO UPDATE SET version = held.version + 1, document = excluded.document",
            (data,),
        )
        self._outdate()

    def locked(self) -> AbstractContextManager[None]:
        self._outdate()  # whoever changes them reads them as they are
        return self._locks.hold(_LOCK_NAMES[self._name], LOCK_SECONDS)

    def beside(self, name: DocumentName) -> KeyRow:
        return KeyRow(self._queries.database, self._locks, name)

    def close(self) -> None:
        self._locks.close()
        self._queries.database.close()
