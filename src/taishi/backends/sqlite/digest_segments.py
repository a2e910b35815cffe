"""How a run of records is made up, and a partition's digest as the sum of its runs."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

import apsw

from ...ports import PartitionDigest

DAY = 86_400
ROW_BYTES = 200

_ENDS = "coalesce(min(until, expires), until, expires)"  # min of a NULL is NULL


@dataclass(frozen=True, slots=True)
class DigestSegment:
    """`days` counts records by kind and the day they were stored; `ends` are the moments at which
    records in force end, ascending: how many have ended depends on when one asks."""

    kinds: Counter[str]
    states: Counter[str]
    days: Counter[tuple[str, int]]
    facts: int  # in force
    confidence: float  # of these, added up
    ends: list[float]

    @staticmethod
    def load(connection: apsw.Connection, low: int, high: int) -> DigestSegment:
        within = "FROM records INDEXED BY records_listing WHERE number >= ? AND number < ?"
        rows = connection.execute(
            f"SELECT kind, state, CAST(created / {DAY} AS INTEGER), count(*), sum(confidence) "
            f"{within} GROUP BY 1, 2, 3",
            (low, high),
        )
        kinds, states, days = Counter[str](), Counter[str](), Counter[tuple[str, int]]()
        facts, confidence = 0, 0.0
        for kind, state, day, count, sure in rows:
            kinds[kind] += count
            states[state] += count
            days[kind, day] += count
            if kind == "fact" and state == "approved":
                facts, confidence = facts + count, confidence + sure
        ends = connection.execute(
            f"SELECT {_ENDS} {within} AND state = 'approved' AND {_ENDS} IS NOT NULL ORDER BY 1",
            (low, high),
        )
        return DigestSegment(kinds, states, days, facts, confidence, [end for (end,) in ends])

    @property
    def nbytes(self) -> int:
        rows = len(self.kinds) + len(self.states) + len(self.days) + len(self.ends)
        return ROW_BYTES * (1 + rows)


def digest_of(segments: Iterable[DigestSegment], now: float, days: int) -> PartitionDigest:
    kinds, states, growth = Counter[str](), Counter[str](), Counter[int]()
    confidence, facts, expired = 0.0, 0, 0
    for segment in segments:
        kinds.update(segment.kinds)
        states.update(segment.states)
        for (_, day), count in segment.days.items():
            growth[day] += count
        facts += segment.facts
        confidence += segment.confidence
        expired += bisect_right(segment.ends, now)
    first = int(now // DAY) - days + 1
    return PartitionDigest(
        total=kinds.total(),
        kinds=dict(sorted(kinds.items())),
        states=dict(sorted(states.items())),
        mean_confidence=confidence / facts if facts else None,
        expired=expired,
        growth={_day(day): growth[day] for day in range(first, first + days)},
    )


def growth_of(
    segments: Iterable[DigestSegment], now: float, days: int
) -> dict[str, dict[str, int]]:
    first = int(now // DAY) - days + 1
    counts = Counter[tuple[str, int]]()
    for segment in segments:
        counts.update({key: count for key, count in segment.days.items() if key[1] >= first})
    found: dict[str, dict[str, int]] = {}
    for (kind, day), count in sorted(counts.items()):
        found.setdefault(kind, {})[_day(day)] = count
    return found


def _day(number: int) -> str:
    return datetime.fromtimestamp(number * DAY, UTC).date().isoformat()
