"""mem0 on its default store (`qdrant`, in its own process) or on `chroma`; no model is asked.

Filled through its store layer in batches, as its own `add` takes one text at a time; searched and
written singly through `Memory`, with `infer=False`. Its default store commits every point by
itself; after a part that shows its speed, the filling goes on without waiting for the disk.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import UUID

from benchmarks.peers.serve import TOP, Query, Records, serve

BATCH = 1000
SAMPLE = 200
COLLECTION = "records"
NO_KEY = "none-needed"


class ReadyMade:
    """Stands in for mem0's embedding model."""

    def __init__(self, records: Records) -> None:
        self._vector_of = records.embedder()

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        vector: list[float] = self._vector_of(text).tolist()
        return vector


class Mem0:
    def __init__(self, records: Records, folder: Path, options: Sequence[str]) -> None:
        os.environ.setdefault("OPENAI_API_KEY", NO_KEY)  # clients are made, and never used
        store: dict[str, Any] = {"collection_name": COLLECTION, "path": str(folder / "store")}
        self._commits_each = options == ["qdrant"]
        if self._commits_each:
            store.update(embedding_model_dims=records.width)
        self._records = records
        self._memory: Any = import_module("mem0").Memory.from_config(
            {
                "vector_store": {"provider": options[0], "config": store},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = ReadyMade(records)
        self.searches = {"filtered": self._filtered}
        self.writes = {"one": self._write}

    def build(self) -> float | None:
        if not self._commits_each:
            self._fill(0, self._records.size)
            return None
        start = time.perf_counter()
        self._fill(0, SAMPLE)
        rate = SAMPLE / (time.perf_counter() - start)
        client = self._memory.vector_store.client._client
        database = client.collections[COLLECTION].storage.storage
        database.execute("PRAGMA synchronous = OFF")
        self._fill(SAMPLE, self._records.size)
        database.execute("PRAGMA synchronous = FULL")
        return rate

    def _fill(self, first: int, last: int) -> None:
        records = self._records
        for start in range(first, last, BATCH):
            numbers = range(start, min(start + BATCH, last))
            self._memory.vector_store.insert(
                vectors=records.vectors[numbers.start : numbers.stop].tolist(),
                payloads=[self._payload(n) for n in numbers],
                ids=[str(UUID(int=n)) for n in numbers],
            )

    def _payload(self, number: int) -> dict[str, str]:
        """What mem0 itself writes for a text."""
        text = self._records.texts[number]
        now = "2026-01-01T00:00:00+00:00"
        return {
            "data": text,
            "user_id": self._records.groups[number],
            "hash": hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(),
            "created_at": now,
            "updated_at": now,
            "text_lemmatized": text,
        }

    def _filtered(self, query: Query) -> Any:
        return self._memory.search(
            query.text, filters={"user_id": query.group}, top_k=TOP, threshold=0.0
        )

    def _write(self, number: int) -> None:
        records = self._records
        self._memory.add(records.texts[number], user_id=records.groups[number], infer=False)

    def numbers_of(self, answer: Any) -> list[int]:
        return [UUID(item["id"]).int for item in answer["results"]]

    def close(self) -> None: ...


if __name__ == "__main__":
    serve(Mem0)
