"""Words that a later reader could not place: `tests/tables/loose-ends.tsv`.

Each line has a text and, after a tab, what is found in it, parted by " | ", or "-" for nothing.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from taishi.language.unresolved_words import loose_ends

TABLE = Path(__file__).parents[1] / "tables" / "loose-ends.tsv"
NAMES = ("Ann", "Ben", "Momo", "小明")
LINES = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line[:1] not in "#"]
ROWS = [tuple(line.split("\t")) for line in LINES]


def test_the_table_holds_as_many_complete_texts_as_open_ones() -> None:
    complete = [text for text, found in ROWS if found == "-"]
    assert len(ROWS) >= 160 and 0.4 <= len(complete) / len(ROWS) <= 0.6


@pytest.mark.parametrize(("text", "found"), ROWS)
def test_H3_what_the_text_does_not_explain_is_found(text: str, found: str) -> None:
    words = [end.word for end in loose_ends(text, NAMES)]
    assert words == ([] if found == "-" else found.split(" | "))


def test_H3_the_warning_says_what_is_missing() -> None:
    (end,) = loose_ends("Rent goes up from the 15th", NAMES)
    assert end.warning == "'the 15th' not resolved: of which month was not said"


def test_quotes_code_and_pasted_chats_are_not_looked_at() -> None:
    assert not loose_ends("Ann read “那家店” and `at 3` and\n> see that shop at 3\n", NAMES)


@pytest.mark.parametrize(
    "part", ["that shop ", "这个店", "at 3, ", "三点", "in ", "the 15th ", "过两", "7月", "1", "."]
)
def test_a_long_text_takes_little_time(part: str) -> None:
    started = time.thread_time()
    loose_ends(part * (100_000 // len(part)), NAMES)
    assert time.thread_time() - started < 3
