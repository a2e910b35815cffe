"""What does not fit in a request, field by field: named as the caller sent it, in their words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from starlette.requests import Request

from .problem_messages import DID_YOU_MEAN, OR, SEE_NAMES, UNKNOWN_NAME, field_word

MAX_NAME_CHARS = 80
MAX_WORDS_CHARS = 300
OWN_NAME = ("missing", "extra_forbidden")  # the name in question is the last of the place


def complaints(
    rows: Iterable[Mapping[str, Any]], body: Any, request: Request, language: str
) -> list[dict[str, str]]:
    """One row for each place, without values: they may be secrets, or megabytes. Where a field may
    be several things, it gets one complaint for each; they are joined."""
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        where, what = _where(row, body), _what(row, request, language)[:MAX_WORDS_CHARS]
        known = found.setdefault(where, {"where": where, "what": what, "code": str(row["type"])})
        if what not in known["what"]:
            known["what"] += OR[language == "zh"] + what
    return list(found.values())


def _where(row: Mapping[str, Any], body: Any) -> str:
    """The path as the caller wrote it: not where in the request it stood, and without the names
    of the types that were tried."""
    place, *rest = row["loc"]
    if place != "body":
        return ".".join(str(part)[:MAX_NAME_CHARS] for part in rest[:1]) or str(place)
    path, here = [], body
    for number, part in enumerate(rest):
        if _has(here, part):
            here = here[part]
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
        known = _names(request, row["loc"][0])
        return UNKNOWN_NAME[language == "zh"] + _nearest(str(row["loc"][-1]), known, language)
    return field_word(kind, row.get("ctx", {}), str(row["msg"]), language)


def _nearest(name: str, names: set[str], language: str) -> str:
    close = difflib.get_close_matches(name[:MAX_NAME_CHARS], sorted(names), 1, 0.5)
    chinese = language == "zh"
    return DID_YOU_MEAN[chinese].format(name=close[0]) if close else SEE_NAMES[chinese]


def _names(request: Request, part: object) -> set[str]:
    """Every name that the route's body (or query) knows, at any depth."""
    dependant = getattr(request.scope.get("route"), "dependant", None)
    if dependant is None:
        return set()
    fields = dependant.body_params if part == "body" else dependant.query_params
    return set().union(*(_names_in(field.field_info.annotation) for field in fields))


def _names_in(annotation: Any, depth: int = 4) -> set[str]:
    own = getattr(annotation, "model_fields", None)
    if own is None or not isinstance(own, dict):
        inner = getattr(annotation, "__args__", ()) if depth else ()
        return set().union(*(_names_in(one, depth - 1) for one in inner)) if inner else set()
    below = (_names_in(field.annotation, depth - 1) for field in own.values()) if depth else ()
    return set(own).union(*below)
