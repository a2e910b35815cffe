"""Made-up records for the PostgreSQL benchmark: words and vectors that go together.

Every record has a topic. Its vector lies around the topic's centre; its words are drawn from the
topic's own and from a vocabulary with the skew of language. No embedder takes part. The records of
all scopes arrive mixed, as those of many chats do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
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
        sizes[-1] += records - sum(sizes)  # the last one has what is left
        self.scopes = len(sizes)
        self._scope_of = rng.permutation(np.repeat(np.arange(self.scopes), sizes))
        # The records of each scope, in the order in which they arrive.
        order = self._scope_of.argsort(kind="stable")
        self.members = np.split(order, np.cumsum(sizes)[:-1])
        self._rank = np.empty(records, np.int64)
        for members in self.members:
            self._rank[members] = np.arange(len(members))
        self._exact: dict[tuple[str, int], set[int]] = {}
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
        return int(self._scope_of[at])

    def rank(self, at: int) -> int:
        """How many of its scope arrived before it."""
        return int(self._rank[at])

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
            session=f"s{self.rank(at) // SESSION}",
            redaction=redaction,
        )

    def batches(self, size: int) -> Iterator[range]:
        for first in range(0, self.count, size):
            yield range(first, min(first + size, self.count))

    def questions(self, scopes: Sequence[int], seed: int = 11) -> list[Question]:
        """Each is near some record of its scope, in words and in meaning."""
        rng = np.random.default_rng(seed)
        asked = []
        for scope in scopes:
            at = int(rng.choice(self.members[scope]))
            words = self.text_of(at).split()
            picked = [words[int(n)] for n in rng.permutation(len(words))[:5]]
            noise = rng.normal(size=DIMENSIONS) * 0.5 / np.sqrt(DIMENSIONS)
            vector = _unit((self.vectors[at] + noise)[None].astype(np.float32))[0]
            asked.append(Question(scope, " ".join(picked), vector))
        return asked

    def exact(self, question: Question, count: int) -> set[int]:
        key = (question.text, count)
        if key not in self._exact:
            cosines = self.vectors @ question.vector
            cosines[self._scope_of != question.scope] = -1
            self._exact[key] = set(np.argpartition(-cosines, count)[:count].tolist())
        return self._exact[key]


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.maximum(lengths, 1e-9)).astype(np.float32)
