"""Vectors in Milvus: a server, or Milvus Lite in a file of this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...disk.durable_io import make_folder
from ...ports.candidates import Floats
from .base import PARTITION_BITS, POSITIONS, CollectionEngine, Found

TIMEOUT = 10.0
PAGE = 8000
# Milvus Lite searches what it has not flushed several times more slowly.
FLUSH_EVERY = 200


class MilvusVectors(CollectionEngine):
    """The partition is the partition key, so a search reads one of Milvus's own partitions."""

    _client: Any
    _unflushed = 0

    def _connect(self) -> None:
        from pymilvus import MilvusClient

        at = self._at
        if at.path is not None:
            make_folder(at.path.parent)
            self._client = MilvusClient(uri=str(at.path))
        else:
            self._client = MilvusClient(
                uri=f"http://{at.host}:{at.port}", token=at.token, timeout=TIMEOUT
            )

    def _disconnect(self) -> None:
        self._client.close()

    def _names(self) -> list[str]:
        return list(self._client.list_collections(timeout=TIMEOUT))

    def _use(self, name: str) -> None:
        if not self._client.has_collection(name, timeout=TIMEOUT):
            self._new_collection(name)
        self._client.load_collection(name, timeout=TIMEOUT)
        self._vectors = name

    def _new_collection(self, name: str) -> None:
        from pymilvus import DataType

        client, is_lite = self._client, self._at.path is not None
        schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("number", DataType.INT64, is_primary=True)
        schema.add_field("revision", DataType.INT64)
        schema.add_field("place", DataType.INT64, is_partition_key=not is_lite)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=self._dimensions)
        index = client.prepare_index_params()
        kind, params = ("FLAT", {}) if is_lite else ("HNSW", {"M": 32, "efConstruction": 200})
        index.add_index("vector", index_type=kind, metric_type="COSINE", params=params)
        client.create_collection(name, schema=schema, consistency_level="Strong", timeout=TIMEOUT)
        client.create_index(name, index, timeout=TIMEOUT, sync=not is_lite)

    def _delete_collection(self, name: str) -> None:
        self._client.drop_collection(name, timeout=TIMEOUT)

    def _upsert(self, rows: Sequence[tuple[int, int, Floats]]) -> None:
        data = [
            {
                "number": number,
                "revision": revision,
                "place": number >> PARTITION_BITS,
                "vector": vector,
            }
            for number, revision, vector in rows
        ]
        self._client.upsert(self._vectors, data, timeout=TIMEOUT)
        self._unflushed += len(rows)
        if self._at.path is not None and self._unflushed >= FLUSH_EVERY:
            self._flush()

    def _delete(self, numbers: Sequence[int]) -> None:
        self._client.delete(self._vectors, ids=list(numbers), timeout=TIMEOUT)

    def _delete_partition(self, partition: int) -> None:
        self._client.delete(self._vectors, filter=f"place == {int(partition)}", timeout=TIMEOUT)

    def _nearest(
        self, partition: int, query: Floats, k: int, allowed: Sequence[int] | None
    ) -> Found:
        within = f"place == {int(partition)}"
        if allowed is not None:
            within += f" and number in {list(map(int, allowed))}"
        (hits,) = self._client.search(
            self._vectors,
            data=[query.tolist()],
            anns_field="vector",
            filter=within,
            limit=k,
            search_params={"metric_type": "COSINE", "params": {"ef": max(2 * k, 200)}}
            if self._at.path is None
            else {"metric_type": "COSINE"},
            timeout=TIMEOUT,
        )
        return [(int(hit["number"]), float(hit["distance"])) for hit in hits]

    def _get(self, numbers: Sequence[int]) -> dict[int, tuple[int, Floats]]:
        rows = self._client.get(
            self._vectors,
            ids=list(numbers),
            output_fields=["number", "revision", "vector"],
            timeout=TIMEOUT,
        )
        return {
            int(row["number"]): (int(row["revision"]), np.asarray(row["vector"], np.float32))
            for row in rows
        }

    def _revisions(self, numbers: Sequence[int]) -> dict[int, int]:
        rows = self._client.get(
            self._vectors, ids=list(numbers), output_fields=["number", "revision"], timeout=TIMEOUT
        )
        return {int(row["number"]): int(row["revision"]) for row in rows}

    def _entries(self, partition: int) -> dict[int, int]:
        """Range by range of numbers, as pages of a query are in no order in Milvus Lite; until as
        many are found as there are."""
        found: dict[int, int] = {}
        first, last = partition << PARTITION_BITS, (partition + 1) << PARTITION_BITS
        within = f"place == {int(partition)}"
        left = self._count(within)
        for at in range(0, last - first, PAGE):
            if left <= 0:
                break
            # Positions are counted down from the end, records up from the beginning.
            low = last - at - PAGE if partition == POSITIONS else first + at
            rows = self._client.query(
                self._vectors,
                filter=f"{within} and number >= {low} and number < {low + PAGE}",
                output_fields=["number", "revision"],
                limit=PAGE,
                timeout=TIMEOUT,
            )
            found |= {int(row["number"]): int(row["revision"]) for row in rows}
            # Something may be removed meanwhile, and would be looked for in vain.
            left = left - len(rows) if rows else self._count(within) - len(found)
        return found

    def _count(self, within: str = "") -> int:
        (row,) = self._client.query(
            self._vectors, filter=within, output_fields=["count(*)"], timeout=TIMEOUT
        )
        return int(row["count(*)"])

    def _compact(self) -> None:
        self._flush()
        self._client.compact(self._vectors, timeout=TIMEOUT)

    def _flush(self) -> None:
        self._client.flush(self._vectors, timeout=TIMEOUT)
        self._unflushed = 0
