"""`taishi.adapters.agent_framework` with real agents of Microsoft Agent Framework."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agent_framework", reason="Microsoft Agent Framework is not installed")

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)

from support.adapter_pages import run_example, run_page
from support.off_the_loop import ThreadNotes
from taishi import AsyncMemory, InputError, Memory, Scope
from taishi.adapters.agent_framework import TaishiContextProvider, TaishiHistoryProvider

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
Open = Callable[..., Memory]
FENCE = "=== Memory"
FENCE_ZH = "=== 记忆"


class ScriptedClient(FunctionInvocationLayer, BaseChatClient):
    """Answers what it is told to, at once or as a stream, and notes what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.replies: list[Message] = []
        self.seen: list[list[Message]] = []

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Any, **_: Any
    ) -> Any:
        self.seen.append(list(messages))
        reply = self.replies.pop(0) if self.replies else Message("assistant", ["Noted."])

        async def updates() -> AsyncIterator[ChatResponseUpdate]:
            yield ChatResponseUpdate(role="assistant", contents=reply.contents)

        async def whole() -> ChatResponse:
            return ChatResponse(messages=[reply], response_id="r")

        return self._build_response_stream(updates()) if stream else whole()

    @property
    def prompt(self) -> list[tuple[str, str]]:
        return [(one.role, one.text) for one in self.seen[-1]]


def of_user(session: AgentSession) -> Scope:
    return Scope(user=session.state["user"], workspace=session.state.get("app", "default"))


def session_of(agent: Agent, user: str, app: str = "default") -> AgentSession:
    session = agent.create_session()
    session.state |= {"user": user, "app": app}
    return session


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def cook(memory: Memory | AsyncMemory, **options: Any) -> tuple[Agent, ScriptedClient]:
    client = ScriptedClient()
    providers = [TaishiHistoryProvider(memory, of_user), TaishiContextProvider(memory, of_user)]
    return Agent(client, name="cook", context_providers=providers, **options), client


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("told", "asked", "known", "fence"),
    [
        ("I am allergic to walnuts.", "What am I allergic to?", "walnuts", FENCE),
        ("我对花生过敏。", "我对什么过敏？", "花生", FENCE_ZH),
    ],
)
def test_what_was_told_in_one_session_is_in_the_prompt_of_the_next(
    either_memory: Memory, told: str, asked: str, known: str, fence: str, stream: bool
) -> None:
    agent, client = cook(either_memory)

    async def say(session: AgentSession, text: str) -> None:
        if stream:
            async for _ in agent.run(text, session=session, stream=True):
                pass
        else:
            await agent.run(text, session=session)

    async def story() -> None:
        await say(session_of(agent, "ann"), told)
        await asyncio.to_thread(either_memory.drain)
        await say(session_of(agent, "ann"), asked)
        (role, block), question = client.prompt
        assert role == "user" and block.startswith(fence) and known in block
        assert question == ("user", asked)
        await say(session_of(agent, "ben"), asked)
        assert client.prompt == [("user", asked)]

    run(story())
    assert any(known in fact.text for fact in either_memory.facts.list(Scope(user="ann")))


def test_a_session_goes_on_where_it_stopped_and_has_no_old_blocks(memory: Memory) -> None:
    memory.remember(Scope(user="ann"), "Ann is allergic to walnuts")
    agent, client = cook(memory)

    async def story() -> None:
        session = session_of(agent, "ann")
        await agent.run("What am I allergic to?", session=session)
        again = AgentSession.from_dict(session.to_dict())  # as in another process
        await agent.run("Say it in Chinese, what am I allergic to?", session=again)
        roles = [role for role, _ in client.prompt]
        assert roles == ["user", "assistant", "user", "user"]
        assert sum(FENCE in text for _, text in client.prompt) == 1

    run(story())


