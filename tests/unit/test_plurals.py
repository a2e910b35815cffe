"""One record, two records."""

from __future__ import annotations

import re

import pytest

from taishi.cli.messages import WORDS, message
from taishi.language.plurals import CountedNoun
from taishi.tools.messages import WORDS as TOOL_WORDS

COUNTED = re.compile(r"\{(\w+):[^{}|]*\|[^{}|]*\}")


@pytest.mark.parametrize(("n", "said"), [(0, "0 sources"), (1, "1 source"), (2, "2 sources")])
def test_a_count_brings_its_noun(n: int, said: str) -> None:
    assert f"{CountedNoun(n):source|sources}" == said
    assert f"{CountedNoun(n):,}" == str(n)


@pytest.mark.parametrize("key", [key for key, said in WORDS.items() if COUNTED.search(said[0])])
def test_no_command_says_one_of_many(key: str) -> None:
    names = set(re.findall(r"\{(\w+)", "".join(WORDS[key])))
    counts = dict.fromkeys(COUNTED.findall(WORDS[key][0]), 1)
    said = message("en", key, **{**dict.fromkeys(names, "x"), **counts})
    assert not re.search(r"\b1 \w+s\b(?<!ss)(?<!is)(?<!was)", said), said


def test_no_sentence_of_a_door_counts_in_the_plural_alone() -> None:
    plain = re.compile(r"\{(?:count|total|calls|problems|warnings|files)\} \w+s\b|\(s\)")
    for words in (WORDS, TOOL_WORDS):
        assert [said[0] for said in words.values() if plain.search(said[0])] == []
