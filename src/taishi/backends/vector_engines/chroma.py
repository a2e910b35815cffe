"""Vectors in Chroma: a server, or a folder of this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...disk.durable_io import make_folder
from ...ports.candidates import Floats
from .base import PARTITION_BITS, CollectionEngine, Found

PAGE = 5000
TIMEOUT = 10.0
HNSW = {"space": "cosine", "ef_construction": 200, "max_neighbors": 48, "ef_search": 400}


class ChromaVectors(CollectionEngine):
    """Only numbers and vectors are given to Chroma, never a text. Its index is approximate (HNSW),
    so it is built and searched wide."""

    _client: Any
    _vectors: Any

    def _connect(self) -> None:
        import chromadb
        from chromadb.config import Settings

        at = self._at
        settings = Settings(anonymized_telemetry=False)
        if at.path is not None:
            make_folder(at.path)
            self._client = chromadb.PersistentClient(str(at.path), settings=settings)
        else:
            self._client = chromadb.HttpClient(at.host.strip("[]"), at.port, settings=settings)
            for one in (self._client, self._client._admin_client):
                one._server._session.timeout = TIMEOUT  # it would wait for ever

    def _disconnect(self) -> None:
        client, self._client, self._vectors = self._client, None, None
        client.close()
        if self._at.path is None:  # Chroma leaves the sessions of its HTTP clients open
            for one in (client, client._admin_client):
                one._server._session.close()

    def _names(self) -> list[str]:
        return [collection.name for collection in self._client.list_collections()]

    def _use(self, name: str) -> None:
        self._vectors = self._client.get_or_create_collection(
            name, configuration={"hnsw": HNSW}, embedding_function=None
        )

    def _delete_collection(self, name: str) -> None:
        self._client.delete_collection(name)

    def _upsert(self, rows: Sequence[tuple[int, int, Floats]]) -> None:
        self._vectors.upsert(
            ids=[str(number) for number, _, _ in rows],
            embeddings=np.stack([vector for _, _, vector in rows]),
            metadatas=[
                {"place": number >> PARTITION_BITS, "revision": revision}
                for number, revision, _ in rows
            ],
        )

    def _delete(self, numbers: Sequence[int]) -> None:
        self._vectors.delete(ids=list(map(str, numbers)))

    def _delete_partition(self, partition: int) -> None:
        self._vectors.delete(where={"place": int(partition)})

    def _nearest(
        self, partition: int, query: Floats, k: int, allowed: Sequence[int] | None
    ) -> Found:
        found = self._vectors.query(
            query_embeddings=query[None],
            n_results=k,
            where={"place": int(partition)},
            include=["distances"],
            **({} if allowed is None else {"ids": list(map(str, allowed))}),
        )
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        return [(int(id), 1 - float(distance)) for id, distance in pairs]

    def _get(self, numbers: Sequence[int]) -> dict[int, tuple[int, Floats]]:
        rows = self._vectors.get(ids=list(map(str, numbers)), include=["embeddings", "metadatas"])
        vectors = np.asarray(rows["embeddings"], np.float32)
        return {
            int(id): (int(known["revision"]), vector)
            for id, known, vector in zip(rows["ids"], rows["metadatas"], vectors, strict=True)
        }

    def _revisions(self, numbers: Sequence[int]) -> dict[int, int]:
        rows = self._vectors.get(ids=list(map(str, numbers)), include=["metadatas"])
        return _revisions(rows)

    def _entries(self, partition: int) -> dict[int, int]:
        found: dict[int, int] = {}
        where = {"place": int(partition)}
        while True:
            rows = self._vectors.get(
                where=where, limit=PAGE, offset=len(found), include=["metadatas"]
            )
            found |= _revisions(rows)
            if len(rows["ids"]) < PAGE:
                return found

    def _count(self) -> int:
        return int(self._vectors.count())

    def _compact(self) -> None:
        """Chroma cannot be told to; it reuses the room of deleted vectors."""


def _revisions(rows: Any) -> dict[int, int]:
    pairs = zip(rows["ids"], rows["metadatas"], strict=True)
    return {int(id): int(known["revision"]) for id, known in pairs}
