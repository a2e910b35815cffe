"""Where a page of a listing ends, as text that a caller passes back for the next one.

A cursor is only a position: one from elsewhere shows nothing that is not here. By arrival it is the
number of the last record; by a time, that time and the number. Records that come meanwhile are
before it, so no page shows a record twice.
"""

from __future__ import annotations

import binascii
import math
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple

from ..errors import CursorError
from ..ports.browse import Order
from ..types import Record

NUMBER, TIMED = "v1", "v2"
MAX_NUMBER = 2**62
MAX_CHARS = 80


class Position(NamedTuple):
    """Of the last record that was shown; 0: none was."""

    number: int = 0
    at: float | None = None


def cursor_of(number: int, record: Record | None = None, order: Order = "arrival") -> str:
    text = f"{NUMBER}:{number}"
    if record is not None and order != "arrival":
        text = f"{TIMED}:{order[0]}:{getattr(record, order)!r}:{number}"
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def position_of(cursor: str | None, order: Order = "arrival") -> Position:
    if cursor is None:
        return Position()
    try:
        if not isinstance(cursor, str):
            raise TypeError
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        text = urlsafe_b64decode(padded).decode("ascii") if len(cursor) <= MAX_CHARS else ""
        version, *parts = text.split(":")
        if version == NUMBER and order == "arrival":
            return Position(_number(*parts))
        if version == TIMED and order != "arrival" and parts[0] == order[0]:
            _, at, number = parts
            if math.isfinite(float(at)):
                return Position(_number(number), float(at))
    except (binascii.Error, ValueError, TypeError, IndexError):
        pass
    raise CursorError(
        "this cursor is not one of ours; pass the one that came with the page before, in the same "
        "order"
    )


def _number(text: str) -> int:
    return min(max(int(text), 0), MAX_NUMBER)
