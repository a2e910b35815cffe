"""Hits that say the same thing are shown once."""

from __future__ import annotations

import random

import pytest

from taishi.recall.dedupe import _words, drop_near_duplicates, twin_of
from taishi.types import Partition, Record

HERE = Partition("default", "user", "ann")


def record(text: str) -> Record:
    return Record(id=text[:20], place=HERE, kind="note", text=text)


def event(text: str, told: str, time: float = 0.0, **data: object) -> Record:
    said = {"did_what": "", "new_info": [told], **data}
    return Record(id=text[:40], place=HERE, kind="event", text=text, time=time, data=said)


WORDS = (
    "amber brook cedar delta ember fjord grove haven inlet jetty knoll larch maple north ocean"
    " pearl quail ridge shore thorn umber vista wharf yarrow zephyr"
).split()


@pytest.mark.parametrize("seed", range(20))
def test_only_words_that_change_nothing_may_differ(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(50):
        words = rng.sample(WORDS, k=rng.randint(14, 25))
        at = rng.randrange(len(words))
        plain = " ".join(words)
        added = " ".join([*words[:at], "really", *words[at:]])
        replaced = " ".join([*words[:at], "sequoia", *words[at + 1 :]])
        assert twin_of(record(plain), [record(added)]) is not None, added
        assert twin_of(record(plain), [record(replaced)]) is None, replaced


LONG = "The deploy of the billing service that was planned for the second week, as all agree, was"
LONG_ZH = "安娜在周五的团队聚餐上说她和同事们以后在二楼会议室"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"{LONG} approved by Tom", f"{LONG} not approved by Tom"),
        (f"{LONG} approved by Tom", f"{LONG} approved by Tim"),
        (f"{LONG} moved by 3 days", f"{LONG} moved by 4 days"),
        (f"{LONG} ok, it isn't late", f"{LONG} ok, it is late"),
        (f"{LONG} liked by Tom and not by Ann", f"{LONG} liked by Ann and not by Tom"),
        (f"{LONG_ZH}都吃辣", f"{LONG_ZH}都不吃辣"),
        (f"{LONG_ZH}由小王做饭", f"{LONG_ZH}由小李做饭"),
    ],
)  # fmt: skip
def test_P5_a_negation_a_number_or_a_name_makes_another_statement(one: str, other: str) -> None:
    assert twin_of(record(one), [record(other)]) is None
    assert twin_of(record(other), [record(one)]) is None


HEADER = "2026-03-18 15:00 (Europe/Dublin), group Hikers of the Northern Counties, Galway office: "


def test_P5_of_an_event_only_what_it_tells_is_compared() -> None:
    older = event(f"{HEADER}Ann eats spicy food", "Ann eats spicy food")
    later = event(f"{HEADER}Ann eats no spicy food", "Ann eats no spicy food", 60.0)
    again = event(f"{HEADER}Ann eats spicy food.", "Ann eats spicy food.", 120.0)
    kept = drop_near_duplicates([(older, 3.0), (later, 2.0), (again, 1.0)], 5)
    assert [hit[0] for hit in kept] == [older, later]


def test_P5_what_is_told_on_another_day_or_was_corrected_is_another_event() -> None:
    older = event("a", "Ann ran ten kilometres")
    next_week = event("b", "Ann ran ten kilometres", 7 * 86_400.0)
    corrected = event("c", "Ann ran ten kilometres", 60.0, corrections=[{"said": "x", "now": "y"}])
    assert twin_of(next_week, [older]) is None
    assert twin_of(corrected, [older]) is None


def test_the_better_one_of_a_pair_stays() -> None:
    hits = [(record(text), score) for text, score in (("a b c", 3.0), ("A b, C!", 2.0), ("d", 1.0))]
    assert [hit[0].text for hit in drop_near_duplicates(hits, 5)] == ["a b c", "d"]
    assert [hit[0].text for hit in drop_near_duplicates(hits, 1)] == ["a b c"]


def test_long_texts_are_the_same_only_if_they_are_the_same() -> None:
    long = "one two three four " * 40
    assert twin_of(record(long), [record(long + "five")]) is None
    assert twin_of(record(long), [record(long.upper())]) is not None


def test_words_are_taken_apart_in_ascii_as_anywhere() -> None:
    text = "It's v1.2 of `foo_bar`, e.g. 3-4 (ok)!\tTab\x00nul"
    assert set(_words(text)) >= {"it", "s", "v1", "foo", "bar", "tab", "nul"}
    assert (*_words(text), "é") == _words(f"{text} é")
