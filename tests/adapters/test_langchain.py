"""The LangChain retriever, by LangChain's own standard tests, and the middleware in real agents."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import RetrieversIntegrationTests
from langgraph.checkpoint.memory import InMemorySaver

from support.scripted_upstream import Reply, ScriptedUpstream, completion
from taishi import AsyncMemory, InputError, Memory, Scope, ScopeError
from taishi.adapters.langchain import TaishiMiddleware, TaishiRetriever, scope_of_context

ANN, BOB = Scope(user="ann"), Scope(user="bob")
OPENING = "=== Memory"
QUESTION = "Where did I move to?"


@dataclass(frozen=True, slots=True)
class Person:
    user_id: str


class TestTaishiRetriever(RetrieversIntegrationTests):
    """LangChain's own, as they are."""

    @pytest.fixture(autouse=True)
    def fill(self, memory: Memory) -> None:
        for text in ("Ann likes tea", "Ben likes tea with milk", "Tea grows in Assam and Yunnan"):
            memory.remember(ANN, text)
        memory.remember(ANN, "The oven has two doors")
        memory.drain()
        self.memory = memory

    @property
    def retriever_constructor(self) -> type[TaishiRetriever]:
        return TaishiRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self.memory, "scope": ANN}

    @property
    def retriever_query_example(self) -> str:
        return "Who likes tea?"


def test_a_document_says_where_it_is_from(memory: Memory) -> None:
    id = memory.remember(
        ANN,
        "Ann lives in Cork",
        source="import-7",
        speaker="Ann",
        time="2026-03-02T10:00+00:00",
        metadata={"page": 3},
    )
    (found,) = TaishiRetriever(memory=memory, scope=ANN).invoke("Where does Ann live?")
    assert found.id == id and found.page_content == "Ann lives in Cork"
    assert found.metadata["source"] == "import-7" and found.metadata["page"] == 3
    assert found.metadata["kind"] == "fact" and found.metadata["speaker"] == "Ann"
    assert found.metadata["time"].startswith("2026-03-02T") and found.metadata["score"] > 0


async def test_S3_a_retriever_sees_its_scope_and_its_kinds(memory: Memory) -> None:
    memory.remember(ANN, "Ann lives in Cork")
    memory.remember(ANN, "Ann wrote that she lives well", kind="note")
    assert TaishiRetriever(memory=memory, scope=BOB).invoke("Where does Ann live?") == []
    notes = TaishiRetriever(memory=AsyncMemory(memory), scope=ANN, kinds=["note"])
    found = await notes.ainvoke("Where does Ann live?")
    assert [one.metadata["kind"] for one in found] == ["note"]


