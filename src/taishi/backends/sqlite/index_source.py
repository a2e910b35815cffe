"""What the in-memory index reads: snapshots, changes, and the counters that tell of them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from functools import partial

import apsw

from ...ports import Changes, IndexRow, IndexSnapshot, Moment, PartitionState
from ...types import Partition
from ..record_rows import INDEX_COLUMNS
from .database import Database
from .index_chunks import IndexChunks
from .sql_batches import batches

# A vector of another model counts as missing.
_INDEX_ROW = f"""number, revision, {", ".join(INDEX_COLUMNS)}, terms,
  CASE WHEN model = (SELECT no FROM models WHERE name = ?1) THEN code END,
  CASE WHEN model = (SELECT no FROM models WHERE name = ?1) THEN passages END"""


class SqliteIndexSource:
    """Implements ports.IndexSource."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._chunks = IndexChunks(db)

    def states(self, places: Sequence[Partition]) -> dict[Partition, PartitionState]:
        found = {}
        with self._db.reading() as connection:
            for place in places:
                row = connection.execute(
                    "SELECT no, seq FROM places WHERE workspace = ? AND kind = ? AND id = ?",
                    (place.workspace, place.kind, place.id),
                ).get
                if row is not None:
                    found[place] = PartitionState(*row)
        return found

    def change_token(self, partitions: Collection[int]) -> Hashable | None:
        return self._db.change_token(partitions)

    def moment(self) -> Moment | None:
        return None  # a file is not away

    def silence(self, moment: Moment, partitions: Collection[int]) -> float | None:
        return None

    def file_fingerprint(self) -> Hashable | None:
        return self._db.file_fingerprint()

    def snapshot(self, no: int, model: str | None) -> IndexSnapshot:
        return self._chunks.contents(no, model, partial(_index_rows, model))

    def unpacked(self, no: int, model: str | None, limit: int) -> tuple[int, list[int]]:
        return self._chunks.unpacked(no, model, limit)

    def chunk_rows(self, chunk: int, model: str | None) -> Sequence[IndexRow]:
        return self._chunks.rows(chunk, partial(_index_rows, model))

    def put_packs(self, seq: int, model: str | None, packs: Sequence[tuple[int, bytes]]) -> int:
        return self._chunks.put(seq, model, packs)

    def changes(self, no: int, since: int, model: str | None) -> Changes | None:
        with self._db.reading() as connection:  # noqa: SIM117
            with connection:
                seq, floor = connection.execute(
                    "SELECT seq, floor FROM places WHERE no = ?", (no,)
                ).get or (0, 0)
                if since < floor:
                    return None
                numbers = [
                    number
                    for (number,) in connection.execute(
                        "SELECT DISTINCT number FROM changes WHERE place = ? AND seq > ?",
                        (no, since),
                    )
                ]
                rows = [
                    IndexRow._make(row)
                    for marks, part in batches(numbers)
                    for row in connection.execute(
                        f"SELECT {_INDEX_ROW} FROM shelf WHERE number IN ({marks}) ORDER BY number",
                        (model, *part),
                    )
                ]
        gone = set(numbers) - {row.number for row in rows}
        return Changes(seq, rows, sorted(gone))


def _index_rows(
    model: str | None, connection: apsw.Connection, after: int, before: int
) -> Sequence[IndexRow]:
    rows: Sequence[IndexRow] = connection.execute(
        f"SELECT {_INDEX_ROW} FROM shelf WHERE number > ? AND number < ? ORDER BY number",
        (model, after, before),
    ).fetchall()
    return rows
