"""Vectors in LanceDB: a folder of this machine."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from ...disk.durable_io import make_folder
from ...ports.candidates import Floats
from .base import PARTITION_BITS, CollectionEngine, Found

# Every batch is a new version of the table: after so many they are merged.
MERGE_EVERY = 50


class LanceVectors(CollectionEngine):
    """Searched without an approximate index: the filter on the partition goes first."""

    _db: Any
    _table: Any
    _writes = 0

    def _connect(self) -> None:
        import lancedb

        assert self._at.path is not None
        make_folder(self._at.path)
        self._db = lancedb.connect(str(self._at.path), read_consistency_interval=timedelta(0))

    def _disconnect(self) -> None:
        self._db = self._table = None

    def _names(self) -> list[str]:
        return list(self._db.list_tables(limit=1000).tables)

    def _use(self, name: str) -> None:
        import pyarrow as pa

        numbers = [pa.field(one, pa.int64(), False) for one in ("number", "revision", "place")]
        vector = pa.field("vector", pa.list_(pa.float32(), self._dimensions), False)
        self._schema = pa.schema([*numbers, vector])
        self._table = self._db.create_table(name, schema=self._schema, exist_ok=True)

    def _delete_collection(self, name: str) -> None:
        self._db.drop_table(name)

    def _upsert(self, rows: Sequence[tuple[int, int, Floats]]) -> None:
        import pyarrow as pa

        numbers = [number for number, _, _ in rows]
        flat = np.concatenate([np.asarray(vector, np.float32) for _, _, vector in rows])
        data = pa.table(
            [
                pa.array(numbers, pa.int64()),
                pa.array([revision for _, revision, _ in rows], pa.int64()),
                pa.array([number >> PARTITION_BITS for number in numbers], pa.int64()),
                pa.FixedSizeListArray.from_arrays(pa.array(flat), self._dimensions),
            ],
            schema=self._schema,
        )
        merge = self._table.merge_insert("number")
        merge.when_matched_update_all().when_not_matched_insert_all().execute(data)
        self._writes += 1
        if self._writes % MERGE_EVERY == 0:
            self._compact()

    def _delete(self, numbers: Sequence[int]) -> None:
        self._table.delete(f"number IN ({_listed(numbers)})")

    def _delete_partition(self, partition: int) -> None:
        self._table.delete(f"place = {int(partition)}")

    def _nearest(
        self, partition: int, query: Floats, k: int, allowed: Sequence[int] | None
    ) -> Found:
        within = f"place = {int(partition)}"
        if allowed is not None:
            within += f" AND number IN ({_listed(allowed)})"
        rows = (
            self._table.search(query, vector_column_name="vector")
            .distance_type("cosine")
            .where(within, prefilter=True)
            .select(["number", "_distance"])
            .limit(k)
            .to_arrow()
        )
        cosines = (1 - rows["_distance"].to_numpy()).tolist()
        return list(zip(rows["number"].to_pylist(), cosines, strict=True))

    def _get(self, numbers: Sequence[int]) -> dict[int, tuple[int, Floats]]:
        rows = self._select(f"number IN ({_listed(numbers)})", ("vector",))
        vectors = rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        table = vectors.reshape(-1, self._dimensions)
        pairs = zip(rows["revision"].to_pylist(), table, strict=True)
        return dict(zip(rows["number"].to_pylist(), pairs, strict=True))

    def _revisions(self, numbers: Sequence[int]) -> dict[int, int]:
        return self._pairs(f"number IN ({_listed(numbers)})")

    def _entries(self, partition: int) -> dict[int, int]:
        return self._pairs(f"place = {int(partition)}")

    def _count(self) -> int:
        return int(self._table.count_rows())

    def _compact(self) -> None:
        """Older versions of the table still hold deleted vectors, so they go at once. A reader in
        another process that is at one of them fails once and is asked again."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            self._table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)

    def _pairs(self, within: str) -> dict[int, int]:
        rows = self._select(within, ())
        return dict(zip(rows["number"].to_pylist(), rows["revision"].to_pylist(), strict=True))

    def _select(self, within: str, more: tuple[str, ...]) -> Any:
        columns = ["number", "revision", *more]
        return self._table.search().where(within).select(columns).limit(None).to_arrow()


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(str(int(number)) for number in numbers)
