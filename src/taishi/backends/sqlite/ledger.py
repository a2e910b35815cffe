"""The ledger of model calls: one row a day, task, model and mode (H5)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ...ports import Call
from ..ledger_rows import KEYS, SUMS, row_of
from .database import Database


class SqliteLedger:
    """Implements ports.CallLedger."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def add(self, call: Call) -> None:
        with self._db.writing(()) as connection:
            connection.execute(
                f"INSERT INTO ledger ({', '.join(KEYS)}) VALUES (?,?,?,?,?,?,?,?,?,?,?) "
                "ON CONFLICT (day, task, model, mode) DO UPDATE SET "
                f"{', '.join(f'{name} = {name} + excluded.{name}' for name in SUMS)}, "
                "last_error = CASE excluded.last_error WHEN '' THEN last_error "
                "ELSE excluded.last_error END",
                row_of(call, self._clock()),
            )

    def totals(self, since_day: str | None = None) -> list[dict[str, Any]]:
        """A row for each day, task, model and mode, newest day first."""
        with self._db.reading() as connection:
            rows = connection.execute(
                f"SELECT {', '.join(KEYS)} FROM ledger WHERE day >= ? "
                "ORDER BY day DESC, task, model, mode",
                (since_day or "",),
            ).fetchall()
        return [dict(zip(KEYS, row, strict=True)) for row in rows]
