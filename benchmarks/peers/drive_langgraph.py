"""langgraph's stores: `sqlite` (SqliteStore with an index) or `memory` (InMemoryStore)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.peers.loadable import loadable_sqlite
from benchmarks.peers.serve import TOP, Query, Records, serve

BATCH = 1000


class LangGraph:
    def __init__(self, records: Records, folder: Path, options: Sequence[str]) -> None:
        sqlite = loadable_sqlite()
        self._records = records
        vector_of = records.embedder()
        index = {
            "dims": records.width,
            "embed": lambda texts: [vector_of(text).tolist() for text in texts],
            "fields": ["text"],  # as the one in memory calls it
            "text_fields": ["text"],  # as the one on SQLite does
        }
        self._put_op: Any = import_module("langgraph.store.base").PutOp
        self._store: Any
        if options == ["memory"]:
            self._store = import_module("langgraph.store.memory").InMemoryStore(index=index)
        else:
            # As from_conn_string opens it.
            connection = sqlite.connect(
                str(folder / "store.db"), check_same_thread=False, isolation_level=None
            )
            module = import_module("langgraph.store.sqlite")
            self._store = module.SqliteStore(connection, index=index)
            self._store.setup()
        self.searches = {"filtered": self._filtered}
        self.writes = {"one": self._write} if options != ["memory"] else {}

    def build(self) -> None:
        records = self._records
        for start in range(0, records.size, BATCH):
            numbers = range(start, min(start + BATCH, records.size))
            self._store.batch(
                [
                    self._put_op((records.groups[n],), str(n), {"text": records.texts[n]})
                    for n in numbers
                ]
            )

    def _filtered(self, query: Query) -> Any:
        return self._store.search((query.group,), query=query.text, limit=TOP)

    def _write(self, number: int) -> None:
        records = self._records
        self._store.put((records.groups[number],), str(number), {"text": records.texts[number]})

    def numbers_of(self, answer: Any) -> list[int]:
        return [int(item.key) for item in answer]

    def close(self) -> None: ...


if __name__ == "__main__":
    serve(LangGraph)
