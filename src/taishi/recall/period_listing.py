"""What was told in a period, newest first: the answer to a question that names no matter."""

from __future__ import annotations

from collections.abc import Sequence

from ..domain.fact_lifecycle import ids_in
from ..ports import RecordFilter, Store
from ..ports.browse import ListingFilter
from ..types import Record, VisiblePartition
from .filter_matches import is_wanted
from .period_questions import Period

KINDS = ("event", "turn", "fact", "short_term", "summary")
MOST_READ = 200  # of a partition, the last to come


def told_in(
    store: Store,
    places: Sequence[VisiblePartition],
    period: Period,
    wanted: RecordFilter,
    count: int,
) -> list[Record]:
    """At most `count` records. A fact is left out beside the event that told it."""
    kinds = [kind for kind in KINDS if wanted.kinds is None or kind in wanted.kinds]
    if not kinds:
        return []
    found: list[Record] = []
    for visible in places:
        only = ListingFilter(
            kinds,
            wanted.states,
            visible.only_user,
            time_from=period.begin,
            time_to=period.until,
            deleted_at=wanted.now,
        )
        rows = store.browse.newest(visible.place, only, 0, max(count, MOST_READ))
        found += [record for _, record in rows if is_wanted(record, wanted)]
    events = {record.id for record in found if record.kind != "fact"}
    kept = [one for one in found if one.kind != "fact" or events.isdisjoint(ids_in(one, "sources"))]
    return sorted(kept, key=lambda one: one.time or 0.0, reverse=True)[:count]
