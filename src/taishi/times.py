"""Times as callers give them ↔ epoch seconds, the only form that is compared (E2); deadlines."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo

from .errors import TimeError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = (datetime(1, 1, 1, tzinfo=UTC) - EPOCH).total_seconds()
_LAST = (datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC) - EPOCH).total_seconds()
_SOON = 4e9  # in the year 2096
TimeLike = datetime | str | int | float


def to_epoch(value: TimeLike, zone: tzinfo) -> float:
    """Seconds since 1970. A time without a zone is in `zone`."""
    if isinstance(value, bool) or not isinstance(value, (datetime, str, int, float)):
        raise TimeError(f"a time must be an ISO string, a datetime or an epoch, not {value!r:.80}")
    if isinstance(value, (int, float)):
        if not math.isfinite(value) or not _FIRST <= value <= _LAST:
            raise TimeError(f"{value!r} is not an epoch in seconds between the years 1 and 9999")
        return float(value)
    if isinstance(value, str):
        value = _parse(value)
    if value.tzinfo is None:
        value = value.replace(tzinfo=zone)
    # At the very edge of the calendar a zone may push a time over it; it stays inside.
    return min(max((value - EPOCH).total_seconds(), _FIRST), _LAST)


def to_datetime(epoch: float, zone: tzinfo) -> datetime:
    if 0 <= epoch < _SOON:  # by far the most, and every platform can tell
        return datetime.fromtimestamp(epoch, zone)
    moment = EPOCH + timedelta(seconds=min(max(epoch, _FIRST), _LAST))
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment


def _parse(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        raise TimeError(
            f"{text[:80]!r} is not a time; use ISO 8601 such as 2026-02-20T14:30:00+08:00"
        ) from None


class Deadline:
    """A moment by which an answer is due."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._start = clock()
        self._end = self._start + seconds

    @property
    def left(self) -> float:
        return max(0.0, self._end - self._clock())

    def before(self, reserve: float) -> Deadline:
        """An earlier deadline that leaves `reserve` seconds, or half of what is left."""
        left = self.left
        return Deadline(max(left - reserve, left / 2), self._clock)

    @property
    def spent_ms(self) -> float:
        return (self._clock() - self._start) * 1000
