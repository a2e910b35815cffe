"""What a person decided, a model neither changes nor forgets; a fact is replaced only once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from taishi import InputError, Memory, Scope, tools
from taishi.api_keys import Keys
from taishi.errors import AuthorityError
from taishi.server.app import create_app

ME = Scope(user="me")


def call(memory: Memory, name: str, **arguments: Any) -> tools.Answer:
    return tools.call(memory, name, arguments, ME, names=tools.ALL_TOOLS)


def learned(memory: Memory, said: str = "I live in Oslo.") -> str:
    memory.end_turn(ME, new_info=said, sender_name="Ann")
    memory.drain()
    (fact,) = memory.facts.list(ME, ["approved"])
    return fact.id


def test_W9_a_model_does_not_forget_what_a_person_decided(memory: Memory) -> None:
    decided = memory.facts.correct(ME, learned(memory), "Ann lives in Bergen")
    with pytest.raises(AuthorityError) as changed:
        memory.facts.correct(ME, decided, "Ann lives in Rome", actor="model")
    with pytest.raises(AuthorityError) as forgotten:
        memory.forget(ME, decided, actor="model")
    assert str(changed.value) == str(forgotten.value)
    answers = [
        call(memory, "correct", id=decided, text="Ann lives in Rome"),
        call(memory, "correct", id=decided),
        call(memory, "forget", id=decided),
    ]
    assert {one.text for one in answers} == {answers[0].text} and not answers[2].ok
    assert memory.get(ME, decided) is not None
    assert memory.forget(ME, decided)  # the host, and so a person, may
    assert memory.get(ME, decided) is None


def test_W9_an_event_behind_a_persons_decision_is_not_the_models_to_forget(memory: Memory) -> None:
    memory.facts.reject(ME, learned(memory))
    (event,) = memory.records.newest(ME, ["event"]).records
    assert not call(memory, "forget", id=event.id).ok
    assert memory.get(ME, event.id) is not None


Correct = Callable[[Memory, str, str], None]


def by_rest(memory: Memory, id: str, text: str) -> None:
    with TestClient(create_app(memory, keys=Keys(Path("none")))) as client:
        body = {"text": text, "scope": {"user": "me"}}
        answer = client.post(f"/v1/facts/{id}/correct", json=body)
        assert answer.status_code < 500
        if answer.is_error:
            raise InputError(answer.json()["detail"])


@pytest.mark.parametrize("actor", ["person", "model"])
@pytest.mark.parametrize("door", ["python", "rest"])
def test_P5_a_fact_is_replaced_once(memory: Memory, actor: str, door: str) -> None:
    first = learned(memory)
    new = memory.facts.correct(ME, first, "Ann lives in Bergen", actor=actor)
    newest = memory.facts.correct(ME, new, "Ann lives in Rome", actor=actor)
    with pytest.raises(InputError, match=newest):
        if door == "rest":
            by_rest(memory, first, "Ann lives in Cork")
        else:
            memory.facts.correct(ME, first, "Ann lives in Cork", actor=actor)
    assert [one.id for one in memory.facts.list(ME, ["approved"])] == [newest]


@pytest.mark.parametrize("tool", ["correct", "update_memory"])
def test_P5_a_tool_names_the_fact_that_holds_now(memory: Memory, tool: str) -> None:
    first = learned(memory)
    new = call(memory, "correct", id=first, text="Ann lives in Bergen").data["id"]
    answer = call(memory, tool, id=first, text="Ann lives in Rome")
    assert not answer.ok and new in answer.text and '"Ann lives in Bergen"' in answer.text
    assert not call(memory, "correct", id=first).ok
    assert [one.id for one in memory.facts.list(ME, ["approved"])] == [new]
    chinese = call(memory, tool, id=first, text="安住在罗马")
    assert chinese.text.startswith("未作更改") and new in chinese.text


def test_P5_a_fact_goes_with_its_successor(memory: Memory) -> None:
    first = learned(memory)
    memory.forget(ME, memory.facts.correct(ME, first, "Ann lives in Bergen"))
    with pytest.raises(InputError, match="no fact"):
        memory.facts.correct(ME, first, "Ann lives in Rome")
    assert memory.facts.list(ME) == []


def test_T1_the_same_words_are_no_correction(memory: Memory) -> None:
    answer = call(memory, "correct", id=learned(memory), text="Ann lives in Oslo.")
    assert not answer.ok and "says this already" in answer.text and "approve" not in answer.text
