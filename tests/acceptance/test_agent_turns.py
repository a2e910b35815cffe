"""What the adapters hand to the historian of an exchange with an agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.scripted_model import ScriptedModel, WiseScript
from taishi import Memory, Scope
from taishi.adapters.agent_turns import AgentTurn, record_turn

ANN = Scope(user="ann", session="s1")
Open = Callable[..., Memory]


def with_model(open_memory: Open, server: ScriptedModel) -> Memory:
    changes: dict[str, Any] = {
        "models.chat.api_url": server.url,
        "models.chat.api_key": "k",
        "models.chat.model_name": "scripted",
        "query.recall_timeout": 5.0,
    }
    return open_memory(changes)


@pytest.mark.parametrize(
    ("said", "known"),
    [("I live in Cork. What is the time?", "Cork"), ("我住在上海。现在几点？", "上海")],
)
def test_without_a_model_the_statements_are_kept(memory: Memory, said: str, known: str) -> None:
    id = record_turn(memory, ANN, AgentTurn(said, "I do not know.", id="t1", speaker="Ann"))
    memory.drain()
    assert id == "t1:1"
    event = memory.get(ANN, "t1:1")
    assert event and known in event.text and "?" not in event.text and "？" not in event.text
    assert any(known in fact.text for fact in memory.facts.list(ANN))


def test_what_the_agent_said_is_not_taken_for_the_users_words(memory: Memory) -> None:
    record_turn(memory, ANN, AgentTurn("I like tea.", "I live in Cobh.", agent="cook"))
    memory.drain()
    assert not any("Cobh" in fact.text for fact in memory.facts.list(ANN))


def test_with_a_model_the_historian_decides(open_memory: Open) -> None:
    with ScriptedModel(WiseScript()) as server:
        memory = with_model(open_memory, server)
        id = record_turn(memory, ANN, AgentTurn("I live in Cork.", "Noted.", id="t1"))
        memory.drain()
        assert id == "t1:1" and server.requests
        assert "I live in Cork." in str(server.requests[0].body)
        assert any("Cork" in fact.text for fact in memory.facts.list(ANN))


def test_a_turn_counts_once_under_its_id(memory: Memory) -> None:
    turn = AgentTurn("I live in Cork.", id="t1", time="2026-03-02 19:12")
    ids = {record_turn(memory, ANN, turn) for _ in range(3)}
    memory.drain()
    assert ids == {"t1:1"} == {record_turn(memory, ANN, turn)}
    assert memory.records.digest(ANN).kinds["event"] == 1


@pytest.mark.parametrize("said", ["", " \n", "Hello!", "What is the time?"])
def test_nothing_told_is_nothing_kept(memory: Memory, said: str) -> None:
    assert record_turn(memory, ANN, AgentTurn(said, "Hello.")) is None


def test_a_turn_that_was_forgotten_does_not_come_back(memory: Memory) -> None:
    turn = AgentTurn("I live in Cork.", id="t1", time="2026-03-02 19:12")
    record_turn(memory, ANN, turn)
    memory.drain()
    memory.forget(ANN)
    record_turn(memory, ANN, turn)
    memory.drain()
    assert memory.records.digest(ANN).total == 0


def test_where_memory_is_off_nothing_is_kept(open_memory: Open) -> None:
    memory = open_memory({"memory.enabled": False})
    assert record_turn(memory, ANN, AgentTurn("I live in Cork.", id="t1")) is None
