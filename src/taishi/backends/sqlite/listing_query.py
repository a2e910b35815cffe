"""The conditions of a listing, as SQL over the columns of the index `records_listing`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ...ports import ListingFilter
from .filter_sql import compiled

ORDER_KEYS = {"arrival": "number", "created": "created"}
ORDER_KEYS["updated"] = "coalesce(updated, created)"
_TAGS = "CASE WHEN json_valid(data) THEN data -> '$.tags' END"
# Looking for the bytes first saves parsing; what is written with a backslash is parsed anyway.
_HAS_TAG = (
    f"(instr({_TAGS}, ?) OR instr({_TAGS}, '\\')) AND "
    f"EXISTS (SELECT 1 FROM json_each({_TAGS}) t WHERE t.value = ?)"
)


def conditions_of(only: ListingFilter) -> tuple[str, list[Any]]:
    """Each begins with AND; the text is not among them."""
    parts: list[str] = []
    values: list[Any] = []

    def add(condition: str, *given: Any) -> None:
        parts.append(f" AND {condition}")
        values.extend(given)

    for column, wanted in (("kind", only.kinds), ("state", only.states)):
        if wanted is not None:
            add(f"{column} IN ({','.join('?' * len(wanted))})", *wanted)
    if only.user is not None:
        add("user = ?", only.user)
    if only.time_from is not None:
        add("coalesce(time, created) >= ?", only.time_from)
    if only.time_to is not None:
        add("coalesce(time, created) <= ?", only.time_to)
    if only.min_confidence is not None:
        add("confidence >= ?", only.min_confidence)
    if only.expired_at is not None:
        add("state = 'approved' AND (until <= ? OR expires <= ?)", *[only.expired_at] * 2)
    if only.deleted_at is not None:
        add("(expires IS NULL OR expires > ?)", only.deleted_at)
    if only.session is not None:
        add("session = ?", only.session)
    if only.tag is not None:
        add(_HAS_TAG, json.dumps(only.tag, ensure_ascii=False), only.tag)
    if only.filters is not None:
        condition, given = compiled(only.filters)
        add(condition, *given)
    return "".join(parts), values


def numbers_sql(conditions: str) -> str:
    """Takes two bounds (both exclusive), the values of the conditions and a limit."""
    return (
        "SELECT number FROM records INDEXED BY records_listing WHERE number > ? AND number < ?"
        f"{conditions} ORDER BY number DESC LIMIT ?"
    )


def ordered_sql(only: ListingFilter, conditions: str, follows: bool, among: bool) -> str:
    """In another order than that of arrival, or of one session. Takes the partition, some numbers
    as a JSON array if `among`, three values for `follows` (time, time, number) or, by arrival, one;
    the values of the conditions and a limit."""
    key = ORDER_KEYS[only.order_by]
    after = " AND number IN (SELECT value FROM json_each(?))" if among else ""
    if follows:
        is_older = f"{key} <= ? AND ({key} < ? OR number < ?)"
        after += " AND number < ?" if key == "number" else f" AND {is_older}"
    order = "number DESC" if key == "number" else f"{key} DESC, number DESC"
    return f"SELECT number FROM records WHERE place = ?{after}{conditions} ORDER BY {order} LIMIT ?"


def among_sql(conditions: str) -> str:
    """Which of some numbers (a JSON array) fit; takes it and the values of the conditions."""
    some = "SELECT value FROM json_each(?)"
    return f"SELECT number FROM records WHERE number IN ({some}){conditions}"


def as_json(numbers: Sequence[int]) -> str:
    return json.dumps(list(numbers))
