"""lancedb: one table; the group has the scalar index that its pages advise for a filter."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.peers.serve import TOP, Query, Records, serve

COLUMNS = ["id", "text"]


class Lance:
    def __init__(self, records: Records, folder: Path, options: Sequence[str]) -> None:
        lancedb: Any = import_module("lancedb")
        self._arrow: Any = import_module("pyarrow")
        self._records = records
        self._database = lancedb.connect(str(folder))
        self._table: Any = None
        self.searches = {"filtered": self._filtered, "unfiltered": self._unfiltered}
        self.writes = {"one": self._write}

    def build(self) -> None:
        records, arrow = self._records, self._arrow
        size = records.size
        flat = arrow.array(records.vectors[:size].ravel())
        rows = arrow.table(
            {
                "id": arrow.array(range(size), arrow.int64()),
                "text": records.texts[:size],
                "group": records.groups[:size],
                "vector": arrow.FixedSizeListArray.from_arrays(flat, records.width),
            }
        )
        self._table = self._database.create_table("records", rows)
        self._table.create_scalar_index("group", index_type="BITMAP")

    def _filtered(self, query: Query) -> Any:
        return self._near(query).where(f"`group` = '{query.group}'", prefilter=True).to_list()

    def _unfiltered(self, query: Query) -> Any:
        return self._near(query).to_list()

    def _near(self, query: Query) -> Any:
        # Asked for by name: without it, the distance column's absence is warned about.
        found = self._table.search(query.vector).metric("cosine")
        return found.select([*COLUMNS, "_distance"]).limit(TOP)

    def _write(self, number: int) -> None:
        records = self._records
        self._table.add(
            [
                {
                    "id": number,
                    "text": records.texts[number],
                    "group": records.groups[number],
                    "vector": records.vectors[number],
                }
            ]
        )

    def numbers_of(self, answer: Any) -> list[int]:
        return [row["id"] for row in answer]

    def close(self) -> None: ...


if __name__ == "__main__":
    serve(Lance)
