from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from taishi.errors import ModelMissingError
from taishi.models.local.builder.gloss_tables import (
    best_meaning,
    gloss_lines,
    plain_meanings,
    simplified_forms,
)
from taishi.models.local.glosses import Glosses, load_glosses

rjieba = pytest.importorskip("rjieba")


def entry(traditional: str, simplified: str, pinyin: str, *definitions: str) -> dict[str, Any]:
    return {
        "traditional": traditional,
        "simplified": simplified,
        "pinyin": pinyin,
        "definitions": list(definitions),
    }


ENTRIES = [
    entry("張", "张", "Zhang1", "surname Zhang"),
    entry("張", "张", "zhang1", "to open up", "classifier for flat objects"),
    entry("偉", "伟", "wei3", "big", "great"),
    entry("貓", "猫", "mao1", "cat", "CL:隻|只[zhi1]"),
    entry("花", "花", "Hua1", "surname Hua"),
    entry("籃球", "篮球", "lan2 qiu2", "basketball"),
    entry("火鍋", "火锅", "huo3 guo1", "hotpot"),
    entry("上海", "上海", "Shang4 hai3", "Shanghai municipality, central east China"),
    entry("后", "后", "hou4", "empress"),
    entry("後", "后", "hou4", "back"),
    entry("過敏", "过敏", "guo4 min3", "oversensitive", "allergic", "allergy"),
    entry("秊", "年", "nian2", "grain", "harvest", "variant of 年[nian2]"),
    entry("3C", "3C", "san1 C", "computers"),
]
VOCABULARY = {"allergic": 500, "cat": 10, "dog": 11}


@pytest.fixture(scope="module")
def glosses() -> Glosses:
    table = "".join(f"{line}\n" for line in gloss_lines(ENTRIES, VOCABULARY)).encode()
    return Glosses(table, str.maketrans(*simplified_forms(ENTRIES)), rjieba)


def words(text: str) -> list[str]:
    return text.split()


def test_every_word_of_the_table_is_found(glosses: Glosses) -> None:
    lines = list(gloss_lines(ENTRIES, VOCABULARY))
    assert lines == sorted(lines, key=lambda line: line.split("\t")[0].encode())
    for line in lines:
        word, meaning, reading = line.split("\t")
        assert glosses._search(word) == (meaning, reading)
    for absent in ("", "一一一", "龘", "\U0002000b", "a", "~"):
        assert glosses._search(absent) is None


def test_chinese_words_become_english_and_latin_stays(glosses: Glosses) -> None:
    assert words(glosses.translate("他 likes 火锅，Tom 过敏！")) == (
        ["he", "likes", "hotpot", ",Tom", "allergic", "!"]
    )


def test_traditional_is_read_as_simplified(glosses: Glosses) -> None:
    assert glosses.simplify("張偉的貓，後來") == "张伟的猫，后來"


def test_a_name_is_spelt_and_a_compound_is_taken_apart(glosses: Glosses) -> None:
    assert words(glosses.translate("张伟")) == ["Zhang", "Wei"]
    assert words(glosses.translate("打篮球")) == ["basketball"]


def test_unknown_characters_vanish_without_harm(glosses: Glosses) -> None:
    assert glosses.translate("龘龘龘").strip() == ""
    assert glosses.translate("") == ""


def test_asides_and_non_meanings_are_dropped() -> None:
    assert plain_meanings(
        ["surname Li", "(coll.) to be a dog (of sb)", "CL:個|个[ge4]", "variant of 猫", "x" * 99]
    ) == ["dog"]


def test_common_words_beat_rare_ones_but_order_counts() -> None:
    assert best_meaning(["oversensitive", "allergic"], VOCABULARY) == "allergic"
    assert best_meaning(["cat", "dog"], VOCABULARY) == "cat"


def test_names_and_variants_come_last() -> None:
    lines = dict(line.split("\t", 1) for line in gloss_lines(ENTRIES, VOCABULARY))
    assert lines["年"].startswith("year"), "a common word has its plain meaning"
    assert lines["花"].startswith("flower\tHua")
    assert lines["后"].startswith("after")
    assert "3C" not in lines


@pytest.mark.parametrize(
    "table", [b"x", b"\n\n\n", "猫\tcat\n".encode(), "猫\tcat\t".encode(), b"\xff" * 99]
)
def test_a_damaged_table_is_an_error_not_a_loop(table: bytes) -> None:
    with pytest.raises(ModelMissingError, match="taishi models pull"):
        Glosses(table, {}, rjieba).translate("猫")


def test_damaged_files_say_what_to_run(tmp_path: Path) -> None:
    table, simplified = tmp_path / "glosses.tsv", tmp_path / "simplified.txt"
    with pytest.raises(ModelMissingError, match="taishi models pull"):
        load_glosses(table, simplified)
    table.write_bytes(b"")
    for content in (b"", b"ab\nc", b"a\nb\nc\nd", b"\xff\n\xff"):
        simplified.write_bytes(content)
        with pytest.raises(ModelMissingError, match="taishi models pull"):
            load_glosses(table, simplified)