def test_two_users_and_two_apps_never_meet(memory: Memory) -> None:
    agent, client = cook(memory)
    pairs = [(user, app) for user in ("ann", "ben") for app in ("kitchen", "bank")]
    words = dict(zip(pairs, ("amber", "birch", "cobalt", "dahlia"), strict=True))

    async def story() -> None:
        for (user, app), word in words.items():
            await agent.run(f"My code word is {word}.", session=session_of(agent, user, app))
        await asyncio.to_thread(memory.drain)
        for (user, app), word in words.items():
            await agent.run("What is my code word?", session=session_of(agent, user, app))
            asked = "\n".join(text for _, text in client.prompt)
            assert word in asked
            assert not [one for one in words.values() if one != word and one in asked]

    run(story())


def test_the_same_session_id_of_another_user_has_another_history(memory: Memory) -> None:
    history = TaishiHistoryProvider(memory, lambda session: Scope(user=session.state["user"]))
    agent = Agent(client := ScriptedClient(), context_providers=[history])

    async def story() -> None:
        for user, text in (("ann", "My PIN is secret"), ("ben", "Hello")):
            session = AgentSession(session_id="same")
            session.state["user"] = user
            await agent.run(text, session=session)
        assert client.prompt == [("user", "Hello")]

    run(story())


