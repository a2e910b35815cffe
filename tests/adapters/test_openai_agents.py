"""`TaishiSession` as the OpenAI Agents SDK uses one: what a session has to do, and real runs over
HTTP with recall before the model and a turn kept after it."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from agents.memory import Session, SessionSettings
from openai import AsyncOpenAI

from support.running_app import RunningApp
from support.scripted_upstream import Reply, ScriptedUpstream, completion
from taishi import AsyncMemory, InputError, Memory, Scope
from taishi.adapters.openai_agents import TaishiRunHooks, TaishiSession, recall_input
from taishi.api_keys import Keys
from taishi.errors import UnreachableError
from taishi.server.app import create_app

HERE = Scope(user="ann", session="s1")
KEY = "sk-proj-9hGq2LrX8vTn5KdW3mZp7RbY1cFs6JaU4eHo0TgVxNiQwPlE"
OPENING = "=== Memory"
ENGINES = ("folder", "postgres")
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "weather",
    "arguments": '{"city": "Cork"}',
    "status": "completed",
}
ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": "Hello"},
    {"role": "developer", "content": "Be brief."},
    {
        "role": "user",
        "content": [
            {"type": "input_text", "text": "What is this?"},
            {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0K", "detail": "low"},
        ],
    },
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABo"},
    CALL,
    {"type": "function_call_output", "call_id": "call_1", "output": "rain, 12 °C"},
    {"type": "function_call_output", "call_id": "call_2", "output": [{"type": "input_text"}]},
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"n": 1.5}},
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "It rains. 在下雨。", "annotations": []}],
    },
]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def session(memory: Memory) -> TaishiSession:
    return TaishiSession(memory, HERE)


@pytest.fixture
def upstream() -> Iterator[ScriptedUpstream]:
    set_tracing_disabled(True)
    with ScriptedUpstream() as server:
        yield server


@pytest.fixture
async def agent(upstream: ScriptedUpstream) -> AsyncIterator[Agent[Any]]:
    # No connection outlives the event loop of `run_sync`.
    alone = {"Connection": "close"}
    client = AsyncOpenAI(base_url=upstream.url, api_key="k", max_retries=0, default_headers=alone)
    model = OpenAIChatCompletionsModel("scripted", client)
    yield Agent(name="Quill", instructions="Be brief.", model=model)
    await client.close()


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def contents(items: list[Any]) -> list[Any]:
    return [item["content"] for item in items]


# -- what a session has to do --------------------------------------------------------------------


def test_it_is_a_session_and_names_itself(memory: Memory) -> None:
    session = TaishiSession(memory, HERE)
    assert isinstance(session, Session) and session.session_id == "s1"
    assert session.session_settings == SessionSettings(limit=None)
    given = TaishiSession(memory, HERE, SessionSettings(limit=5))
    assert given.session_settings == SessionSettings(limit=5)


def test_a_scope_without_a_session_is_refused(memory: Memory) -> None:
    with pytest.raises(InputError, match="session="):
        TaishiSession(memory, Scope(user="ann"))


async def test_items_come_back_as_they_were_and_in_order(session: TaishiSession) -> None:
    await session.add_items(ITEMS)
    assert await session.get_items() == ITEMS
    await session.add_items(ITEMS[:1])
    assert await session.get_items() == [*ITEMS, ITEMS[0]], "the same item twice is two items"


async def test_odd_texts_come_back(session: TaishiSession) -> None:
    texts = [
        "こんにちは",
        "😊👍",
        "Привет",
        "O'Reilly",
        "Robert'); DROP TABLE messages;--",
        '"SELECT * FROM users WHERE name = "admin";"',
        "",
        " two\nlines\t",
    ]
    await session.add_items([user(text) for text in texts])
    assert contents(await session.get_items()) == texts


async def test_a_large_item_comes_back_whole(session: TaishiSession) -> None:
    output = [{"type": "input_text", "text": f"row {n}"} for n in range(2000)]
    item = {"type": "function_call_output", "call_id": "c1", "output": output}
    await session.add_items([item])
    assert await session.get_items() == [item]


async def test_the_latest_items_oldest_first(session: TaishiSession) -> None:
    assert await session.get_items() == []
    await session.add_items([user(str(n)) for n in range(6)])
    for limit, expected in ((2, "45"), (4, "2345"), (10, "012345"), (0, ""), (-1, "")):
        assert contents(await session.get_items(limit)) == list(expected), limit
    assert contents(await session.get_items(limit=1)) == ["5"]


async def test_more_items_than_one_page(session: TaishiSession) -> None:
    await session.add_items([user(str(n)) for n in range(2100)])
    assert contents(await session.get_items()) == [str(n) for n in range(2100)]
    assert contents(await session.get_items(1500)) == [str(n) for n in range(600, 2100)]


async def test_the_settings_limit_holds_unless_one_is_given(memory: Memory) -> None:
    session = TaishiSession(memory, HERE, SessionSettings(limit=3))
    await session.add_items([user(str(n)) for n in range(10)])
    assert contents(await session.get_items()) == ["7", "8", "9"]
    assert contents(await session.get_items(limit=2)) == ["8", "9"]


async def test_items_are_popped_from_the_end(session: TaishiSession) -> None:
    assert await session.pop_item() is None
    await session.add_items(ITEMS)
    for item in reversed(ITEMS):
        assert await session.pop_item() == item
    assert await session.pop_item() is None and await session.get_items() == []


async def test_clearing_is_for_one_session(memory: Memory, session: TaishiSession) -> None:
    other = TaishiSession(memory, Scope(user="ann", session="s2"))
    stranger = TaishiSession(memory, Scope(user="bob", session="s1"))
    for one, text in ((session, "one"), (other, "two"), (stranger, "three")):
        await one.add_items([user(text)])
    assert (await other.pop_item() or {})["content"] == "two"
    await session.clear_session()
    assert await session.get_items() == [] and await other.get_items() == []
    assert contents(await stranger.get_items()) == ["three"]
    await session.add_items([user("again")])
    assert contents(await session.get_items()) == ["again"]


async def test_the_run_context_is_taken_by_all_four(session: TaishiSession) -> None:
    context: Any = object()
    await session.add_items([user("one")], wrapper=context)
    assert contents(await session.get_items(wrapper=context)) == ["one"]
    assert await session.pop_item(wrapper=context) == user("one")
    await session.clear_session(wrapper=context)


async def test_items_of_many_threads_all_arrive(session: TaishiSession) -> None:
    def add(n: int) -> None:
        asyncio.run(session.add_items([user(f"{n}a"), user(f"{n}b")]))

    with ThreadPoolExecutor(5) as pool:
        list(pool.map(add, range(20)))
    found = contents(await session.get_items())
    assert sorted(found) == sorted(f"{n}{half}" for n in range(20) for half in "ab")
    for n in range(20):
        assert found.index(f"{n}a") + 1 == found.index(f"{n}b"), "one call stays together"


async def test_another_process_reads_on(open_memory: Callable[..., Memory]) -> None:
    first = open_memory()
    await TaishiSession(first, HERE).add_items(ITEMS)
    first.close()
    assert await TaishiSession(open_memory(), HERE).get_items() == ITEMS


async def test_an_async_memory_serves_as_well(memory: Memory) -> None:
    session = TaishiSession(AsyncMemory(memory), HERE)
    await session.add_items(ITEMS)
    assert await session.get_items() == ITEMS


async def test_R1_secrets_are_not_stored_and_that_is_told(
    session: TaishiSession, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "taishi.adapters"):
        await session.add_items([user("nothing to hide")])
        assert caplog.messages == []
        spoken = {"type": "message", "role": "user", "content": [{"text": f"it is {KEY}"}]}
        await session.add_items([user(f"my key is {KEY}"), spoken])
    assert KEY not in str(await session.get_items()) and KEY not in caplog.text
    assert [line.rpartition(" at ")[2] for line in caplog.messages] == [
        "$.content",
        "$.content[0].text",
    ]


async def test_O2_forgetting_a_person_takes_the_items_along(
    memory: Memory, session: TaishiSession
) -> None:
    await session.add_items(ITEMS)
    memory.forget(Scope(user="ann"))
    assert await session.get_items() == []


async def test_an_item_that_is_none_is_refused(session: TaishiSession) -> None:
    with pytest.raises(InputError, match="must be a dict"):
        await session.add_items(["hello"])


@pytest.mark.parametrize("bad", [object(), {1, 2}, float("nan"), b"x"])
async def test_an_item_that_is_no_json_is_refused(either_memory: Memory, bad: Any) -> None:
    session = TaishiSession(either_memory, HERE)
    with pytest.raises(InputError, match="an item must be JSON"):
        await session.add_items([user("fine"), {"role": "user", "content": bad}])
    assert await session.get_items() == []


async def test_items_are_popped_on_a_server_as_in_a_folder(either_memory: Memory) -> None:
    session = TaishiSession(either_memory, HERE)
    assert await session.pop_item() is None
    await session.add_items(ITEMS)
    assert [await session.pop_item() for _ in ITEMS] == ITEMS[::-1]
    assert await session.get_items() == []


def test_it_is_typed_as_the_protocol_of_the_sdk_is() -> None:
    for name in ("get_items", "add_items", "pop_item", "clear_session"):
        asked, given = (inspect.signature(getattr(one, name)) for one in (Session, TaishiSession))
        assert given.return_annotation == asked.return_annotation, name
        for parameter in asked.parameters.values():
            assert given.parameters[parameter.name].annotation == parameter.annotation, name


# -- real runs -----------------------------------------------------------------------------------


async def run(how: str, agent: Agent[Any], text: Any, **options: Any) -> Any:
    if how == "run":
        return await Runner.run(agent, text, **options)
    if how == "run_sync":
        return await asyncio.to_thread(_run_sync, agent, text, options)
    result = Runner.run_streamed(agent, text, **options)
    async for _ in result.stream_events():
        pass
    return result


def _run_sync(agent: Agent[Any], text: Any, options: dict[str, Any]) -> Any:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        return Runner.run_sync(agent, text, **options)
    finally:
        asyncio.set_event_loop(None)
        loop.close()


HOW = pytest.mark.parametrize("how", ["run", "run_sync", "run_streamed"])
ON_A_FOLDER = pytest.mark.parametrize("engine", ["folder"], indirect=True)


def asked(upstream: ScriptedUpstream) -> list[Any]:
    """What the model was sent, without the instructions."""
    return [one["content"] for one in upstream.chats[-1].body["messages"][1:]]


@HOW
@ON_A_FOLDER
async def test_a_run_sees_what_was_said_before_in_its_session_alone(
    how: str, memory: Memory, session: TaishiSession, agent: Agent[Any], upstream: ScriptedUpstream
) -> None:
    first = await run(how, agent, "I like cats", session=session)
    assert first.final_output == "Noted."
    other = TaishiSession(memory, Scope(user="ann", session="s2"))
    await run(how, agent, "I like dogs", session=other)
    await run(how, agent, "What do I like?", session=session)
    assert asked(upstream) == ["I like cats", "Noted.", "What do I like?"]
    assert len(await session.get_items()) == 4 and len(await other.get_items()) == 2
    await run(how, agent, "And now?")
    assert asked(upstream) == ["And now?"], "without a session nothing is remembered"


@HOW
@ON_A_FOLDER
async def test_a_run_keeps_to_the_limit_of_its_settings(
    how: str, session: TaishiSession, agent: Agent[Any], upstream: ScriptedUpstream
) -> None:
    for n in range(3):
        await run(how, agent, f"Message {n}", session=session)
    for limit, expected in ((2, 3), (0, 1), (100, 11), (None, 13)):
        config = RunConfig(session_settings=SessionSettings(limit=limit))
        await run(how, agent, "Next", session=session, run_config=config)
        assert len(asked(upstream)) == expected, limit
    assert asked(upstream)[0] == "Message 0"


@HOW
@ON_A_FOLDER
async def test_list_input_and_a_session_input_callback(
    how: str, session: TaishiSession, agent: Agent[Any], upstream: ScriptedUpstream
) -> None:
    await session.add_items([user("Earlier"), {"role": "assistant", "content": "Reply"}])
    await run(how, agent, [user("Now")], session=session)
    assert asked(upstream) == ["Earlier", "Reply", "Now"]

    def users_only(history: list[Any], new: list[Any]) -> list[Any]:
        return [item for item in history if item.get("role") == "user"] + new

    config = RunConfig(session_input_callback=users_only)
    await run(how, agent, [user("Again")], session=session, run_config=config)
    assert asked(upstream) == ["Earlier", "Now", "Again"]
    assert len(await session.get_items()) == 6


@ON_A_FOLDER
async def test_an_error_of_the_session_ends_a_streamed_run(
    session: TaishiSession, agent: Agent[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(items: list[Any], *, wrapper: Any = None) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(session, "add_items", fail)
    with pytest.raises(RuntimeError, match="the disk is full"):
        await asyncio.wait_for(run("run_streamed", agent, "Hello", session=session), 10)


async def test_tool_calls_and_results_are_replayed(
    session: TaishiSession, agent: Agent[Any], upstream: ScriptedUpstream
) -> None:
    @function_tool
    def weather(city: str) -> str:
        return f"rain in {city}"

    agent.tools.append(weather)
    function = {"name": "weather", "arguments": '{"city": "Cork"}'}
    call = {"id": "call_1", "type": "function", "function": function}
    upstream.script.append(Reply(200, completion(None, tool_calls=[call])))
    await run("run", agent, "Do I need a coat?", session=session)
    kinds = [item.get("type") or item["role"] for item in await session.get_items()]
    assert kinds == ["user", "function_call", "function_call_output", "message"]
    await run("run", agent, "Sure?", session=session)
    roles = [one["role"] for one in upstream.chats[-1].body["messages"][1:]]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]
    assert asked(upstream)[2] == "rain in Cork"


@HOW
@ON_A_FOLDER
async def test_what_was_told_once_is_recalled_in_another_session(
    how: str, memory: Memory, agent: Agent[Any], upstream: ScriptedUpstream
) -> None:
    async def talk(scope: Scope, text: str) -> None:
        await run(
            how,
            agent,
            text,
            session=TaishiSession(memory, scope),
            hooks=TaishiRunHooks(memory, scope),
            run_config=RunConfig(call_model_input_filter=recall_input(memory, scope)),
        )

    await talk(HERE, "I moved to Cork in May.")
    assert asked(upstream) == ["I moved to Cork in May."], "nothing was known yet"
    await asyncio.to_thread(memory.drain)
    later = Scope(user="ann", session="s9")
    await talk(later, "Where did I move to?")
    (said,) = asked(upstream)
    assert said.startswith(OPENING) and "Cork" in said and said.endswith("Where did I move to?")
    kept = await TaishiSession(memory, later).get_items()
    assert kept[0] == user("Where did I move to?"), "the block is for the model alone"
    await talk(Scope(user="bob", session="s9"), "Where did Ann move to?")
    assert "Cork" not in asked(upstream)[-1]


@ON_A_FOLDER
async def test_the_scope_may_come_from_the_run(
    memory: Memory, agent: Agent[Any], upstream: ScriptedUpstream
) -> None:
    def scope(context: Any) -> Scope:
        return Scope(user=context["user"])

    memory.remember(Scope(user="ann"), "Ann drinks green tea")
    config = RunConfig(call_model_input_filter=recall_input(memory, scope, max_tokens=300))
    hooks = TaishiRunHooks(memory, scope)
    parts = [{"role": "user", "content": [{"type": "input_text", "text": "Which tea does Ann?"}]}]
    for name, expected in (("ann", True), ("bob", False)):
        await run("run", agent, parts, context={"user": name}, run_config=config, hooks=hooks)
        assert ("green tea" in json.dumps(asked(upstream))) is expected


@ON_A_FOLDER
async def test_a_memory_that_fails_does_not_end_the_run(
    memory: Memory,
    agent: Agent[Any],
    upstream: ScriptedUpstream,
    caplog: pytest.LogCaptureFixture,
) -> None:
    memory.close()
    config = RunConfig(call_model_input_filter=recall_input(memory, HERE))
    assert (await run("run", agent, "Hello", run_config=config)).final_output == "Noted."
    assert asked(upstream) == ["Hello"]


@ON_A_FOLDER
async def test_a_server_that_is_down_costs_recall_and_turns_but_not_the_run(
    open_memory: Callable[..., Memory],
    agent: Agent[Any],
    upstream: ScriptedUpstream,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A history with holes would be another conversation, so that only the session raises."""
    kept = open_memory()
    app = create_app(kept, keys=Keys(kept.status()["folder"]))
    with RunningApp(app, kept.settings.server) as server:
        memory = Memory.open(server.url)
    with memory:
        options = {
            "hooks": TaishiRunHooks(memory, HERE),
            "run_config": RunConfig(call_model_input_filter=recall_input(memory, HERE)),
        }
        done = await run("run", agent, "I live in Cork.", **options)
        assert done.final_output == "Noted." and asked(upstream) == ["I live in Cork."]
        logged = [(one.name, one.getMessage()[:20]) for one in caplog.records]
        assert ("taishi.remote", "a search goes without the server"[:20]) in logged
        assert ("taishi.adapters", "a turn was not kept: "[:20]) in logged
        with pytest.raises(UnreachableError, match="taishi serve"):
            await run("run", agent, "Hello", session=TaishiSession(memory, HERE), **options)
        assert len(asked(upstream)) == 1, "the model was not asked"


@ON_A_FOLDER
async def test_the_end_of_a_session_learns_from_it(
    memory: Memory, session: TaishiSession, agent: Agent[Any]
) -> None:
    await run("run", agent, "I moved to Cork in May.", session=session)
    await session.end()
    await asyncio.to_thread(memory.drain)
    assert "Cork" in memory.recall(Scope(user="ann"), "Where did I move to?").hits[0].text


@ON_A_FOLDER
async def test_the_responses_api(memory: Memory, upstream: ScriptedUpstream) -> None:
    session = TaishiSession(memory, HERE)
    async with AsyncOpenAI(base_url=upstream.url, api_key="k", max_retries=0) as client:
        agent = Agent[Any](name="Quill", model=OpenAIResponsesModel("scripted", client))
        assert (await Runner.run(agent, "Hello", session=session)).final_output == "Noted."
        await Runner.run(agent, "And?", session=session)
    sent = upstream.requests[-1].body["input"]
    assert [item["role"] for item in sent] == ["user", "assistant", "user"]
