"""What every adapter is given is checked when it is made: memory, scope, the person's name."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from taishi import InputError, Memory, MissingExtraError, Scope, ScopeError
from taishi.settings import load

OFFLINE = {"models.embedding.kind": "none", "query.recall_timeout": 10.0}
ANN = Scope(user="u7")
SAID = "I moved to Cork."
# A module of taishi.adapters, what of it takes a memory and a scope, and whether as keywords.
WITH_SCOPE = [
    ("langgraph", "TaishiStore"),
    ("langchain", "TaishiMiddleware"),
    ("llama_index", "TaishiMemoryBlock"),
    ("openai_agents", "TaishiSession"),
    ("openai_agents", "TaishiRunHooks"),
    ("openai_agents", "recall_input"),
    ("pydantic_ai", "TaishiMemoryStore"),
    ("pydantic_ai", "TaishiRecall"),
    ("agent_framework", "TaishiContextProvider"),
    ("agent_framework", "TaishiHistoryProvider"),
    ("strands", "TaishiMemoryStore"),
    ("autogen", "TaishiMemory"),
    ("crewai", "memory_tools"),
    ("anthropic", "TaishiMemoryTool"),
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "data", load(environ={}, overrides=OFFLINE)) as opened:
        yield opened


def adapter_of(module: str) -> Any:
    try:
        return importlib.import_module(f"taishi.adapters.{module}")
    except MissingExtraError as error:
        pytest.skip(str(error))


def maker(module: str, name: str) -> Callable[[Any, Any], Any]:
    made = getattr(adapter_of(module), name)
    if module == "llama_index":
        return lambda memory, scope: made(memory=memory, scope=scope)
    return lambda memory, scope: made(memory, scope)


@pytest.mark.parametrize(("module", "name"), WITH_SCOPE)
def test_T3_a_wrong_memory_or_scope_is_refused_at_once(
    module: str, name: str, memory: Memory
) -> None:
    make = maker(module, name)
    make(memory, Scope(user="u7", session="s1"))
    with pytest.raises(InputError, match=r"memory must be an open memory.*not str"):
        make("./data", Scope(user="u7", session="s1"))
    with pytest.raises(InputError, match=r"Scope\(user="):
        make(memory, "ann")


@pytest.mark.parametrize(
    ("ttl", "what"),
    [
        (60, "default_ttl"),
        ({"defualt_ttl": 60}, "defualt_ttl"),
        ({"default_ttl": "60"}, "minutes"),
        ({"default_ttl": True}, "minutes"),
        ({"default_ttl": 0}, "minutes"),
    ],
)
def test_T3_a_store_refuses_times_to_live_that_mean_nothing(
    memory: Memory, ttl: Any, what: str
) -> None:
    store = adapter_of("langgraph").TaishiStore
    with pytest.raises(InputError, match=what):
        store(memory, ANN, ttl=ttl)
    for good in (None, {}, {"default_ttl": 60}, {"default_ttl": 0.5, "refresh_on_read": False}):
        store(memory, ANN, ttl=good)


def test_T3_a_store_refuses_a_text_for_a_time_or_a_namespace(memory: Memory) -> None:
    langgraph = adapter_of("langgraph")
    from langgraph.store.base import InvalidNamespaceError

    store = langgraph.TaishiStore(memory, ANN)
    with pytest.raises(InputError, match="minutes"):
        store.put(("users",), "ann", {"a": 1}, ttl="60")
    for call in (
        lambda: store.put("users", "ann", {"a": 1}),
        lambda: store.get("users", "ann"),
        lambda: store.search("users"),
    ):
        with pytest.raises(InvalidNamespaceError, match="tuple"):
            call()


def openai_agents(memory: Memory, **name: Any) -> None:
    hooks = adapter_of("openai_agents").TaishiRunHooks
    run = SimpleNamespace(context="Ann", turn_input=[{"role": "user", "content": SAID}])
    asyncio.run(hooks(memory, ANN, **name).on_agent_end(run, None, "Noted."))


def pydantic_ai(memory: Memory, **name: Any) -> None:
    recall = adapter_of("pydantic_ai").TaishiRecall(memory, ANN, **name)
    run = SimpleNamespace(prompt=SAID, deps="Ann")
    asyncio.run(recall.after_run(run, result=SimpleNamespace(output="Noted.")))


def langchain(memory: Memory, **name: Any) -> None:
    adapter = adapter_of("langchain")
    from langchain_core.messages import AIMessage, HumanMessage

    messages = [HumanMessage(SAID), AIMessage("Noted.")]
    adapter.TaishiMiddleware(memory, ANN, **name).after_agent(
        {"messages": messages}, SimpleNamespace(context="Ann")
    )


def llama_index(memory: Memory, **name: Any) -> None:
    adapter = adapter_of("llama_index")
    from llama_index.core.base.llms.types import ChatMessage

    block = adapter.TaishiMemoryBlock(memory=memory, scope=ANN, **name)
    asyncio.run(block.aput([ChatMessage(SAID, role="user")]))


def strands(memory: Memory, **name: Any) -> None:
    adapter = adapter_of("strands")
    store = adapter.TaishiMemoryStore(memory, ANN, **name)
    asyncio.run(store.add_messages([{"role": "user", "content": [{"text": SAID}]}]))


def autogen(memory: Memory, **name: Any) -> None:
    adapter = adapter_of("autogen")
    from autogen_core.model_context import BufferedChatCompletionContext
    from autogen_core.models import UserMessage

    async def run() -> None:
        context = BufferedChatCompletionContext(10)
        await context.add_message(UserMessage(content=SAID, source="user"))
        await adapter.TaishiMemory(memory, ANN, **name).update_context(context)

    asyncio.run(run())


def agent_framework(memory: Memory, **name: Any) -> None:
    adapter = adapter_of("agent_framework")
    from agent_framework import AgentSession, Message

    run = SimpleNamespace(
        input_messages=[Message("user", [SAID])], response=SimpleNamespace(text="Noted.")
    )
    provider = adapter.TaishiContextProvider(memory, ANN, **name)
    asyncio.run(
        provider.after_run(agent=None, session=AgentSession(session_id="s"), context=run, state={})
    )


def google_adk(memory: Memory, sender_name: Any) -> None:
    adapter = adapter_of("google_adk")
    from google.adk.events import Event
    from google.genai import types

    said = types.Content(role="user", parts=[types.Part(text=SAID)])
    service = adapter.TaishiMemoryService(
        memory, sender_name=sender_name and (lambda id: {"u7": "Ann"}[id])
    )
    events = [Event(author="user", content=said)]
    asyncio.run(service.add_events_to_memory(app_name="default", user_id="u7", events=events))


RUNS = [
    openai_agents,
    pydantic_ai,
    langchain,
    llama_index,
    strands,
    autogen,
    agent_framework,
    google_adk,
]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("name", ["Ann", None])
def test_T3_a_person_is_called_by_the_name_that_the_host_gives(
    run: Callable[..., None], name: str | None, memory: Memory
) -> None:
    run(memory, sender_name=name)
    memory.drain()
    (fact,) = memory.facts.list(ANN)
    assert fact.text == f"{name or 'u7'} lives in Cork"
    block = memory.context(ANN, "Where do I live?")
    assert ("(u7, Ann)" if name else "(u7)") in block


@pytest.mark.parametrize("run", [openai_agents, pydantic_ai, langchain])
def test_T3_the_name_may_depend_on_the_run(run: Callable[..., None], memory: Memory) -> None:
    run(memory, sender_name=lambda run: getattr(run, "deps", run))
    memory.drain()
    assert [fact.text for fact in memory.facts.list(ANN)] == ["Ann lives in Cork"]


@pytest.mark.parametrize("module", ["openai_agents", "pydantic_ai", "langchain"])
def test_T3_a_run_of_nobody_is_an_error(module: str, memory: Memory) -> None:
    adapter = adapter_of(module)
    run = SimpleNamespace(context=None, turn_input=[], prompt=SAID)
    if module == "openai_agents":
        hooks = adapter.TaishiRunHooks(memory, lambda context: None)
        with pytest.raises(ScopeError, match="who is speaking"):
            asyncio.run(hooks.on_agent_end(run, None, "x"))
    elif module == "pydantic_ai":
        with pytest.raises(ScopeError, match="who is speaking"):
            asyncio.run(
                adapter.TaishiRecall(memory, lambda ctx: None).after_run(
                    run, result=SimpleNamespace(output="x")
                )
            )
    else:
        from langchain_core.messages import HumanMessage

        middleware = adapter.TaishiMiddleware(memory, lambda context: None)
        with pytest.raises(ScopeError, match="who is speaking"):
            middleware.after_agent({"messages": [HumanMessage(SAID)]}, run)


def test_T3_a_name_is_a_text(memory: Memory) -> None:
    hooks = adapter_of("openai_agents").TaishiRunHooks
    with pytest.raises(InputError, match="sender_name"):
        hooks(memory, ANN, sender_name=5)
