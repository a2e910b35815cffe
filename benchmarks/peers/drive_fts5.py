"""Raw FTS5 from Python's sqlite3: the same texts by their words, no vectors at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.serve import TOP, Query, Records, serve

SEARCH = """
    SELECT rowid, text FROM texts
    WHERE texts MATCH 'part:"' || ? || '" AND text:(' || ? || ')' ORDER BY rank LIMIT ?
"""
Found = list[tuple[int, str]]


class Fts5:
    def __init__(self, records: Records, folder: Path, options: Sequence[str]) -> None:
        self._records = records
        self._db = sqlite3.connect(folder / "texts.db")
        self._db.execute("CREATE VIRTUAL TABLE texts USING fts5(part, text)")
        self.searches = {"filtered": self._filtered}
        self.writes = {"one": self._write}

    def build(self) -> None:
        self._add(range(self._records.size))

    def _add(self, numbers: Sequence[int]) -> None:
        records = self._records
        rows = ((n, records.groups[n], records.texts[n]) for n in numbers)
        with self._db:
            self._db.executemany("INSERT INTO texts (rowid, part, text) VALUES (?, ?, ?)", rows)

    def _filtered(self, query: Query) -> Found:
        words = " OR ".join(f'"{word}"' for word in query.text.split())
        return self._db.execute(SEARCH, (query.group, words, TOP)).fetchall()

    def _write(self, number: int) -> None:
        self._add([number])

    def numbers_of(self, answer: Found) -> list[int]:
        return [row[0] for row in answer]

    def close(self) -> None:
        self._db.close()


if __name__ == "__main__":
    serve(Fts5)
