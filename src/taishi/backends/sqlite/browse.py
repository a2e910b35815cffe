"""Newest-first listings and counts of one partition.

A partition's rows lie together, so a filter is a walk backwards through its own range: no index
has to be kept for combinations that a person may ask for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from ...ports import ListingFilter, PartitionDigest
from ...types import Partition, Record
from .database import Database
from .transfer import record_of
from .writer import COLUMNS, PLACE_BITS

DAY = 86_400
AT_ONCE = 500
_TAGGED = (
    "json_valid(data) AND EXISTS (SELECT 1 FROM json_each(data, '$.tags') t WHERE t.value = ?)"
)


class SqliteBrowse:
    """Implements ports.Browse."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def newest(
        self, place: Partition, only: ListingFilter, before: int, limit: int
    ) -> list[tuple[int, Record]]:
        bounds = self._range(place)
        if bounds is None:
            return []
        low, high = bounds
        conditions, values = _conditions(only)
        with self._db.reading() as connection:
            rows = connection.execute(
                f"SELECT number, {COLUMNS} FROM records WHERE number > ? AND number < ?"
                f"{conditions} ORDER BY number DESC LIMIT ?",
                (low, min(high, before) if before else high, *values, limit),
            ).fetchall()
        return [(number, record_of(place, row)) for number, *row in rows]

    def codes(self, place: Partition, numbers: Sequence[int]) -> dict[int, bytes]:
        bounds = self._range(place)
        if bounds is None:
            return {}
        found: dict[int, bytes] = {}
        with self._db.reading() as connection:
            for start in range(0, len(numbers), AT_ONCE):
                some = numbers[start : start + AT_ONCE]
                rows = connection.execute(
                    "SELECT number, code FROM shelf WHERE number > ? AND number < ? "
                    f"AND code IS NOT NULL AND number IN ({','.join('?' * len(some))})",
                    (*bounds, *some),
                )
                found.update(rows.fetchall())
        return found

    def digest(self, place: Partition, now: float, days: int) -> PartitionDigest:
        bounds = self._range(place)
        if bounds is None:
            return PartitionDigest()
        with self._db.reading() as connection:
            rows = connection.execute(
                f"SELECT kind, state, CAST(created / {DAY} AS INTEGER), count(*), "
                "sum(confidence), count(CASE WHEN until <= ? THEN 1 END) FROM records "
                "WHERE number > ? AND number < ? GROUP BY 1, 2, 3",
                (now, *bounds),
            ).fetchall()
        kinds, states, growth = Counter[str](), Counter[str](), Counter[int]()
        confidence, facts, expired = 0.0, 0, 0
        for kind, state, day, count, sure, ended in rows:
            kinds[kind] += count
            states[state] += count
            growth[day] += count
            if state == "approved":
                expired += ended
                if kind == "fact":
                    confidence += sure
                    facts += count
        first = int(now // DAY) - days + 1
        return PartitionDigest(
            total=kinds.total(),
            kinds=dict(sorted(kinds.items())),
            states=dict(sorted(states.items())),
            mean_confidence=confidence / facts if facts else None,
            expired=expired,
            growth={_day(day): growth[day] for day in range(first, first + days)},
        )

    def _range(self, place: Partition) -> tuple[int, int] | None:
        no = self._db.scalar(
            "SELECT no FROM places WHERE workspace = ? AND kind = ? AND id = ?",
            place.workspace,
            place.kind,
            place.id,
        )
        return None if no is None else (no << PLACE_BITS, (no + 1) << PLACE_BITS)


def _conditions(only: ListingFilter) -> tuple[str, list[Any]]:
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
        add("state = 'approved' AND until <= ?", only.expired_at)
    if only.text is not None:
        add("instr(lower(text), lower(?)) > 0", only.text)
    if only.tag is not None:
        add(_TAGGED, only.tag)
    return "".join(parts), values


def _day(number: int) -> str:
    return datetime.fromtimestamp(number * DAY, UTC).date().isoformat()
