"""mem0's filters in the language of ours (docs/how-to/filters.md).

{"user_id": "ann", "category": {"in": ["food"]}, "NOT": [{"priority": {"lt": 3}}]}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from ...errors import InputError
from .entities import ENTITY_FIELDS, LABELS, Entities, parse_public_id

MAX_DEPTH = 8
OPERATIONS = ("eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "contains", "icontains")
WILDCARD = "*"
_OWN_FIELDS = {
    "run_id": "session",
    "agent_id": f"metadata.{LABELS}.agent_id",
    "app_id": f"metadata.{LABELS}.app_id",
    "actor_id": f"metadata.{LABELS}.actor_id",
    "role": f"metadata.{LABELS}.role",
    "memory_type": f"metadata.{LABELS}.memory_type",
    "created_at": "created",
    "updated_at": "updated",
    "timestamp": "time",
    "kind": "kind",
}
_CATEGORIES = "categories"  # those of a fact, and tags
_IDS = ("id", "memory_id")
_LOGIC = ("AND", "OR", "NOT")
_TOO_DEEP = f"filters are nested deeper than {MAX_DEPTH}; flatten them"


@dataclass(frozen=True, slots=True)
class ParsedFilters:
    """Whom filters are about, and what else they ask, as a list of ours that must all hold."""

    entities: Entities
    conditions: list[dict[str, Any]]


def parse(filters: object) -> ParsedFilters:
    """Entities are read from the top, and from an AND there."""
    if not isinstance(filters, Mapping):
        raise InputError("filters must be an object such as {'user_id': 'ann'}")
    named: dict[str, object] = {}
    conditions: list[dict[str, Any]] = []
    for part in _conjuncts(filters):
        for key, value in part.items():
            if key in ENTITY_FIELDS and _is_plain(value):
                _name_once(named, key, value)
            else:
                conditions.append(_translated(key, value, 1))
    return ParsedFilters(Entities.of(named), conditions)


def combined(conditions: list[dict[str, Any]]) -> dict[str, Any] | None:
    return {"and": conditions} if conditions else None


def end_of_day(value: object) -> datetime | None:
    """When a memory with this expiration_date ends: with that day, in UTC, as in mem0."""
    if value is None:
        return None
    day = value.date() if isinstance(value, datetime) else value
    if isinstance(day, str):
        try:
            day = date.fromisoformat(day.strip()[:10])
        except ValueError:
            day = None
    if not isinstance(day, date) or day == date.max:
        raise InputError("expiration_date must be a date in the form YYYY-MM-DD")
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)


def _conjuncts(filters: Mapping[Any, Any], depth: int = 1) -> list[Mapping[Any, Any]]:
    """What must hold: the filters themselves, with the parts of an AND beside them."""
    if depth > MAX_DEPTH:
        raise InputError(_TOO_DEEP)
    inner = _listed(filters["AND"], "AND") if "AND" in filters else []
    rest = {key: value for key, value in filters.items() if key != "AND"}
    return [rest, *(part for one in inner for part in _conjuncts(one, depth + 1))]


def _name_once(named: dict[str, object], key: str, value: object) -> None:
    if key in named and named[key] != value:
        raise InputError(f"filters name two values of {key}; ask for one at a time")
    named[key] = value


def _is_plain(value: object) -> bool:
    return value is None or (not isinstance(value, (Mapping, list, tuple)) and value != WILDCARD)


def _translated(key: object, value: object, depth: int) -> dict[str, Any]:
    if not isinstance(key, str):
        raise InputError("filters: a field's name must be text")
    if depth > MAX_DEPTH:
        raise InputError(_TOO_DEEP)
    if key in _LOGIC:
        return _logic(key, value, depth)
    if key == "user_id":
        raise InputError(
            "filters are about one user at a time: put user_id at the top, as a plain value"
        )
    if key == "metadata" and isinstance(value, Mapping):
        if not value:
            raise InputError("filters: metadata is compared with nothing; name a field of it")
        return _all_of([_compared(_metadata(name), inner) for name, inner in value.items()])
    if key == _CATEGORIES:
        return _of_categories(value)
    if key in _IDS:
        return _compared("id", _record_ids(value))
    return _compared(_OWN_FIELDS.get(key) or _metadata(key), value)


def _logic(key: str, value: object, depth: int) -> dict[str, Any]:
    if key == "NOT" and isinstance(value, Mapping):
        value = [value]
    parts = [
        _all_of([_translated(name, inner, depth + 1) for name, inner in one.items()])
        for one in _listed(value, key)
    ]
    return {"not": {"or": parts}} if key == "NOT" else {key.lower(): parts}


def _all_of(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return parts[0] if len(parts) == 1 else {"and": parts}


def _listed(value: object, key: str) -> list[Mapping[Any, Any]]:
    if not isinstance(value, (list, tuple)) or not value:
        raise InputError(f"filters: {key} needs a list of conditions with something in it")
    if not all(isinstance(one, Mapping) and one for one in value):
        raise InputError(f"filters: the conditions of {key} must be objects, and not empty")
    return list(value)


def _compared(field: str, value: object) -> dict[str, Any]:
    if value == WILDCARD:
        return {field: {"exists": True}}
    if isinstance(value, Mapping):
        for operation in value:
            if operation not in OPERATIONS:
                raise InputError(
                    f"filters: unknown operation {operation!r:.40}; use {', '.join(OPERATIONS)}, "
                    "AND, OR, NOT or '*'"
                )
        return {field: dict(value)}
    return {field: {"in": list(value)} if isinstance(value, (list, tuple)) else value}


def _of_categories(value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not value:
        return _in_either("and" if value is None else "or", value)
    return _all_of(
        [
            _in_either("and" if operation in ("ne", "nin") else "or", {operation: inner})
            for operation, inner in value.items()
        ]
    )


def _in_either(logic: str, value: object) -> dict[str, Any]:
    is_part = isinstance(value, Mapping) and "contains" in value
    category = value["contains"] if is_part and isinstance(value, Mapping) else value
    return {logic: [_compared("tags", value), _compared("metadata.category", category)]}


def _metadata(name: object) -> str:
    escaped = str(name).replace(".", "\\.")
    return f"metadata.{LABELS}.metadata.{escaped}"


def _record_ids(value: object) -> object:
    """The ids that mem0's callers know, as the records have them."""
    if isinstance(value, Mapping):
        return {operation: _record_ids(inner) for operation, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [parse_public_id(one)[1] for one in value]
    return parse_public_id(value)[1]
