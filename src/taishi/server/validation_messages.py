"""Validation errors field by field, named as the caller sent the fields."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from starlette.requests import Request

from .problem_messages import DID_YOU_MEAN, OR, SEE_NAMES, UNKNOWN_NAME, field_message

MAX_NAME_CHARS = 80
MAX_WORDS_CHARS = 300
OWN_NAME = ("missing", "extra_forbidden")  # the error is about the last name of its location


def field_errors(
    rows: Iterable[Mapping[str, Any]], body: Any, request: Request, language: str
) -> list[dict[str, str]]:
    """One row per field, without values: they may be secrets, or megabytes. Where a field takes one
    of several types, pydantic reports an error for each; they are joined."""
    by_field: dict[str, dict[str, str]] = {}
    for row in rows:
        where, what = _where(row, body), _what(row, request, language)[:MAX_WORDS_CHARS]
        field = by_field.setdefault(where, {"where": where, "what": what, "code": str(row["type"])})
        if what not in field["what"]:
            field["what"] += OR[language == "zh"] + what
    return list(by_field.values())


def _where(row: Mapping[str, Any], body: Any) -> str:
    """The field's path as the caller wrote it, without pydantic's location prefix and the names of
    the types that were tried."""
    part_of_request, *rest = row["loc"]
    if part_of_request != "body":
        return ".".join(str(part)[:MAX_NAME_CHARS] for part in rest[:1]) or str(part_of_request)
    path, value = [], body
    for number, part in enumerate(rest):
        if _has(value, part):
            value = value[part]
        elif row["type"] not in OWN_NAME or number < len(rest) - 1:
            continue
        path.append(str(part)[:MAX_NAME_CHARS])
    return ".".join(path) or "body"


def _has(container: Any, part: Any) -> bool:
    if isinstance(container, list):
        return isinstance(part, int) and part < len(container)
    return isinstance(container, dict) and part in container


def _what(row: Mapping[str, Any], request: Request, language: str) -> str:
    kind = str(row["type"])
    if kind == "extra_forbidden":
        names = _names(request, row["loc"][0])
        return UNKNOWN_NAME[language == "zh"] + _nearest(str(row["loc"][-1]), names, language)
    return field_message(kind, row.get("ctx", {}), str(row["msg"]), language)


def _nearest(name: str, names: set[str], language: str) -> str:
    matches = difflib.get_close_matches(name[:MAX_NAME_CHARS], sorted(names), 1, 0.5)
    chinese = language == "zh"
    return DID_YOU_MEAN[chinese].format(name=matches[0]) if matches else SEE_NAMES[chinese]


def _names(request: Request, part: object) -> set[str]:
    """Every field name of the route's body (or query), at any depth."""
    dependant = getattr(request.scope.get("route"), "dependant", None)
    if dependant is None:
        return set()
    fields = dependant.body_params if part == "body" else dependant.query_params
    return set().union(*(_names_in(field.field_info.annotation) for field in fields))


def _names_in(annotation: Any, depth: int = 4) -> set[str]:
    fields = getattr(annotation, "model_fields", None)
    if fields is None or not isinstance(fields, dict):
        inner = getattr(annotation, "__args__", ()) if depth else ()
        return (
            set().union(*(_names_in(argument, depth - 1) for argument in inner)) if inner else set()
        )
    nested = (_names_in(field.annotation, depth - 1) for field in fields.values()) if depth else ()
    return set(fields).union(*nested)
