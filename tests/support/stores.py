"""Stores for the contract suites: every engine, opened as often as a test likes."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import apsw
import pytest

from support.engine_postgres import PostgresEngine
from taishi.backends.sqlite import SqliteStore
from taishi.ports import Store

STORES = ("sqlite", "postgres")


class OpenStore(ABC):
    """`open_store()` opens a store; twice it is the same one, as for two processes. Another `name`
    is another store."""

    def __init__(self) -> None:
        self._opened: list[Store] = []

    def __call__(self, clock: Callable[[], float] = time.time, name: str = "taishi") -> Store:
        self._opened.append(self._open(name, clock))
        return self._opened[-1]

    def close(self) -> None:
        for store in self._opened:
            store.close()

    @abstractmethod
    def _open(self, name: str, clock: Callable[[], float]) -> Store: ...

    @abstractmethod
    def run(self, sql: str) -> None:
        """Behind the store's back."""

    @abstractmethod
    def stored_bytes(self) -> bytes:
        """Whatever can be read of the store without it: its files, or all rows of all tables."""


class OpenSqlite(OpenStore):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def _open(self, name: str, clock: Callable[[], float]) -> Store:
        return SqliteStore(self._folder / f"{name}.db", clock)

    def run(self, sql: str) -> None:
        connection = apsw.Connection(str(self._folder / "taishi.db"))
        connection.execute(sql)
        connection.close()

    def stored_bytes(self) -> bytes:
        return b"".join(path.read_bytes() for path in self._folder.glob("taishi.db*"))


class OpenPostgres(OpenStore):
    def __init__(self, engine: PostgresEngine, stack: ExitStack) -> None:
        super().__init__()
        self._engine = engine
        self._stack = stack
        self._addresses: dict[str, str] = {}

    def _open(self, name: str, clock: Callable[[], float]) -> Store:
        from taishi.backends.postgres import PostgresStore

        if name not in self._addresses:
            database = self._engine.empty_database()
            self._addresses[name] = self._stack.enter_context(database)
        return PostgresStore(self._addresses[name], clock)

    @property
    def _database(self) -> str:
        return self._addresses["taishi"].rpartition("/")[2]

    def run(self, sql: str) -> None:
        self._engine.run(sql, self._database)

    def stored_bytes(self) -> bytes:
        tables = [f"SELECT t::text FROM {table} t" for table in self._engine.tables]
        rows = self._engine.run(" UNION ALL ".join(tables), self._database)
        return "\n".join(text for (text,) in rows).encode()


@contextmanager
def opened_stores(request: pytest.FixtureRequest, folder: Path) -> Iterator[OpenStore]:
    with ExitStack() as stack:
        opener: OpenStore = OpenSqlite(folder)
        if request.param == "postgres":
            opener = OpenPostgres(request.getfixturevalue("postgres_engine"), stack)
        stack.callback(opener.close)
        yield opener
