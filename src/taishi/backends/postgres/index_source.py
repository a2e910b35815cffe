"""What the in-memory index reads: snapshots, changes, and the counts that tell of them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any

from ...ports import Changes, IndexRow, IndexSnapshot, Moment, PartitionState
from ...types import Partition
from ..index_chunk_ranges import (
    CHUNK_BITS,
    NO_MODEL,
    chunks_of,
    gaps,
    numbers_of,
)
from ..record_rows import PLACE_BITS
from .database import Connection, Database
from .partitions import FOUND, PartitionWorkspaces, by_workspace, key, lock_numbers
from .record_columns import INDEXED

AT_ONCE = 5000  # rows of a snapshot in one answer of the server
# A vector of another model counts as missing.
_INDEX_ROW = f"""i.number, i.revision, {", ".join(f"i.{c}" for c in INDEXED.split(", "))}, i.terms,
  CASE WHEN i.model = m.no THEN i.code END, CASE WHEN i.model = m.no THEN i.passages END
FROM index_rows i LEFT JOIN models m ON m.name = %s"""
_STATES = f"SELECT w.kind, w.id, found.no, found.seq FROM {FOUND}"
_CHANGED_SINCE = """
SELECT (SELECT floor > %s FROM partitions WHERE no = %s) OR EXISTS (
  SELECT 1 FROM changes WHERE partition = %s AND seq > %s AND number >= %s AND number < %s)"""
_PUT_PACK = """
INSERT INTO index_packs (chunk, workspace, model, data) VALUES (%s, %s, %s, %s)
ON CONFLICT (chunk) DO UPDATE SET model = excluded.model, data = excluded.data"""


class PostgresIndexSource:
    """Implements ports.IndexSource."""

    def __init__(self, db: Database, workspaces: PartitionWorkspaces) -> None:
        self._db = db
        self._workspaces = workspaces

    def states(self, places: Sequence[Partition]) -> dict[Partition, PartitionState]:
        found = {}
        for workspace, some in by_workspace(places).items():
            names = [list(column) for column in zip(*map(key, some), strict=True)]
            with self._db.reading(workspace) as connection:
                for kind, id, no, seq in connection.execute(_STATES, names):
                    found[Partition(workspace, kind, id)] = PartitionState(no, seq)
                    self._workspaces.learn(no, workspace)
        return {place: found[place] for place in places if place in found}

    def change_token(self, partitions: Collection[int]) -> Hashable | None:
        return self._db.feed.token(partitions)

    def moment(self) -> Moment | None:
        return self._db.feed.moment()

    def silence(self, moment: Moment, partitions: Collection[int]) -> float | None:
        return self._db.feed.silence(moment, partitions)

    def file_fingerprint(self) -> Hashable | None:
        return None

    def snapshot(self, no: int, model: str | None) -> IndexSnapshot:
        with self._db.transaction(self._workspaces.of(no), snapshot=True) as connection:
            seq = _first(connection, "SELECT seq FROM partitions WHERE no = %s", no)
            with connection.cursor(binary=True) as cursor:
                packs = cursor.execute(
                    "SELECT chunk, data FROM index_packs "
                    "WHERE chunk >= %s AND chunk < %s AND model = %s ORDER BY chunk",
                    (*chunks_of(no), model or NO_MODEL),
                ).fetchall()
            rows = {
                after + 1 >> CHUNK_BITS: _streamed(connection, model, after, before)
                for after, before in gaps(no, [chunk for chunk, _ in packs])
            }
        return IndexSnapshot(
            int(seq or 0),
            [(chunk, data) for chunk, data in packs],
            {at: some for at, some in rows.items() if some},
        )

    def unpacked(self, no: int, model: str | None, limit: int) -> tuple[int, list[int]]:
        """The change count, and some chunks that are full, have no batch and lack no vector."""
        with self._db.transaction(self._workspaces.of(no), snapshot=True) as connection:
            row = connection.execute(
                "SELECT seq, next FROM partitions WHERE no = %s", (no,)
            ).fetchone()
            seq, following = row or (0, 0)
            first, _ = chunks_of(no)
            full = range(first, (no << PLACE_BITS | following) >> CHUNK_BITS)
            known = connection.execute(
                "SELECT chunk FROM index_packs WHERE chunk >= %s AND chunk < %s AND model = %s",
                (full.start, full.stop, model or NO_MODEL),
            )
            packed = {chunk for (chunk,) in known}
            found: list[int] = []
            for chunk in full:
                if len(found) == limit:
                    break
                if chunk not in packed and _is_ready(connection, chunk, model):
                    found.append(chunk)
        return int(seq), found

    def chunk_rows(self, chunk: int, model: str | None) -> Sequence[IndexRow]:
        first, last = numbers_of(chunk)
        with self._db.reading(self._workspaces.of(first >> PLACE_BITS)) as connection:
            return _read(
                connection, "WHERE number >= %s AND number < %s ORDER BY number", model, first, last
            )

    def put_packs(self, seq: int, model: str | None, packs: Sequence[tuple[int, bytes]]) -> int:
        """Store the batches whose rows have not changed since `seq`; how many."""
        kept = 0
        for chunk, data in packs:
            first, last = numbers_of(chunk)
            no = first >> PLACE_BITS
            workspace = self._workspaces.of(no)
            with self._db.transaction(workspace) as connection:
                lock_numbers(connection, [no])  # or a writer could drop it before it is there
                values = (seq, no, no, seq, first, last)
                if _first(connection, _CHANGED_SINCE, *values) is False:
                    connection.execute(_PUT_PACK, (chunk, workspace, model or NO_MODEL, data))
                    kept += 1
        return kept

    def changes(self, no: int, since: int, model: str | None) -> Changes | None:
        with self._db.transaction(self._workspaces.of(no), snapshot=True) as connection:
            row = connection.execute(
                "SELECT seq, floor FROM partitions WHERE no = %s", (no,)
            ).fetchone()
            seq, floor = row or (0, 0)
            if since < floor:
                return None
            numbers = [
                number
                for (number,) in connection.execute(
                    "SELECT DISTINCT number FROM changes WHERE partition = %s AND seq > %s",
                    (no, since),
                )
            ]
            rows: list[IndexRow] = []
            if numbers:
                asked = "WHERE number = ANY (%s::bigint[]) ORDER BY number"
                rows = [IndexRow._make(row) for row in _read(connection, asked, model, numbers)]
        gone = set(numbers) - {row.number for row in rows}
        return Changes(seq, rows, sorted(gone))


def _first(connection: Connection, sql: str, *values: object) -> Any:
    row = connection.execute(sql, values).fetchone()
    return None if row is None else row[0]


def _is_ready(connection: Connection, chunk: int, model: str | None) -> bool:
    """Whether it has rows, and all of them have their vector."""
    sql = "SELECT min(model) FROM index_rows WHERE number >= %s AND number < %s"
    least = _first(connection, sql, *numbers_of(chunk))
    return isinstance(least, int) and (least > 0 or model is None)


def _read(connection: Connection, where: str, model: str | None, *values: object) -> list[IndexRow]:
    with connection.cursor(binary=True) as cursor:
        rows: Iterable[tuple[object, ...]] = cursor.execute(
            f"SELECT {_INDEX_ROW} {where}", (model, *values)
        ).fetchall()
    return rows  # type: ignore[return-value]


def _streamed(
    connection: Connection, model: str | None, after: int, before: int
) -> Sequence[IndexRow]:
    """A range of rows through a cursor of the server: neither side holds the answer twice."""
    found: list[IndexRow] = []
    with connection.cursor("index_rows", binary=True) as cursor:
        cursor.itersize = AT_ONCE
        cursor.execute(
            f"SELECT {_INDEX_ROW} WHERE number > %s AND number < %s ORDER BY number",
            (model, after, before),
        )
        while rows := cursor.fetchmany(AT_ONCE):
            found += rows  # type: ignore[arg-type]
    return found
