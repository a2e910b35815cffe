"""Caches the vectors of texts, and embeds questions on a thread while recall does other work."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ..ports import Embedder, Pending, TextCache, Vector
from ..times import Deadline
from .local.shares import SharesWork

CACHE_BYTES = 64 << 20
# Seconds that one part of an embedder's work may take: with less left, it is only waited for.
PART_SECONDS = 0.05

Vectors = list[Vector]
EmbedQueries = Callable[[], Vectors]


class Executor(Protocol):
    def start(self, work: EmbedQueries) -> Pending[Vectors]: ...

    def close(self) -> None: ...


class CachedEmbedder:
    """Caches vectors by text for some hours (Q6); bounded in bytes, least recently used go first.

    Implements ports.QueryEmbedder for any embedder. `executor` runs what is started; without one a
    question is embedded by whoever starts it. `guard` calls the embedder for a started question,
    such as a circuit breaker does. `looked_up` and `embedded` are told what to count.
    """

    def __init__(
        self,
        embedder: Embedder,
        hours: float,
        executor: Executor | None = None,
        guard: Callable[[EmbedQueries], Vectors] = lambda embed: embed(),
        clock: Callable[[], float] = time.monotonic,
        looked_up: Callable[[str, str], None] = lambda cache, result: None,
        embedded: Callable[[float, str], None] = lambda seconds, kind: None,
    ) -> None:
        self._embedder = embedder
        self._life = hours * 3600
        self._executor = executor
        self._guard = guard
        self._clock = clock
        self._looked_up = looked_up
        self._embedded = embedded
        self._lock = threading.Lock()
        self._cache: OrderedDict[tuple[str, str], tuple[float, Vector]] = OrderedDict()
        self._bytes = 0

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def blocks(self) -> tuple[int, ...]:
        return self._embedder.blocks

    def start(self, texts: Sequence[str]) -> Pending[Vectors]:
        """Begin to embed questions; what is cached is there at once."""
        cached = self._cached_queries(texts)
        if cached is not None:
            return _Ready(cached)

        def embed() -> Vectors:
            return self._guard(lambda: self.queries(texts))

        if self._executor is None:
            return _Ready(embed())
        pending = self._executor.start(embed)
        if isinstance(self._embedder, SharesWork):
            return _Shared(pending, self._embedder)
        return pending

    def _cached_queries(self, texts: Sequence[str]) -> Vectors | None:
        """The vectors of these questions, if all of them are cached."""
        cached = [vector for text in texts if (vector := self._get(("query", text))) is not None]
        complete = len(cached) == len(texts)
        self._looked_up("vectors", "hit" if complete else "miss")
        return cached if complete else None

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self.embed(texts, "query")

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vectors:
        vectors = {text: self._get((kind, text)) for text in texts}
        missing = [text for text, vector in vectors.items() if vector is None]
        if missing:
            start = time.perf_counter()
            rows = self._embedder.embed(missing, kind)
            self._embedded(time.perf_counter() - start, kind)
            for text, row in zip(missing, rows, strict=True):
                vectors[text] = row
                self._put((kind, text), row)
        return [vector for text in texts if (vector := vectors[text]) is not None]

    def close(self) -> None:
        if self._executor is not None:
            self._executor.close()
        self._embedder.close()

    def cached_texts(self) -> list[str]:
        with self._lock:
            own = [text for _, text in self._cache]
        inner = self._embedder
        return [*own, *inner.cached_texts()] if isinstance(inner, TextCache) else own

    def clear_text(self) -> None:
        self.clear()
        if isinstance(self._embedder, TextCache):
            self._embedder.clear_text()

    def clear(self) -> None:
        """Forget every text that was embedded."""
        with self._lock:
            self._cache.clear()
            self._bytes = 0

    def _get(self, key: tuple[str, str]) -> Vector | None:
        with self._lock:
            entry = self._cache.get(key)
            if entry is None or self._clock() - entry[0] > self._life:
                return None
            self._cache.move_to_end(key)
            return entry[1]

    def _put(self, key: tuple[str, str], vector: Vector) -> None:
        with self._lock:
            if key not in self._cache:
                self._bytes += vector.nbytes + len(key[1])
            self._cache[key] = (self._clock(), vector)
            while self._bytes > CACHE_BYTES:
                (_, text), (_, old) = self._cache.popitem(last=False)
                self._bytes -= old.nbytes + len(text)


@dataclass(frozen=True, slots=True)
class _Ready:
    vectors: Vectors
    is_done: bool = True

    def result(self, deadline: Deadline) -> Vectors:
        return self.vectors


@dataclass(frozen=True, slots=True)
class _Shared:
    """A question that is embedded on a thread, while whoever waits for it computes a part."""

    pending: Pending[Vectors]
    embedder: SharesWork

    @property
    def is_done(self) -> bool:
        return self.pending.is_done

    def result(self, deadline: Deadline) -> Vectors:
        while not self.is_done and deadline.left > PART_SECONDS and self.embedder.help():
            pass
        return self.pending.result(deadline)
