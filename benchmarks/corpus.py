"""Texts and vectors that behave like real ones where it costs time, made from a seed.

Words follow Zipf's law in both languages, so some postings are long and most are short. Vectors
lie around a few topics and have the local embedder's dimensions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, Literal

import numpy as np

from taishi.language.analyzer import number_of
from taishi.models.local.model_package import find_package
from taishi.ports import Vector

DIMENSIONS = 384
TOPICS = 64
QUESTIONS = 256
CHINESE_SHARE = 0.3
MESSAGES_IN_A_SESSION = 40
A_YEAR_AGO = 1_763_164_800.0
SECONDS_BETWEEN = 300.0
FUNCTION_WORDS = (
    "the to and a of i in is that it you for was on have with be this my but not are at as so we"
).split()
PARTICLES = list("的了我是不在你有他这就说也们到")
SYLLABLES = [c + v for c in "bdfghklmnprstvwz" for v in ("a", "e", "i", "o", "u", "an", "or")]
FIRST_HANZI = 0x4E10


class Language:
    """A vocabulary whose nth word comes up about 1/n as often as its first."""

    def __init__(self, words: Sequence[str], joint: str) -> None:
        self._words = words
        self._joint = joint
        self._weights = list(accumulate(1 / (n + 2.7) for n in range(len(words))))

    def words(self, rng: random.Random, count: int) -> list[str]:
        return rng.choices(self._words, cum_weights=self._weights, k=count)

    def join(self, words: Sequence[str]) -> str:
        return self._joint.join(words)


class Corpus:
    """Records and questions, the same ones for the same seed."""

    def __init__(self, seed: int = 7, chinese: float = CHINESE_SHARE) -> None:
        self._rng = rng = random.Random(seed)
        self._chinese_share = chinese
        words = {"".join(rng.choices(SYLLABLES, k=rng.choice((2, 2, 3)))) for _ in range(20_000)}
        pairs = {_hanzi(rng, rng.choice((1, 2, 2, 2))) for _ in range(8_000)}
        self._english = Language(FUNCTION_WORDS + sorted(words, key=number_of), " ")
        self._chinese = Language(PARTICLES + sorted(pairs, key=number_of), "")
        self._speakers = [name.capitalize() for name in self._english.words(rng, 40)]

    def items(self, count: int) -> Iterator[dict[str, Any]]:
        rng = self._rng
        for number in range(count):
            yield {
                "text": self._text(rng.randint(12, 25)),
                "kind": rng.choice(("note", "note", "note", "fact", "event")),
                "speaker": rng.choice(self._speakers),
                "session": f"s{number // MESSAGES_IN_A_SESSION}",
                "time": A_YEAR_AGO + number * SECONDS_BETWEEN,
                "source": f"m{number}",
            }

    def questions(self, count: int) -> list[str]:
        return [self._text(8) for _ in range(count)]

    def _text(self, words: int) -> str:
        chinese = self._rng.random() < self._chinese_share
        language = self._chinese if chinese else self._english
        return language.join(language.words(self._rng, words))


def natural_questions(count: int) -> list[str]:
    """Real words, as a real tokenizer's work depends on them; no two alike."""
    who = ("Ann", "Bo", "my sister", "the landlord", "李雷", "妈妈", "our teacher", "the dentist")
    asked = (
        "What did {who} say about the {thing} in {when}?",
        "Where does {who} keep the {thing} since {when}?",
        "{when} {who} 说的 {thing} 后来怎么样了？",
    )
    things = "ferry garden 猫 piano 护照 bicycle recipe 房租 contract 手机".split()
    months = "January February March 四月 May June July 八月 September October 十一月".split()
    every = [
        text.format(who=name, thing=thing, when=month)
        for month in months
        for thing in things
        for name in who
        for text in asked
    ]
    step = max(1, len(every) // count)
    return every[::step][:count]


class FakeEmbedder:
    """Vectors at no cost. It bears the local embedder's name, so that the real one can be put
    in its place over the same folder."""

    dimensions = DIMENSIONS

    def __init__(self, seed: int = 7) -> None:
        self.name = find_package().NAME
        rng = np.random.default_rng(seed)
        self._topics = rng.standard_normal((TOPICS, DIMENSIONS), np.float32)
        self._questions = self._near_topics(rng, QUESTIONS)

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        if kind == "document":
            return self._near_topics(np.random.default_rng(number_of(texts[0])), len(texts))
        return self._questions[[number_of(text) % QUESTIONS for text in texts]]

    def _near_topics(self, rng: np.random.Generator, count: int) -> Vector:
        vectors = self._topics[rng.integers(0, TOPICS, count)]
        vectors = vectors + rng.standard_normal(vectors.shape, np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def close(self) -> None: ...


def _hanzi(rng: random.Random, length: int) -> str:
    return "".join(
        chr(FIRST_HANZI + min(int(rng.expovariate(1 / 400)), 5000)) for _ in range(length)
    )
