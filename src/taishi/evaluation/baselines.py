"""Plain rankers that anyone would try first, on the same items: what recall has to beat."""

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
KEPT_BYTES = 256 << 20
BATCH = 64

Scores = NDArray[np.float32]


class Bm25:
    """Okapi BM25 over the index terms of `language.segment` (Porter stems, Chinese pairs)."""

    def __init__(self, texts: Sequence[str]) -> None:
        bags = [Counter(analyzer.terms(text)) for text in texts]
        lengths = np.asarray([bag.total() for bag in bags], np.float32)
        self._size = len(bags)
        mean = float(lengths.mean()) if self._size else 0.0
        self._damping = K1 * (1 - B + B * lengths / (mean or 1.0))
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for row, bag in enumerate(bags):
            for term, count in bag.items():
                postings[term].append((row, count))
        self._postings = {term: np.asarray(pairs) for term, pairs in postings.items()}

    def rank(self, query: str) -> list[int]:
        """Rows with a word of the query, best first."""
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
            rarity = np.log1p((self._size - len(rows) + 0.5) / (len(rows) + 0.5))
            scores[rows] += rarity * counts * (K1 + 1) / (counts + self._damping[rows])
        return scores


class Dense:
    """Cosine with the query, by the embedder that recall uses, too."""

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
    """The wished baselines over one corpus; rrf takes as long as both of its rankings."""

    def __init__(
        self, names: Collection[str], texts: Sequence[str], embedder: Embedder | None
    ) -> None:
        self._names = [name for name in NAMES if name in names]
        self._bm25 = Bm25(texts) if {"bm25", "rrf"} & set(names) else None
        wants_dense = bool(NEED_EMBEDDER & set(names))
        self._dense = Dense(texts, embedder) if wants_dense and embedder else None

    def ask(self, query: str) -> dict[str, Ranked]:
        found: dict[str, Ranked] = {}
        for name, ranker in (("bm25", self._bm25), ("dense", self._dense)):
            if ranker is not None:
                started = time.perf_counter()
                rows = ranker.rank(query)
                found[name] = Ranked(rows, (time.perf_counter() - started) * 1000)
        if "rrf" in self._names:
            started = time.perf_counter()
            rows = fuse([one.rows for one in found.values()])
            spent = sum(one.took_ms for one in found.values())
            found["rrf"] = Ranked(rows, spent + (time.perf_counter() - started) * 1000)
        return {name: found[name] for name in self._names}


class SharedEmbedder:
    """Keeps the vectors of documents: haystacks share sessions, and each is embedded once.

    Queries are not kept: their embedding is part of what is timed.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._kept: OrderedDict[str, Vector] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()  # recall embeds in the background

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def blocks(self) -> tuple[int, ...]:
        return self._embedder.blocks

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        if kind == "query" or not texts:
            return self._embedder.embed(texts, kind)
        wanted = {text: self._kept.get(text) for text in texts}
        missing = [text for text, row in wanted.items() if row is None]
        for start in range(0, len(missing), BATCH):
            part = missing[start : start + BATCH]
            for text, row in zip(part, self._embedder.embed(part, kind), strict=True):
                wanted[text] = row
                self._keep(text, row)
        return np.stack([row for text in texts if (row := wanted[text]) is not None])

    def close(self) -> None:
        self._embedder.close()

    def _keep(self, text: str, row: Vector) -> None:
        with self._lock:
            if text in self._kept:
                return
            self._kept[text] = row.copy()  # a view would hold its whole batch
            self._bytes += row.nbytes + len(text)
            while self._bytes > KEPT_BYTES:
                old_text, old = self._kept.popitem(last=False)
                self._bytes -= old.nbytes + len(old_text)
