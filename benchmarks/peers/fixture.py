"""The records, the questions and their exact answers, made once from a seed for all of a size."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpus import Corpus
from benchmarks.peers.serve import TOP

WIDTH = 384
GROUPS = 50
TOPICS = 64
# A question lies about as near to the record it is about as a paraphrase does.
QUESTION_NOISE = 0.8
AT_ONCE = 64  # questions in one product
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Fixture:
    """Where the files are, and what the exact float32 search finds for every question."""

    folder: Path
    size: int
    filtered: NDArray[np.int64]
    unfiltered: NDArray[np.int64]

    def overlap(self, way: str, first: int, found: list[list[int]]) -> list[float]:
        """The share of each exact answer that was found, from question `first` on."""
        exact = self.unfiltered if way.startswith("unfiltered") else self.filtered
        return [
            len(set(numbers) & set(exact[first + at].tolist())) / TOP
            for at, numbers in enumerate(found)
        ]


def make(folder: Path, size: int, extra: int, questions: int, seed: int = 7) -> Fixture:
    """`extra` records more than `size`, for the single writes."""
    rng = np.random.default_rng(seed)
    corpus = Corpus(seed)
    # No two alike, as a text is how an embedder knows its vector.
    texts = [f"{item['text']} {number}" for number, item in enumerate(corpus.items(size + extra))]
    topics = rng.standard_normal((TOPICS, WIDTH), np.float32)
    vectors = _near(rng, topics[rng.integers(0, TOPICS, size + extra)], 1.0)
    # Question n is about a record of group n, n + 1 about one of the next, and round again.
    about = rng.integers(0, size // GROUPS, questions) * GROUPS + np.arange(questions) % GROUPS
    asked = _near(rng, vectors[about] * np.sqrt(WIDTH, dtype=np.float32), QUESTION_NOISE)
    groups = np.arange(size + extra) % GROUPS
    question_texts = [
        f"{text} {number}" for number, text in enumerate(Corpus(seed + 1).questions(questions))
    ]
    words = {
        "texts": texts,
        "groups": [f"g{group}" for group in groups],
        "questions": question_texts,
        "question_groups": [f"g{groups[record]}" for record in about],
    }
    (folder / "texts.json").write_text(json.dumps(words), encoding="utf-8")
    np.save(folder / "vectors.npy", vectors)
    np.save(folder / "queries.npy", asked)
    return Fixture(folder, size, *_exact(vectors[:size], asked, groups[:size], groups[about]))


def _near(rng: np.random.Generator, centres: Floats, noise: float) -> Floats:
    vectors = centres + np.float32(noise) * rng.standard_normal(centres.shape, np.float32)
    unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def _exact(
    vectors: Floats, asked: Floats, groups: NDArray[np.int64], wanted: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    filtered, unfiltered = [], []
    for start in range(0, len(asked), AT_ONCE):
        table = asked[start : start + AT_ONCE] @ vectors.T
        for scores, group in zip(table, wanted[start:], strict=False):
            members = np.flatnonzero(groups == group)
            unfiltered.append(_best(scores))
            filtered.append(members[_best(scores[members])])
    return np.stack(filtered), np.stack(unfiltered)


def _best(scores: Floats) -> NDArray[np.int64]:
    rows = np.argpartition(scores, len(scores) - TOP)[-TOP:]
    best: NDArray[np.int64] = rows[np.argsort(-scores[rows])]
    return best
