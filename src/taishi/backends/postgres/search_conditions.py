"""Which rows a reader may see and asked for, as a condition on index_rows (alias i).

The same as recall/record_filter.py computes for an index in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ports import RecordFilter
from ...types import VisiblePartition
from .filter_sql import compiled

APPROVED, SUPERSEDED = "approved", "superseded"


def is_usual(visible: VisiblePartition, wanted: RecordFilter) -> bool:
    """Whether a reader sees every row that is approved and true without end."""
    times = (wanted.time_from, wanted.time_to, wanted.asked)
    special = (visible.only_user, wanted.kinds, wanted.filters, *times)
    return tuple(wanted.states) == (APPROVED,) and all(one is None for one in special)


def conditions(
    visible: VisiblePartition, wanted: RecordFilter, only: Sequence[int] | None = None
) -> tuple[str, dict[str, Any]]:
    """`only` are the numbers of all records that fit the caller's filters."""
    past = wanted.asked
    states = (*wanted.states, SUPERSEDED) if past else tuple(wanted.states)
    values: dict[str, Any] = {"states": list(states)}
    parts = ["i.state = ANY (%(states)s::text[])"]
    if past:
        parts.append("(i.since IS NULL OR i.since < %(asked_end)s::float8)")
        parts.append("(i.until IS NULL OR i.until > %(asked_begin)s::float8)")
        # Superseded, and true at no time: withdrawn.
        parts.append(f"(i.state <> '{SUPERSEDED}' OR i.since IS NULL OR i.until > i.since)")
        values.update(asked_begin=past[0], asked_end=past[1])
    else:
        parts.append("(i.until IS NULL OR i.until > %(now)s::float8)")
        values["now"] = wanted.now
    if wanted.kinds is not None:
        parts.append("i.kind = ANY (%(kinds)s::text[])")
        values["kinds"] = list(wanted.kinds)
    if visible.only_user is not None:
        parts.append("i.user_id = %(only_user)s")
        values["only_user"] = visible.only_user
    if wanted.time_from is not None:
        parts.append("i.time >= %(time_from)s::float8")
        values["time_from"] = wanted.time_from
    if wanted.time_to is not None:
        parts.append("i.time <= %(time_to)s::float8")
        values["time_to"] = wanted.time_to
    if only is not None:
        parts.append("i.number = ANY (%(only)s::bigint[])")
        values["only"] = list(only)
    elif wanted.filters is not None:
        asked, given = compiled(wanted.filters)
        parts.append(f"EXISTS (SELECT 1 FROM records r WHERE r.number = i.number AND {asked})")
        values.update(given)
    return " AND ".join(parts), values
