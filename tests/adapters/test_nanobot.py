"""Taishi in a real nanobot: the real agent loop and its real provider, a scripted model behind."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support import scripted_week as week
from support.scripted_model import Reply, ScriptedModel
from taishi import Memory, Scope
from taishi.adapters.nanobot import MemoryStore, NanobotMemory
from taishi.errors import InputError

nanobot = pytest.importorskip(
    "nanobot.nanobot",
    reason="nanobot is not installed; its pins are its own: make test-frameworks",
)
pytestmark = pytest.mark.filterwarnings("default")


def says(text: str, tool: str = "", arguments: dict[str, Any] | None = None) -> Reply:
    """An answer as a stream, which is how nanobot asks."""
    delta: dict[str, Any] = {"role": "assistant", "content": text}
    if tool:
        function = {"name": tool, "arguments": json.dumps(arguments or {})}
        delta["tool_calls"] = [
            {"index": 0, "id": "call_1", "type": "function", "function": function}
        ]
    reason = "tool_calls" if tool else "stop"
    chunks = [_chunk(delta, None), _chunk({}, reason), "[DONE]"]
    return Reply(200, "".join(f"data: {one}\n\n" for one in chunks))


def _chunk(delta: dict[str, Any], reason: str | None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
    return json.dumps({**chunk, "choices": [choice]})


@pytest.fixture
def clock() -> week.Clock:
    return week.Clock()


@pytest.fixture
def memory(open_memory: Callable[..., Memory], clock: week.Clock) -> Memory:
    changes = {"query.recall_timeout": 10.0, "memory.timezone": week.TIMEZONE}
    return open_memory(changes, clock=clock)


@pytest.fixture
def server() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture
def bot(tmp_path: Path, server: ScriptedModel) -> Any:
    config = {
        "agents": {
            "defaults": {
                "workspace": str(tmp_path / "workspace"),
                "model": "scripted",
                "provider": "custom",
            }
        },
        "providers": {"custom": {"apiKey": "k", "apiBase": server.url}},
    }
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config), encoding="utf-8")
    return nanobot.Nanobot.from_config(file)


def say(bot: Any, server: ScriptedModel, said: week.Said, *answers: Reply) -> str:
    """One message through the loop; the user's message as the model saw it."""
    server.script.extend(answers or [says(said.reply or "...")])
    chat = str(said.chat.group or said.chat.user)
    before = len(server.requests)
    asyncio.run(
        bot.run(
            said.text, session_key=f"qq:{chat}", channel="qq", chat_id=chat, sender_id=said.user
        )
    )
    content = server.requests[before].body["messages"][-1]["content"]
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def test_T3_a_week_through_the_real_loop(
    bot: Any, server: ScriptedModel, memory: Memory, clock: week.Clock
) -> None:
    NanobotMemory(memory, bot_name=week.BOT_NAME).connect(bot)
    for said in week.TURNS:
        clock.now = said.epoch
        say(bot, server, said)
    assert memory.drain(60)
    for session in bot.sessions.list():
        bot.sessions.delete(session.key)  # what is known now, the memory knows
    for question in week.QUESTIONS:
        clock.now = question.epoch
        for asked in (question, *week.asked_everywhere(question)):
            week.check_block(asked.chat, say(bot, server, asked), asked.expects)


def test_without_the_memory_the_same_questions_find_nothing(
    bot: Any, server: ScriptedModel
) -> None:
    for question in week.QUESTIONS:
        assert not any(word in say(bot, server, question) for word in question.expects)


def test_a_tool_run_is_an_observation(bot: Any, server: ScriptedModel, memory: Memory) -> None:
    NanobotMemory(memory).connect(bot)
    said = week.TURNS[3]
    say(bot, server, said, says("", "list_dir", {"path": "."}), says("done"))
    assert memory.drain(30)
    seen = memory.records.list(Scope(group="qq:1001"), kinds=["observation"]).records
    assert len(seen) == 1 and "list_dir" in seen[0].text


def test_MEMORY_md_is_kept_as_the_agents_note(
    bot: Any, server: ScriptedModel, memory: Memory
) -> None:
    NanobotMemory(memory).connect(bot)
    bot.memory.write("# Me\n- I answer briefly.")
    say(bot, server, week.TURNS[3])
    note = memory.notes.read(Scope(agent="nanobot"))
    assert note is not None and "briefly" in note.text


def test_it_can_be_taken_out_again(bot: Any, server: ScriptedModel, memory: Memory) -> None:
    disconnect = NanobotMemory(memory).connect(bot)
    disconnect()
    disconnect()
    say(bot, server, week.TURNS[3])
    assert memory.drain(30)
    assert memory.partitions() == []


def test_our_store_takes_the_place_of_nanobots(
    bot: Any, server: ScriptedModel, memory: Memory, tmp_path: Path
) -> None:
    """`context.memory` is what nanobot reads MEMORY.md from, and its SDK writes it to."""
    bot._loop.context.memory = MemoryStore(tmp_path, memory)
    bot.memory.write("- The boat is red")
    assert bot.memory.read() == "- The boat is red"
    first = bot.memory.append_history("painted the boat", session_key="qq:1001")
    assert first == 1
    say(bot, server, week.TURNS[3])
    system = server.requests[-1].body["messages"][0]["content"]
    assert "The boat is red" in json.dumps(system, ensure_ascii=False)


def test_something_else_is_refused_with_what_to_do(memory: Memory) -> None:
    with pytest.raises(InputError, match="MemoryStore"):
        NanobotMemory(memory).connect(object())
