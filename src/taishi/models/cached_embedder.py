"""Caches the vectors of texts, and embeds questions on a thread while recall does other work."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from ..errors import ModelError
from ..ports import Cache, Embedder, Pending, TextCache, Vector
from ..times import Deadline

SEPARATOR = "\0"  # between the kind and the text in a key

Vectors = list[Vector]
EmbedQueries = Callable[[], Vectors]


class Executor(Protocol):
    def start(self, work: EmbedQueries) -> Pending[Vectors]: ...

    def close(self) -> None: ...


class CachedEmbedder:
    """Keeps vectors by text in a cache for some hours (Q6).

    Implements ports.QueryEmbedder for any embedder. `executor` runs what is started; without one a
    question is embedded by whoever starts it. `guard` calls the embedder for a started question,
    such as a circuit breaker does. `looked_up` and `embedded` are told what to count. `near` is the
    part of the cache that can be asked without waiting; None: all of it.
    """

    def __init__(
        self,
        embedder: Embedder,
        cache: Cache,
        hours: float,
        executor: Executor | None = None,
        guard: Callable[[EmbedQueries], Vectors] = lambda embed: embed(),
        looked_up: Callable[[str, str], None] = lambda cache, result: None,
        embedded: Callable[[float, str], None] = lambda seconds, kind: None,
        near: Cache | None = None,
    ) -> None:
        self._embedder = embedder
        self._life = hours * 3600
        self._executor = executor
        self._guard = guard
        self._looked_up = looked_up
        self._embedded = embedded
        self._cache = cache
        self._near = near or cache

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def start(self, texts: Sequence[str]) -> Pending[Vectors]:
        """Begin to embed questions; what is cached is there at once."""
        cached = self._cached_queries(texts)
        if cached is not None:
            return _Ready(cached)

        def embed() -> Vectors:
            return self._guard(lambda: self.queries(texts))

        if self._executor is None:
            return _Ready(embed())
        return self._executor.start(embed)

    def _cached_queries(self, texts: Sequence[str]) -> Vectors | None:
        """The vectors of these questions, if all of them are cached."""
        found = (self._get("query", text, self._near) for text in texts)
        cached = [vector for vector in found if vector is not None]
        complete = len(cached) == len(texts)
        self._looked_up("vectors", "hit" if complete else "miss")
        return cached if complete else None

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self.embed(texts, "query")

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vectors:
        # The texts of records are embedded once, by one process: no other one asks for them.
        cache = self._cache if kind == "query" else self._near
        vectors = {text: self._get(kind, text, cache) for text in texts}
        missing = [text for text, vector in vectors.items() if vector is None]
        if missing:
            start = time.perf_counter()
            rows = self._embedder.embed(missing, kind)
            self._embedded(time.perf_counter() - start, kind)
            for text, row in zip(missing, rows, strict=True):
                if len(row) != self.dimensions:
                    raise ModelError(
                        f"The embedder {self.name} gave a vector of {len(row)} numbers, but its "
                        f"`dimensions` is {self.dimensions}: correct one of the two"
                    )
                vectors[text] = row
                self._put(kind, text, row, cache)
        return [vector for text in texts if (vector := vectors[text]) is not None]

    def close(self) -> None:
        if self._executor is not None:
            self._executor.close()
        self._embedder.close()

    def cached_texts(self) -> list[str]:
        keys = self._cache.keys()
        own = [key.partition(SEPARATOR)[2] for key in keys]
        inner = self._embedder
        return [*own, *inner.cached_texts()] if isinstance(inner, TextCache) else own

    def clear_text(self) -> None:
        self.clear()
        if isinstance(self._embedder, TextCache):
            self._embedder.clear_text()

    def clear(self) -> None:
        """Forget every text that was embedded."""
        self._cache.clear()

    def _get(self, kind: str, text: str, cache: Cache) -> Vector | None:
        data = cache.get(f"{kind}{SEPARATOR}{text}")
        return None if data is None else np.frombuffer(data, np.float32)

    def _put(self, kind: str, text: str, vector: Vector, cache: Cache) -> None:
        data = np.asarray(vector, np.float32).tobytes()
        cache.put(f"{kind}{SEPARATOR}{text}", data, self._life)


@dataclass(frozen=True, slots=True)
class _Ready:
    vectors: Vectors
    is_done: bool = True

    def result(self, deadline: Deadline) -> Vectors:
        return self.vectors
