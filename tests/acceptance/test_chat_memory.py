"""What plugins of chat-bot frameworks stand on: one rule for what a turn leaves behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from support.scripted_model import ScriptedModel
from taishi import Memory, Message, Scope
from taishi.adapters.agent_turns import record_messages
from taishi.adapters.chat_memory import ChatMemory
from taishi.errors import SettingsError

ANN = Scope(user="qq:7")
CAT = "我养了一只猫，叫墨水。"


def test_without_a_model_statements_are_stored_and_questions_are_not(memory: Memory) -> None:
    said = [Message(f"你好！{CAT}它叫什么来着？", "安"), Message("我喜欢狗。", "小史")]
    id = record_messages(memory, ANN, said, bot_name="小史", sender_name="安")
    assert id is not None and memory.drain(30)
    [event] = memory.search_events(ANN, "猫").hits
    assert "墨水" in event.text and "来着" not in event.text
    assert "狗" not in event.text, "the bot's own words are no evidence"


@pytest.mark.parametrize("text", ["", "你好", "在吗？", "  "])
def test_a_turn_without_a_statement_leaves_nothing(memory: Memory, text: str) -> None:
    assert record_messages(memory, ANN, [Message(text, "安")], bot_name="小史") is None
    assert record_messages(memory, ANN, [Message("我是机器人。", "小史")], bot_name="小史") is None
    assert memory.status()["queue"]["pending"] == 0


def test_W9_with_a_model_it_decides(open_memory: Callable[..., Memory]) -> None:
    with ScriptedModel() as server:
        model = {"models.chat.api_url": server.url, "models.chat.model_name": "scripted"}
        memory = open_memory(model)
        assert record_messages(memory, ANN, [Message("在吗？", "安")], bot_name="小史") is not None
        assert memory.drain(60)
        assert server.requests, "the question, too, was put to the model"


def test_a_plugin_opens_it_reads_and_forgets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")

    async def story() -> None:
        options = {"query.recall_timeout": 10.0}
        chat = await ChatMemory.open(tmp_path / "data", "小史", overrides=options)
        await chat.record(ANN, CAT, "真好听。", sender_name="安", message_id="m1")
        assert await asyncio.to_thread(chat.memory.drain, 30)
        assert "墨水" in await chat.block(ANN, "猫叫什么？")
        assert await chat.block(ANN, "  ") == ""
        assert await chat.block(Scope(user="qq:8"), "猫叫什么？") == ""
        assert "猫" in await chat.page_of(ANN)
        assert await chat.forget_person(Scope(user="qq:7", group="qq:900")) > 0
        assert await chat.page_of(ANN) == ""
        assert await chat.block(ANN, "猫叫什么？") == ""
        [deletion] = chat.memory.deletions.list(limit=1)
        assert (deletion.actor, deletion.door) == ("person", "chat")
        await chat.close()

    asyncio.run(story())


def test_C4_a_store_that_cannot_be_opened_leaves_the_chat_alive(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder", encoding="utf-8")

    async def story() -> str:
        chat = await ChatMemory.open(tmp_path / "data")
        await chat.record(ANN, CAT)
        return await chat.block(ANN, "猫")

    assert asyncio.run(story()) == ""


def test_settings_that_are_wrong_are_an_error_for_the_plugin_to_show(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="did you mean"):
        asyncio.run(ChatMemory.open(tmp_path, overrides={"query.top": 1}))


def test_standing_instructions_and_events_of_a_group_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page has neither; who asks "what do you know of me" is told them all the same."""
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    group, other = Scope(user="qq:7", group="qq:900"), Scope(user="qq:8", group="qq:900")

    async def story() -> None:
        chat = await ChatMemory.open(tmp_path / "data", "小史")
        assert await chat.page_of(group) == ""
        await chat.record(group, "以后都用英文回答我。", sender_name="安")
        await chat.record(group, "周六早上七点在东湖码头集合。", sender_name="安")
        await chat.record(other, "我带了望远镜过来。", sender_name="白")
        assert await asyncio.to_thread(chat.memory.drain, 30)
        listed = await chat.page_of(group)
        assert "英文" in listed and "东湖码头" in listed
        assert "望远镜" not in listed, "that is said by somebody else"
        await chat.close()

    asyncio.run(story())


@pytest.mark.parametrize(
    ("name", "said", "fact", "events"),
    [
        ("安", "我不吃香菜。", "安不吃香菜", 0),
        ("安", "我住在杭州，在出版社上班。", "安住在杭州", 1),
        ("Ann", "I'm allergic to nuts.", "Ann is allergic to nuts", 0),
        ("Ann", "I live in Bergen and I have a dog.", "Ann lives in Bergen", 1),
        ("Ann", "I live in Bergen. The boat sank.", "Ann lives in Bergen", 1),
    ],
)
def test_an_event_is_listed_if_it_says_more_than_the_fact_that_was_learned_from_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    said: str,
    fact: str,
    events: int,
) -> None:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")

    async def story() -> list[str]:
        chat = await ChatMemory.open(tmp_path / "data", "bot")
        await chat.record(ANN, said, sender_name=name)
        assert await asyncio.to_thread(chat.memory.drain, 30)
        page = await chat.page_of(ANN)
        await chat.close()
        return page.splitlines()

    lines = asyncio.run(story())
    assert f"- {fact}" in lines
    assert len([line for line in lines if "UTC" in line]) == events
