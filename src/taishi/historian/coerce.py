"""Reading what a model answered: any shape may come, and only plain values go on."""

from __future__ import annotations

import math
import re
from typing import Any

from ..language.text import clean, one_line


def text_of(value: Any, most: int) -> str:
    """A text of at most so many characters, without what cannot be seen; "" for anything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return clean(str(value), most)


def line_of(value: Any, most: int) -> str:
    return one_line(text_of(value, most))


def texts_of(value: Any, most: int, chars: int) -> tuple[str, ...]:
    """Different texts, in order. One text instead of a list is a list of one."""
    items = value if isinstance(value, (list, tuple)) else [value]
    found = dict.fromkeys(text_of(item, chars) for item in items[: most * 4])
    return tuple(text for text in found if text)[:most]


def items_of(value: Any, most: int) -> list[dict[str, Any]]:
    items = value if isinstance(value, (list, tuple)) else [value]
    return [item for item in items if isinstance(item, dict)][:most]


def share_of(value: Any, default: float) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return default
    if isinstance(value, float) and not math.isfinite(value):
        return default
    return float(min(max(value, 0), 1))  # before it becomes a float: it may be too large for one


def number_of(value: Any) -> int | None:
    """A whole number, also when it came as text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"\s*-?\d{1,9}\s*", value):
        return int(value)
    return value if isinstance(value, int) else None


def truth_of(value: Any) -> bool:
    return (
        value.strip().lower() in ("true", "yes", "1", "是")
        if isinstance(value, str)
        else value is True or value == 1
    )
