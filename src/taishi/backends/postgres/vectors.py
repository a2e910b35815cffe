"""The vectors of records: which model made them, and which are missing."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

from ...ports import Embedded, Unembedded
from ..record_rows import PLACE_BITS
from . import search_rows
from .change_feed import ANY
from .database import ALL, Connection, Database
from .record_writer import RecordWriter

log = logging.getLogger("taishi")
# So many rows are looked at for vectors of another size: all of them would take too long.
FIRST_ROWS = 64
_OF_ANOTHER_SIZE = """
SELECT 1 FROM (SELECT code FROM index_rows ORDER BY number LIMIT %s) AS first
WHERE length(code) != %s LIMIT 1"""
_WITHOUT = "UPDATE index_rows SET model = 0, code = NULL, passages = NULL"
_PUT = """
UPDATE index_rows i SET model = %s, code = v.code, passages = v.passages
FROM unnest(%b::bigint[], %b::bigint[], %b::bytea[], %s::bytea[])
  AS v (number, revision, code, passages)
WHERE i.number = v.number AND i.revision = v.revision
RETURNING i.number, i.workspace, i.code"""
# Writers lock their partition before anything else, so they wait here and not in the middle.
_ALONE = "LOCK TABLE partitions IN EXCLUSIVE MODE"
# A look-up for each row: the planner expects a policy to hide nearly all, and would rather read the
# whole table of records.
_UNEMBEDDED = """
SELECT i.number, i.revision, r.text, r.kind FROM (
  SELECT number, revision FROM index_rows WHERE model = 0 ORDER BY number LIMIT %s) AS i
CROSS JOIN LATERAL (SELECT text, kind FROM records WHERE number = i.number OFFSET 0) AS r
ORDER BY i.number"""
_WAITING = "SELECT count(*) FROM index_rows WHERE model = 0"


class PostgresVectors:
    """Implements ports.VectorTable. The embedder works for all workspaces at once."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def put_vectors(self, model: str, vectors: Sequence[Embedded]) -> None:
        if vectors:
            self._db.repeat(lambda: self._put(model, vectors))

    def _put(self, model: str, vectors: Sequence[Embedded]) -> None:
        touched: set[int] = set()
        with self._db.writing(ALL, touched, erases=False) as connection:
            no = model_no(connection, model)
            batch = RecordWriter(connection, self._clock(), touched)
            batch.open_numbers(vector.number for vector in vectors)
            columns = zip(
                *((v.number, v.revision, v.code, v.passages) for v in vectors), strict=True
            )
            rows = connection.execute(_PUT, (no, *map(list, columns))).fetchall()
            for number, *_ in rows:
                batch.touch(number)
            searched = batch.searched()
            search_rows.put_vectors(
                connection, no, [row for row in rows if row[0] >> PLACE_BITS in searched]
            )
            batch.finish()

    def adopt_model(self, name: str, code_size: int) -> int:
        self._db.repeat(lambda: self._adopt(name, code_size))
        return int(self._db.scalar(ALL, _WAITING))

    def _adopt(self, name: str, code_size: int) -> None:
        touched: set[int] = set()
        with self._db.writing(ALL, touched, erases=False) as connection:
            no = model_no(connection, name)
            # A model is listed as long as it may have vectors: only then are rows updated.
            if connection.execute("SELECT 1 FROM models WHERE no != %s", (no,)).fetchone():
                connection.execute(_ALONE)
                gone = connection.execute(f"{_WITHOUT} WHERE model NOT IN (0, %s)", (no,))
                if gone.rowcount:
                    _drop_vectors(connection, touched)
                connection.execute("DELETE FROM models WHERE no != %s", (no,))
            if connection.execute(_OF_ANOTHER_SIZE, (FIRST_ROWS, code_size)).fetchone():
                connection.execute(_ALONE)
                log.warning("vectors of %s had other dimensions: they are computed again", name)
                connection.execute(f"{_WITHOUT} WHERE length(code) != %s", (code_size,))
                _drop_vectors(connection, touched)

    def void_vectors(self) -> int:
        touched: set[int] = set()
        with self._db.writing(ALL, touched, erases=False) as connection:
            connection.execute(_ALONE)
            connection.execute(f"{_WITHOUT} WHERE model != 0")
            _drop_vectors(connection, touched)
        return int(self._db.scalar(ALL, _WAITING))

    def unembedded(self, limit: int) -> list[Unembedded]:
        with self._db.reading(ALL) as connection:
            rows = connection.execute(_UNEMBEDDED, (limit,)).fetchall()
        return [Unembedded(*row) for row in rows]


def _drop_vectors(connection: Connection, touched: set[int]) -> None:
    connection.execute("DELETE FROM index_packs")
    connection.execute(
        "DELETE FROM record_vectors v USING index_rows i WHERE i.number = v.number AND i.model = 0"
    )
    # Every index in every process must take a new snapshot.
    connection.execute("UPDATE partitions SET seq = seq + 1, floor = seq + 1")
    touched.add(ANY)


def model_no(connection: Connection, name: str) -> int:
    """Select first: nearly always it is known, and an insert without effect costs a number."""
    known = "SELECT no FROM models WHERE name = %s"
    row = connection.execute(known, (name,)).fetchone()
    if row is None:
        connection.execute("INSERT INTO models (name) VALUES (%s) ON CONFLICT DO NOTHING", (name,))
        row = connection.execute(known, (name,)).fetchone()
    assert row is not None
    return int(row[0])
