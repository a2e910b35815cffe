"""`filters` as SQL over the table `records`. Every value is a parameter, also names of metadata.

A leaf is true or false, never NULL, so that NOT means the same as in domain/filter_matching.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ...ports.filter_expression import (
    METADATA,
    NUMBER_FIELDS,
    TAGS,
    AllOf,
    AnyOf,
    Condition,
    FilterExpression,
    Not,
)

# jsonb refuses \u0000, which JSON allows: it is searched as U+FFFD. A backslash before it that is
# itself escaped belongs to something else.
_DATA = r"""(CASE WHEN strpos({r}.data, '\u0000') > 0
  THEN regexp_replace({r}.data, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g')
  ELSE {r}.data END)::jsonb"""
_COLUMNS = {"user": "user_id"}
_ORDER = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def compiled(
    expression: FilterExpression, table: str = "r", prefix: str = "filter"
) -> tuple[str, dict[str, Any]]:
    """A condition on rows of `table` and its values by name, each beginning with `prefix`."""
    compiler = _Compiler(table, prefix)
    return compiler.expression(expression), compiler.values


@dataclass(slots=True)
class _Compiler:
    table: str
    prefix: str
    values: dict[str, Any] = field(default_factory=dict)

    def bound(self, value: Any, type: str) -> str:
        name = f"{self.prefix}{len(self.values)}"
        self.values[name] = value
        return f"%({name})s::{type}"

    def expression(self, expression: FilterExpression) -> str:
        match expression:
            case AllOf(parts):
                return self._joined(parts, " AND ")
            case AnyOf(parts):
                return self._joined(parts, " OR ")
            case Not(part):
                return f"NOT {self.expression(part)}"
            case Condition(field=name):
                leaf = self._metadata if name == METADATA else self._column
                return f"coalesce({leaf(expression)}, false)"

    def _joined(self, parts: Sequence[FilterExpression], word: str) -> str:
        return f"({word.join(self.expression(part) for part in parts)})"

    def _column(self, condition: Condition) -> str:
        name, r = condition.field, self.table
        column = f"{r}.{_COLUMNS.get(name, name)}"
        if name == "updated":
            column = f"coalesce({r}.updated, {r}.created)"
        if condition.op == "exists":
            return f"({column} IS NOT NULL)"
        if name == TAGS:
            return f"({column} && {self.bound(list(condition.texts), 'text[]')})"
        kind = "float8" if name in NUMBER_FIELDS else "text"
        values: list[Any] = [*condition.texts, *map(float, condition.numbers)]
        if condition.op == "in":
            return f"({column} = ANY ({self.bound(values, f'{kind}[]')}))"
        if condition.op == "contains":
            return f"(strpos({column}, {self.bound(values[0], 'text')}) > 0)"
        if condition.op == "icontains":
            return self._contains_any_case(column, condition)
        return f"({column} {_ORDER[condition.op]} {self.bound(values[0], kind)})"

    def _metadata(self, condition: Condition) -> str:
        names = "".join(f" -> {self.bound(name, 'text')}" for name in condition.path)
        value = f"({_DATA.format(r=self.table)}{names})"
        if condition.op == "exists":
            return f"(jsonb_typeof({value}) <> 'null')"
        if condition.op == "contains":
            return self._contains(condition, value)
        if condition.op == "icontains":
            found = self._contains_any_case(f"({value} #>> '{{}}')", condition)
            return f"CASE jsonb_typeof({value}) WHEN 'string' THEN {found} END"
        cases = []
        if condition.texts:
            text = f"({value} #>> '{{}}') COLLATE \"C\""
            cases.append(f"WHEN 'string' THEN {self._compared(condition, text, 'text')}")
        if condition.numbers:
            compared = self._compared(condition, f"{value}::numeric", "numeric")
            cases.append(f"WHEN 'number' THEN {compared}")
        if condition.truths:
            words = [json.dumps(one) for one in condition.truths]
            cases.append(f"WHEN 'boolean' THEN {value}::text = ANY ({self.bound(words, 'text[]')})")
        return f"CASE jsonb_typeof({value}) {' '.join(cases)} END" if cases else "false"

    def _compared(self, condition: Condition, value: str, kind: str) -> str:
        # As it is written in JSON, or 0.1 would not be 0.1.
        numbers = [Decimal(repr(one)) for one in condition.numbers]
        values: list[Any] = list(condition.texts) if kind == "text" else numbers
        if condition.op == "in":
            return f"{value} = ANY ({self.bound(values, f'{kind}[]')})"
        return f"{value} {_ORDER[condition.op]} {self.bound(values[0], kind)}"

    def _contains_any_case(self, text: str, condition: Condition) -> str:
        """By the collation "C" only ASCII has a case, which is what is meant."""
        part = self.bound(condition.texts[0], "text")
        return f'(strpos(lower({text} COLLATE "C"), {part}) > 0)'

    def _contains(self, condition: Condition, value: str) -> str:
        """A part of a text, or an entry of a list."""
        wanted = next(iter((*condition.texts, *condition.truths, *condition.numbers)))
        entry = self.bound(json.dumps(wanted, ensure_ascii=False), "jsonb")
        in_text = "false"
        if condition.texts:
            in_text = f"strpos({value} #>> '{{}}', {self.bound(condition.texts[0], 'text')}) > 0"
        return (
            f"CASE jsonb_typeof({value}) WHEN 'string' THEN {in_text} "
            f"WHEN 'array' THEN {value} @> {entry} END"
        )
