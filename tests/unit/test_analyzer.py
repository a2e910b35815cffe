"""Index terms: the same for what is stored and what is asked, in Chinese and English (Q8)."""

from __future__ import annotations

import struct
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taishi.language import analyzer
from taishi.language.analyzer import MAX_WORD_CHARS, has_cjk, number_of, pack, terms

ANYTHING = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n\t", []),
        ("the of and", []),
        ("Ann moved", ["ann", "move"]),
        ("火锅", ["火", "锅", "火锅"]),
        ("猫", ["猫"]),
        ("吃火锅", ["吃", "火", "锅", "吃火", "火锅"]),
        ("Ann吃火锅", ["ann", "吃", "火", "锅", "吃火", "火锅"]),
        ("2024", ["2024"]),
        ("v1.2.3", ["v1", "2", "3", "v1.2.3"]),
        ("ann@example.org", ["ann", "exampl", "org", "ann@example.org"]),
        ("don't", []),
        ("Ann's", ["ann"]),
        ("ＡＢＣ１２３", ["abc123"]),
        ("!!! ??? 😀", []),
        ("a_b", ["b", "a_b"]),
        ("カタカナ", ["カ", "タ", "カ", "ナ", "カタ", "タカ", "カナ"]),
    ],
)
def test_terms_of(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("Ann is running home", "ran runs running"),
        ("Ann has two teapots", "teapot"),
        ("小明昨天在学校吃火锅", "火锅"),
        ("小明昨天在学校吃火锅", "小明"),
        ("我用 Python 写了脚本", "python"),
        ("我用Python写了脚本", "脚本"),
        ("order no. A-1234/5", "a-1234"),
        ("群号 1708213363", "1708213363"),
        ("Café Müller", "CAFÉ"),
        ("ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("deploy node-7 at 10:30", "10:30"),
    ],
)
def test_Q8_words_names_and_numbers_are_found(stored: str, asked: str) -> None:
    assert set(terms(stored)) & set(terms(asked))


@given(ANYTHING)
def test_Q8_any_string_has_terms_that_can_be_packed(text: str) -> None:
    words = terms(text)
    assert all(word and len(word) <= MAX_WORD_CHARS for word in words)
    packed = pack(words)
    assert len(packed) == 5 * len({number_of(word) for word in words})
    assert terms(text) == words


@given(ANYTHING, ANYTHING)
def test_terms_of_a_line_do_not_depend_on_the_next(one: str, other: str) -> None:
    assert set(terms(one)) | set(terms(other)) == set(terms(f"{one}\n{other}"))


def test_pack_counts_up_to_255() -> None:
    assert struct.unpack("<IB", pack(["tea"] * 3)) == (number_of("tea"), 3)
    assert struct.unpack("<IB", pack(["tea"] * 1000)) == (number_of("tea"), 255)
    assert pack([]) == b""


def test_has_cjk() -> None:
    assert has_cjk("tea 茶") and has_cjk("カ") and has_cjk("\U00020000")
    assert not has_cjk("tea, café, чай")


@pytest.mark.parametrize("piece", ["a", "a-", "'", "a'", "火", "x.y:", "\u0301", "ﷺ", " \n"])
def test_a_long_text_is_read_in_linear_time(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    started = time.thread_time()
    terms(text[: len(text) // 8])
    short = time.thread_time() - started
    started = time.thread_time()
    terms(text)
    assert time.thread_time() - started < max(30 * short, 1.0)


def test_stemming_is_the_same_in_every_thread() -> None:
    text = "running runs ran organisations organise teapots relational " * 50
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: terms(text), range(64)))
    assert all(one == found[0] for one in found)


def test_no_word_of_a_text_is_kept() -> None:
    size = len(analyzer._common_stems())
    assert terms("running zyxwvuting") == ["run", "zyxwvut"]
    assert "running" in analyzer._common_stems(), "the control: a common word"
    assert "zyxwvuting" not in analyzer._common_stems()
    assert len(analyzer._common_stems()) == size


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=80))
def test_plain_english_has_the_same_terms_by_the_short_way(text: str) -> None:
    assert terms(text) == list(analyzer._terms(text.lower()))
