"""Q5: recall says what it took a question for, who decided that and what it favours; what an intent
asks for has a place among the hits."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from support.scripted_model import ScriptedModel
from taishi import Memory, Scope
from taishi.cli import taishi

ANN, OPS = Scope(user="ann"), Scope(agent="ops")
QUICK = {"query.recall_timeout": 5.0}


@pytest.mark.parametrize(
    ("question", "name", "asks"),
    [
        ("Please set up a staging server", "new_task", "procedure"),
        ("请帮我准备一份会议议程", "new_task", "procedure"),
        ("What did you mean by that?", "follow_up", "scratchpad"),
        ("刚才说的那个命令再发一遍", "follow_up", "working"),
        ("The upload throws TypeError", "bug", "chunk"),
        ("网页一打开就报错", "bug", "chunk"),
        ("What is my favourite tea?", "preference", "short_term"),
        ("我一般喝什么茶？喜欢绿茶吗", "preference", "fact"),
        ("What did the other agent agree with the team?", "across_agents", "shared"),
        ("团队的命名约定是什么？", "across_agents", "shared"),
    ],
)
def test_Q5_what_a_question_was_taken_for_is_said(
    memory: Memory, question: str, name: str, asks: str
) -> None:
    memory.remember(ANN, "tea, server, upload, 茶, 约定", kind="procedure")
    intent = memory.recall(ANN, question).intent
    assert intent is not None
    assert (intent.name, intent.by) == (name, "rules")
    assert asks in intent.asks
    assert intent.favours and all(factor > 1 for factor in intent.favours.values())


def test_Q5_a_model_decides_and_that_is_said(open_memory: Callable[..., Memory]) -> None:
    with ScriptedModel(lambda tool, request: {"intent": "bug"}) as server:
        model = {"api_url": server.url, "model_name": "small", "timeout_seconds": 5.0}
        settings = {f"models.chat.intent.{key}": value for key, value in model.items()}
        memory = open_memory({**QUICK, **settings}, None)
        memory.remember(ANN, "the lamp in the hall", kind="observation")
        intent = memory.recall(ANN, "the lamp in the hall").intent
    assert intent is not None and (intent.name, intent.by) == ("bug", "model")


def filled(memory: Memory, kind: str, text: str, scope: Scope = ANN) -> None:
    """Six events that fit, and one record of another kind that fits a little less."""
    for n in range(6):
        memory.remember(ANN, f"the upload fails with TypeError in module {n}", kind="event")
    memory.remember(scope, text, kind=kind)
    memory.drain()


def test_Q5_a_bug_asks_the_documents_too(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(QUICK, None)
    filled(memory, "chunk", "Manual: when the upload fails with TypeError, clear the cache first")
    kinds = [hit.kind for hit in memory.recall(ANN, "the upload fails with TypeError").hits]
    assert len(kinds) == 5 and "chunk" in kinds
    plain = memory.recall(ANN, "the upload fails with TypeError", kinds=["event", "chunk"])
    assert memory.recall(ANN, "the upload fails with TypeError", top_k=50).hits
    assert len(plain.hits) == 5


def test_Q5_what_has_little_to_do_with_it_takes_no_place(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory(QUICK, None)
    filled(memory, "chunk", "Manual: how to order lunch for a module of the conference")
    kinds = {hit.kind for hit in memory.recall(ANN, "the upload fails with TypeError").hits}
    assert kinds == {"event"}


def test_Q5_a_question_across_agents_asks_what_was_shared(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory(QUICK, None)
    question = "What did the other agents decide about the release branch?"
    for n in range(8):
        memory.remember(ANN, f"the release branch: agents decide about part {n}", kind="event")
    steps = {"name": "Cut a release branch", "steps": ["tag", "push"]}
    id = memory.remember(OPS, "Cut a release branch: agents decide, 1. tag; 2. push",
                         kind="procedure", metadata=steps)  # fmt: skip
    shared = memory.procedures.share(OPS, id or "")
    assert all(hit.kind == "event" for hit in memory.recall(ANN, question).hits)
    memory.shared.approve(Scope(shared=True), shared or "")
    found = memory.recall(ANN, question)
    assert found.intent is not None and found.intent.name == "across_agents"
    assert shared in [hit.id for hit in found.hits]


def test_Q5_the_command_line_explains_the_intent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    monkeypatch.setenv("TAISHI_DATA", str(tmp_path / "data"))
    run = CliRunner().invoke
    run(taishi, ["remember", "the upload: press the button", "--kind", "procedure", "--user", "a"])
    asked = ["recall", "the upload throws TypeError", "--user", "a", "--explain"]
    said = run(taishi, [*asked, "--lang", "en"]).output
    assert "intent bug, decided by rules; favours" in said and "chunk" in said
    assert "意图 bug，由规则判定" in run(taishi, [*asked, "--lang", "zh"]).output
    told = json.loads(run(taishi, [*asked, "--json"]).stdout)["intent"]
    assert (told["name"], told["by"], told["favours"]["chunk"]) == ("bug", "rules", 1.08)
