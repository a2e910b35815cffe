"""What a caller's `filters` say (Q10), as a tree that every store compiles and Python evaluates.

The parser (domain/filter_parser.py) leaves eight operations. "ne" and "nin" become `Not`; so does a
comparison with null, which asks whether the field is there. Each leaf is true or false, never
unknown: it is false where the field is missing, null, or of another type than the value.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Operation = Literal["in", "gt", "gte", "lt", "lte", "contains", "icontains", "exists"]

TEXT_FIELDS = ("id", "kind", "state", "user", "speaker", "session", "source")
TIME_FIELDS = ("time", "created", "updated", "expires")
NUMBER_FIELDS = (*TIME_FIELDS, "confidence")
TAGS = "tags"
METADATA = "metadata"
FIELDS = (*TEXT_FIELDS, *NUMBER_FIELDS, TAGS)
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison. `path` leads into the metadata.

    Values are kept by type, as True is not 1 in JSON. "in" has any number of them, "exists" none,
    the others one. The tags of a record are a set: "in" is true if one of them is in it.
    """

    field: str
    op: Operation
    path: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    numbers: tuple[int | float, ...] = ()
    truths: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class AllOf:
    parts: tuple[FilterExpression, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    parts: tuple[FilterExpression, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: FilterExpression


FilterExpression = Condition | AllOf | AnyOf | Not


def lower_ascii(text: str) -> str:
    """A text as "icontains" compares it. Other letters stay: databases differ in them."""
    return text.translate(_LOWER)


def conditions_in(expression: FilterExpression) -> Iterator[Condition]:
    match expression:
        case Condition():
            yield expression
        case Not(part):
            yield from conditions_in(part)
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from conditions_in(part)


def names_field(expression: FilterExpression | None, field: str) -> bool:
    """Whether the caller asks about this field, so that a default about it does not apply."""
    return expression is not None and any(one.field == field for one in conditions_in(expression))
