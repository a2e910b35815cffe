"""A call of a model as a row of the ledger (H5)."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

from ..ports import Call

MAX_ERROR_CHARS = 500
SUMS = ("calls", "failed", "prompt_tokens", "completion_tokens", "seconds", "cost")
KEYS = ("day", "task", "model", "mode", *SUMS, "last_error")


def row_of(call: Call, now: float) -> tuple[Any, ...]:
    """The values of KEYS for one call."""
    return (
        datetime.fromtimestamp(now, UTC).date().isoformat(),
        _whole(call.task),
        _whole(call.model),
        _whole(call.mode),
        1,
        int(not call.ok),
        int(call.prompt_tokens),
        int(call.completion_tokens),
        _finite(call.seconds),
        _finite(call.cost),
        _whole(call.error)[:MAX_ERROR_CHARS],
    )


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0
