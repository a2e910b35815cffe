"""T1: shared memory and procedures as tools. The scope is the host's; a model decides only where
its agent is on the host's list."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from taishi import Memory, Scope, tools

CODER, LEAD, ANN = Scope(agent="coder"), Scope(agent="lead"), Scope(user="ann")


@pytest.fixture
def team(open_memory: Callable[..., Memory]) -> Memory:
    return open_memory({"shared.coordinators": "agent:lead", "query.recall_timeout": 5.0})


def ask(memory: Memory, tool: str, scope: Scope, **arguments: Any) -> tools.Answer:
    return tools.call(memory, tool, arguments, scope, names=tools.ALL_TOOLS)


def proposed(memory: Memory, scope: Scope, text: str, **more: str) -> str:
    answer = ask(memory, "propose_shared", scope, text=text, type="convention", **more)
    assert answer.ok
    (id,) = re.findall("shared-[0-9a-f]{32}", answer.text)
    return id


def test_T1_a_model_proposes_and_never_approves_its_own(team: Memory) -> None:
    id = proposed(team, CODER, "Lunch is at noon")
    for scope in (CODER, ANN, Scope(shared=True)):
        answer = ask(team, "review_shared", scope, id=id, decision="approve")
        assert not answer.ok and "person" in answer.text
        assert ask(team, "recall", scope, query="lunch").text.startswith("Nothing")
    assert "Nothing waits" in ask(team, "review_shared", ANN).text
    listed = ask(team, "review_shared", LEAD).text
    assert "[convention, agent:coder] Lunch is at noon" in listed and id in listed
    assert "everybody" in ask(team, "review_shared", LEAD, id=id, decision="approve").text
    assert "Lunch is at noon" in ask(team, "recall", ANN, query="lunch").text
    assert [one.door for one in team.shared.audit(LEAD, id)] == ["tool", "tool"]


@pytest.mark.parametrize("scope", [CODER, ANN])
@pytest.mark.parametrize("decision", ["approve", "keep"])
def test_T1_who_may_not_decide_is_told_the_commands_that_do(
    team: Memory, scope: Scope, decision: str
) -> None:
    ids = [proposed(team, CODER, text) for text in ("Lunch is at noon", "Tea is at four")]
    given = {"id": ids[0], "decision": decision, "other": ids[1]}
    answer = ask(team, "review_shared", scope, **given)
    assert not answer.ok and "`taishi shared approve ID`" in answer.text
    assert "taishi records" not in answer.text and "taishi facts" not in answer.text
    chinese = tools.call(
        team, "review_shared", given, scope, names=tools.ALL_TOOLS, language="zh"
    ).text
    assert "`taishi shared approve 编号`" in chinese


@pytest.mark.parametrize("decision", ["approve", "reject", "keep"])
def test_T1_an_id_that_is_not_there_is_named(team: Memory, decision: str) -> None:
    id = proposed(team, CODER, "Lunch is at noon")
    first, second = (id, "shared-no") if decision == "keep" else ("shared-no", id)
    answer = ask(team, "review_shared", LEAD, id=first, decision=decision, other=second)
    assert not answer.ok and '"shared-no"' in answer.text and "without id" in answer.text
    assert "Lunch" in ask(team, "review_shared", LEAD).text
    assert ask(team, "review_shared", LEAD, id=id, decision="approve").ok


def test_T1_a_coordinating_agent_settles_a_conflict(team: Memory) -> None:
    first = proposed(team, CODER, "午饭在十二点", topic="午饭")
    other = proposed(team, Scope(agent="tester"), "午饭在一点", topic="午饭")
    assert "≠" in ask(team, "review_shared", LEAD).text
    assert not ask(team, "review_shared", LEAD, id=first).ok, "a decision is needed"
    assert not ask(team, "review_shared", LEAD, id=first, decision="keep").ok
    answer = ask(team, "review_shared", LEAD, id=other, decision="keep", other=first,
                 reason="食堂一点才开")  # fmt: skip
    assert answer.text == "已批准：从现在起所有人都能召回。"
    assert [hit.text for hit in team.recall(ANN, "午饭几点").hits] == ["午饭在一点"]
    assert "不会被召回" in ask(team, "review_shared", LEAD, id=other, decision="reject",
                              reason="不再开了").text  # fmt: skip


def test_T1_a_model_reports_how_a_procedure_went(team: Memory) -> None:
    ops = Scope(agent="ops")
    data = {"name": "Roll back", "steps": ["stop", "go back"]}
    id = team.remember(ops, "Roll back: 1. stop; 2. go back", kind="procedure", metadata=data)
    assert id
    assert f"(procedure, id {id})" in ask(team, "recall", ops, query="roll back").text
    assert "1 time" in ask(team, "report_procedure", ops, id=id, worked=True).text
    assert "2 times" in ask(team, "report_procedure", ops, id=id, worked=False).text
    found = team.procedures.get(ops, id)
    assert found is not None and found.data["success_rate"] == 0.5
    assert not ask(team, "report_procedure", ANN, id=id, worked=False).ok
    shared = team.procedures.share(ops, id)
    assert shared and not ask(team, "report_procedure", ANN, id=shared, worked=True).ok
    team.shared.approve(LEAD, shared)
    assert f"(procedure, id {shared})" in ask(team, "recall", ANN, query="roll back").text
    assert ask(team, "report_procedure", ANN, id=shared, worked=True).ok


def test_T1_off_is_a_plain_sentence(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory({"memory.enabled": False})
    for tool in ("propose_shared", "review_shared", "report_procedure"):
        assert "switched off" in ask(memory, tool, CODER).text
