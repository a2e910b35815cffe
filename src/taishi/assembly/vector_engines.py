"""The vector engine that the settings name, with its feed and its place in recall."""

from __future__ import annotations

import hashlib

from ..backends.vector_engines import open_engine, parse_address
from ..models.breaker import Breaker
from ..recall.engine_search import EngineSearch
from ..recall.vector_feed import VectorFeed
from ..recall.vector_index import VectorIndex
from ..runtime import Runtime

RESET_SECONDS = 5.0


def engine_search(runtime: Runtime) -> EngineSearch | None:
    """None: vectors are searched in this process. So they are on media that cannot be written,
    where nobody could tell how far the engine is."""
    address, parts, embedder = runtime.settings.storage.vectors, runtime.parts, runtime.embedder
    if not address or not runtime.settings.memory.enabled:
        return None
    where = parse_address(address)
    if embedder is None or parts.read_only:
        return None
    # Several memories may share an engine, and their partitions have the same numbers.
    own = hashlib.sha256(b"vectors\n" + parts.store.deletions.key()).hexdigest()[:12]
    engine = open_engine(where, f"taishi_{own}", embedder.dimensions)
    feed = VectorFeed(parts.store, engine, parts.locks, embedder.name, embedder.dimensions)
    breaker = Breaker(reset_seconds=RESET_SECONDS, what="vector engine")
    runtime.vectors = VectorIndex(feed)
    return EngineSearch(feed, breaker.call)
