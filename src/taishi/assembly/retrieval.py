"""The embedder with its cache, and the retriever with its index and models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from ..backends.memory_cache import MemoryCache
from ..models.breaker import Breaker
from ..models.cached_embedder import CachedEmbedder
from ..observe.metrics import Metrics
from ..ports import Embedder
from ..recall.deadline import BoundedExecutor
from ..recall.engine_search import EngineSearch, VectorlessIndex
from ..recall.index_cache import IndexCache
from ..recall.intent_model import intent_by_model
from ..recall.large_search import LargeSearch
from ..recall.partition_index import PartitionIndex
from ..recall.partition_source import PartitionSource
from ..recall.retriever import Retriever
from ..runtime import Parts, Runtime
from ..settings import Settings
from .shared_storage import SharedCaches

T = TypeVar("T")
EMBEDDING_THREADS = 4


class Entered(Protocol):
    """Runs a model's call and sees to its entry in the ledger."""

    def __call__(self, ask: Callable[[], T]) -> T: ...


def cached_embedder(
    embedder: Embedder | None,
    settings: Settings,
    metrics: Metrics,
    entered: Entered,
    shared: SharedCaches | None = None,
) -> CachedEmbedder | None:
    if embedder is None:
        return None
    breaker, near = Breaker(), MemoryCache()
    return CachedEmbedder(
        embedder,
        near if shared is None else shared.vectors(near, embedder, metrics.cache.add),
        settings.cache.embedding_hours,
        BoundedExecutor("vector", EMBEDDING_THREADS),
        guard=lambda embed: entered(lambda: breaker.call(embed)),
        looked_up=metrics.cache.add,
        embedded=metrics.embed.observe,
        near=near,
    )


def new_retriever(
    runtime: Runtime,
    entered: Entered,
    later: Callable[[Callable[[], None]], None],
    shared: SharedCaches | None = None,
    engine: EngineSearch | None = None,
) -> Retriever:
    parts, embedder = runtime.parts, runtime.embedder
    name, dimensions = (embedder.name, embedder.dimensions) if embedder else (None, 0)
    memory_bytes = runtime.settings.index.memory_mb << 20
    kind = VectorlessIndex if engine else PartitionIndex
    indexes = IndexCache(parts.store, name, dimensions, memory_bytes, later, kind)
    breaker = Breaker()
    intent, reranker = parts.intent, parts.reranker
    large = _large_search(parts, name, dimensions) if engine is None else None
    return Retriever(
        PartitionSource(parts.store, indexes, embedder, engine, large),
        lambda: runtime.settings.query,
        (lambda query, texts: entered(lambda: breaker.call(lambda: reranker.rerank(query, texts))))
        if reranker
        else None,
        runtime.settings.cache.results_minutes,
        runtime.metrics.cache.add,
        (lambda text: entered(lambda: intent_by_model(intent, text))) if intent else None,
        shared=None if shared is None else shared.results(runtime),
    )


def _large_search(parts: Parts, model: str | None, dimensions: int) -> LargeSearch | None:
    engine = parts.partition_search
    if engine is None:
        return None
    engine.use_model(model, dimensions)
    return LargeSearch(engine, dimensions)
