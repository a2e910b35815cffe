"""The cleaner and the sentence splitter: what each strength keeps, and where text is cut."""

from __future__ import annotations

import time

import pytest

from taishi.language.text import (
    ascii_lower,
    clean,
    one_line,
    sentence_around,
    sentence_pieces,
    sentence_spans,
    sentences,
    storable,
    well_formed,
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("plain", "plain"),
        ("猫", "猫"),
        ("a\ud800b", "a\ufffdb"),
        ("\ud83d\ude00", "😀"),  # the two halves of one character
        ("nul\0 stays", "nul\0 stays"),
    ],
)
def test_half_characters_are_joined_or_replaced(given: str, expected: str) -> None:
    assert well_formed(given) == expected
    well_formed(given).encode("utf-8")


def test_storable_text_has_no_nul_and_no_half_characters() -> None:
    assert storable("a\0b\ud800\tc\n") == "a\ufffdb\ufffd\tc\n"
    assert storable("  a\0b  ", 2) == "a\ufffd"
    assert storable("x" * 50, 8) == "x" * 8


def test_clean_text_has_nothing_that_cannot_be_seen() -> None:
    assert clean(" a\0\x1b[1m\u200bb\u202e\tc\r\nd \ud800") == "a[1mb\tc\nd \ufffd"
    assert clean("abcdef", 3) == "abc"
    assert clean("\u200b" * 60 + "abc", 3) == "abc"
    assert clean("", 3) == clean("\u200b\0") == ""


def test_one_line_has_single_spaces() -> None:
    assert one_line(" a\n\tb \u3000 c\u2028d ") == "a b c d"
    assert one_line("ab cd ef", 6) == "ab cd", "no space is left where it was cut"
    assert one_line(clean("Ann\x00\r\nBo")) == "Ann Bo"


def test_ascii_lower_keeps_positions() -> None:
    text = "İSTANBUL Ärger ABC"
    assert ascii_lower(text) == "İstanbul Ärger abc"
    assert len(text.lower()) != len(text), "the control: str.lower does not"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\n ", []),
        ("One. Two.", ["One.", "Two."]),
        ("一。二！三？四", ["一。", "二！", "三？", "四"]),
        ("It costs 3.5 at example.org. Yes", ["It costs 3.5 at example.org.", "Yes"]),
        ("Dr. Lee met J. Smith vs. Mr. Bo, e.g. here. End", [
            "Dr. Lee met J. Smith vs. Mr. Bo, e.g. here.", "End"]),
        ("So do I. He too.", ["So do I.", "He too."]),
        ('"Really?" she said.', ['"Really?"', "she said."]),
        ("他说“好。”她走了", ["他说“好。”", "她走了"]),
        ("Wait... no!? Yes...", ["Wait...", "no!?", "Yes..."]),
        ("line one\nline two\r\nthree\u2028four", ["line one", "line two", "three", "four"]),
        ("tea; coffee；茶", ["tea;", "coffee；", "茶"]),
        ("(Done.) Next", ["(Done.)", "Next"]),
    ],
)  # fmt: skip
def test_sentences_of_both_languages(text: str, expected: list[str]) -> None:
    assert list(sentences(text)) == expected


def test_a_semicolon_need_not_end_a_sentence() -> None:
    text = "If it rains; stay；好. Go"
    assert list(sentences(text, semicolons=False)) == ["If it rains; stay；好.", "Go"]


def test_a_span_tells_the_words_from_the_closing_marks() -> None:
    text = '  Why?!" Because.'
    assert [text[span.start : span.stop] for span in sentence_spans(text)] == ["Why", "Because"]
    assert [text[span.start : span.end] for span in sentence_spans(text)] == ['Why?!"', "Because."]


@pytest.mark.parametrize("text", ["", " ", "\n a. b\n\nc！ d ", "...", "!?", "a.\n", "一。\u3000"])
def test_the_pieces_make_the_text(text: str) -> None:
    assert "".join(sentence_pieces(text)) == text


def test_the_sentence_around_a_place() -> None:
    text = "First. We met on Monday at 3.5 km. Last."
    first, last = sentence_around(text, *_place(text, "Monday"), reach=100)
    assert text[first:last].strip() == "We met on Monday at 3.5 km"
    first, last = sentence_around(text, *_place(text, "Monday"), reach=3)
    assert text[first:last] == "on Monday at"


def _place(text: str, word: str) -> tuple[int, int]:
    return text.index(word), text.index(word) + len(word)


@pytest.mark.parametrize("unit", [".", ".)", "!", '?"', "\n", ". ", ".x", "A.", ')"', ";"])
def test_hostile_text_is_cut_in_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * size + "x"
        started = time.thread_time()
        for _ in sentence_spans(text):
            pass
        return time.thread_time() - started

    seconds(1000)
    assert seconds(40_000) < 1.0