@pytest.mark.parametrize("wrong", [{"bogus": 1}, {"k": 0}, {"top_k": 3}])
def test_what_a_retriever_does_not_know_is_refused(memory: Memory, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        TaishiRetriever(memory=memory, scope=ANN, **wrong)


async def test_a_retriever_takes_filters_when_made_and_when_asked(memory: Memory) -> None:
    for topic in ("home", "work"):
        memory.remember(ANN, f"Ann has a desk at {topic}", kind="note", metadata={"topic": topic})
    home = TaishiRetriever(memory=memory, scope=ANN, filters={"metadata.topic": "home"})
    asked = {"filters": {"metadata.topic": "work"}, "k": 1}
    for given, found in (({}, "home"), (asked, "work")):
        (one,) = home.invoke("desk", **given)
        (same,) = await home.ainvoke("desk", **given)
        assert one.page_content == same.page_content == f"Ann has a desk at {found}"
    with pytest.raises(InputError, match="k must be at least 1"):
        home.invoke("desk", k=0)


# -- agents --------------------------------------------------------------------------------------


@pytest.fixture
def upstream() -> Iterator[ScriptedUpstream]:
    with ScriptedUpstream() as server:
        yield server


@pytest.fixture
def model(upstream: ScriptedUpstream) -> ChatOpenAI:
    alone = {"Connection": "close"}
    return ChatOpenAI(
        model="scripted", base_url=upstream.url, api_key="k", max_retries=0, default_headers=alone
    )


@pytest.fixture(params=["invoke", "ainvoke"])
def ask(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """An agent's answer, asked with and without asyncio."""

    async def ask_it(agent: Any, text: Any, **options: Any) -> Any:
        given = {"messages": [text if isinstance(text, HumanMessage) else HumanMessage(text)]}
        if request.param == "ainvoke":
            return await agent.ainvoke(given, **options)
        return await asyncio.to_thread(agent.invoke, given, **options)

    return ask_it


def sent(upstream: ScriptedUpstream) -> list[Any]:
    return [one["content"] for one in upstream.chats[-1].body["messages"]]


async def test_what_was_told_once_is_known_in_the_next_thread(
    either_memory: Memory, model: ChatOpenAI, upstream: ScriptedUpstream, ask: Callable[..., Any]
) -> None:
    saver = InMemorySaver()
    agent = create_agent(
        model,
        middleware=[TaishiMiddleware(either_memory)],
        context_schema=Person,
        checkpointer=saver,
    )

    def thread(name: str, user: str) -> dict[str, Any]:
        return {"config": {"configurable": {"thread_id": name}}, "context": Person(user)}

    await ask(agent, "I moved to Cork in May.", **thread("t1", "ann"))
    assert sent(upstream) == ["I moved to Cork in May."]
    either_memory.drain()
    after = await ask(agent, QUESTION, **thread("t2", "ann"))
    (said,) = sent(upstream)
    assert said.startswith(OPENING) and "Cork" in said and said.endswith(QUESTION)
    assert [one.text for one in after["messages"]] == [QUESTION, "Noted."], "state has no block"
    assert "Cork" not in str(saver.get(thread("t2", "ann")["config"])), "nor has a checkpoint"
    await ask(agent, QUESTION, **thread("t3", "bob"))
    assert sent(upstream) == [QUESTION], "what Ann said is not Bob's"


async def test_the_block_is_there_after_tools_ran_as_well(
    memory: Memory, model: ChatOpenAI, upstream: ScriptedUpstream, ask: Callable[..., Any]
) -> None:
    @tool
    def weather(city: str) -> str:
        """The weather in a city."""
        return f"rain in {city}"

    memory.remember(ANN, "Ann moved to Cork")
    function = {"name": "weather", "arguments": '{"city": "Cork"}'}
    call = {"id": "call_1", "type": "function", "function": function}
    upstream.script.append(Reply(200, completion(None, tool_calls=[call])))
    agent = create_agent(model, [weather], middleware=[TaishiMiddleware(memory, ANN)])
    await ask(agent, QUESTION)
    first, second = (one.body["messages"] for one in upstream.chats)
    assert [one["role"] for one in second] == ["user", "assistant", "tool"]
    assert first[0]["content"].startswith(OPENING) and second[0] == first[0]


async def test_a_message_of_parts_gets_the_block_as_a_part(
    memory: Memory, model: ChatOpenAI, upstream: ScriptedUpstream, ask: Callable[..., Any]
) -> None:
    memory.remember(ANN, "Ann moved to Cork")
    agent = create_agent(model, middleware=[TaishiMiddleware(memory, ANN)])
    await ask(agent, HumanMessage([{"type": "text", "text": QUESTION}]))
    ((block, question),) = sent(upstream)
    assert block["text"].startswith(OPENING) and question["text"] == QUESTION


async def test_the_scope_may_be_given_or_made(
    memory: Memory, model: ChatOpenAI, upstream: ScriptedUpstream, ask: Callable[..., Any]
) -> None:
    memory.remember(Scope(group="kitchen"), "Ann moved to Cork")

    def scope(context: Any) -> Scope:
        return Scope(group=context["room"], user="ann")

    agent = create_agent(model, middleware=[TaishiMiddleware(memory, scope, max_tokens=300)])
    await ask(agent, QUESTION, context={"room": "kitchen"})
    assert "Cork" in sent(upstream)[0]
    await ask(agent, QUESTION, context={"room": "hall"})
    assert sent(upstream) == [QUESTION]


def test_the_scope_of_a_context() -> None:
    assert scope_of_context({"user": "ann", "group_id": "g1"}) == Scope(user="ann", group="g1")
    assert scope_of_context(Person("ann")) == ANN
    for nobody in (None, {}, {"user_id": ""}, object()):
        with pytest.raises(ScopeError, match="who is speaking"):
            scope_of_context(nobody)


async def test_a_turn_is_kept_once_and_only_if_asked_for(
    either_memory: Memory, model: ChatOpenAI, ask: Callable[..., Any]
) -> None:
    silent = create_agent(model, middleware=[TaishiMiddleware(either_memory, ANN, learn=False)])
    await ask(silent, "I moved to Cork in May.")
    either_memory.drain()
    assert either_memory.recall(ANN, QUESTION).hits == ()
    agent = create_agent(model, middleware=[TaishiMiddleware(either_memory, ANN)])
    told = HumanMessage("I moved to Cork in May.", id="m1", name="Ann")
    for _ in range(2):
        await ask(agent, told)
    either_memory.drain()
    assert either_memory.status()["jobs"]["done"] == 1
    assert "Ann" in either_memory.recall(ANN, QUESTION).hits[0].text


async def test_a_memory_that_fails_does_not_stop_the_agent(
    memory: Memory,
    model: ChatOpenAI,
    upstream: ScriptedUpstream,
    ask: Callable[..., Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    memory.close()
    agent = create_agent(model, middleware=[TaishiMiddleware(memory, ANN)])
    with caplog.at_level(logging.WARNING, "taishi.adapters"):
        answered = await ask(agent, "I moved to Cork.")
    assert isinstance(answered["messages"][-1], AIMessage) and sent(upstream) == [
        "I moved to Cork."
    ]
    assert any("a turn was not kept" in line for line in caplog.messages)


async def test_a_question_that_memory_cannot_take_does_not_stop_the_agent(
    memory: Memory,
    model: ChatOpenAI,
    ask: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse(*_: Any, **__: Any) -> str:
        raise InputError("this cannot be sent as JSON")

    monkeypatch.setattr(memory, "context", refuse)
    agent = create_agent(model, middleware=[TaishiMiddleware(memory, ANN)])
    answered = await ask(agent, "I moved to Cork.")
    assert answered["messages"][-1].text == "Noted." and "recall failed" in caplog.text
    with pytest.raises(ScopeError, match="who is speaking"):
        await ask(create_agent(model, middleware=[TaishiMiddleware(memory)]), "I moved to Cork.")
