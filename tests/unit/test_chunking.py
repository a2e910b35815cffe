"""K1: chunks follow the structure of a document; the property test has the limits on any text."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from taishi.language.chunking import LONGEST_TITLE, MOST_TITLES, chunks
from taishi.language.token_bound import token_bound
from taishi.ports.documents import Block

LIMIT, OVERLAP = 256, 80
SENTENCE = "The pump is inspected every second week by the night crew. "
ZH_SENTENCE = "水泵每两周由夜班人员检查一次。"


def texts(*blocks: Block, limit: int = LIMIT, overlap: int = OVERLAP) -> list[str]:
    return [chunk.text for chunk in chunks(blocks, limit, overlap)]


def test_K1_small_neighbours_of_one_section_are_packed_together() -> None:
    found = texts(Block("One.", ("A",)), Block("Two.", ("A",)), Block("Three.", ("B",)))
    assert found == ["One.\n\nTwo.", "Three."]


def test_K1_a_chunk_is_of_one_section_and_one_page() -> None:
    blocks = [Block("One.", ("A",), 1), Block("Two.", ("A",), 2), Block("Three.", ("A", "B"), 2)]
    found = [(chunk.text, chunk.section, chunk.page) for chunk in chunks(blocks, LIMIT, OVERLAP)]
    assert found == [("One.", ("A",), 1), ("Two.", ("A",), 2), ("Three.", ("A", "B"), 2)]


@pytest.mark.parametrize("sentence", [SENTENCE, ZH_SENTENCE])
def test_K1_a_long_paragraph_is_cut_between_sentences_with_overlap(sentence: str) -> None:
    found = texts(Block(sentence * 60))
    assert len(found) > 2
    assert all(token_bound(text) <= LIMIT for text in found)
    assert all(token_bound(text) > LIMIT // 2 for text in found[:-1]), "chunks are well filled"
    assert all(text.endswith(sentence.strip()) for text in found)
    assert all(text.startswith(sentence.strip()) for text in found)
    held = sum(text.count(sentence.strip()) for text in found)
    assert 60 < held <= 60 + 2 * len(found), "each sentence once, and the overlap"


def test_K1_the_overlap_is_the_end_of_the_chunk_before() -> None:
    words = " ".join(f"word{number}" for number in range(600))
    found = texts(Block(words))
    for before, after in pairwise(found):
        shared = next(n for n in range(OVERLAP, 0, -1) if before.endswith(after[:n]))
        assert 20 <= shared <= OVERLAP


def test_K1_no_overlap_across_sections_or_if_none_is_asked_for() -> None:
    first, second = texts(Block("Alpha one.", ("A",)), Block("Beta two.", ("B",)))
    assert (first, second) == ("Alpha one.", "Beta two.")
    words = " ".join(f"word{number}" for number in range(600))
    assert " ".join(texts(Block(words), overlap=0)).split() == words.split()


def test_K1_a_sentence_that_is_too_long_is_cut_between_words() -> None:
    words = [f"word{number}" for number in range(900)]
    found = texts(Block(" ".join(words)), overlap=0)
    assert len(found) > 2
    assert [word for text in found for word in text.split()] == words


def test_K1_a_word_that_is_too_long_is_cut_but_no_character_is() -> None:
    families = "👩\u200d👩\u200d👧" * 300
    found = texts(Block(families), overlap=0)
    assert len(found) > 2
    assert "".join(found) == families
    assert all(text.startswith("👩") and text.endswith("👧") for text in found)


def test_K1_every_part_of_a_table_has_its_header_row() -> None:
    rows = [f"part {number} | {number * 7} EUR | in stock" for number in range(120)]
    found = texts(Block("\n".join(["name | price | state", *rows]), kind="table"))
    assert len(found) > 3
    assert all(text.startswith("name | price | state\npart ") for text in found)
    assert [line for text in found for line in text.split("\n")[1:]] == rows


def test_K1_a_header_that_fills_the_chunk_is_not_repeated() -> None:
    header = " | ".join(f"column{number}" for number in range(60))
    found = texts(Block("\n".join([header, *(["cell | cell"] * 50)]), kind="table"))
    assert sum(text.count("column0 ") for text in found) == 1
    assert sum(text.count("cell | cell") for text in found) == 50


def test_K1_code_is_cut_before_definitions_and_keeps_its_indentation() -> None:
    function = "    def f{0}(self):\n        value = {0}\n\n        return value\n"
    code = "class A:\n" + "\n".join(function.format(number) for number in range(60))
    found = texts(Block(code, kind="code"))
    assert len(found) > 3
    assert all(text.startswith(("class A", "    def f")) for text in found)
    assert "\n\n".join(found).split() == code.split()


def test_K1_titles_are_on_one_line_and_bounded() -> None:
    (chunk,) = chunks([Block("Text.", ("a\nb " + "x" * 500, *map(str, range(20))))], LIMIT, OVERLAP)
    assert len(chunk.section) == MOST_TITLES
    (chunk,) = chunks([Block("Text.", ("a\nb " + "x" * 500,))], LIMIT, OVERLAP)
    assert chunk.section[0].startswith("a b x")
    assert len(chunk.section[0]) == LONGEST_TITLE


def test_K1_blank_blocks_leave_no_chunk() -> None:
    assert (
        texts(Block(""), Block(" \n\t "), Block("\n", kind="code"), Block("", kind="table")) == []
    )


def test_K1_a_limit_that_holds_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="max_tokens is 3"):
        list(chunks([Block("x")], 3, 0))


@pytest.mark.parametrize(
    ("unit", "kind"),
    [
        ("a", "text"), ("a", "table"), ("word ", "text"), ("a. ", "text"), ("水", "text"),
        ("水泵。", "text"), ("\u0301", "text"), ("👩\u200d👧", "text"), ("| ", "table"),
        ("|\n", "table"), ("x\n\n", "code"), ("def f\n", "code"), ("(", "code"),
    ],
)  # fmt: skip
def test_K1_time_is_linear(unit: str, kind: str) -> None:
    def seconds(length: int) -> float:
        block = Block(unit * (length // len(unit)), kind=kind)  # type: ignore[arg-type]
        start = time.thread_time()
        assert all(chunk.text for chunk in chunks([block], LIMIT, OVERLAP))
        return time.thread_time() - start

    seconds(1_000)
    assert seconds(48_000) < 0.1 + 12 * seconds(6_000), "8 times the text, 8 times the time"
