"""LangGraph's filters: matched exactly here, and handed to Taishi's own as far as these can say it.

{"color": "red", "score": {"$gt": 3}, "owner": {"name": "Ann"}, "owner.name": "Ann"}
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Filter = Mapping[str, Any]
ORDERING: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
OPERATORS = ("$eq", "$ne", *ORDERING)
MISSING: Any = None  # as LangGraph's own stores have it: a field that is not there is null
WILDCARD = "*"
_PLAIN_NAME = re.compile(r'[^."\\\x00-\x1f]{1,200}')
_MOST_TEXT = 10_000
_MOST_WHOLE = 2**63


def matches(value: Mapping[str, Any], wanted: Filter | None) -> bool:
    return all(_fits(_field(value, key), asked) for key, asked in (wanted or {}).items())


def check_filter(wanted: Filter | None) -> None:
    """Raises ValueError for an operator that there is none of, whether or not a value meets it."""
    for asked in (wanted or {}).values():
        if isinstance(asked, Mapping):
            unknown = [op for op in asked if str(op).startswith("$") and op not in OPERATORS]
            if unknown:
                known = ", ".join(OPERATORS)
                raise ValueError(f"unknown filter operator {unknown[0]!r:.40}; use one of {known}")


def _field(value: Mapping[str, Any], key: str) -> Any:
    """By its name; or, where no field is called so, along the dots."""
    if key in value or "." not in key:
        return value.get(key, MISSING)
    found: Any = value
    for name in key.split("."):
        found = found.get(name, MISSING) if isinstance(found, Mapping) else MISSING
    return found


def _fits(value: Any, asked: Any) -> bool:
    if isinstance(asked, Mapping):
        if any(str(op).startswith("$") for op in asked):
            return all(_compare(value, str(op), other) for op, other in asked.items())
        if not isinstance(value, Mapping):
            return False
        return all(_fits(value.get(key, MISSING), inner) for key, inner in asked.items())
    if isinstance(asked, list | tuple):
        is_list = isinstance(value, list | tuple) and len(value) == len(asked)
        return is_list and all(map(_fits, value, asked))
    return _is_equal(value, asked)


def _compare(value: Any, op: str, other: Any) -> bool:
    if op in ("$eq", "$ne"):
        return _fits(value, other) is (op == "$eq")
    comparable = (_is_number(value) and _is_number(other)) or (
        isinstance(value, str) and isinstance(other, str)
    )
    return comparable and ORDERING[op](value, other)


def _is_equal(value: Any, other: Any) -> bool:
    """As in JSON, where true is not 1."""
    return bool(value == other) and isinstance(value, bool) is isinstance(other, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# -- as Taishi's filters -------------------------------------------------------------------------


def narrowed(wanted: Filter | None, field: str) -> list[dict[str, Any]]:
    """Conditions on the stored `field` that leave out no match; `matches` decides on the rest."""
    found: list[dict[str, Any]] = []
    for key, asked in (wanted or {}).items():
        if not _PLAIN_NAME.fullmatch(key):
            continue
        name = f"{field}.{key}"
        pairs = asked.items() if isinstance(asked, Mapping) else [("$eq", asked)]
        found += [{name: {op[1:]: other}} for op, other in pairs if _is_sayable(op, other)]
    return found


def _is_sayable(op: str, value: Any) -> bool:
    if op not in OPERATORS:
        return False
    if isinstance(value, str):
        return len(value) <= _MOST_TEXT and value.isprintable()
    if isinstance(value, bool):
        return op in ("$eq", "$ne")
    if isinstance(value, int):
        return -_MOST_WHOLE <= value < _MOST_WHOLE
    return isinstance(value, float) and math.isfinite(value)


# -- namespaces ----------------------------------------------------------------------------------


def namespace_matches(namespace: Sequence[str], kind: str, path: Sequence[str]) -> bool:
    """Whether a namespace begins ("prefix") or ends ("suffix") with a path; * is any one label."""
    if len(namespace) < len(path):
        return False
    if kind not in ("prefix", "suffix"):
        raise ValueError(f"unknown match type {kind!r:.40}; use prefix or suffix")
    start = 0 if kind == "prefix" else len(namespace) - len(path)
    labels = namespace[start : start + len(path)]
    return all(one in (WILDCARD, label) for label, one in zip(labels, path, strict=True))
