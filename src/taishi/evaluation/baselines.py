"""Baseline rankers on the same items: BM25, dense and RRF."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..language import analyzer
from ..ports import Embedder, Vector

NAMES = ("bm25", "dense", "rrf")
NEED_EMBEDDER = frozenset({"dense", "rrf"})
K1 = 1.2
B = 0.75
RRF_K = 60
CACHE_BYTES = 256 << 20
BATCH_SIZE = 64

Scores = NDArray[np.float32]


class Bm25:
    """Okapi BM25 over the index terms of `language.analyzer` (Porter stems, Chinese pairs)."""

    def __init__(self, texts: Sequence[str]) -> None:
        bags = [Counter(analyzer.terms(text)) for text in texts]
        lengths = np.asarray([bag.total() for bag in bags], np.float32)
        self._size = len(bags)
        mean = float(lengths.mean()) if self._size else 0.0
        self._length_norm = K1 * (1 - B + B * lengths / (mean or 1.0))
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for row, bag in enumerate(bags):
            for term, count in bag.items():
                postings[term].append((row, count))
        self._postings = {term: np.asarray(pairs) for term, pairs in postings.items()}

    def rank(self, query: str) -> list[int]:
        """Rows that contain a query term, best first."""
        scores = self.scores(query)
        order = np.argsort(-scores, kind="stable")
        return [int(row) for row in order if scores[row] > 0]

    def scores(self, query: str) -> Scores:
        scores = np.zeros(self._size, np.float32)
        for term in set(analyzer.terms(query)):
            pairs = self._postings.get(term)
            if pairs is None:
                continue
            rows, counts = pairs[:, 0], pairs[:, 1]
            idf = np.log1p((self._size - len(rows) + 0.5) / (len(rows) + 0.5))
            scores[rows] += idf * counts * (K1 + 1) / (counts + self._length_norm[rows])
        return scores


class Dense:
    """Cosine similarity, with the same embedder as recall."""

    def __init__(self, texts: Sequence[str], embedder: Embedder) -> None:
        self._embedder = embedder
        self._matrix = np.asarray(embedder.embed(texts, "document"), np.float32)

    def rank(self, query: str) -> list[int]:
        scores: Scores = self._matrix @ self._embedder.embed([query], "query")[0]
        return [int(row) for row in np.argsort(-scores, kind="stable")]


def fuse(rankings: Sequence[Sequence[int]]) -> list[int]:
    """Reciprocal rank fusion, every ranking with the same weight."""
    scores: dict[int, float] = defaultdict(float)
    for ranking in rankings:
        for position, row in enumerate(ranking, start=1):
            scores[row] += 1 / (RRF_K + position)
    return sorted(scores, key=lambda row: (-scores[row], row))


@dataclass(frozen=True, slots=True)
class Ranked:
    rows: list[int]
    took_ms: float


class Baselines:
    """The requested baselines over one corpus; the time of rrf includes both of its rankings."""

    def __init__(
        self, names: Collection[str], texts: Sequence[str], embedder: Embedder | None
    ) -> None:
        self._names = [name for name in NAMES if name in names]
        self._bm25 = Bm25(texts) if {"bm25", "rrf"} & set(names) else None
        wants_dense = bool(NEED_EMBEDDER & set(names))
        self._dense = Dense(texts, embedder) if wants_dense and embedder else None

    def ask(self, query: str) -> dict[str, Ranked]:
        rankings: dict[str, Ranked] = {}
        for name, ranker in (("bm25", self._bm25), ("dense", self._dense)):
            if ranker is not None:
                started = time.perf_counter()
                rows = ranker.rank(query)
                rankings[name] = Ranked(rows, (time.perf_counter() - started) * 1000)
        if "rrf" in self._names:
            started = time.perf_counter()
            rows = fuse([ranking.rows for ranking in rankings.values()])
            ranking_ms = sum(ranking.took_ms for ranking in rankings.values())
            rankings["rrf"] = Ranked(rows, ranking_ms + (time.perf_counter() - started) * 1000)
        return {name: rankings[name] for name in self._names}


class CachingEmbedder:
    """Caches document vectors: haystacks share sessions, and each is embedded once.

    Queries are not cached: their embedding is part of the measured time.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._cache: OrderedDict[str, Vector] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()  # recall embeds in the background

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        if kind == "query" or not texts:
            return self._embedder.embed(texts, kind)
        vectors = {text: self._cache.get(text) for text in texts}
        missing = [text for text, row in vectors.items() if row is None]
        for start in range(0, len(missing), BATCH_SIZE):
            batch = missing[start : start + BATCH_SIZE]
            for text, row in zip(batch, self._embedder.embed(batch, kind), strict=True):
                vectors[text] = row
                self._store(text, row)
        return np.stack([row for text in texts if (row := vectors[text]) is not None])

    def close(self) -> None:
        self._embedder.close()

    def _store(self, text: str, row: Vector) -> None:
        with self._lock:
            if text in self._cache:
                return
            self._cache[text] = row.copy()  # a view would keep its whole batch alive
            self._bytes += row.nbytes + len(text)
            while self._bytes > CACHE_BYTES:
                evicted_text, evicted = self._cache.popitem(last=False)
                self._bytes -= evicted.nbytes + len(evicted_text)
