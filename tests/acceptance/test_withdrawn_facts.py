"""What a model withdraws as wrong was never so: no question about the past finds it (P5)."""

from __future__ import annotations

from typing import Any

import pytest

from taishi import Memory, Scope, tools

ANN = Scope(user="ann")
NAMED = {"sender_name": "Ann"}


def ask(memory: Memory, tool: str, **given: Any) -> tools.Answer:
    return tools.call(memory, tool, given, ANN, names=tools.ALL_TOOLS, turn=NAMED, door="mcp")


def told(memory: Memory, *statements: str) -> str:
    """The id of the newest fact."""
    for one in statements:
        assert ask(memory, "end", new_info=[one]).ok
        assert memory.drain(60)
    return memory.facts.list(ANN, ["approved"])[0].id


def known(memory: Memory, question: str) -> list[str]:
    return [hit.text for hit in memory.recall(ANN, question).hits if hit.kind == "fact"]


PAST = [
    ("I bought a yacht last week", "What did I buy last week?"),
    ("I like olives", "What did I like last week?"),
    ("I like olives", "What did I like today?"),
    ("I moved to Galway", "Where did I move last month?"),
    ("我喜欢橄榄", "我上周喜欢什么？"),
]


@pytest.mark.parametrize(("said", "question"), PAST)
def test_P5_what_a_model_withdrew_was_never_so(memory: Memory, said: str, question: str) -> None:
    assert ask(memory, "correct", id=told(memory, said)).ok
    assert known(memory, question) == []
    assert "%" not in ask(memory, "context", query=question).text


def test_P5_what_is_no_longer_so_answers_a_question_about_the_past(memory: Memory) -> None:
    told(memory, "I live in Bonn", "I moved to Cork")
    assert "Ann lives in Bonn" in known(memory, "Where did I live last week?")


def test_P5_a_chat_takes_back_for_the_past_as_well(memory: Memory) -> None:
    told(memory, "I bought a yacht last week")
    ask(memory, "end", new_info=["Scratch that, I never bought a yacht"])
    assert memory.drain(60)
    assert known(memory, "What did I buy last week?") == []


@pytest.mark.parametrize("again", ["end", "remember"])
def test_P5_what_a_model_withdrew_may_be_learned_again(memory: Memory, again: str) -> None:
    ask(memory, "correct", id=told(memory, "I like olives"))
    if again == "end":
        told(memory, "I like olives")
    else:
        assert ask(memory, "remember", text="Ann likes olives").ok
    assert known(memory, "What do I like?") == ["Ann likes olives"]
    memory.maintenance.rebuild(ANN)
    assert known(memory, "What do I like?") == ["Ann likes olives"]


def test_P5_a_person_takes_a_models_withdrawal_back(memory: Memory) -> None:
    id = told(memory, "I bought a yacht last week")
    (before,) = memory.facts.list(ANN, ["approved"])
    ask(memory, "correct", id=id)
    memory.facts.approve(ANN, id)
    (fact,) = memory.facts.list(ANN, ["approved"])
    assert (fact.since, fact.until) == (before.since, before.until)
    assert known(memory, "What did I buy last week?")
    assert not ask(memory, "correct", id=id).ok  # a person decided it


def test_P5_a_rebuild_brings_nothing_back_that_a_model_withdrew(memory: Memory) -> None:
    ask(memory, "correct", id=told(memory, "I moved to Galway"))
    memory.maintenance.rebuild(ANN)
    assert memory.facts.list(ANN, ["approved"]) == []
    assert known(memory, "Where did I move last month?") == []
