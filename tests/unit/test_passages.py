"""Q9: how a long text is cut into passages."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taishi.language.passages import LONGEST, MOST, OVERLAP, SHORTEST, cut, is_long
from taishi.types import Passage

ENGLISH = "The harbour office opens at nine. Boats leave on the hour, weather permitting. " * 30
CHINESE = "码头办公室九点开门，船每小时一班。下雨天可能停航，请提前打电话确认。" * 60


@pytest.mark.parametrize("text", ["", "short", "x" * LONGEST])
def test_Q9_a_short_text_is_searched_whole(text: str) -> None:
    assert not is_long(text)
    assert cut(text) == []


@pytest.mark.parametrize("text", [ENGLISH, CHINESE, "x" * 401, "word " * 200, "行\n" * 500])
def test_Q9_passages_are_300_to_400_characters_and_overlap_by_80(text: str) -> None:
    passages = cut(text)
    assert passages[0].start == 0
    assert passages[-1].end == len(text)
    for one in passages:
        assert SHORTEST <= one.end - one.start <= LONGEST
    for one, following in pairwise(passages):
        assert one.start < following.start
        assert following.start <= one.end - OVERLAP


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab \n.。，!…”\r\t字"), max_size=3000))
def test_Q9_nothing_is_lost_between_passages(text: str) -> None:
    passages = cut(text)
    assert bool(passages) == is_long(text)
    reached = 0
    for one in passages:
        assert one.start <= reached < one.end <= len(text)
        reached = one.end
    assert not passages or reached == len(text)


def test_Q9_cuts_fall_where_the_text_pauses() -> None:
    for text, ends in ((ENGLISH, ". "), (CHINESE, "。")):
        assert all(text[one.end - 1] in ends for one in cut(text)[:-1])
    paragraphs = ("One sentence. " * 24 + "\n\n") * 4
    assert paragraphs[: cut(paragraphs)[0].end].endswith("\n\n")


def test_Q9_english_passages_begin_with_a_word() -> None:
    assert all(one.start == 0 or ENGLISH[one.start - 1] == " " for one in cut(ENGLISH))


def test_Q9_of_a_book_the_rest_is_one_passage() -> None:
    book = "word " * 100_000
    passages = cut(book)
    assert len(passages) == MOST
    assert passages[-1].end == len(book)


@pytest.mark.parametrize("text", ["\n" * 100_000, "。" * 100_000, " \n" * 50_000, "x" * 100_000])
def test_Q9_hostile_text_is_cut_at_once(text: str) -> None:
    begun = time.thread_time()
    assert cut(text)[-1].end == len(text)
    assert time.thread_time() - begun < 1.0


def test_Q9_a_passage_is_shown_with_marks_where_the_text_goes_on() -> None:
    text = "one two three"
    assert Passage(0, 13).of(text) == "one two three"
    assert Passage(0, 7).of(text) == "one two…"
    assert Passage(4, 7).of(text) == "…two…"
    assert Passage(7, 13).of(text) == "…three"
