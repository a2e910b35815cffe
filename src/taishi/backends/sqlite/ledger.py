"""The ledger of model calls: one row a day, task, model and mode (H5)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from ...ports import Call
from .database import Database

MAX_ERROR_CHARS = 500
_SUMS = ("calls", "failed", "prompt_tokens", "completion_tokens", "seconds", "cost")


class SqliteLedger:
    """Implements ports.CallLedger."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def add(self, call: Call) -> None:
        day = datetime.fromtimestamp(self._clock(), UTC).date().isoformat()
        with self._db.writing(()) as connection:
            connection.execute(
                "INSERT INTO ledger VALUES (?,?,?,?,1,?,?,?,?,?,?) "
                "ON CONFLICT (day, task, model, mode) DO UPDATE SET calls = calls + 1, "
                "failed = failed + excluded.failed, "
                "prompt_tokens = prompt_tokens + excluded.prompt_tokens, "
                "completion_tokens = completion_tokens + excluded.completion_tokens, "
                "seconds = seconds + excluded.seconds, cost = cost + excluded.cost, "
                "last_error = CASE excluded.last_error WHEN '' THEN last_error "
                "ELSE excluded.last_error END",
                (
                    day,
                    _whole(call.task),
                    _whole(call.model),
                    _whole(call.mode),
                    int(not call.ok),
                    int(call.prompt_tokens),
                    int(call.completion_tokens),
                    _finite(call.seconds),
                    _finite(call.cost),
                    _whole(call.error)[:MAX_ERROR_CHARS],
                ),
            )

    def totals(self, since_day: str | None = None) -> list[dict[str, Any]]:
        """A row for each day, task, model and mode, newest day first."""
        keys = ("day", "task", "model", "mode", *_SUMS, "last_error")
        with self._db.reading() as connection:
            rows = connection.execute(
                f"SELECT {', '.join(keys)} FROM ledger WHERE day >= ? "
                "ORDER BY day DESC, task, model, mode",
                (since_day or "",),
            ).fetchall()
        return [dict(zip(keys, row, strict=True)) for row in rows]


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0
