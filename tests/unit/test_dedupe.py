"""Hits that say the same thing are shown once."""

from __future__ import annotations

import random
import re

import pytest

from taishi.recall.dedupe import SAME_PERCENT, _words, drop_near_duplicates, twin_of
from taishi.types import Partition, Record

HERE = Partition("default", "user", "ann")


def record(text: str) -> Record:
    return Record(id=text[:20], place=HERE, kind="note", text=text)


def in_plain_words(one: str, other: str) -> bool:
    words, others = (
        set(re.findall(r"[^\W_春夏秋冬山水花鸟]+|[春夏秋冬山水花鸟]", text.casefold()))
        for text in (one, other)
    )
    return len(words & others) * 100 >= SAME_PERCENT * len(words | others)


@pytest.mark.parametrize("seed", range(20))
def test_pairs_around_the_threshold_are_decided_by_their_words(seed: int) -> None:
    rng = random.Random(seed)
    vocabulary = [f"word{number}" for number in range(40)] + list("春夏秋冬山水花鸟")
    for _ in range(100):
        words = rng.choices(vocabulary, k=rng.randint(1, 60))
        changed = list(words)
        for _ in range(rng.randint(0, 4)):
            changed[rng.randrange(len(changed))] = rng.choice(vocabulary)
        one, other = " ".join(words), " ".join(changed)
        found = twin_of(record(one), [record(other)]) is not None
        assert found == in_plain_words(one, other), (one, other)


def test_some_pairs_of_that_test_are_the_same_and_some_are_not() -> None:
    """Or else it would show nothing."""
    words = [f"word{number}" for number in range(26)]
    nearly = [*words[:25], "another"]
    assert in_plain_words(" ".join(words), " ".join(nearly))
    assert twin_of(record(" ".join(words)), [record(" ".join(nearly))]) is not None
    less = [*words[:23], "another", "yet", "different"]
    assert twin_of(record(" ".join(words)), [record(" ".join(less))]) is None


def test_the_better_one_of_a_pair_stays() -> None:
    hits = [(record(text), score) for text, score in (("a b c", 3.0), ("C b A!", 2.0), ("d", 1.0))]
    assert [hit[0].text for hit in drop_near_duplicates(hits, 5)] == ["a b c", "d"]
    assert [hit[0].text for hit in drop_near_duplicates(hits, 1)] == ["a b c"]


def test_long_texts_are_the_same_only_if_they_are_the_same() -> None:
    long = "one two three four " * 40
    assert twin_of(record(long), [record(long + "five")]) is None
    assert twin_of(record(long), [record(long.upper())]) is not None


def test_words_are_taken_apart_in_ascii_as_anywhere() -> None:
    text = "It's v1.2 of `foo_bar`, e.g. 3-4 (ok)!\tTab\x00nul"
    assert _words(text) >= {"it", "s", "v1", "foo", "bar", "tab", "nul"}
    assert _words(text) | {"é"} == _words(f"{text} é")
