"""Records by id, by number, by kind, and facts by subject."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

from ...ports import PartitionInfo
from ...types import Edit, Partition, Record
from ..record_rows import FIELDS, number_range, packed_terms, record_of
from .database import ALL, Connection, Database
from .partitions import PARTITION_NO, by_workspace, key
from .record_columns import RECORD_COLUMNS, columns, search_key
from .record_writer import RecordWriter

NOT_FORGOTTEN = "left(p.id, 1) != chr(1)"
_OF_RECORD = columns((*FIELDS, "data"), "r.")
_FETCH = f"""
SELECT r.number, p.kind, p.id, {_OF_RECORD}
FROM records r JOIN partitions p ON p.no = r.partition WHERE r.number = ANY (%s::bigint[])"""
_PARTITIONS = f"""
SELECT p.kind, p.id, (SELECT count(*) FROM records r WHERE r.partition = p.no),
  (SELECT created FROM records r WHERE r.number > p.no << 32 AND r.number < (p.no + 1) << 32
   ORDER BY r.number DESC LIMIT 1),
  coalesce((SELECT r.data::json ->> 'name' FROM records r WHERE r.partition = p.no
   AND r.kind = 'profile' AND r.id =
   CASE p.kind WHEN 'private' THEN 'user:' WHEN 'group' THEN 'group:' END || p.id), '')
FROM partitions p WHERE p.workspace = %s AND {NOT_FORGOTTEN} AND (
  EXISTS (SELECT 1 FROM records r WHERE r.partition = p.no) OR
  EXISTS (SELECT 1 FROM messages m WHERE m.partition = p.no)) ORDER BY p.kind, p.id"""
_PLACES = f"""
SELECT p.workspace, p.kind, p.id, coalesce(r.count, 0) FROM partitions p
LEFT JOIN (SELECT partition, count(*) FROM records GROUP BY partition) r ON r.partition = p.no
WHERE {NOT_FORGOTTEN} ORDER BY p.workspace, p.kind, p.id"""
_INDEXED_STATES = (("rejected",), ("superseded",), ("conflict",))
_STANDING = "kind = 'fact' AND state IN ('approved', 'conflict')"


class PostgresRecords:
    """Implements ports.Records."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def apply(self, edits: Sequence[Edit], erases: bool = True) -> int:
        # Tokenising is the slow part: do it before anything is locked.
        packed = [packed_terms(e.record) if e.record else b"" for e in edits]
        return self._db.repeat(lambda: self._apply(edits, packed, erases)) if edits else 0

    def _apply(self, edits: Sequence[Edit], packed: Sequence[bytes], erases: bool) -> int:
        touched: set[int] = set()
        with self._db.writing(_workspace_of(edits), touched, erases) as connection:
            batch = RecordWriter(connection, self._clock(), touched)
            batch.open(edits)
            for edit, terms in zip(edits, packed, strict=True):
                batch.add(edit, terms)
            return batch.finish()

    def get(self, place: Partition, id: str) -> Record | None:
        with self._db.reading(place.workspace) as connection:
            row = connection.execute(
                f"SELECT {RECORD_COLUMNS} FROM records WHERE partition = {PARTITION_NO} "
                "AND id = %s",
                (*key(place), id),
            ).fetchone()
        return None if row is None else record_of(place, row)

    def fetch(self, numbers: Sequence[int], places: Collection[Partition]) -> dict[int, Record]:
        found: dict[int, Record] = {}
        wanted = list(numbers)
        for workspace, some in by_workspace(places).items() if wanted else ():
            known = {(place.kind, place.id): place for place in some}
            with self._db.reading(workspace) as connection:
                rows = connection.execute(_FETCH, (wanted,)).fetchall()
            for number, kind, id, *row in rows:
                place = known.get((kind, id))
                if place is not None:
                    found[number] = record_of(place, row)
        return found

    def last_end_seq(self, place: Partition, request_id: str) -> int:
        prefix = f"{request_id}:"
        with self._db.reading(place.workspace) as connection:
            ids = connection.execute(
                f"SELECT id FROM records WHERE partition = {PARTITION_NO} AND id >= %s AND id < %s",
                (*key(place), prefix, f"{request_id};"),
            ).fetchall()
        ends = (id[len(prefix) :].partition(":")[0] for (id,) in ids)
        return max((int(end) for end in ends if end.isdecimal()), default=0)

    def scan(self, place: Partition, after: int = 0, limit: int = 1000) -> list[tuple[int, Record]]:
        with self._db.reading(place.workspace) as connection:
            no = partition_no(connection, place)
            if no is None:
                return []
            low, high = number_range(no)
            rows = connection.execute(
                f"SELECT number, {RECORD_COLUMNS} FROM records "
                "WHERE number > %s AND number < %s ORDER BY number LIMIT %s",
                (max(low, after), high, limit),
            ).fetchall()
        return [(number, record_of(place, row)) for number, *row in rows]

    def find(
        self,
        place: Partition,
        kinds: Collection[str],
        states: Collection[str] | None = None,
        limit: int = 1000,
        id_prefix: str = "",
    ) -> list[Record]:
        with self._db.reading(place.workspace) as connection:
            no = partition_no(connection, place)
            if no is None:
                return []
            within, values = "number > %s AND number < %s", list[Any](number_range(no))
            if id_prefix:
                after = id_prefix[:-1] + chr(ord(id_prefix[-1]) + 1)
                within, values = "partition = %s AND id >= %s AND id < %s", [no, id_prefix, after]
            elif states is not None and tuple(states) in _INDEXED_STATES:
                # Spelled out, as the indexes are: a parameter would not be recognised.
                within, values = f"partition = %s AND state = '{next(iter(states))}'", [no]
            within, values = f"{within} AND kind = ANY (%s::text[])", [*values, list(kinds)]
            if states is not None:
                within, values = f"{within} AND state = ANY (%s::text[])", [*values, list(states)]
            rows = connection.execute(
                f"SELECT {RECORD_COLUMNS} FROM records WHERE {within} "
                "ORDER BY number DESC LIMIT %s",
                (*values, limit),
            ).fetchall()
        return [record_of(place, row) for row in rows]

    def older(self, place: Partition, kind: str, before: float, limit: int) -> list[Record]:
        """The first to come of those with a time; those without one have no age."""
        with self._db.reading(place.workspace) as connection:
            no = partition_no(connection, place)
            if no is None:
                return []
            rows = connection.execute(
                f"SELECT {RECORD_COLUMNS} FROM records WHERE number > %s AND number < %s "
                "AND kind = %s AND time < %s ORDER BY number LIMIT %s",
                (*number_range(no), kind, before, limit),
            ).fetchall()
        return [record_of(place, row) for row in rows]

    def expired(self, now: float, limit: int) -> list[tuple[Partition, str]]:
        with self._db.reading(ALL) as connection:
            rows = connection.execute(
                "SELECT p.workspace, p.kind, p.id, r.id FROM records r "
                "JOIN partitions p ON p.no = r.partition "
                "WHERE r.expires <= %s AND r.kind <> 'short_term' ORDER BY r.expires LIMIT %s",
                (now, limit),
            ).fetchall()
        return [(Partition(workspace, kind, place), id) for workspace, kind, place, id in rows]

    def places(self) -> list[tuple[Partition, int]]:
        with self._db.reading(ALL) as connection:
            rows = connection.execute(_PLACES).fetchall()
        return [(Partition(workspace, kind, id), count) for workspace, kind, id, count in rows]

    def partitions(self, workspace: str) -> list[PartitionInfo]:
        with self._db.reading(workspace) as connection:
            rows = connection.execute(_PARTITIONS, (workspace,)).fetchall()
        return [PartitionInfo(Partition(workspace, kind, id), *rest) for kind, id, *rest in rows]


