"""Newest-first listings and counts of one partition.

A filter walks backwards through the partition's range of the index `records_listing`, which has
every column that it can ask about; words are looked for in cached texts (see text_segments.py);
counts are kept for each run of 4,096 records (see segment_cache.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

import apsw

from ...ports import FilterExpression, ListingFilter, PartitionDigest
from ...types import Partition, Record
from ..record_rows import number_range, record_of
from .database import Database
from .digest_segments import DigestSegment, digest_of, growth_of
from .filter_segments import FilterSegments
from .listing_query import among_sql, as_json, conditions_of, numbers_sql, ordered_sql
from .segment_cache import SegmentCache
from .text_segments import TextSegment, searchable
from .writer import COLUMNS

AT_ONCE = 500
TEXT_BYTES = 64 << 20
DIGEST_BYTES = 16 << 20
# Records with the words that are looked up by their number, before all that fit are read instead.
LOOKED_UP = 2000
NO_LIMIT = -1


class SqliteBrowse:
    """Implements ports.Browse, ports.GrowthCounts and ports.TextCache."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._texts = SegmentCache(db, TextSegment.load, lambda one: one.nbytes, TEXT_BYTES)
        self._matches = FilterSegments(db)
        self._counts = SegmentCache(db, DigestSegment.load, lambda one: one.nbytes, DIGEST_BYTES)

    def newest(
        self,
        place: Partition,
        only: ListingFilter,
        before: int,
        limit: int,
        at: float | None = None,
    ) -> list[tuple[int, Record]]:
        no = self._number_of(place)
        if no is None:
            return []
        if only.text is not None:
            return self._with_text(place, no, only, before, limit, at)
        by_number = only.order_by == "arrival" and only.session is None
        with self._db.reading() as connection, connection:
            if by_number:
                numbers = _fitting(connection, no, only, before, limit)
            else:
                numbers = _ordered(connection, no, only, before, limit, at)
            return _records(connection, place, numbers)

    def _with_text(
        self,
        place: Partition,
        no: int,
        only: ListingFilter,
        before: int,
        limit: int,
        at: float | None,
    ) -> list[tuple[int, Record]]:
        words = searchable(only.text or "")
        by_number = only.order_by == "arrival"
        with self._texts.reading(no) as (connection, segments):
            having = (
                number
                for segment in segments.newest_first(before if by_number else 0)
                for number in segment.newest_with(words)
                if not before or not by_number or number < before
            )
            if by_number:
                numbers = list(islice(_narrowed(connection, no, only, having), limit))
            else:
                numbers = _ordered(connection, no, only, before, limit, at, list(having))
            return _records(connection, place, numbers)

    def matching(self, place: Partition, filters: FilterExpression) -> Sequence[int]:
        no = self._number_of(place)
        return [] if no is None else self._matches.matching(no, filters)

    def codes(self, place: Partition, numbers: Sequence[int]) -> dict[int, bytes]:
        no = self._number_of(place)
        if no is None:
            return {}
        found: dict[int, bytes] = {}
        with self._db.reading() as connection:
            for start in range(0, len(numbers), AT_ONCE):
                some = numbers[start : start + AT_ONCE]
                rows = connection.execute(
                    "SELECT number, code FROM shelf WHERE number > ? AND number < ? "
                    f"AND code IS NOT NULL AND number IN ({','.join('?' * len(some))})",
                    (*number_range(no), *some),
                )
                found.update(rows.fetchall())
        return found

    def digest(self, place: Partition, now: float, days: int) -> PartitionDigest:
        no = self._number_of(place)
        return PartitionDigest() if no is None else digest_of(self._counted(no), now, days)

    def growth(self, place: Partition, now: float, days: int) -> dict[str, dict[str, int]]:
        no = self._number_of(place)
        return {} if no is None else growth_of(self._counted(no), now, days)

    def _counted(self, no: int) -> list[DigestSegment]:
        with self._counts.reading(no) as (_, segments):
            return list(segments.newest_first())

    def cached_texts(self) -> Iterable[str]:
        """In lower case, as they are searched."""
        return chain.from_iterable(segment.split() for segment in self._texts.values())

    def clear_text(self) -> None:
        self._texts.clear()
        self._matches.clear()  # a filter may name what was forgotten

    def _number_of(self, place: Partition) -> int | None:
        no: int | None = self._db.scalar(
            "SELECT no FROM places WHERE workspace = ? AND kind = ? AND id = ?",
            place.workspace,
            place.kind,
            place.id,
        )
        return no


def _fitting(
    connection: apsw.Connection, no: int, only: ListingFilter, before: int, limit: int
) -> list[int]:
    conditions, values = conditions_of(only)
    low, high = number_range(no)
    bounds = (low, min(high, before) if before else high)
    rows = connection.execute(numbers_sql(conditions), (*bounds, *values, limit))
    return [number for (number,) in rows]


def _ordered(
    connection: apsw.Connection,
    no: int,
    only: ListingFilter,
    before: int,
    limit: int,
    at: float | None,
    among: Sequence[int] | None = None,
) -> list[int]:
    conditions, values = conditions_of(only)
    sql = ordered_sql(only, conditions, bool(before), among is not None)
    follows: list[Any] = [at, at] if before and only.order_by != "arrival" else []
    follows += [before] if before else []
    some = [] if among is None else [as_json(among)]
    rows = connection.execute(sql, (no, *some, *follows, *values, limit))
    return [number for (number,) in rows]


def _narrowed(
    connection: apsw.Connection, no: int, only: ListingFilter, having: Iterator[int]
) -> Iterator[int]:
    """Of the records that have the words, those that fit; in the same order."""
    conditions, values = conditions_of(only)
    if not conditions:
        yield from having
        return
    for _ in range(LOOKED_UP // AT_ONCE):
        some = list(islice(having, AT_ONCE))
        if not some:
            return
        rows = connection.execute(among_sql(conditions), (as_json(some), *values))
        fitting = {number for (number,) in rows}
        yield from (number for number in some if number in fitting)
    first = next(having, None)
    if first is not None:
        fitting = set(_fitting(connection, no, only, first + 1, NO_LIMIT))
        yield from (number for number in chain((first,), having) if number in fitting)


def _records(
    connection: apsw.Connection, place: Partition, numbers: Sequence[int]
) -> list[tuple[int, Record]]:
    """In the order of the numbers."""
    rows = connection.execute(
        f"SELECT number, {COLUMNS} FROM records WHERE number IN (SELECT value FROM json_each(?))",
        (as_json(numbers),),
    )
    found = {number: record_of(place, row) for number, *row in rows}
    return [(number, found[number]) for number in numbers if number in found]
