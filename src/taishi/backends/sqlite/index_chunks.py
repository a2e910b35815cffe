"""Column batches of the index, stored by chunk of 1,024 record numbers (see
recall/column_batch.py).

They save a cold index from reading its rows one by one. The store does not interpret them: it keeps
them, and deletes one in the transaction that changes any of its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import apsw

from ...ports import IndexRow, IndexSnapshot
from ..index_chunk_ranges import (
    CHUNK_BITS,
    NO_MODEL,
    chunks_of,
    chunks_of_numbers,
    gaps,
    numbers_of,
)
from ..record_rows import PLACE_BITS
from .database import Database

ReadRows = Callable[[apsw.Connection, int, int], Sequence[IndexRow]]


def drop(connection: apsw.Connection, numbers: Iterable[int]) -> None:
    """Delete the batches of these records; called in the transaction of every write."""
    for chunk in chunks_of_numbers(numbers):
        connection.execute("DELETE FROM packs WHERE chunk = ?", (chunk,))


class IndexChunks:
    def __init__(self, db: Database) -> None:
        self._db = db

    def contents(self, no: int, model: str | None, read_rows: ReadRows) -> IndexSnapshot:
        """A partition's batches, and the rows that are in none, as of one moment."""
        with self._db.reading() as connection, connection:
            seq = connection.execute("SELECT seq FROM places WHERE no = ?", (no,)).get
            packs = connection.execute(
                "SELECT chunk, data FROM packs WHERE chunk >= ? AND chunk < ? AND model = ? "
                "ORDER BY chunk",
                (*chunks_of(no), model or NO_MODEL),
            ).fetchall()
            rows = {
                after + 1 >> CHUNK_BITS: read_rows(connection, after, before)
                for after, before in gaps(no, [chunk for chunk, _ in packs])
            }
        return IndexSnapshot(int(seq or 0), packs, {at: some for at, some in rows.items() if some})

    def unpacked(self, no: int, model: str | None, limit: int) -> tuple[int, list[int]]:
        """The change count, and some chunks that are full, have no batch and lack no vector."""
        with self._db.reading() as connection, connection:
            seq, following = connection.execute(
                "SELECT seq, next FROM places WHERE no = ?", (no,)
            ).get or (0, 0)
            first, _ = chunks_of(no)
            full = range(first, (no << PLACE_BITS | following) >> CHUNK_BITS)
            known = {
                chunk
                for (chunk,) in connection.execute(
                    "SELECT chunk FROM packs WHERE chunk >= ? AND chunk < ? AND model = ?",
                    (full.start, full.stop, model or NO_MODEL),
                )
            }
            found: list[int] = []
            for chunk in full:
                if len(found) == limit:
                    break
                if chunk not in known and self._is_ready(connection, chunk, model):
                    found.append(chunk)
        return int(seq), found

    @staticmethod
    def _is_ready(connection: apsw.Connection, chunk: int, model: str | None) -> bool:
        """Whether it has rows, and all of them have their vector."""
        first, last = numbers_of(chunk)
        least = connection.execute(
            "SELECT min(model) FROM shelf WHERE number >= ? AND number < ?", (first, last)
        ).get
        return least is not None and (least > 0 or model is None)

    def rows(self, chunk: int, read_rows: ReadRows) -> Sequence[IndexRow]:
        with self._db.reading() as connection:
            first, last = numbers_of(chunk)
            return read_rows(connection, first - 1, last)

    def put(self, seq: int, model: str | None, packs: Sequence[tuple[int, bytes]]) -> int:
        """Store the batches whose rows have not changed since `seq`; how many."""
        kept = 0
        with self._db.writing(()) as connection:
            for chunk, data in packs:
                first, last = numbers_of(chunk)
                place = first >> PLACE_BITS
                changed = connection.execute(
                    "SELECT (SELECT floor > ? FROM places WHERE no = ?) OR EXISTS (SELECT 1 FROM "
                    "changes WHERE place = ? AND seq > ? AND number >= ? AND number < ?)",
                    (seq, place, place, seq, first, last),
                ).get
                if changed == 0:
                    connection.execute(
                        "INSERT INTO packs VALUES (?,?,?) ON CONFLICT (chunk) DO UPDATE SET "
                        "model = excluded.model, data = excluded.data",
                        (chunk, model or NO_MODEL, data),
                    )
                    kept += 1
        return kept
