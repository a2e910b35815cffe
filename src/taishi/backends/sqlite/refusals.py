"""The log of refused writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .database import Database

COLUMNS = ("time", "actor", "door", "reason", "kind", "scope")
KEPT = 10_000


class SqliteRefusals:
    """Implements ports.Refusals. Only the newest KEPT rows stay, so that a client that is
    refused in a loop does not fill the disk."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, row: Sequence[Any]) -> None:
        """`row` has the values of COLUMNS."""
        with self._db.writing(()) as connection:
            connection.execute(
                f"INSERT INTO refusals ({', '.join(COLUMNS)}) VALUES (?,?,?,?,?,?)", tuple(row)
            )
            connection.execute(
                "DELETE FROM refusals WHERE number <= (SELECT max(number) FROM refusals) - ?",
                (KEPT,),
            )

    def list(self, limit: int) -> list[tuple[Any, ...]]:
        """The newest first."""
        with self._db.reading() as connection:
            rows = connection.execute(
                f"SELECT {', '.join(COLUMNS)} FROM refusals ORDER BY number DESC LIMIT ?", (limit,)
            )
            return list(rows)
