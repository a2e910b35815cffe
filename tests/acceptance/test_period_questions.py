"""A question about nothing but a period is answered with what was told in it (Q1, T4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from taishi import Memory, Scope, tools
from taishi.tools.definitions import CATALOGUE

ANN = Scope(user="ann")
NOW = "2026-03-18T15:00"
TOLD = [
    ("2026-03-02T10:00", "I bought a kayak"),
    ("2026-03-10T10:00", "The heron nest fell down"),
    ("2026-03-12T11:00", "我买了一台缝纫机"),
    ("2026-03-17T11:00", "The boiler was repaired"),
]


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    memory = open_memory(embedder=None)
    for moment, said in TOLD:
        memory.end_turn(ANN, new_info=said, sender_name="Ann", time=moment)
        memory.drain(20)
    return memory


def texts(memory: Memory, query: str, **options: Any) -> str:
    found = memory.recall(ANN, query, now=NOW, **options)
    return "\n".join(hit.text for hit in found.hits)


def call(memory: Memory, name: str, **arguments: Any) -> str:
    return tools.dispatch(memory, name, arguments, ANN, names=list(CATALOGUE), now=NOW)


@pytest.mark.parametrize("query", ["What did I tell you last week?", "我上周跟你说了什么？"])
def test_what_was_told_in_the_period_newest_first(memory: Memory, query: str) -> None:
    told = texts(memory, query)
    assert "heron" in told
    assert "缝纫机" in told
    assert "kayak" not in told
    assert "boiler" not in told
    assert told.index("缝纫机") < told.index("heron")
    assert "heron" in memory.context(ANN, query, now=NOW)
    assert "heron" in call(memory, "search_events", query=query)


@pytest.mark.parametrize(
    "query, word",
    [("Was the boiler repaired yesterday?", "boiler"), ("缝纫机是昨天买的吗？", "缝纫机")],
)
def test_a_question_about_a_matter_is_not_a_listing(memory: Memory, query: str, word: str) -> None:
    assert word in texts(memory, query).splitlines()[0]


@pytest.mark.parametrize(
    "query, note", [("zeppelin", "Nothing between these times"), ("葡萄干", "这段时间里没有")]
)
@pytest.mark.parametrize("name", ["recall", "search_events"])
def test_words_that_nothing_in_the_limits_has(
    memory: Memory, name: str, query: str, note: str
) -> None:
    limits = {"time_from": "2026-03-09", "time_to": "2026-03-15"}
    told = call(memory, name, query=query, **limits)
    assert told.startswith(note)
    assert "heron" in told
    assert "boiler" not in told
    found = call(memory, name, query="heron", **limits)
    assert "heron" in found
    assert not found.startswith(note)
    empty = call(memory, name, query=query, time_from="2020-01-01", time_to="2020-02-01")
    assert "heron" not in empty


def test_what_others_told_is_not_listed(memory: Memory) -> None:
    found = memory.recall(Scope(user="bob"), "What did I tell you last week?", now=NOW)
    assert not found.hits


def test_top_k_and_kinds_limit_the_listing(memory: Memory) -> None:
    query = "What did I tell you last week?"
    assert len(memory.recall(ANN, query, 1, now=NOW).hits) == 1
    assert not memory.recall(ANN, query, kinds=["procedure"], now=NOW).hits
