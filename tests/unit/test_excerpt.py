"""A record that does not fit is cut to what the question is about (Q9)."""

from __future__ import annotations

import pytest

from taishi.context_block.excerpt import from_beginning, relevant_to
from taishi.language.token_bound import token_bound

STAMP = "[2026-02-18 14:30 UTC+8, 2 days ago] "
ENGLISH = (
    "The ferry was late again. Everybody waited on the pier in the rain. "
    "Ann left the umbrella at the harbour library. Bob bought bread and two fish. "
    "In the evening they played chess until midnight."
)
CHINESE = (
    "渡轮又晚点了。大家在码头上淋着雨等。小安把雨伞忘在港口图书馆了。小博买了面包和两条鱼。"
    "晚上他们下棋下到半夜。"
)


@pytest.mark.parametrize("room", [24, 30, 40])
@pytest.mark.parametrize("stamp", ["", STAMP])
@pytest.mark.parametrize(
    ("text", "question", "wanted"),
    [
        (ENGLISH, "Where is the umbrella?", "harbour library"),
        (ENGLISH, "Who played chess?", "played chess"),
        (ENGLISH, "Was the ferry late?", "ferry was late"),
        (CHINESE, "雨伞在哪里？", "雨伞忘在"),
        (CHINESE, "谁下棋了？", "下棋"),
    ],
)
def test_Q9_what_the_question_is_about_stays(
    text: str, question: str, wanted: str, stamp: str, room: int
) -> None:
    room += token_bound(stamp)
    kept = relevant_to(question)(stamp + text, room, token_bound)
    assert wanted in kept
    assert kept.startswith(stamp)
    assert token_bound(kept) <= room
    assert len(kept) < len(stamp + text), "or nothing was to be cut"


@pytest.mark.parametrize("question", ["", "Where is Peru?", "什么？"])
def test_without_a_sentence_to_keep_it_is_the_beginning(question: str) -> None:
    assert relevant_to(question)(ENGLISH, 20, token_bound) == from_beginning(
        ENGLISH, 20, token_bound
    )


@pytest.mark.parametrize(
    "text",
    ["", "...", "a" * 5000, "[" * 500, "[2026] " * 300, "。" * 900, "a. " * 1300, "\ud800. x y"],
)
@pytest.mark.parametrize("room", [0, 1, 12, 100])
def test_any_line_is_cut_to_its_room(text: str, room: int) -> None:
    kept = relevant_to("a x y 雨伞")(text, room, token_bound)
    assert token_bound(kept) <= room