def test_a_user_who_cannot_be_told_has_no_memory(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    """Rather than another's."""
    agent, client = cook(memory)
    answer = run(agent.run("I live in Cork.", session=agent.create_session()))
    assert answer.text == "Noted." and client.prompt == [("user", "I live in Cork.")]
    memory.drain()
    assert not list(memory.partitions())
    assert "no scope" in caplog.text


CALL = Content.from_function_call("c1", "f", arguments={"a": ["值", 1]})
RESULT = Content.from_function_result("c1", result={"x": 1})
MESSAGES = [
    Message("user", ["  你好 \n there  "], author_name="Ann 安"),
    Message("user", ["one", "two"], message_id="m\n1"),
    Message("system", ["Be kind."], message_id="m2"),
    Message("assistant", ["look", CALL]),
    Message("tool", [RESULT, Content.from_function_result("c2", result="")]),
    Message("user", ["see", Content.from_uri("https://example.com/a.png", media_type="image/png")]),
    Message("assistant", [Content.from_text_reasoning(text="hm")], additional_properties={"z": 1}),
    Message("user", [""]),
    Message("user", []),
    Message("developer", ["x"]),
    Message("user", ['agent_framework.Message {"role": "system"}']),
    Message("assistant", ["x" * 50_000], message_id="m" * 400),
]


def test_every_message_comes_back_as_it_was(memory: Memory) -> None:
    history = TaishiHistoryProvider(memory, Scope(user="ann"))

    async def story() -> list[Message]:
        for start in range(0, len(MESSAGES), 5):
            await history.save_messages("s/1", MESSAGES[start : start + 5])
        assert await history.get_messages("s/2") == []
        return await history.get_messages("s/1")

    assert [one.to_dict() for one in run(story())] == [one.to_dict() for one in MESSAGES]


def test_a_message_with_an_id_is_kept_once_and_another_under_its_id_as_well(memory: Memory) -> None:
    history = TaishiHistoryProvider(memory, Scope(user="ann"))
    said = [
        Message("assistant", ["one"], message_id="r"),
        Message("assistant", ["two"], message_id="r"),
    ]

    async def story() -> list[str]:
        await history.save_messages("s", said)
        await history.save_messages("s", said)
        return [one.text for one in await history.get_messages("s")]

    assert run(story()) == ["one", "two"]


def test_more_messages_than_a_page_come_back(memory: Memory) -> None:
    history = TaishiHistoryProvider(memory, Scope(user="ann"))

    async def story() -> list[str]:
        await history.save_messages("s", [Message("user", [f"{n}"]) for n in range(2100)])
        return [one.text for one in await history.get_messages("s")]

    assert run(story()) == [f"{n}" for n in range(2100)]


def test_secrets_are_not_in_the_history_and_the_rest_of_a_tool_call_is(memory: Memory) -> None:
    history = TaishiHistoryProvider(memory, Scope(user="ann"))
    key = "sk-abcdefghijklmnopqrstuvwxyz123456"
    call = Content.from_function_call("c1", "log_in", arguments={"key": key, "city": "Cork"})

    async def story() -> Message:
        await history.save_messages("s", [Message("assistant", [call])])
        (found,) = await history.get_messages("s")
        return found

    arguments = run(story()).contents[0].arguments
    assert arguments["city"] == "Cork" and key not in str(arguments)


def test_tool_calls_of_a_run_are_in_the_next_prompt_of_the_session(memory: Memory) -> None:
    @tool(approval_mode="never_require")
    def oven(degrees: int) -> str:
        """Set the oven."""
        return f"{degrees} degrees"

    agent, client = cook(memory, tools=[oven])
    call = Content.from_function_call("c1", "oven", arguments={"degrees": 180})
    client.replies += [Message("assistant", [call]), Message("assistant", ["Done."])]

    async def story() -> None:
        session = session_of(agent, "ann")
        await agent.run("Heat the oven.", session=session)
        await agent.run("How hot is it?", session=session)

    run(story())
    kinds = [[content.type for content in one.contents] for one in client.seen[-1]]
    assert kinds[:4] == [["text"], ["function_call"], ["function_result"], ["text"]]


def test_without_learning_nothing_is_recorded(memory: Memory) -> None:
    provider = TaishiContextProvider(memory, Scope(user="ann"), learn=False)
    agent = Agent(ScriptedClient(), context_providers=[provider])
    run(agent.run("I live in Cork.", session=agent.create_session()))
    memory.drain()
    assert memory.records.digest(Scope(user="ann")).total == 0


def test_a_block_keeps_to_its_budget(memory: Memory) -> None:
    for n in range(30):
        memory.remember(Scope(user="ann"), f"Ann has the recipe number {n} with walnuts and honey")
    client, short = (
        ScriptedClient(),
        TaishiContextProvider(memory, Scope(user="ann"), max_tokens=120),
    )
    agent = Agent(client, context_providers=[short])
    run(agent.run("Which recipes with walnuts are there?", session=agent.create_session()))
    assert 0 < len(client.prompt[0][1]) < 700


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
    agent, client = cook(memory)

    async def story() -> None:
        session = session_of(agent, "ann")
        for text in ("I am allergic to walnuts.", "What am I allergic to?"):
            assert (await agent.run(text, session=session)).text == "Noted."
            assert client.prompt == [("user", text)]

    with caplog.at_level(logging.WARNING, "taishi.adapters"):
        run(story())
    said = [record.getMessage() for record in caplog.records if record.name == "taishi.adapters"]
    assert bool(said) == (state == "closed")
    assert not any("walnuts" in one for one in said)


def test_the_event_loop_is_not_blocked(memory: Memory) -> None:
    notes = ThreadNotes(memory, "context", "end_turn", "session")
    agent, _ = cook(AsyncMemory(memory))

    async def story() -> None:
        await agent.run("I live in Cork.", session=session_of(agent, "ann"))
        assert notes.are_off_the_loop()

    run(story())


def test_a_scope_of_the_wrong_kind_is_an_error_at_once(memory: Memory) -> None:
    for provider in (TaishiContextProvider, TaishiHistoryProvider):
        with pytest.raises(InputError, match="Scope"):
            provider(memory, "ann")


@pytest.mark.parametrize("page", ["agent-framework.md", "agent-framework.zh-CN.md"])
def test_the_code_on_the_page_runs(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    names = run_page(page, client=ScriptedClient())
    assert run(names["agent"].run("Hello", session=names["session"])).text == "Noted."
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
    assert run_example("agent_framework_memory.py", tmp_path) == PRINTED
