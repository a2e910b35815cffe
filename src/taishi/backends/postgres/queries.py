"""Single queries on a pooled connection, for tables that a whole fleet shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from .database import ALL, Connection, Database, Workspace

Values = Sequence[Any] | Mapping[str, Any]


class Queries:
    """Every query is a transaction of its own; row-level security holds it to `workspace`."""

    def __init__(
        self, database: Database, workspace: Workspace = ALL, wait: float | None = None
    ) -> None:
        """`wait`: seconds for a connection, if they are to be fewer than usual."""
        self.database = database
        self._workspace = workspace
        self._wait = wait

    def of(self, workspace: str, wait: float | None = None) -> Queries:
        """The same, held to one workspace."""
        return Queries(self.database, workspace, wait)

    def execute(self, sql: str, values: Values = ()) -> int:
        """How many rows it concerned."""
        with self.database.reading(self._workspace, self._wait) as connection:
            return connection.execute(sql, values).rowcount

    def rows(self, sql: str, values: Values = ()) -> list[tuple[Any, ...]]:
        with self.database.reading(self._workspace, self._wait) as connection:
            return connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Values = ()) -> tuple[Any, ...] | None:
        with self.database.reading(self._workspace, self._wait) as connection:
            return connection.execute(sql, values).fetchone()

    def value(self, sql: str, values: Values = ()) -> Any:
        """The first column of the first row, or None."""
        row = self.row(sql, values)
        return None if row is None else row[0]

    def transaction(self) -> AbstractContextManager[Connection]:
        return self.database.transaction(self._workspace)
