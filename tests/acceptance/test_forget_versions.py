"""Forgetting a fact takes what it replaced with it, and says what stays (O2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from taishi import Memory, Scope, tools
from taishi.api_keys import Keys
from taishi.server.app import create_app

ME = Scope(user="me")
PAIRS = [
    ("I live in Lyon.", "Ann lives in Nice", "Lyon", "Nice"),
    ("我住在里昂。", "Ann住在尼斯", "里昂", "尼斯"),
]


def call(memory: Memory, name: str, **arguments: Any) -> tools.Answer:
    turn = {"sender_name": "Ann"}
    return tools.call(memory, name, arguments, ME, names=tools.ALL_TOOLS, turn=turn)


def everything(memory: Memory) -> str:
    return "".join(memory.transfer.export()) + memory.context(ME, "Where does Ann live?")


def taught(memory: Memory, said: str) -> str:
    call(memory, "end", new_info=[said])
    memory.drain(20)
    (fact,) = memory.facts.list(ME, ["approved"])
    return fact.id


@pytest.mark.parametrize(("said", "now", "before", "after"), PAIRS)
def test_O2_the_versions_of_a_fact_go_with_it(
    memory: Memory, said: str, now: str, before: str, after: str
) -> None:
    old = taught(memory, said)
    new = call(memory, "correct", id=old, text=now).data["id"]
    newest = call(memory, "correct", id=new, text=f"{now} 2").data["id"]
    answer = call(memory, "forget", id=newest)
    assert answer.data["still_told_by"] == []
    assert "2 earlier versions" in answer.text or "2 个旧版本" in answer.text
    assert before not in everything(memory) and after not in everything(memory)
    listed = call(memory, "list_memories", state="all", text=before)
    assert listed.data["memories"] == []


def test_O2_what_a_turn_replaced_goes_and_nothing_is_revived(memory: Memory) -> None:
    call(memory, "end", new_info=["I live in Lyon.", "My cat is called Mimi."])
    memory.drain(20)
    call(memory, "end", new_info=["I moved to Nice."])
    memory.drain(20)
    (new,) = [one for one in memory.facts.list(ME, ["approved"]) if "Nice" in one.text]
    answer = call(memory, "forget", id=new.id)
    assert answer.data["still_told_by"] == [] and len(answer.data["changed"]) == 1
    assert [one.text for one in memory.facts.list(ME)] == ["Ann's cat is called Mimi"]
    assert "Lyon" not in everything(memory) and "Nice" not in everything(memory)
    memory.maintenance.rebuild()
    assert "Lyon" not in everything(memory)


def test_O2_an_older_version_goes_alone_and_the_newer_is_named(memory: Memory) -> None:
    old = taught(memory, "I live in Lyon.")
    new = call(memory, "correct", id=old, text="Ann lives in Nice").data["id"]
    answer = call(memory, "forget", id=old)
    assert answer.data["still_told_by"] == [new] and new in answer.text
    assert "Lyon" not in everything(memory) and "Nice" in everything(memory)


def test_O2_a_version_that_a_person_decided_on_stays_and_is_named(memory: Memory) -> None:
    """“I misspoke” is a person's word, which a model cannot remove."""
    for said in ("I live in Lyon.", "I misspoke, I live in Nice."):
        memory.end_turn(ME, new_info=said, sender_name="Ann", sender_id="me")
        memory.drain(20)
    (old,) = [one.id for one in memory.facts.list(ME, ["rejected"])]
    (new,) = memory.facts.list(ME, ["approved"])
    answer = call(memory, "forget", id=new.id)
    assert old in answer.data["still_told_by"] and "only a person" in answer.text
    assert memory.forget(ME, old, actor="person")


def test_O2_rest_and_python_take_the_versions_too(memory: Memory, tmp_path: Path) -> None:
    for number in range(2):
        old = taught(memory, "I live in Lyon.")
        new = memory.facts.correct(ME, old, "Ann lives in Nice")
        if number:
            assert memory.forget(ME, new) >= 2
        else:
            with TestClient(create_app(memory, keys=Keys(Path("none")))) as client:
                done = client.delete(f"/v1/memories/{new}", params={"user": "me"}).json()
            assert old in done["went"] and done["still_told_by"] == []
        assert "Lyon" not in everything(memory)
