"""`filters` as SQL over the table `records`. Every value is bound, also the names of metadata.

A leaf is 1 or 0, never NULL, so that NOT means the same as in domain/filter_matching.py. Data that
is no JSON has no metadata.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ports.filter_expression import (
    METADATA,
    TAGS,
    AllOf,
    AnyOf,
    Condition,
    FilterExpression,
    Not,
)

Sql = tuple[str, list[Any]]

GUARDED = "CASE WHEN json_valid(data) THEN data END"
BARE = "data"  # half the time, but an error where it is no JSON
_COLUMNS = {
    "updated": "coalesce(updated, created)",
    TAGS: f"CASE WHEN json_valid(data) THEN data -> '$.{TAGS}' END",
}
_ORDER = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_NUMBERS = "('integer', 'real')"


def compiled(expression: FilterExpression, data: str = GUARDED) -> Sql:
    """A condition and its values, in order. `data` is how the metadata is read."""
    match expression:
        case AllOf(parts):
            return _joined(parts, " AND ", data)
        case AnyOf(parts):
            return _joined(parts, " OR ", data)
        case Not(part):
            sql, values = compiled(part, data)
            return f"NOT {sql}", values
        case Condition(field=field):
            if field == METADATA:
                return _metadata(expression, data)
            sql, values = _tags(expression) if field == TAGS else _column(expression)
            return f"ifnull({sql}, 0)", values


def _joined(parts: Sequence[FilterExpression], word: str, data: str) -> Sql:
    compiled_parts = [compiled(part, data) for part in parts]
    values = [value for _, some in compiled_parts for value in some]
    return f"({word.join(sql for sql, _ in compiled_parts)})", values


def _column(condition: Condition) -> Sql:
    column = _COLUMNS.get(condition.field, condition.field)
    if condition.op == "exists":
        return f"({column} IS NOT NULL)", []
    values: list[Any] = [*condition.texts, *condition.numbers]
    if condition.op == "in":
        return f"({column} IN ({_marks(values)}))", values
    if condition.op == "contains":
        return f"(instr({column}, ?) > 0)", values
    if condition.op == "icontains":  # lower() knows ASCII alone, which is what is meant
        return f"(instr(lower({column}), ?) > 0)", values
    return f"({column} {_ORDER[condition.op]} ?)", values


def _tags(condition: Condition) -> Sql:
    """One tag may be kept as a text, which json_each gives as one row."""
    tags, texts = _COLUMNS[TAGS], list(condition.texts)
    wanted = "" if condition.op == "exists" else f" AND t.value IN ({_marks(texts)})"
    each = f"SELECT 1 FROM json_each({tags}) t WHERE t.type = 'text'{wanted}"
    return f"(json_type({tags}) IN ('array', 'text') AND EXISTS ({each}))", texts


def _metadata(condition: Condition, data: str) -> Sql:
    """The type is looked at only where the value fits: most values differ."""
    path = "$" + "".join(f'."{name}"' for name in condition.path)
    value, kind = f"json_extract({data}, ?)", f"json_type({data}, ?)"
    if condition.op == "exists":
        return f"({value} IS NOT NULL)", [path]
    if condition.op == "contains":
        return _contains(condition, path, data)
    if condition.op == "icontains":
        sql = f"CASE {kind} WHEN 'text' THEN instr(lower({value}), ?) > 0 ELSE 0 END"
        return sql, [path, path, *condition.texts]
    parts: list[Sql] = []
    for wanted, kinds in ((condition.texts, "('text')"), (condition.numbers, _NUMBERS)):
        if wanted:
            order = _ORDER.get(condition.op)
            compare = f"{order} ?" if order else f"IN ({_marks(wanted)})"
            sql = f"CASE WHEN {value} {compare} THEN {kind} IN {kinds} ELSE 0 END"
            parts.append((sql, [path, *wanted, path]))
    if condition.truths:
        words = [_json_word(one) for one in condition.truths]
        parts.append((f"ifnull({kind} IN ({_marks(words)}), 0)", [path, *words]))
    sql = " OR ".join(part for part, _ in parts) or "0"
    return f"({sql})", [value for _, some in parts for value in some]


def _contains(condition: Condition, path: str, data: str) -> Sql:
    """A part of a text, or an entry of a list."""
    is_in_text, values, wanted = "0", list[Any](), list[Any]()
    if condition.texts:
        is_in_text, values = f"instr(json_extract({data}, ?), ?) > 0", [path, condition.texts[0]]
    if condition.truths:
        entry, wanted = "e.type = ?", [_json_word(condition.truths[0])]
    elif condition.texts:
        entry, wanted = "e.type = 'text' AND e.value = ?", list(condition.texts)
    else:
        entry, wanted = f"e.type IN {_NUMBERS} AND e.value = ?", list(condition.numbers)
    is_in_list = f"EXISTS (SELECT 1 FROM json_each({data}, ?) e WHERE {entry})"
    return (
        f"CASE json_type({data}, ?) WHEN 'text' THEN {is_in_text} WHEN 'array' THEN {is_in_list} "
        "ELSE 0 END",
        [path, *values, path, *wanted],
    )


def _json_word(truth: bool) -> str:
    return "true" if truth else "false"


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))
