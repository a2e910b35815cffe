"""Whether a record is one that `filters` ask for: what the compiled queries must agree with."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from ..ports.filter_expression import (
    METADATA,
    TAGS,
    AllOf,
    AnyOf,
    Condition,
    FilterExpression,
    Not,
    lower_ascii,
)
from ..types import Record

_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}


def matches(expression: FilterExpression | None, record: Record) -> bool:
    match expression:
        case None:
            return True
        case AllOf(parts):
            return all(matches(part, record) for part in parts)
        case AnyOf(parts):
            return any(matches(part, record) for part in parts)
        case Not(part):
            return not matches(part, record)
        case Condition():
            return _holds(expression, _value(expression, record))


def _value(condition: Condition, record: Record) -> Any:
    if condition.field == TAGS:
        return tags_of(record.data) or None
    if condition.field == "updated":
        return record.updated or record.created
    if condition.field != METADATA:
        return getattr(record, condition.field)
    found: Any = record.data
    for name in condition.path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def tags_of(data: Mapping[str, Any]) -> list[str]:
    """A host may keep one tag as a text."""
    given = data.get(TAGS)
    if isinstance(given, str):
        return [given]
    return [tag for tag in given if isinstance(tag, str)] if isinstance(given, list) else []


def _holds(condition: Condition, value: Any) -> bool:
    if value is None:
        return False
    if condition.op == "exists":
        return True
    if condition.field == TAGS:
        return any(tag in value for tag in condition.texts)
    if condition.op == "in":
        return _is_one_of(condition, value)
    if condition.op == "contains":
        if isinstance(value, str):
            return bool(condition.texts) and condition.texts[0] in value
        return isinstance(value, (list, tuple)) and any(_is_one_of(condition, v) for v in value)
    if condition.op == "icontains":
        return isinstance(value, str) and condition.texts[0] in lower_ascii(value)
    compare = _ORDER[condition.op]
    if isinstance(value, str):
        return bool(condition.texts) and compare(value, condition.texts[0])
    return _is_number(value) and bool(condition.numbers) and compare(value, condition.numbers[0])


def _is_one_of(condition: Condition, value: Any) -> bool:
    if isinstance(value, bool):
        return value in condition.truths
    if isinstance(value, str):
        return value in condition.texts
    return _is_number(value) and value in condition.numbers


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