class PostgresFacts:
    """Implements ports.Facts."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def of_category(
        self, place: Partition, subject: str, category: str, limit: int
    ) -> list[tuple[int, Record]]:
        about = "subject = %s AND category = %s"
        return self._newest(place, about, (search_key(subject), search_key(category)), limit)

    def of_subject(
        self, place: Partition, subject: str, without: Collection[str], limit: int
    ) -> list[tuple[int, Record]]:
        about = "subject = %s AND NOT coalesce(category, '') = ANY (%s::text[])"
        others = [search_key(category) for category in without]
        return self._newest(place, about, (search_key(subject), others), limit)

    def names_of(self, place: Partition, user: str, limit: int) -> list[str]:
        with self._db.reading(place.workspace) as connection:
            rows = connection.execute(
                f"SELECT DISTINCT subject FROM records WHERE partition = {PARTITION_NO} "
                f"AND own_user = %s AND {_STANDING} LIMIT %s",
                (*key(place), user, limit),
            ).fetchall()
        return [name for (name,) in rows if name]

    def _newest(
        self, place: Partition, about: str, values: tuple[Any, ...], limit: int
    ) -> list[tuple[int, Record]]:
        with self._db.reading(place.workspace) as connection:
            rows = connection.execute(
                f"SELECT number, {RECORD_COLUMNS} FROM records WHERE partition = {PARTITION_NO} "
                f"AND {_STANDING} AND {about} ORDER BY number DESC LIMIT %s",
                (*key(place), *values, limit),
            ).fetchall()
        return [(number, record_of(place, row)) for number, *row in rows]


def partition_no(connection: Connection, place: Partition) -> int | None:
    row = connection.execute(f"SELECT {PARTITION_NO}", key(place)).fetchone()
    return None if row is None else row[0]


def _workspace_of(edits: Sequence[Edit]) -> str:
    """Of the first edit; the writer looks at the others in turn."""
    for edit in edits:
        place = edit.place if edit.record is None else edit.record.place
        if place is not None:
            return place.workspace
    return ""
