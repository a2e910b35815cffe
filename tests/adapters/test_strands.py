"""`taishi.adapters.strands` with real agents and memory managers of Strands."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("strands", reason="Strands Agents is not installed")

from strands import Agent
from strands.memory import AddMessagesContext, MemoryManager
from strands.models import Model

from support.adapter_pages import run_example, run_page
from support.off_the_loop import ThreadNotes
from taishi import AsyncMemory, InputError, Memory, Scope
from taishi.adapters.strands import TaishiMemoryStore

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
Open = Callable[..., Memory]
ANN, BEN = Scope(user="ann"), Scope(user="ben")


class ScriptedModel(Model):
    """Answers what it is told to, a text or a tool call, and notes what it was asked."""

    def __init__(self) -> None:
        self.replies: list[str | tuple[str, dict[str, Any]]] = []
        self.seen: list[str] = []
        self.tools: list[str] = []

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> dict[str, Any]:
        return {}

    async def structured_output(self, *_: Any, **__: Any) -> AsyncIterator[dict[str, Any]]:
        raise NotImplementedError
        yield {}

    async def stream(
        self, messages: Any, tool_specs: Any = None, *_: Any, **__: Any
    ) -> AsyncIterator[dict[str, Any]]:
        self.seen.append(json.dumps(messages, ensure_ascii=False))
        self.tools = [one["name"] for one in tool_specs or ()]
        reply = self.replies.pop(0) if self.replies else "Noted."
        yield {"messageStart": {"role": "assistant"}}
        if isinstance(reply, str):
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": reply}}}
        else:
            name, arguments = reply
            start = {"toolUse": {"name": name, "toolUseId": f"t{len(self.seen)}"}}
            yield {"contentBlockStart": {"start": start}}
            delta = {"toolUse": {"input": json.dumps(arguments)}}
            yield {"contentBlockDelta": {"delta": delta}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if isinstance(reply, str) else "tool_use"}}


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def cook(store: TaishiMemoryStore, model: ScriptedModel, **options: Any) -> Agent:
    manager = MemoryManager(stores=[store], **options)
    return Agent(model=model, memory_manager=manager, callback_handler=None)


def spoken(role: str, text: str) -> Any:
    return {"role": role, "content": [{"text": text}]}


@pytest.mark.parametrize(
    ("told", "asked", "known"),
    [
        ("I am allergic to walnuts.", "What am I allergic to?", "walnuts"),
        ("我对花生过敏。", "我对什么过敏？", "花生"),
    ],
)
def test_what_was_told_to_one_agent_is_in_the_prompt_of_the_next(
    either_memory: Memory, told: str, asked: str, known: str
) -> None:
    model = ScriptedModel()
    assert str(cook(TaishiMemoryStore(either_memory, ANN), model)(told)).strip() == "Noted."
    either_memory.drain()
    cook(TaishiMemoryStore(either_memory, ANN), model)(asked)
    assert "<memory>" in model.seen[-1] and known in model.seen[-1]
    cook(TaishiMemoryStore(either_memory, BEN), model)(asked)
    assert "<memory>" not in model.seen[-1] and known not in model.seen[-1]
    assert any(known in fact.text for fact in either_memory.facts.list(ANN))


def test_two_users_and_two_apps_never_meet(memory: Memory) -> None:
    model = ScriptedModel()
    scopes = [Scope(user=user, workspace=app) for user in ("ann", "ben") for app in ("a", "b")]
    words = dict(zip(scopes, ("amber", "birch", "cobalt", "dahlia"), strict=True))
    for scope, word in words.items():
        cook(TaishiMemoryStore(memory, scope), model)(f"My code word is {word}.")
    memory.drain()
    for scope, word in words.items():
        cook(TaishiMemoryStore(memory, scope), model)("What is my code word?")
        assert word in model.seen[-1]
        assert not [one for one in words.values() if one != word and one in model.seen[-1]]


def test_two_stores_of_one_agent_keep_apart_what_they_hold(memory: Memory) -> None:
    memory.remember(ANN, "Ann is allergic to walnuts")
    memory.remember(Scope(group="club", user="ann"), "The club meets on Mondays")
    stores = [
        TaishiMemoryStore(memory, ANN, name="private"),
        TaishiMemoryStore(memory, Scope(group="club", user="ann"), name="club"),
    ]
    manager = MemoryManager(stores=stores)
    found = run(manager.search("walnuts Mondays"))
    assert {(one.store_name, one.content) for one in found} == {
        ("private", "Ann is allergic to walnuts"),
        ("club", "The club meets on Mondays"),
    }


def test_a_batch_that_is_offered_again_counts_once(either_memory: Memory) -> None:
    store = TaishiMemoryStore(either_memory, ANN)
    said = [
        spoken("user", "I live in Cork."),
        spoken("assistant", "Noted."),
        spoken("user", "I live in Cork."),
    ]
    context = AddMessagesContext(sequence_numbers=[0, 1, 2])

    async def story() -> None:
        await store.initialize()
        for _ in range(3):
            await store.add_messages(said, context)

    run(story())
    either_memory.drain()
    # It was said twice, and each counts once.
    assert either_memory.records.digest(ANN).kinds["event"] == 2


def test_two_agents_with_one_store_both_count_from_nought(memory: Memory) -> None:
    store, context = TaishiMemoryStore(memory, ANN), AddMessagesContext(sequence_numbers=[0])

    async def story() -> None:
        await store.initialize()
        await store.initialize()
        await store.add_messages([spoken("user", "I live in Cork.")], context)
        await store.add_messages([spoken("user", "I like tea.")], context)

    run(story())
    memory.drain()
    assert memory.records.digest(ANN).kinds["event"] == 2


def test_the_same_words_to_two_agents_are_two_turns(memory: Memory) -> None:
    model, store = ScriptedModel(), TaishiMemoryStore(memory, ANN)
    for _ in range(2):
        cook(store, model)("I live in Cork.")
    memory.drain()
    assert memory.records.digest(ANN).kinds["event"] == 2


def test_messages_without_numbers_are_kept(memory: Memory) -> None:
    run(TaishiMemoryStore(memory, ANN).add_messages([spoken("user", "I live in Cork.")]))
    memory.drain()
    assert any("Cork" in fact.text for fact in memory.facts.list(ANN))


def test_the_model_searches_and_adds_by_tools(memory: Memory) -> None:
    model = ScriptedModel()
    store = TaishiMemoryStore(memory, ANN)
    agent = cook(store, model, add_tool_config=True, injection=False)
    model.replies = [("add_memory", {"entries": ["Ann is allergic to walnuts"]}), "Noted."]
    agent("Keep that.")
    assert model.tools == ["search_memory", "add_memory"]
    model.replies = [("search_memory", {"query": "allergic"}), "Walnuts."]
    cook(store, model, injection=False)("What must I avoid?")
    assert "Ann is allergic to walnuts" in model.seen[-1]
    (fact,) = [one for one in memory.facts.list(ANN) if "walnuts" in one.text]
    assert fact.confidence < 1.0  # a model's word


def test_tools_of_ours_work_in_the_scope_of_the_store(memory: Memory) -> None:
    model = ScriptedModel()
    store = TaishiMemoryStore(memory, ANN, tools=["remember", "recall"], language="zh")
    agent = cook(store, model, search_tool_config=False, injection=False)
    model.replies = [("remember", {"text": "安对花生过敏"}), ("recall", {"query": "花生"}), "好的"]
    agent("记住：我对花生过敏。")
    assert model.tools == ["remember", "recall"]
    assert "安对花生过敏" in model.seen[-1]
    model.replies = [("recall", {"nonsense": 1}), "好的"]
    agent("还有呢？")
    assert '"status": "error"' in model.seen[-1]
    assert memory.records.digest(BEN).total == 0


def test_a_store_that_is_only_read_is_not_written_to(memory: Memory) -> None:
    cook(TaishiMemoryStore(memory, ANN, writable=False), ScriptedModel())("I live in Cork.")
    memory.drain()
    assert memory.records.digest(ANN).total == 0


def test_metadata_says_where_an_entry_is_from(memory: Memory) -> None:
    memory.remember(ANN, "Ann is allergic to walnuts", id="m1", time="2026-03-02T19:12:00+00:00")
    (entry,) = run(TaishiMemoryStore(memory, ANN).search("walnuts", {"max_search_results": 1}))
    assert entry.metadata["id"] == "m1" and entry.metadata["kind"] == "fact"
    assert entry.metadata["time"].startswith("2026-03-0")


@pytest.mark.parametrize("state", ["off", "closed", "unavailable"])
def test_a_memory_that_is_off_or_down_does_not_break_the_agent(
    open_memory: Open, tmp_path: Path, state: str, caplog: pytest.LogCaptureFixture
) -> None:
    if state == "unavailable":
        (tmp_path / "file").write_text("no folder")
        memory = Memory.open(tmp_path / "file", on_error="off")
    else:
        memory = open_memory({"memory.enabled": state != "off"})
    if state == "closed":
        memory.close()
    model = ScriptedModel()
    agent = cook(TaishiMemoryStore(memory, ANN, tools=["recall"]), model, add_tool_config=True)
    model.replies = [
        "Noted.",
        ("add_memory", {"entries": ["walnuts"]}),
        ("recall", {"query": "walnuts"}),
        "Done.",
    ]
    with caplog.at_level(logging.WARNING, "taishi.adapters"):
        assert str(agent("I am allergic to walnuts.")).strip() == "Noted."
        assert str(agent("What am I allergic to?")).strip() == "Done."
    assert "<memory>" not in "".join(model.seen)
    said = [record.getMessage() for record in caplog.records if record.name == "taishi.adapters"]
    assert bool(said) == (state == "closed")
    assert not any("walnuts" in one for one in said)


def test_the_event_loop_is_not_blocked(memory: Memory) -> None:
    notes = ThreadNotes(memory, "recall", "remember", "end_turn")
    store = TaishiMemoryStore(AsyncMemory(memory), ANN)

    async def story() -> None:
        await store.add("Ann likes tea")
        await store.add_messages([spoken("user", "I live in Cork.")])
        await store.search("tea")
        assert notes.are_off_the_loop()

    run(story())


def test_bad_arguments_are_errors_at_once(memory: Memory) -> None:
    with pytest.raises(InputError, match="Scope"):
        TaishiMemoryStore(memory, "ann")
    with pytest.raises(InputError, match="no tool"):
        TaishiMemoryStore(memory, ANN, tools=["fly"])


@pytest.mark.parametrize("page", ["strands.md", "strands.zh-CN.md"])
def test_the_code_on_the_page_runs(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    names = run_page(page, model=ScriptedModel())
    assert str(names["agent"]("Hello")).strip() == "Noted."
    names["memory"].close()


PRINTED = """\
ann: I am allergic to nuts.
  cook: Noted.
ann: What am I allergic to?
  cook: You are allergic to nuts.
ben: What am I allergic to?
  cook: Noted.
"""


def test_the_example_runs_offline_and_prints_what_it_knows(tmp_path: Path) -> None:
    assert run_example("strands_memory.py", tmp_path) == PRINTED
