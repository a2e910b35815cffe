"""The digest of a partition from counts by kind, state and day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

from ..ports import PartitionDigest

DAY = 86_400
Row = tuple[str, str, int, int, float, int]


def digest_of(rows: Iterable[Row], now: float, days: int) -> PartitionDigest:
    """Rows are of (kind, state, day, records, sum of confidence, how many have ended)."""
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
        growth={date_of(day): growth[day] for day in range(first, first + days)},
    )


def date_of(day: int) -> str:
    return datetime.fromtimestamp(day * DAY, UTC).date().isoformat()
