"""Phrases among many bytes: each is found wherever it stands, and nothing else is."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taishi.erase.phrase_scan import CHUNK, Phrases, SoughtId, names_id, phrases_in

TEA = "她在下雨天最喜欢喝龙井茶看书"
LONG = st.text(min_size=16, max_size=80)


@given(
    before=st.binary(max_size=60), after=st.binary(max_size=60), text=LONG, others=st.lists(LONG)
)
def test_O2_a_phrase_is_found_wherever_it_begins(
    before: bytes, after: bytes, text: str, others: list[str]
) -> None:
    phrases = Phrases([*others, text])
    raw = text.encode("utf-8", "replace")
    assert text in phrases.within(before + raw + after)
    assert text in phrases.within(before + json.dumps(text)[1:-1].encode() + after)


@given(data=st.binary(max_size=300), texts=st.lists(LONG, max_size=5))
def test_O2_what_is_not_there_is_not_found(data: bytes, texts: list[str]) -> None:
    for text in Phrases(texts).within(data):
        forms = (text.encode(), json.dumps(text)[1:-1].encode(), json.dumps(
            text, ensure_ascii=False)[1:-1].encode("utf-8", "replace"))  # fmt: skip
        assert any(form in data for form in forms)


def test_O2_a_phrase_across_two_reads_of_a_file_is_found(tmp_path: Path) -> None:
    dice = random.Random(3)
    data = bytearray(dice.randbytes(CHUNK + 1000))
    for text, at in ((TEA, CHUNK - 7), ("walnut cake with pears", 3)):
        data[at : at + len(text.encode())] = text.encode()
    (tmp_path / "file").write_bytes(data)
    phrases = Phrases([TEA, "walnut cake with pears", "something else entirely"])
    found, size = phrases.in_file(tmp_path / "file")
    assert (found, size) == ({TEA, "walnut cake with pears"}, len(data))
    id = b"ann-1708213363"
    data[CHUNK - 5 : CHUNK + 11] = b"x" + id + b"Ann"[:1]
    (tmp_path / "file").write_bytes(data)
    assert SoughtId(id.decode()).is_in_file(tmp_path / "file")
    data[CHUNK - 5 : CHUNK + 9] = bytes(14)
    (tmp_path / "file").write_bytes(data)
    assert not SoughtId(id.decode()).is_in_file(tmp_path / "file")


@pytest.mark.parametrize("size", range(1, 30))
def test_O2_an_id_inside_the_id_of_another_is_not_found(size: int) -> None:
    sought = SoughtId.among("gerlinde5", ["gggerlinde5", "gerlinde5", "gerlinde57", "ann"])
    assert set(sought.longer) == {"gggerlinde5", "gerlinde57"}

    def found(data: bytes) -> set[str]:
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        return Phrases(()).in_chunks(pieces, sought)[0]

    assert found(b"defaultgroupgggerlinde5privategerlinde57x") == set()
    assert found(b"defaultgroupgggerlinde5privategerlinde5x") == {"gerlinde5"}
    assert found(b"gerlinde5gggerlinde5") == {"gerlinde5"}


def test_O2_short_words_and_times_are_no_phrases() -> None:
    assert list(phrases_in("yes, tea\nok")) == []
    assert list(phrases_in("2026-02-20 14:30 (Asia/Shanghai)")) == []
    assert list(phrases_in(f"好。{TEA}！嗯")) == [TEA]
    long = "the story of a walnut tree that grew and grew until nobody could see its top"
    pieces = list(phrases_in(long))
    assert len(pieces) == 2 and all(piece in long for piece in pieces)


def test_O2_an_id_stands_on_its_own() -> None:
    assert names_id(b'{"user": "ann-17"}', b"ann-17")
    assert not names_id(b"joann-17 and ann-170", b"ann-17")
    assert names_id(b"ann-170 ann-17", b"ann-17")
