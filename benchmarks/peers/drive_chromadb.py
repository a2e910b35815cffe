"""chromadb: a persistent client and one collection, filtered by metadata."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.peers.serve import TOP, Query, Records, serve

BATCH = 5000


class Chroma:
    def __init__(self, records: Records, folder: Path, options: Sequence[str]) -> None:
        chromadb: Any = import_module("chromadb")
        settings = chromadb.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(path=str(folder), settings=settings)
        self._records = records
        self._kept = client.create_collection(
            "records", metadata={"hnsw:space": "cosine"}, embedding_function=None
        )
        self.searches = {"filtered": self._filtered, "unfiltered": self._unfiltered}
        self.writes = {"one": self._write}

    def build(self) -> None:
        for start in range(0, self._records.size, BATCH):
            self._add(start, min(start + BATCH, self._records.size))

    def _add(self, start: int, end: int) -> None:
        records = self._records
        self._kept.add(
            ids=[str(number) for number in range(start, end)],
            embeddings=records.vectors[start:end],
            documents=records.texts[start:end],
            metadatas=[{"group": group} for group in records.groups[start:end]],
        )

    def _filtered(self, query: Query) -> Any:
        return self._kept.query(
            query_embeddings=[query.vector],
            n_results=TOP,
            where={"group": query.group},
            include=["documents", "distances"],
        )

    def _unfiltered(self, query: Query) -> Any:
        return self._kept.query(
            query_embeddings=[query.vector], n_results=TOP, include=["documents", "distances"]
        )

    def _write(self, number: int) -> None:
        self._add(number, number + 1)

    def numbers_of(self, answer: Any) -> list[int]:
        return [int(id) for id in answer["ids"][0]]

    def close(self) -> None: ...


if __name__ == "__main__":
    serve(Chroma)
