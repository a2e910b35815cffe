"""sqlite-vec: one vec0 table whose partition key is the group, texts in a table beside it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.peers.loadable import loadable_sqlite
from benchmarks.peers.serve import TOP, Query, Records, serve

FILTERED = """
    SELECT near.number, distance, text FROM
        (SELECT number, distance FROM vectors WHERE vector MATCH ? AND k = ? AND part = ?) near
    JOIN texts USING (number) ORDER BY distance
"""
UNFILTERED = """
    SELECT near.number, distance, text FROM
        (SELECT number, distance FROM vectors WHERE vector MATCH ? AND k = ?) near
    JOIN texts USING (number) ORDER BY distance
"""


class SqliteVec:
    def __init__(self, records: Records, folder: Path, options: Sequence[str]) -> None:
        sqlite = loadable_sqlite()
        self._records = records
        self._db = sqlite.connect(str(folder / "vectors.db"))
        self._db.enable_load_extension(True)
        import_module("sqlite_vec").load(self._db)
        self._db.executescript(
            f"""
            CREATE TABLE texts (number INTEGER PRIMARY KEY, text TEXT);
            CREATE VIRTUAL TABLE vectors USING vec0(
                number INTEGER PRIMARY KEY, part TEXT PARTITION KEY,
                vector float[{records.width}] distance_metric=cosine);
            """
        )
        self.searches = {"filtered": self._filtered, "unfiltered": self._unfiltered}
        self.writes = {"one": self._write}

    def build(self) -> None:
        self._add(range(self._records.size))

    def _add(self, numbers: Sequence[int]) -> None:
        records = self._records
        with self._db:
            self._db.executemany(
                "INSERT INTO texts VALUES (?, ?)", ((n, records.texts[n]) for n in numbers)
            )
            self._db.executemany(
                "INSERT INTO vectors VALUES (?, ?, ?)",
                ((n, records.groups[n], records.vectors[n].tobytes()) for n in numbers),
            )

    def _filtered(self, query: Query) -> Any:
        return self._db.execute(FILTERED, (query.vector.tobytes(), TOP, query.group)).fetchall()

    def _unfiltered(self, query: Query) -> Any:
        return self._db.execute(UNFILTERED, (query.vector.tobytes(), TOP)).fetchall()

    def _write(self, number: int) -> None:
        self._add([number])

    def numbers_of(self, answer: Any) -> list[int]:
        return [row[0] for row in answer]

    def close(self) -> None:
        self._db.close()


if __name__ == "__main__":
    serve(SqliteVec)
