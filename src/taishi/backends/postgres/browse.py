"""Newest-first listings and counts of one partition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ports import FilterExpression, ListingFilter, PartitionDigest
from ...types import Partition, Record
from ..digest_rows import DAY, date_of, digest_of
from ..record_rows import FIELDS, number_range, record_of
from .database import Database
from .filter_sql import compiled
from .listing_conditions import ORDER_KEYS, listing_conditions
from .record_columns import columns
from .records import partition_no

_COLUMNS = columns((*FIELDS, "data"), "r.")
# By number, or by a time: as the index has it (006_updated_and_expires.sql).
WITHIN = ("r.number > %(low)s AND r.number < %(high)s", "r.number >> 32 = %(no)s")
_DIGEST = f"""
SELECT kind, state, trunc(created / {DAY})::bigint, count(*), sum(confidence),
  count(CASE WHEN least(until, expires) <= %s THEN 1 END)
FROM records WHERE number > %s AND number < %s GROUP BY 1, 2, 3"""
_GROWTH = f"""
SELECT kind, floor(created / {DAY})::bigint, count(*) FROM records
WHERE number > %s AND number < %s AND created >= %s GROUP BY 1, 2 ORDER BY 1, 2"""


class PostgresBrowse:
    """Implements ports.Browse and ports.GrowthCounts."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def newest(
        self,
        place: Partition,
        only: ListingFilter,
        before: int,
        limit: int,
        at: float | None = None,
    ) -> list[tuple[int, Record]]:
        conditions, values = listing_conditions(only)
        key = ORDER_KEYS[only.order_by]
        if before and key:
            conditions += f" AND ({key}, r.number) < (%(at)s::float8, %(before)s)"
        elif before:
            conditions += " AND r.number < %(before)s"
        order = f"{key} DESC, r.number DESC" if key else "r.number DESC"
        within = "r.partition = %(no)s" if only.session is not None else WITHIN[bool(key)]
        with self._db.reading(place.workspace) as connection:
            no = partition_no(connection, place)
            if no is None:
                return []
            low, high = number_range(no)
            values |= {"no": no, "low": low, "high": high, "limit": limit}
            values |= {"before": before, "at": at}
            rows = connection.execute(
                f"SELECT r.number, {_COLUMNS} FROM records r WHERE {within}{conditions} "
                f"ORDER BY {order} LIMIT %(limit)s",
                values,
            ).fetchall()
        return [(number, record_of(place, row)) for number, *row in rows]

    def matching(self, place: Partition, filters: FilterExpression) -> Sequence[int]:
        condition, values = compiled(filters)
        with self._db.reading(place.workspace) as connection:
            no = partition_no(connection, place)
            if no is None:
                return []
            low, high = number_range(no)
            rows = connection.execute(
                "SELECT r.number FROM records r WHERE r.number > %(low)s AND r.number < %(high)s "
                f"AND {condition} ORDER BY r.number",
                {**values, "low": low, "high": high},
            ).fetchall()
        return [number for (number,) in rows]

    def codes(self, place: Partition, numbers: Sequence[int]) -> dict[int, bytes]:
        with self._db.reading(place.workspace) as connection:
            no = partition_no(connection, place)
            if no is None:
                return {}
            rows = connection.execute(
                "SELECT number, code FROM index_rows WHERE number = ANY (%s::bigint[]) "
                "AND number > %s AND number < %s AND code IS NOT NULL",
                (list(numbers), *number_range(no)),
            ).fetchall()
        return dict(rows)

    def digest(self, place: Partition, now: float, days: int) -> PartitionDigest:
        with self._db.reading(place.workspace) as connection:
            no = partition_no(connection, place)
            if no is None:
                return PartitionDigest()
            rows: list[Any] = connection.execute(_DIGEST, (now, *number_range(no))).fetchall()
        return digest_of(rows, now, days)

    def growth(self, place: Partition, now: float, days: int) -> dict[str, dict[str, int]]:
        first = (int(now // DAY) - days + 1) * DAY
        found: dict[str, dict[str, int]] = {}
        with self._db.reading(place.workspace) as connection:
            no = partition_no(connection, place)
            if no is None:
                return found
            for kind, day, count in connection.execute(_GROWTH, (*number_range(no), first)):
                found.setdefault(kind, {})[date_of(day)] = count
        return found
