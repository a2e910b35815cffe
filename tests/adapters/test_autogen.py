"""`taishi.adapters.autogen` with real agents of AutoGen. It pins an older protobuf than other
frameworks need, so `make test-frameworks` gives it an environment of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("autogen_core", reason="AutoGen is not installed: pip install '.[autogen]'")
pytest.importorskip("autogen_agentchat", reason="autogen-agentchat is not installed")

from autogen_agentchat.agents import AssistantAgent
from autogen_core.memory import MemoryContent
from autogen_core.models import ChatCompletionClient, CreateResult, ModelInfo, RequestUsage

from support.adapter_pages import run_example, run_page
from support.off_the_loop import ThreadNotes
from taishi import AsyncMemory, ClosedError, InputError, Memory, Scope
from taishi.adapters.autogen import TaishiMemory

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
Open = Callable[..., Memory]
ANN, BEN = Scope(user="ann"), Scope(user="ben")


class ScriptedClient(ChatCompletionClient):
    """Answers "Noted." and notes what it was asked."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def create(self, messages: Any, **_: Any) -> CreateResult:
        self.seen.append("\n".join(str(one.content) for one in messages))
        usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
        return CreateResult(finish_reason="stop", content="Noted.", usage=usage, cached=False)

    def create_stream(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def close(self) -> None: ...

    def actual_usage(self) -> RequestUsage:
        return RequestUsage(prompt_tokens=0, completion_tokens=0)

    total_usage = actual_usage

    def count_tokens(self, *_: Any, **__: Any) -> int:
        return 0

    remaining_tokens = count_tokens

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False,
            function_calling=False,
            json_output=False,
            family="unknown",
            structured_output=False,
        )


def say(memory: Memory | AsyncMemory, scope: Scope, text: str) -> str:
    """What the model of a new agent was asked."""
    client = ScriptedClient()
    agent = AssistantAgent("cook", model_client=client, memory=[TaishiMemory(memory, scope)])
    answer = asyncio.run(agent.run(task=text))
    assert answer.messages[-1].content == "Noted."
    return client.seen[-1]


@pytest.mark.parametrize(
    ("told", "asked", "known"),
    [
        ("I am allergic to walnuts.", "What am I allergic to?", "walnuts"),
        ("我对花生过敏。", "我对什么过敏？", "花生"),
    ],
)
def test_what_was_told_to_one_agent_is_in_the_context_of_the_next(
    memory: Memory, told: str, asked: str, known: str
) -> None:
    say(memory, ANN, told)
    memory.drain()
    prompt = say(memory, ANN, asked)
    assert known in prompt and "===" in prompt
    assert known not in say(memory, BEN, asked)


def test_two_users_and_two_apps_never_meet(memory: Memory) -> None:
    scopes = [Scope(user=user, workspace=app) for user in ("ann", "ben") for app in ("a", "b")]
    words = dict(zip(scopes, ("amber", "birch", "cobalt", "dahlia"), strict=True))
    for scope, word in words.items():
        say(memory, scope, f"My code word is {word}.")
    memory.drain()
    for scope, word in words.items():
        prompt = say(memory, scope, "What is my code word?")
        assert word in prompt
        assert not [one for one in words.values() if one != word and one in prompt]


def test_add_query_and_clear(memory: Memory) -> None:
    store, other = TaishiMemory(memory, ANN), TaishiMemory(memory, BEN)

    async def story() -> None:
        for content, mime in (
            ("Ann likes tea", "text/plain"),
            ({"城市": "上海"}, "application/json"),
        ):
            await store.add(MemoryContent(content=content, mime_type=mime, metadata={"n": 1}))
        await other.add(MemoryContent(content="Ben likes tea", mime_type="text/plain"))
        (tea,) = (await store.query("tea", top_k=1)).results
        assert tea.content == "Ann likes tea" and tea.metadata["kind"] == "fact"
        asked = MemoryContent(content="上海", mime_type="text/plain")
        assert (await store.query(asked)).results[0].content == '{"城市": "上海"}'
        with pytest.raises(InputError, match="text or JSON"):
            await store.add(MemoryContent(content=b"x", mime_type="application/octet-stream"))
        await store.clear()
        assert (await store.query("tea")).results == []
        assert (await other.query("tea")).results
        await store.close()
        assert memory.is_on(ANN)

    asyncio.run(story())


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
    with caplog.at_level(logging.WARNING, "taishi.adapters"):
        say(memory, ANN, "I am allergic to walnuts.")
        assert "walnuts" not in say(memory, ANN, "What am I allergic to?")
    said = [record.getMessage() for record in caplog.records if record.name == "taishi.adapters"]
    assert bool(said) == (state == "closed")
    if state == "closed":
        with pytest.raises(ClosedError):
            asyncio.run(TaishiMemory(memory, ANN).clear())


def test_the_event_loop_is_not_blocked(memory: Memory) -> None:
    notes = ThreadNotes(memory, "context", "end_turn")
    say(AsyncMemory(memory), ANN, "I live in Cork.")
    assert notes.are_off_the_loop()


def test_a_scope_of_the_wrong_kind_is_an_error_at_once(memory: Memory) -> None:
    with pytest.raises(InputError, match="Scope"):
        TaishiMemory(memory, "ann")


@pytest.mark.parametrize("page", ["autogen.md", "autogen.zh-CN.md"])
def test_the_code_on_the_page_runs(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    names = run_page(page, model_client=ScriptedClient())
    assert asyncio.run(names["agent"].run(task="Hello")).messages[-1].content == "Noted."
    names["memory"].close()


PRINTED = """\
ann, monday: I am allergic to nuts.
  cook: Noted.
ann, friday: What am I allergic to?
  cook: You are allergic to nuts.
ben, friday: What am I allergic to?
  cook: Noted.
"""


def test_the_example_runs_offline_and_prints_what_it_knows(tmp_path: Path) -> None:
    assert run_example("autogen_memory.py", tmp_path) == PRINTED
