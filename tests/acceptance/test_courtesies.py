"""A greeting recalls nothing but what is about it, and a short question still finds its record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tables.greetings import ABOUT, EMPTY, RECORDS, SHORT
from taishi import Memory, Scope, load
from taishi.language.courtesies import MAX_CHARS, says_nothing

ANN = Scope(user="ann")


@pytest.fixture(scope="module", params=["none", pytest.param("local", marks=pytest.mark.model)])
def memory(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Memory]:
    settings = load(environ={}, overrides={"models.embedding.kind": request.param})
    folder: Path = tmp_path_factory.mktemp("courtesies")
    with Memory.open(folder, settings) as opened:
        opened.remember_many(ANN, [{"text": text} for text in RECORDS])
        opened.drain()
        yield opened


def texts(memory: Memory, query: str) -> list[str]:
    return [hit.text for hit in memory.recall(ANN, query, deadline=5).hits]


@pytest.mark.parametrize("query", EMPTY)
def test_Q1_a_greeting_recalls_only_what_is_about_it(memory: Memory, query: str) -> None:
    about = ABOUT.get(query)
    found = texts(memory, query)
    assert all(about is not None and text.startswith(about) for text in found)
    assert bool(found) == (about is not None)


@pytest.mark.parametrize(("query", "wanted"), SHORT.items())
def test_Q1_a_short_question_still_finds_its_record(
    memory: Memory, query: str, wanted: str
) -> None:
    assert texts(memory, query)[0].startswith(wanted)


def test_Q1_a_record_with_the_words_of_a_greeting_is_found(tmp_path: Path) -> None:
    settings = load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(tmp_path / "data", settings) as memory:
        memory.remember(ANN, "她每次见面都说你好")
        memory.remember(ANN, "陈静家的狗叫哈哈")
        memory.remember(ANN, "陈静你下周三好像要去苏州出差")
        memory.remember(ANN, "Ann moved to Nice")
        assert texts(memory, "你好") == ["她每次见面都说你好"]
        assert texts(memory, "哈哈") == ["陈静家的狗叫哈哈"]
        assert texts(memory, "Nice") == ["Ann moved to Nice"]


def test_Q1_who_names_a_floor_gets_what_is_above_it(memory: Memory) -> None:
    found = memory.recall(ANN, "你好", floor=0.0, deadline=5).hits
    assert "陈静你下周三好像要去苏州出差" in [hit.text for hit in found]


def test_Q1_explain_says_that_it_is_below_the_floor(memory: Memory) -> None:
    told = memory.recall(ANN, "你好", explain=True, deadline=5)
    assert told.explain and {one.dropped for one in told.explain} == {"below floor"}


@pytest.mark.parametrize(
    "text", [*EMPTY, "你好，在吗？", "Hi! Thanks a lot 😀", "好的，谢谢大家", "OK!"]
)
def test_what_says_nothing(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize("text", [
    *SHORT, "", "?", "……", "大家", "你", "there", "好吃吗", "早上", "谢谢你的茶", "你好吗王明",
    "对象", "行李", "可以停车的地方", "hello kitty", "good restaurants", "Thanksgiving", "okra",
    "no sugar", "hi " * MAX_CHARS,
])  # fmt: skip
def test_what_asks_for_something(text: str) -> None:
    assert not says_nothing(text)
