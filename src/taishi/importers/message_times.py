"""Times as exports write them: epochs in seconds or milliseconds, ISO, and some of their own."""

from __future__ import annotations

import math
import re
from datetime import datetime, tzinfo

from ..errors import TimeError
from ..times import to_epoch

MILLISECONDS_FROM = 1e11  # as seconds this is the year 5138
MICROSECONDS_FROM = 1e14
_NUMBER = re.compile(r"-?\d{1,19}(?:\.\d{1,9})?")
_PLAIN = re.compile(
    r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?[T ]{1,2}(?:([上下]午) ?)?(\d{1,2}):(\d{2})"
    r"(?::(\d{2}))?(?:\s?(AM|PM|上午|下午))?",
    re.IGNORECASE,
)


def moment(value: object, zone: tzinfo) -> float | None:
    """Seconds since 1970; None if it is no time. Without a zone of its own it is in `zone`."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        value = value.strip()
        if _NUMBER.fullmatch(value):
            value = float(value)
    if isinstance(value, (int, float)):
        return _epoch(value)
    return _written(value, zone) if isinstance(value, str) else None


def _epoch(value: float) -> float | None:
    if not math.isfinite(value) or value <= 0:
        return None
    if value >= MICROSECONDS_FROM:
        value /= 1e6
    elif value >= MILLISECONDS_FROM:
        value /= 1000
    return float(value) if value < MILLISECONDS_FROM else None


def _written(value: str, zone: tzinfo) -> float | None:
    try:
        return to_epoch(value, zone)
    except TimeError:
        found = _PLAIN.fullmatch(value)
    if found is None:
        return None
    year, month, day, before, *clock, after = found.groups()
    hour, minute, second = (int(part or 0) for part in clock)
    date = int(year), int(month), int(day)
    return local(*date, in_24(hour, before or after), minute, second, zone=zone)


def in_24(hour: int, half: str | None) -> int:
    if half is None:
        return hour
    return hour % 12 + (12 if half.lower() in ("pm", "下午") else 0)


def local(*parts: int, zone: tzinfo) -> float | None:
    """Year, month, day, hour, minute, second (and microsecond); None if there is no such day."""
    try:
        return to_epoch(datetime(*parts, tzinfo=zone), zone)  # type: ignore[misc,arg-type]
    except (ValueError, OverflowError, TimeError):
        return None
