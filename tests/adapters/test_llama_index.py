"""The memory block inside LlamaIndex's own `Memory`, and in a real chat engine."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import InsertMethod
from llama_index.core.memory import Memory as ChatMemory
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import StaticPool

from taishi import AsyncMemory, Memory, Scope
from taishi.adapters.llama_index import TaishiMemoryBlock

ANN, BOB = Scope(user="ann"), Scope(user="bob")
OPENING = "=== Memory"
QUESTION = "Where did I move to?"
MakeMemory = Callable[..., ChatMemory]


def said(text: str) -> ChatMessage:
    return ChatMessage(role="user", content=text)


def answered(text: str) -> ChatMessage:
    return ChatMessage(role="assistant", content=text)


@pytest.fixture
async def chat_memory() -> AsyncIterator[MakeMemory]:
    """Makes LlamaIndex's memory with our block in it, and closes its database afterwards."""
    engines: list[AsyncEngine] = []

    def make(memory: Any, scope: Scope = ANN, **options: Any) -> ChatMemory:
        block = TaishiMemoryBlock(memory=memory, scope=scope, **options.pop("block", {}))
        engines.append(create_async_engine("sqlite+aiosqlite://", poolclass=StaticPool))
        return ChatMemory.from_defaults(
            session_id="s1",
            memory_blocks=[block],
            insert_method=InsertMethod.USER,
            async_engine=engines[-1],
            **options,
        )

    yield make
    for engine in engines:
        await engine.dispose()


async def test_what_is_known_goes_into_the_users_turn(
    memory: Memory, chat_memory: MakeMemory
) -> None:
    memory.remember(ANN, "Ann moved to Cork")
    chat = chat_memory(memory)
    await chat.aput(said(QUESTION))
    (message,) = await chat.aget()
    assert OPENING in message.content and "Ann moved to Cork" in message.content
    assert message.content.endswith(QUESTION)
    stranger = chat_memory(AsyncMemory(memory), BOB)
    assert [one.content for one in await stranger.aget(input=QUESTION)] == []
    await stranger.aput(said(QUESTION))
    assert [one.content for one in await stranger.aget()] == [QUESTION]


async def test_a_question_that_is_not_in_the_history_yet(
    memory: Memory, chat_memory: MakeMemory
) -> None:
    memory.remember(ANN, "Ann moved to Cork")
    (message,) = await chat_memory(memory).aget(input=QUESTION)
    assert "Ann moved to Cork" in message.content


async def test_messages_that_leave_the_history_are_learned(
    memory: Memory, chat_memory: MakeMemory
) -> None:
    chat = chat_memory(memory, token_limit=60, token_flush_size=20)
    await chat.aput_messages([said("I moved to Cork in May."), answered("Noted, you did.")])
    for n in range(6):
        await chat.aput_messages([said(f"What is {n} plus {n}?"), answered(f"It is {2 * n}.")])
    memory.drain()
    assert "Cork" in memory.recall(ANN, QUESTION).hits[0].text


async def test_the_rest_is_learned_when_it_is_handed_over_and_once(
    either_memory: Memory, chat_memory: MakeMemory
) -> None:
    chat = chat_memory(either_memory)
    talk = [
        answered("How can I help?"),
        said("I moved to Cork in May."),
        answered("Noted."),
        answered("Anything else?"),
        said("My cat is called Miso."),
    ]
    await chat.aput_messages(talk)
    (block,) = chat.memory_blocks
    for _ in range(2):
        await block.aput(await chat.aget_all(), session_id="s1")
    either_memory.drain()
    assert either_memory.status()["jobs"]["done"] == 2
    for question, expected in ((QUESTION, "Cork"), ("What is my cat called?", "Miso")):
        assert expected in either_memory.recall(ANN, question).hits[0].text
    assert either_memory.recall(BOB, QUESTION).hits == ()


async def test_a_block_may_decline_what_leaves_the_history(
    memory: Memory, chat_memory: MakeMemory
) -> None:
    options = {"accept_short_term_memory": False}
    chat = chat_memory(memory, token_limit=60, token_flush_size=20, block=options)
    for n in range(6):
        await chat.aput_messages([said(f"I moved to Cork in {2000 + n}."), answered("Noted.")])
    memory.drain()
    assert memory.recall(ANN, QUESTION).hits == ()


async def test_the_block_keeps_to_its_budget(memory: Memory) -> None:
    for n in range(30):
        memory.remember(ANN, f"Ann moved to a house with {n} windows")
    small = TaishiMemoryBlock(memory=memory, scope=ANN, max_tokens=150)
    text = await small.aget([said("Where did Ann move to?")])
    assert text.startswith(OPENING) and len(text) < 900
    assert await small.aget([answered("Hello")]) == "" and await small.aget() == ""


async def test_a_chat_engine_asks_with_what_is_known(
    memory: Memory, chat_memory: MakeMemory
) -> None:
    memory.remember(ANN, "Ann moved to Cork")
    engine = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=chat_memory(memory))
    reply = str(await engine.achat(QUESTION))  # the mock repeats its prompt
    assert "Ann moved to Cork" in reply and QUESTION in reply


async def test_a_memory_that_fails_does_not_stop_the_chat(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    memory.close()
    block = TaishiMemoryBlock(memory=memory, scope=ANN)
    with caplog.at_level(logging.WARNING, "taishi.adapters"):
        assert await block.aget([said(QUESTION)]) == ""
        await block.aput([said("I moved to Cork.")])
    assert len(caplog.messages) == 2
