"""Reads `filters` as callers write them (Q10), checks them, and says what is wrong with them.

{"kind": "fact", "metadata.project": "apollo"}
{"or": [{"tags": {"contains": "work"}}, {"confidence": {"gte": 0.8}}]}
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo
from difflib import get_close_matches
from typing import Any, cast

from ..errors import InputError, TimeError
from ..language.text import storable
from ..ports.filter_expression import (
    FIELDS,
    METADATA,
    TAGS,
    TEXT_FIELDS,
    TIME_FIELDS,
    AllOf,
    AnyOf,
    Condition,
    FilterExpression,
    Not,
    Operation,
    lower_ascii,
)
from ..times import to_epoch
from ..types import KINDS
from .event_evidence import RETAINED
from .facts import STATES
from .profile_records import KEPT_BACK

MAX_DEPTH = 8
MAX_CONDITIONS = 64
MAX_VALUES = 1000
MAX_PATH = 8
MAX_NAME_CHARS = 200
MAX_TEXT_CHARS = 10_000
MAX_WHOLE = 2**63
ALIKE = 0.7  # how alike two names are of which one may be meant for the other
COMBINING = ("and", "or", "not")
PARTS = ("contains", "icontains")
OPERATIONS = ("eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", *PARTS, "exists")
ORDERING = ("gt", "gte", "lt", "lte")
OF_TAGS = ("eq", "ne", "in", "nin", "contains", "exists")
OF_NUMBERS = tuple(one for one in OPERATIONS if one not in PARTS)
HIDDEN = KEPT_BACK | {RETAINED}
_WORDS: Mapping[str, Collection[str]] = {"kind": KINDS, "state": STATES}
_EXAMPLE = '{"kind": "fact"}'
_ANYTHING = "a text, a number, true, false or null"
_NAMES = {"str": "a text", "bool": "true or false", "int": "a number", "float": "a number"}
_NAMES |= {"list": "a list", "dict": "an object", "NoneType": "null"}
_DOT = re.compile(r"(?<!\\)\.")
_NOT_IN_NAMES = re.compile(r'["\\\x00-\x1f]')


def parse_filters(given: object, zone: tzinfo) -> FilterExpression | None:
    """None: nothing is asked. A time without a zone is in `zone`."""
    if given is None:
        return None
    return _Reader(zone).everything(given)


@dataclass(slots=True)
class _Reader:
    zone: tzinfo
    left: int = MAX_CONDITIONS

    def everything(self, given: object) -> FilterExpression | None:
        parts = self._parts(given, 1)
        return _all_of(parts) if parts else None

    def _expression(self, given: object, depth: int) -> FilterExpression:
        parts = self._parts(given, depth)
        if not parts:
            raise InputError("filters: an empty object within and, or, not says nothing; drop it")
        return _all_of(parts)

    def _parts(self, given: object, depth: int) -> list[FilterExpression]:
        if not isinstance(given, Mapping):
            raise InputError(f"filters must be an object such as {_EXAMPLE}, not {_named(given)}")
        if depth > MAX_DEPTH:
            raise InputError(f"filters are nested deeper than {MAX_DEPTH}; flatten them")
        return [part for key, inner in given.items() for part in self._pair(key, inner, depth)]

    def _pair(self, key: object, inner: object, depth: int) -> list[FilterExpression]:
        if key == "not":
            return [Not(self._expression(inner, depth + 1))]
        if key in ("and", "or"):
            parts = tuple(self._expression(one, depth + 1) for one in _list(inner, str(key)))
            return [AllOf(parts) if key == "and" else AnyOf(parts)]
        field, path = _field(key, inner)
        compared = inner if isinstance(inner, Mapping) else {"eq": inner}
        if not compared:
            raise InputError(f"filters: {key!r:.80} is compared with nothing; give an operation")
        return [self._condition(field, path, op, value) for op, value in compared.items()]

    def _condition(
        self, field: str, path: tuple[str, ...], op: object, value: object
    ) -> FilterExpression:
        self.left -= 1
        if self.left < 0:
            raise InputError(f"filters have more than {MAX_CONDITIONS} conditions; use in for many")
        name = ".".join((field, *path))
        operation = _operation(field, name, op)
        there = Condition(field, "exists", path)
        if operation == "exists":
            if not isinstance(value, bool):
                raise InputError(f"filters: exists of {name} must be true or false")
            return there if value else Not(there)
        if operation in ("eq", "ne") and value is None:
            return Not(there) if operation == "eq" else there
        values = _list(value, operation) if operation in ("in", "nin") else [value]
        known = [self._value(field, name, one) for one in values]
        if operation in ORDERING and type(known[0]) is bool:
            raise InputError(f"filters: true and false have no order; compare {name} with eq")
        if operation == "icontains":
            known = [lower_ascii(_text(name, one)) for one in known]
        is_set = field == TAGS and operation == "contains"
        kept = "in" if is_set or operation in ("eq", "ne", "nin") else operation
        found = _by_type(field, cast(Operation, kept), path, known)
        return Not(found) if operation in ("ne", "nin") else found

    def _value(self, field: str, name: str, value: object) -> str | int | float | bool:
        if field in TIME_FIELDS:
            return self._time(name, value)
        if field == "confidence":
            return _number(name, value)
        if field in TEXT_FIELDS or field == TAGS:
            return _word(field, _text(name, str(value) if type(value) is int else value))
        if isinstance(value, bool):
            return value
        if isinstance(value, (int, float)):
            return _number(name, value)
        if isinstance(value, (datetime, date, time)):
            return value.isoformat()  # as metadata keeps it
        return _text(name, value, _ANYTHING)

    def _time(self, name: str, value: object) -> float:
        try:
            return to_epoch(cast(Any, value), self.zone)
        except TimeError as error:
            raise InputError(f"filters: {name}: {error}") from None


def _field(key: object, inner: object) -> tuple[str, tuple[str, ...]]:
    if not isinstance(key, str):
        raise InputError(f"filters: a field's name must be text, not {_named(key)}")
    if key in FIELDS:
        return key, ()
    if not key.startswith(f"{METADATA}."):
        near = _nearest(key, (*FIELDS, *COMBINING)) or _in_metadata(key, inner)
        raise InputError(
            f"filters: unknown field {key!r:.80}{near}; "
            f"fields are {', '.join(FIELDS)} and metadata.NAME"
        )
    path = tuple(name.replace("\\.", ".") for name in _DOT.split(key)[1:])
    if path[0] in HIDDEN:
        raise InputError(f"filters: {key!r:.80} is not shown, so it cannot be asked about")
    for name in path:
        if not name or len(name) > MAX_NAME_CHARS or _NOT_IN_NAMES.search(name):
            raise InputError(
                f"filters: {key!r:.80} has a part that cannot be looked up; parts are separated by "
                'dots (a dot in a name is written "\\."), and hold no quote, backslash or control '
                "character"
            )
    if len(path) > MAX_PATH:
        raise InputError(f"filters: {key!r:.80} leads deeper than {MAX_PATH} levels")
    return METADATA, path


def _operation(field: str, name: str, op: object) -> str:
    if not isinstance(op, str) or op not in OPERATIONS:
        near = _nearest(str(op), OPERATIONS)
        raise InputError(
            f"filters: unknown operation {op!r:.40} of {name}{near}; use {', '.join(OPERATIONS)}"
        )
    usable: Sequence[str] = OPERATIONS
    if field == TAGS:
        usable = OF_TAGS
    elif field in TIME_FIELDS or field == "confidence":
        usable = OF_NUMBERS
    if op not in usable:
        raise InputError(f"filters: {name} cannot be compared with {op}; use {', '.join(usable)}")
    return op


def _number(name: str, value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"filters: {name} must be compared with a number, not {_named(value)}")
    is_whole = isinstance(value, int)
    if (is_whole and not -MAX_WHOLE <= value < MAX_WHOLE) or not (is_whole or math.isfinite(value)):
        raise InputError(f"filters: {name}: the number must be finite, and below 2^63 if whole")
    return value


def _text(name: str, value: object, must: str = "a text") -> str:
    if not isinstance(value, str):
        raise InputError(f"filters: {name} must be compared with {must}, not {_named(value)}")
    if len(value) > MAX_TEXT_CHARS:
        raise InputError(f"filters: a text for {name} is longer than {MAX_TEXT_CHARS} characters")
    return storable(value)


def _word(field: str, text: str) -> str:
    known = _WORDS.get(field)
    if known is not None and text not in known:
        near = _nearest(text, known)
        raise InputError(f"filters: unknown {field} {text!r:.40}{near}; use {', '.join(known)}")
    return text


def _by_type(
    field: str, op: Operation, path: tuple[str, ...], values: Sequence[str | int | float | bool]
) -> Condition:
    return Condition(
        field,
        op,
        path,
        tuple(one for one in values if isinstance(one, str)),
        tuple(one for one in values if isinstance(one, (int, float)) and type(one) is not bool),
        tuple(one for one in values if type(one) is bool),
    )


def _list(given: object, what: str) -> Sequence[object]:
    if not isinstance(given, (list, tuple, set, frozenset)):
        raise InputError(f"filters: {what} needs a list, not {_named(given)}")
    if what in COMBINING and not given:
        raise InputError(f"filters: {what} needs a list with something in it")
    if len(given) > MAX_VALUES:
        raise InputError(f"filters: a list of {what} has more than {MAX_VALUES} entries")
    return list(given)


def _all_of(parts: Sequence[FilterExpression]) -> FilterExpression:
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _nearest(word: str, known: Collection[str]) -> str:
    near = get_close_matches(word[:80].lower(), known, 1, ALIKE)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _in_metadata(key: str, inner: object) -> str:
    """Callers' own names are below metadata, which other stores write as an object. One with a dot
    or an odd letter is not guessed at, nor one that would be refused with what it is compared with:
    of an object without operations it is not known which part is a name."""
    if _nearest(key, (METADATA,)):
        if not isinstance(inner, Mapping) or not inner or next(iter(inner)) in OPERATIONS:
            return ""
        key, inner = next(iter(inner.items()))
    operations = inner if isinstance(inner, Mapping) else ("eq",)
    is_usable = all(_nearest(str(one), OPERATIONS) for one in operations)
    is_name = isinstance(key, str) and key.isidentifier() and len(key) <= 40 and key not in HIDDEN
    return f" (did you mean 'metadata.{key}'?)" if is_name and is_usable and operations else ""


def _named(value: object) -> str:
    name = type(value).__name__
    return _NAMES.get(name, name)
