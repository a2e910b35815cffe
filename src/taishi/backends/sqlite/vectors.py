"""The vectors of records: which model made them, and which are missing."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

import apsw

from ...ports import Embedded, Unembedded
from .database import Database
from .writer import TransactionWriter

log = logging.getLogger("taishi")
# So many rows are looked at for vectors of another size: all of them would take too long.
FIRST_ROWS = 64
_OF_ANOTHER_SIZE = (
    "SELECT 1 FROM (SELECT code FROM shelf ORDER BY number LIMIT ?) WHERE length(code) != ?"
)
_WITHOUT = "UPDATE shelf SET model = 0, code = NULL, passages = NULL"


class SqliteVectors:
    """Implements ports.VectorTable."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def put_vectors(self, model: str, vectors: Sequence[Embedded]) -> None:
        places: set[int] = set()
        with self._db.writing(places) as connection:
            batch = TransactionWriter(connection, self._clock(), places)
            no = _model_no(connection, model)
            for vector in vectors:
                connection.execute(
                    "UPDATE shelf SET model = ?, code = ?, passages = ? "
                    "WHERE number = ? AND revision = ?",
                    (no, vector.code, vector.passages, vector.number, vector.revision),
                )
                if connection.changes():
                    batch.touch(vector.number)
            batch.finish()

    def adopt_model(self, name: str, code_size: int) -> int:
        with self._db.writing() as connection:
            no = _model_no(connection, name)
            # A model is listed as long as it may have vectors: only then are rows updated.
            if connection.execute("SELECT 1 FROM models WHERE no != ?", (no,)).get:
                connection.execute(f"{_WITHOUT} WHERE model NOT IN (0, ?)", (no,))
                if connection.changes():
                    _drop_vectors(connection)
                connection.execute("DELETE FROM models WHERE no != ?", (no,))
            if connection.execute(_OF_ANOTHER_SIZE, (FIRST_ROWS, code_size)).get:
                log.warning("vectors of %s had other dimensions: they are computed again", name)
                connection.execute(f"{_WITHOUT} WHERE length(code) != ?", (code_size,))
                _drop_vectors(connection)
        return int(self._db.scalar("SELECT count(*) FROM shelf WHERE model = 0"))

    def void_vectors(self) -> int:
        with self._db.writing() as connection:
            connection.execute(f"{_WITHOUT} WHERE model != 0")
            _drop_vectors(connection)
            return int(connection.execute("SELECT count(*) FROM shelf WHERE model = 0").get)

    def unembedded(self, limit: int) -> list[Unembedded]:
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT number, revision, text, records.kind FROM shelf "
                "JOIN records USING (number) WHERE model = 0 ORDER BY number LIMIT ?",
                (limit,),
            ).fetchall()
        return [Unembedded(*row) for row in rows]


def _drop_vectors(connection: apsw.Connection) -> None:
    connection.execute("DELETE FROM packs")
    # Every index in every process must take a new snapshot.
    connection.execute("UPDATE places SET seq = seq + 1, floor = seq + 1")


def _model_no(connection: apsw.Connection, name: str) -> int:
    connection.execute("INSERT INTO models (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
    return int(connection.execute("SELECT no FROM models WHERE name = ?", (name,)).get)
