"""With a chat model: questions in other words (K2), and summaries of documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.scripted_model import Reply, ScriptedModel, data_of
from taishi import Memory, Scope
from taishi.knowledge.search import fused
from taishi.types import Hit

ANN = Scope(user="ann")
GUIDE = "# Kettle\n\n## Guarantee\n\nRepairs cost nothing for thirty months.\n"
OTHER = "# Garden\n\n## Roses\n\nRoses are cut in March.\n"


def answer(tool: str, request: dict[str, Any]) -> dict[str, Any]:
    data = data_of(request)
    if tool == "rewrite_query":
        assert data["question"]
        return {
            "queries": ["guarantee thirty months", "保修期"],
            "passage": "Repairs cost nothing.",
        }
    if tool == "summarise_document":
        return {"summary": f"{data['title']}: repairs cost nothing for thirty months. See Paris."}
    raise AssertionError(tool)


@pytest.fixture
def open_with(open_memory: Callable[..., Memory]) -> Callable[..., Memory]:
    def open_one(server: ScriptedModel, *sections: str, **changes: Any) -> Memory:
        settings = {"query.recall_timeout": 5.0, "models.chat.timeout_seconds": 5.0}
        for section in sections:
            settings |= {f"{section}.api_url": server.url, f"{section}.model_name": "scripted"}
        return open_memory({**settings, **changes}, embedder=None)

    return open_one


def test_K2_a_question_is_also_asked_in_other_words(open_with: Callable[..., Memory]) -> None:
    with ScriptedModel(answer) as server:
        memory = open_with(server, "models.chat.query")
        memory.knowledge.add(ANN, GUIDE, name="kettle.md")
        memory.knowledge.add(ANN, OTHER, name="garden.md")
        found = memory.knowledge.search(ANN, "warranty?")
        assert found.paths["query"] == "ok"
        assert "thirty months" in found.hits[0].text
        assert [one.tool for one in server.requests] == ["rewrite_query"]
        memory.drain()
        assert [row["task"] for row in memory.jobs.ledger()] == ["query"]


def test_K2_without_a_model_of_its_own_none_is_asked(open_with: Callable[..., Memory]) -> None:
    with ScriptedModel(answer) as server:
        memory = open_with(server)
        memory.knowledge.add(ANN, GUIDE, name="kettle.md")
        found = memory.knowledge.search(ANN, "guarantee")
        assert "query" not in found.paths and found.hits
        assert server.requests == []


@pytest.mark.parametrize(("reply", "said"), [(Reply(500), "failed"), (Reply(delay=1.0), "late")])
def test_K2_a_model_that_is_late_or_fails_is_left_out(
    open_with: Callable[..., Memory], reply: Reply, said: str
) -> None:
    with ScriptedModel(answer, script=[reply] * 20) as server:
        memory = open_with(server, "models.chat.query")
        memory.knowledge.add(ANN, GUIDE, name="kettle.md")
        memory.knowledge.search(ANN, "guarantee", deadline=5.0)
        found = memory.knowledge.search(ANN, "the guarantee", deadline=0.4)
        assert found.paths["query"] in (said, "late", "failed")
        assert found.hits, "the question itself was searched"
        assert found.took_ms < 1500


def test_K2_a_summary_is_made_in_the_background_without_inventions(
    open_with: Callable[..., Memory],
) -> None:
    with ScriptedModel(answer) as server:
        memory = open_with(server, "models.chat")
        info = memory.knowledge.add(ANN, GUIDE, name="kettle.md")
        assert info is not None and info.summary_by == "extract"
        memory.drain()
        later = memory.knowledge.get(ANN, "kettle.md")
        assert later is not None and later.summary_by == "model"
        assert "repairs cost nothing for thirty months" in later.summary
        assert "Paris" not in later.summary
        hit = memory.knowledge.search(ANN, "guarantee").hits[0]
        assert hit.metadata["summary"] == later.summary
        asked = len(server.requests)
        memory.knowledge.add(ANN, GUIDE, name="kettle.md")
        memory.drain()
        assert len(server.requests) == asked, "it has one already"
        assert {row["task"] for row in memory.jobs.ledger()} == {"document"}


def test_K2_a_model_that_is_down_leaves_the_first_sentences(
    open_with: Callable[..., Memory],
) -> None:
    with ScriptedModel(answer, script=[Reply(500)] * 50) as server:
        memory = open_with(server, "models.chat")
        memory.knowledge.add(ANN, GUIDE, name="kettle.md")
        memory.drain(20)
        info = memory.knowledge.get(ANN, "kettle.md")
        assert info is not None and info.summary_by == "extract"
        assert info.summary == "Repairs cost nothing for thirty months."


def test_fusion_puts_what_several_questions_find_first() -> None:
    def hit(id: str, score: float) -> Hit:
        return Hit(id, id, score, "chunk", None, None, None, {"place": "p"})

    lists = [[hit("a", 0.9), hit("b", 0.8)], [hit("b", 0.7), hit("c", 0.6)], [hit("b", 0.9)]]
    ids = [one.id for one in fused(lists, 2)]
    assert ids[:2] == ["b", "a"]
    assert fused(lists, 2)[0].score == 0.9
