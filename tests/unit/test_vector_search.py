"""The path by meaning: passages, and what is raised for what it lays down."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from taishi.backends.terms import terms_of
from taishi.ports import Changes, IndexRow
from taishi.recall import query, vector_search
from taishi.recall.deadline import Deadline
from taishi.recall.partition_index import PartitionIndex
from taishi.recall.partition_view import PartitionView
from taishi.recall.passage_index import packed
from taishi.recall.vector_codec import encode
from taishi.recall.vector_search import (
    ANSWER_SHARE,
    INSTRUCTION_BOOST,
    PASSAGE_CHANCE,
    PREFERENCE_BOOST,
)
from taishi.types import Partition

DIMENSIONS = 8
LONG = "We talked of the weather and of nothing else. " * 20
ALWAYS = "Always answer in Chinese."
PREFER = "I prefer trains."
PLAIN = "It rained."
NOW, BACK, HELP = "Who is on duty?", "What did I say?", "Can you help me with a plan?"


def unit(*values: float) -> np.ndarray:
    row = np.zeros(8, np.float32)
    row[: len(values)] = values
    return row / np.linalg.norm(row)


def row(
    number: int,
    text: str,
    vector: np.ndarray,
    speaker: str | None = "Ann",
    passages: Sequence[np.ndarray] = (),
    session: str | None = None,
) -> IndexRow:
    return IndexRow(
        number, 1, "event", "approved", 0.0, None, None, None, speaker, session, 1.0, 0,
        terms_of(text, speaker), encode(vector),
        packed([encode(one) for one in passages]),
    )  # fmt: skip


def search(asked: str, vector: np.ndarray, *rows: IndexRow) -> vector_search.VectorMatches:
    index = PartitionIndex(1, DIMENSIONS)
    index.apply(Changes(1, rows, []))
    mask = np.ones(index.rows, np.bool_)
    view = PartitionView(Partition("default", "private", "ann"), index, index.rows, mask, ())
    none = np.zeros(0, np.int64)
    return vector_search.search(view, query.read(asked), [vector], lambda: none, 10, Deadline(5.0))


@pytest.mark.parametrize(
    ("asked", "boosts"),
    [
        (NOW, [INSTRUCTION_BOOST, 0, 0]),
        (BACK, [0, 0, 0]),
        (HELP, [INSTRUCTION_BOOST, PREFERENCE_BOOST, 0]),
    ],
)
def test_what_is_laid_down_is_raised_for_the_questions_it_applies_to(
    asked: str, boosts: list[float]
) -> None:
    texts = (ALWAYS, PREFER, PLAIN)
    found = search(asked, unit(1), *(row(n, text, unit(1, 1)) for n, text in enumerate(texts, 1)))
    np.testing.assert_allclose(found.raised - found.near, boosts, atol=1e-6)


@pytest.mark.parametrize(("speaker", "raised"), [("Ann", True), (None, True), ("assistant", False)])
def test_what_the_assistant_says_lays_nothing_down(speaker: str | None, raised: bool) -> None:
    found = search(NOW, unit(1), row(1, ALWAYS, unit(1, 1), speaker))
    assert bool(found.raised[0] > found.near[0]) is raised


@pytest.mark.parametrize(
    ("asking", "replying", "raised"),
    [("Ben", "Ann", True), ("assistant", "Ann", False), ("Ben", "assistant", False)],
)
def test_a_reply_is_also_near_by_the_question_of_another_person(
    asking: str, replying: str, raised: bool
) -> None:
    found = search(
        "When did Ann marry?",
        unit(1),
        row(1, "How long have you been married?", unit(1, 1), asking, session="s"),
        row(2, "Since 2016.", unit(0, 1), replying, session="s"),
        row(3, "The tea is cold.", unit(0, 1), "Ann", session="s"),
        row(4, "Since 2016.", unit(0, 1), "Ann", session="another"),
    )
    gain = ANSWER_SHARE * found.near[0] if raised else 0.0
    np.testing.assert_allclose(found.raised - found.near, [0, gain, 0, 0], atol=1e-6)


def test_Q9_a_long_text_is_as_near_as_its_best_passage_or_as_the_whole() -> None:
    passages = [unit(0, 0, 1), unit(0.0, 0.2, 1.0), unit(0, 1)]
    rows = [row(1, LONG, unit(1), passages=passages), row(2, PLAIN, unit(0, 1))]
    deep = search(NOW, unit(0, 1), *rows)
    np.testing.assert_allclose(deep.near, [1 - PASSAGE_CHANCE, 1.0], atol=1e-3)
    whole = search(NOW, unit(1), *rows)
    np.testing.assert_allclose(whole.near, [1.0, 0.0], atol=1e-3)


def test_Q9_without_passages_a_long_text_counts_as_a_whole() -> None:
    found = search(NOW, unit(1, 1), row(1, LONG, unit(1)))
    np.testing.assert_allclose(found.near, [2**-0.5], atol=1e-3)
