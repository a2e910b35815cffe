"""A candidate source on PostgreSQL that searches partitions in the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from support.hash_embedder import HashEmbedder
from taishi.backends.memory_cache import MemoryCache
from taishi.backends.postgres.database import Database
from taishi.backends.postgres.large_partitions import LargePartitions
from taishi.backends.postgres.partition_search import PostgresPartitionSearch
from taishi.backends.postgres.store import PostgresStore
from taishi.ingest.embedding import embed_some
from taishi.models.cached_embedder import CachedEmbedder
from taishi.recall.index_cache import IndexCache
from taishi.recall.large_search import LargeSearch
from taishi.recall.partition_source import PartitionSource
from taishi.recall.vector_codec import code_size
from taishi.types import Edit, Partition, Record

PREPARING_SECONDS = 20.0


@dataclass
class SearchedInDatabase:
    """Partitions of more than `limit` records are searched in SQL. The limit may be changed."""

    db: Database
    store: PostgresStore
    partitions: LargePartitions
    engine: PostgresPartitionSearch
    source: PartitionSource
    embedder: CachedEmbedder

    @staticmethod
    def open(address: str, limit: int = 0) -> SearchedInDatabase:
        db = Database(address)
        store = PostgresStore(db)
        embedder = CachedEmbedder(HashEmbedder(), MemoryCache(), 1.0)
        store.adopt_model(embedder.name, code_size(embedder.dimensions))
        partitions = LargePartitions(db, limit)
        engine = PostgresPartitionSearch(db, partitions)
        engine.use_model(embedder.name, embedder.dimensions)
        indexes = IndexCache(store, embedder.name, embedder.dimensions, 1 << 26)
        large = LargeSearch(engine, embedder.dimensions)
        source = PartitionSource(store, indexes, embedder, large=large)
        return SearchedInDatabase(db, store, partitions, engine, source, embedder)

    def put(self, records: Sequence[Record]) -> None:
        self.store.apply([Edit("put", one) for one in records])
        while embed_some(self.store, self.embedder)[1]:
            pass

    def prepare(self, places: Sequence[Partition]) -> None:
        """Begin to prepare those over the limit, and wait for it."""
        self.engine.searched(self.store.states(places))
        self.partitions.wait(PREPARING_SECONDS)

    def close(self) -> None:
        self.source.close()
        self.db.close()
