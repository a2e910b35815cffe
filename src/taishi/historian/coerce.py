"""Converts a model's JSON values of any type into plain ones: text, numbers, lists."""

from __future__ import annotations

import math
import re
from typing import Any

from ..language.text import clean, one_line


def text_of(value: Any, most: int) -> str:
    """A text of at most `most` characters, without invisible ones; "" for other types."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return clean(str(value), most)


def line_of(value: Any, most: int) -> str:
    return one_line(text_of(value, most))


def texts_of(value: Any, most: int, chars: int) -> tuple[str, ...]:
    """Distinct texts, in order. A single text counts as a list of one."""
    items = value if isinstance(value, (list, tuple)) else [value]
    unique = dict.fromkeys(text_of(item, chars) for item in items[: most * 4])
    return tuple(text for text in unique if text)[:most]


def items_of(value: Any, most: int) -> list[dict[str, Any]]:
    items = value if isinstance(value, (list, tuple)) else [value]
    return [item for item in items if isinstance(item, dict)][:most]


def fraction_of(value: Any, default: float) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return default
    if isinstance(value, float) and not math.isfinite(value):
        return default
    return float(min(max(value, 0), 1))  # clamp first: a huge integer cannot become a float


def number_of(value: Any) -> int | None:
    """An integer, also when it came as text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"\s*-?\d{1,9}\s*", value):
        return int(value)
    return value if isinstance(value, int) else None


def bool_of(value: Any) -> bool:
    return (
        value.strip().lower() in ("true", "yes", "1", "是")
        if isinstance(value, str)
        else value is True or value == 1
    )
