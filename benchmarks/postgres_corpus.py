"""Made-up records for the PostgreSQL benchmark: words and vectors that go together.

Every record has a topic. Its vector lies around the topic's centre; its words are drawn from the
topic's own and from a vocabulary with the skew of language. No embedder takes part.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taishi.types import Partition, Record

DIMENSIONS = 384
VOCABULARY = 50_000
TOPIC_WORDS = 60
OWN_WORDS, OTHER_WORDS = 5, 6
SPREAD = 0.9  # length of what tells a record from its topic's centre, which has length 1
SMALL_SCOPE, MIDDLE_SCOPE = 1_000, 10_000
SESSION = 20
START = 1_600_000_000.0
Floats = NDArray[np.float32]


def vocabulary() -> list[str]:
    """Distinct words of syllables, which no stemmer touches."""
    heads = [c + v for c in "bdfgklmnprtvz" for v in "aiou"]
    ends = [c + v for c in "bdfgkmnprtz" for v in "ao"]
    words = ("".join(parts) for parts in product(heads, heads, ends))
    return [word for word, _ in zip(words, range(VOCABULARY), strict=False)]


@dataclass(frozen=True)
class Question:
    scope: int
    text: str
    vector: Floats


class MadeUpRecords:
    def __init__(self, records: int, seed: int = 7) -> None:
        rng = np.random.default_rng(seed)
        self.count = records
        self.in_big = records * 9 // 10
        rest = records - self.in_big
        self.middles = rest // 2 // MIDDLE_SCOPE
        smalls = max(1, (rest - self.middles * MIDDLE_SCOPE) // SMALL_SCOPE)
        sizes = [self.in_big, *[MIDDLE_SCOPE] * self.middles, *[SMALL_SCOPE] * smalls]
        self._starts = [0, *accumulate(sizes)]
        self._starts[-1] = records  # the last one has what is left
        self.scopes = len(sizes)
        self.words = vocabulary()
        rng.shuffle(self.words)
        topics = max(50, records // 500)
        self._centres = _unit(rng.normal(size=(topics, DIMENSIONS)).astype(np.float32))
        # The k-th word is drawn in proportion to 1 / (k + 10).
        weights = 1 / (np.arange(len(self.words)) + 10.0)
        self._chances = np.cumsum(weights / weights.sum())
        self._topic_words = rng.integers(200, len(self.words), (topics, TOPIC_WORDS))
        self.topics = rng.integers(0, topics, records)
        self.vectors = np.empty((records, DIMENSIONS), np.float32)
        for start in range(0, records, 50_000):
            end = min(start + 50_000, records)
            self.vectors[start:end] = self._around(rng, self.topics[start:end])
        self._rng = rng

    def _around(self, rng: np.random.Generator, topics: NDArray[Any]) -> Floats:
        noise = rng.normal(size=(len(topics), DIMENSIONS)).astype(np.float32)
        noise *= np.float32(SPREAD / np.sqrt(DIMENSIONS))
        return _unit(self._centres[topics] + noise)

    def scope_of(self, at: int) -> int:
        """0 is the large one, then come those of middle size, then the small ones."""
        return bisect_right(self._starts, at) - 1

    def range_of(self, scope: int) -> tuple[int, int]:
        return self._starts[scope], self._starts[scope + 1]

    def text_of(self, at: int) -> str:
        """The same for the same place."""
        return " ".join(self._drawn(np.random.default_rng(at), int(self.topics[at])))

    def _drawn(self, rng: np.random.Generator, topic: int) -> list[str]:
        own = self._topic_words[topic][rng.integers(0, TOPIC_WORDS, OWN_WORDS)]
        others = self._chances.searchsorted(rng.random(OTHER_WORDS))
        picked = [self.words[int(at)] for at in (*own, *others)]
        rng.shuffle(picked)
        return picked

    def record(self, at: int, place: Partition, redaction: int = 0) -> Record:
        return Record(
            f"r{at}",
            place,
            "event",
            self.text_of(at),
            time=START + 60.0 * at,
            created=START + 60.0 * at,
            user="u",
            session=f"s{at // SESSION}",
            redaction=redaction,
        )

    def batches(self, scope: int, size: int) -> Iterator[range]:
        start, end = self.range_of(scope)
        for first in range(start, end, size):
            yield range(first, min(first + size, end))

    def questions(self, scopes: Sequence[int], seed: int = 11) -> list[Question]:
        """Each is near some record of its scope, in words and in meaning."""
        rng = np.random.default_rng(seed)
        asked = []
        for scope in scopes:
            start, end = self.range_of(scope)
            at = int(rng.integers(start, end))
            words = self.text_of(at).split()
            picked = [words[int(n)] for n in rng.permutation(len(words))[:5]]
            noise = rng.normal(size=DIMENSIONS) * 0.5 / np.sqrt(DIMENSIONS)
            vector = _unit((self.vectors[at] + noise)[None].astype(np.float32))[0]
            asked.append(Question(scope, " ".join(picked), vector))
        return asked

    def exact(self, question: Question, count: int) -> set[int]:
        start, end = self.range_of(question.scope)
        cosines = self.vectors[start:end] @ question.vector
        return set((start + np.argpartition(-cosines, count)[:count]).tolist())


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.maximum(lengths, 1e-9)).astype(np.float32)
