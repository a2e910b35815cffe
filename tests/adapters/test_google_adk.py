"""`taishi.adapters.google_adk` with real runners and sessions of Google ADK."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import ExitStack
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("google.adk", reason="Google ADK is not installed")

from google.adk.agents import LlmAgent
from google.adk.cli.service_registry import get_service_registry
from google.adk.events import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.adk.tools import load_memory, preload_memory
from google.genai import types
from pydantic import Field

from support.adapter_pages import run_example, run_page
from support.off_the_loop import ThreadNotes
from support.running_app import RunningApp
from taishi import AsyncMemory, InputError, Memory, Scope
from taishi.adapters.google_adk import TaishiMemoryService, register, scope_of
from taishi.api_keys import Keys
from taishi.server.app import create_app

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
Open = Callable[..., Memory]
ODD = [
    "",
    " ",
    "a",
    "a:b",
    "b:c",
    "a/b",
    "a%2Fb",
    "%",
    "\x00",
    "\n",
    "\ud800",
    "安",
    "A",
    "é",
    "e\u0301",
]
ODD += ["a/private:b", "x" * 999, "y" * 999, "../..", " a", "\u2003"]


class ScriptedLlm(BaseLlm):
    """Answers what it is told to, and notes what it was asked."""

    replies: list[Any] = Field(default_factory=list)
    seen: list[LlmRequest] = Field(default_factory=list)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self.seen.append(llm_request)
        reply = self.replies.pop(0) if self.replies else "Noted."
        part = types.Part(text=reply) if isinstance(reply, str) else reply
        yield LlmResponse(content=types.Content(role="model", parts=[part]))

    @property
    def prompt(self) -> str:
        """All that the last request held, as JSON."""
        contents = self.seen[-1].contents
        return json.dumps([one.model_dump(mode="json") for one in contents], ensure_ascii=False)


async def add_session(callback_context: Any) -> None:
    await callback_context.add_session_to_memory()


class Kitchen:
    """An app with a real runner, whose agent adds its session after every turn."""

    def __init__(self, service: TaishiMemoryService, app: str = "kitchen", **options: Any) -> None:
        self.llm = ScriptedLlm(model="scripted")
        self.app = app
        agent = LlmAgent(
            name="cook",
            model=self.llm,
            after_agent_callback=add_session,
            **({"tools": [preload_memory]} | options),
        )
        self.sessions = InMemorySessionService()
        self.runner = Runner(
            app_name=app,
            agent=agent,
            session_service=self.sessions,
            memory_service=service,
        )

    async def say(self, user: str, session: str, text: str) -> str:
        known = {"app_name": self.app, "user_id": user, "session_id": session}
        if await self.sessions.get_session(**known) is None:
            await self.sessions.create_session(**known)
        message = types.Content(role="user", parts=[types.Part(text=text)])
        said = ""
        async for event in self.runner.run_async(
            user_id=user, session_id=session, new_message=message
        ):
            said = (event.content.parts[0].text if event.content else None) or said
        return said

    async def session(self, user: str, session: str) -> Session:
        found = await self.sessions.get_session(app_name=self.app, user_id=user, session_id=session)
        assert found is not None
        return found


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def event(id: str, text: str, author: str = "user", time: float = 1_770_000_000.0) -> Event:
    content = types.Content(role="user", parts=[types.Part(text=text)])
    return Event(id=id, author=author, timestamp=time, content=content)


async def texts(service: TaishiMemoryService, app: str, user: str, query: str) -> list[str]:
    found = await service.search_memory(app_name=app, user_id=user, query=query)
    return [one.content.parts[0].text for one in found.memories]


@pytest.mark.parametrize(
    ("told", "asked", "known"),
    [
        ("I am allergic to walnuts.", "What am I allergic to?", "walnuts"),
        ("我对花生过敏。", "我对什么过敏？", "花生"),
    ],
)
def test_what_was_told_in_one_session_is_in_the_prompt_of_the_next(
    memory: Memory, told: str, asked: str, known: str
) -> None:
    kitchen = Kitchen(TaishiMemoryService(memory))

    async def story() -> None:
        await kitchen.say("ann", "monday", told)
        await asyncio.to_thread(memory.drain)
        await kitchen.say("ann", "friday", asked)
        assert known in kitchen.llm.prompt
        assert "PAST_CONVERSATIONS" in kitchen.llm.prompt
        await kitchen.say("ben", "friday", asked)
        assert known not in kitchen.llm.prompt

    run(story())
    facts = memory.facts.list(Scope(user="ann", workspace="kitchen"))
    assert any(known in fact.text for fact in facts)


def test_the_model_can_ask_by_itself(memory: Memory) -> None:
    kitchen = Kitchen(TaishiMemoryService(memory), tools=[load_memory])
    call = types.FunctionCall(name="load_memory", args={"query": "allergic"})

    async def story() -> None:
        await kitchen.say("ann", "monday", "I am allergic to walnuts.")
        kitchen.llm.replies[:] = [types.Part(function_call=call), "Walnuts."]
        assert await kitchen.say("ann", "friday", "What must I avoid?") == "Walnuts."
        assert "walnuts" in kitchen.llm.prompt

    run(story())


def test_two_users_and_two_apps_never_meet(either_memory: Memory) -> None:
    service = TaishiMemoryService(either_memory)
    kitchens = {app: Kitchen(service, app) for app in ("kitchen", "bank")}
    words = {
        pair: f"My code word is {word}."
        for pair, word in zip(
            product(kitchens, ("ann", "ben")), ("amber", "birch", "cobalt", "dahlia"), strict=True
        )
    }

    async def story() -> None:
        for (app, user), told in words.items():
            await kitchens[app].say(user, "s", told)
        await asyncio.to_thread(either_memory.drain)
        for (app, user), told in words.items():
            found = "\n".join(await texts(service, app, user, "what is my code word?"))
            assert told in found
            others = [one.split()[-1] for pair, one in words.items() if pair != (app, user)]
            assert not [word for word in others if word in found]

    run(story())


def test_no_two_pairs_of_odd_names_share_a_scope() -> None:
    pairs = list(product(ODD, ODD))
    homes = [scope_of(*pair).home for pair in pairs]
    assert len(set(homes)) == len({str(home) for home in homes}) == len(pairs)


def test_odd_names_are_kept_apart_in_the_store(either_memory: Memory) -> None:
    service = TaishiMemoryService(either_memory, learn=False)
    pairs = [
        ("a:b", "c"),
        ("a", "b:c"),
        ("a/private:b", "c"),
        ("a", "b/private:c"),
        ("", ""),
        ("\x00", "安"),
    ]

    async def story() -> None:
        for number, (app, user) in enumerate(pairs):
            await service.add_events_to_memory(
                app_name=app, user_id=user, events=[event("e", f"the word is w{number}")]
            )
        for number, (app, user) in enumerate(pairs):
            assert await texts(service, app, user, "word") == [f"the word is w{number}"]
        await service.delete_memory(app_name="a:b", user_id="c", memory_id="e")
        for one, other in combinations(pairs, 2):
            assert (await texts(service, *one, "word") == []) == (one == pairs[0])
            assert await texts(service, *other, "word")

    run(story())


@pytest.mark.parametrize("id", ODD)
def test_an_event_with_an_odd_id_is_kept_once_and_can_be_deleted(
    either_memory: Memory, id: str
) -> None:
    service, names = TaishiMemoryService(either_memory), {"app_name": "kitchen", "user_id": "ann"}
    told = event(id, "I live in Cork.")

    async def story() -> None:
        for _ in range(3):
            await service.add_events_to_memory(events=[told], **names)
        found = (await service.search_memory(query="Cork", **names)).memories
        (note,) = [one for one in found if one.content.parts[0].text == "I live in Cork."]
        await service.delete_memory(memory_id=note.id, **names)
        await service.add_events_to_memory(events=[told], **names)
        assert await texts(service, "kitchen", "ann", "Cork") == []

    run(story())


def test_a_session_that_is_added_again_adds_only_what_is_new(either_memory: Memory) -> None:
    kitchen = Kitchen(service := TaishiMemoryService(either_memory))
    ann = Scope(user="ann", workspace="kitchen")

    async def story() -> None:
        for text in ("I am allergic to walnuts.", "I live in Cork.", "我养了一只猫。"):
            await kitchen.say("ann", "s", text)
        await asyncio.to_thread(either_memory.drain)
        before = either_memory.records.digest(ann)
        changes = either_memory.records.change_count(ann)
        session = await kitchen.session("ann", "s")
        for _ in range(5):
            await service.add_session_to_memory(session)
        await asyncio.to_thread(either_memory.drain)
        assert either_memory.records.digest(ann).kinds == before.kinds
        assert either_memory.records.change_count(ann) == changes
        assert before.kinds["note"] == len(session.events) == 6
        assert before.kinds["event"] == 3

    run(story())


@pytest.mark.parametrize("word", ["walnuts", "花生"])
def test_what_was_deleted_does_not_come_back_with_its_session(open_memory: Open, word: str) -> None:
    told = {"walnuts": "I am allergic to walnuts.", "花生": "我对花生过敏。"}[word]
    memory = open_memory({"query.recall_timeout": 5.0})
    kitchen = Kitchen(service := TaishiMemoryService(memory))
    ann = Scope(user="ann", workspace="kitchen")

    async def delete() -> Session:
        await kitchen.say("ann", "s", told)
        await kitchen.say("ann", "s", "I live in Cork.")
        await asyncio.to_thread(memory.drain)
        assert any(word in one for one in await texts(service, "kitchen", "ann", word))
        session = await kitchen.session("ann", "s")
        await service.delete_memory(
            app_name="kitchen", user_id="ann", memory_id=session.events[0].id
        )
        return session

    async def add_again(service: TaishiMemoryService, session: Session) -> list[str]:
        await service.add_session_to_memory(session)
        return await texts(service, "kitchen", "ann", f"{word} Cork")

    session = run(delete())
    found = run(add_again(service, session))
    assert found and not any(word in one for one in found)
    assert not any(word in fact.text for fact in memory.facts.list(ann))
    memory.close()

    again = open_memory({"query.recall_timeout": 5.0})  # as after a restart
    found = run(add_again(TaishiMemoryService(again), session))
    again.drain()
    assert found and not any(word in one for one in found)
    assert word not in "\n".join(again.transfer.export())


def test_deleting_a_learned_turn_deletes_the_event_that_it_came_from(either_memory: Memory) -> None:
    service, names = TaishiMemoryService(either_memory), {"app_name": "kitchen", "user_id": "ann"}

    async def story() -> None:
        await service.add_events_to_memory(events=[event("e1", "I live in Cork.")], **names)
        await asyncio.to_thread(either_memory.drain)
        turn = either_memory.jobs.known_turn(scope_of("kitchen", "ann"), "e1")
        await service.delete_memory(memory_id=turn, **names)
        assert await texts(service, "kitchen", "ann", "Cork") == []

    run(story())


def test_an_id_that_only_looks_like_a_turn_of_another_event_deletes_itself(
    either_memory: Memory,
) -> None:
    service = TaishiMemoryService(either_memory, learn=False)
    names = {"app_name": "kitchen", "user_id": "ann"}

    async def story() -> None:
        events = [event("e1", "I live in Cork."), event("e1:5", "I work in Cobh.")]
        await service.add_events_to_memory(events=events, **names)
        await service.delete_memory(memory_id="e1:5", **names)
        assert await texts(service, "kitchen", "ann", "Cork Cobh") == ["I live in Cork."]

    run(story())


def test_a_forgotten_user_does_not_come_back_with_an_old_session(either_memory: Memory) -> None:
    kitchen = Kitchen(service := TaishiMemoryService(either_memory))
    ann = Scope(user="ann", workspace="kitchen")

    async def story() -> None:
        await kitchen.say("ann", "s", "I am allergic to walnuts.")
        await asyncio.to_thread(either_memory.forget, ann)
        await service.add_session_to_memory(await kitchen.session("ann", "s"))
        assert either_memory.records.digest(ann).total == 0
        await kitchen.say("ann", "s", "I live in Cork.")  # said since
        assert "I live in Cork." in await texts(service, "kitchen", "ann", "walnuts Cork")
        await asyncio.to_thread(either_memory.drain)
        assert "walnuts" not in "\n".join(either_memory.transfer.export())

    run(story())


def test_memories_of_the_host_are_kept_with_their_metadata(memory: Memory) -> None:
    service, names = TaishiMemoryService(memory), {"app_name": "kitchen", "user_id": "ann"}
    content = types.Content(role="user", parts=[types.Part(text="Ann is vegan")])
    entries = [
        MemoryEntry(
            content=content,
            id="m1",
            author="host",
            timestamp="2026-03-02T19:12:00+00:00",
            custom_metadata={"ttl": 5, "odd": {1}},
        ),
        MemoryEntry(
            content=types.Content(role="user", parts=[types.Part(text="安喜欢绿茶")]),
            timestamp="soon",
        ),
        MemoryEntry(content=types.Content(role="user", parts=[])),
    ]

    async def story() -> None:
        await service.add_memory(memories=entries, custom_metadata={"from": "form"}, **names)
        (vegan,) = (await service.search_memory(query="vegan", **names)).memories
        assert (vegan.id, vegan.author) == ("m1", "host")
        assert vegan.timestamp and vegan.timestamp.startswith("2026-03-0")
        assert vegan.custom_metadata == {"from": "form", "ttl": 5, "odd": "{1}"}
        assert await texts(service, "kitchen", "ann", "绿茶") == ["安喜欢绿茶"]

    run(story())


def test_what_an_agent_said_counts_for_less_than_what_a_person_said(memory: Memory) -> None:
    service = TaishiMemoryService(memory, learn=False)
    events = [event("e1", "I live in Cork."), event("e2", "You live in Cobh.", author="cook")]
    run(service.add_events_to_memory(app_name="kitchen", user_id="ann", events=events))
    ann = Scope(user="ann", workspace="kitchen")
    person, agent = (memory.records.get(ann, id) for id in ("e1", "e2"))
    assert person and agent and person.confidence == 1.0 and agent.confidence < 1.0


def test_tool_calls_thoughts_and_pieces_of_a_stream_are_not_kept(memory: Memory) -> None:
    service = TaishiMemoryService(memory)
    call = types.Part(function_call=types.FunctionCall(name="f", args={}))
    events = [
        Event(id="e1", author="cook", content=types.Content(role="model", parts=[call])),
        Event(
            id="e2",
            author="cook",
            content=types.Content(role="model", parts=[types.Part(text="hm", thought=True)]),
        ),
        Event(
            id="e3",
            author="cook",
            partial=True,
            content=types.Content(role="model", parts=[types.Part(text="I li")]),
        ),
        Event(id="e4", author="user"),
    ]
    run(service.add_events_to_memory(app_name="kitchen", user_id="ann", events=events))
    assert memory.records.digest(Scope(user="ann", workspace="kitchen")).total == 0


def test_one_refused_memory_does_not_cost_the_others(memory: Memory) -> None:
    ann = Scope(user="ann", workspace="kitchen")
    memory.facts.reject(ann, memory.remember(ann, "Ann is vegan"))
    service = TaishiMemoryService(memory)
    entries = [
        MemoryEntry(content=types.Content(role="user", parts=[types.Part(text=text)]))
        for text in ("Ann likes tea", "Ann is vegan", "Ann lives in Cork")
    ]
    run(service.add_memory(app_name="kitchen", user_id="ann", memories=entries))
    known = {fact.text for fact in memory.facts.list(ann, states=["approved"])}
    assert known == {"Ann likes tea", "Ann lives in Cork"}


def test_one_monstrous_event_does_not_cost_the_others(memory: Memory) -> None:
    service, names = TaishiMemoryService(memory), {"app_name": "kitchen", "user_id": "ann"}
    events = [
        event("e1", "I live in Cork. " * 300_000),
        event("e2", "\x00 \ud800 odd"),
        event("e3", "I like tea.", time=float("nan")),
        event("e4", "I like rain.", time=1e300),
        event("e5", "我住在上海。", author="\x00" * 500),
    ]

    async def story() -> None:
        for _ in range(2):
            await service.add_events_to_memory(events=events, session_id="\x00", **names)
        await asyncio.to_thread(memory.drain)

    run(story())
    ann = Scope(user="ann", workspace="kitchen")
    kept = [id for id in ("e1", "e2", "e3", "e4", "e5") if memory.records.get(ann, id)]
    assert kept == ["e2", "e3", "e4", "e5"]


def test_a_session_added_several_times_at_once_counts_once(memory: Memory) -> None:
    service, names = TaishiMemoryService(memory), {"app_name": "kitchen", "user_id": "ann"}
    events = [event(f"e{n}", f"I own {n} books about tea.") for n in range(5)]

    async def story() -> None:
        adding = (service.add_events_to_memory(events=events, **names) for _ in range(8))
        await asyncio.gather(*adding)
        await asyncio.to_thread(memory.drain)

    run(story())
    kinds = memory.records.digest(Scope(user="ann", workspace="kitchen")).kinds
    assert (kinds["note"], kinds["event"]) == (5, 5)


def test_a_long_session_is_added_again_quickly(memory: Memory) -> None:
    service, names = TaishiMemoryService(memory), {"app_name": "kitchen", "user_id": "ann"}
    events = [event(f"e{n}", f"line {n}", author="cook") for n in range(3000)]

    async def story() -> None:
        await service.add_events_to_memory(events=events, **names)
        begun = time.perf_counter()
        await service.add_events_to_memory(events=events, **names)
        assert time.perf_counter() - begun < 5

    run(story())
    ann = Scope(user="ann", workspace="kitchen")
    assert memory.records.digest(ann).kinds == {"note": 3000}


@pytest.mark.parametrize("query", ["", " ", "\x00", "?" * 100_000, "' OR 1=1 --"])
def test_any_query_is_answered(memory: Memory, query: str) -> None:
    service = TaishiMemoryService(memory)
    memory.remember(Scope(user="ben", workspace="kitchen"), "Ben has a boat")
    assert run(texts(service, "kitchen", "ann", query)) == []


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
    kitchen = Kitchen(service := TaishiMemoryService(memory))

    async def story() -> None:
        assert await kitchen.say("ann", "s", "I am allergic to walnuts.") == "Noted."
        assert await kitchen.say("ann", "s", "What am I allergic to?") == "Noted."
        assert "PAST_CONVERSATIONS" not in kitchen.llm.prompt
        assert await texts(service, "kitchen", "ann", "walnuts") == []

    with caplog.at_level(logging.WARNING, "taishi.adapters"):
        run(story())
    said = [record.getMessage() for record in caplog.records if record.name == "taishi.adapters"]
    assert bool(said) == (state == "closed")
    assert not any("walnuts" in one for one in said)


def test_a_deletion_that_fails_is_not_silent(open_memory: Open) -> None:
    memory = open_memory()
    memory.close()
    service = TaishiMemoryService(memory)
    with pytest.raises(Exception, match="closed"):
        run(service.delete_memory(app_name="kitchen", user_id="ann", memory_id="e1"))
    run(service.delete_memory(app_name="kitchen", user_id="ann"))  # no id: nothing to delete


def test_deleting_what_was_never_there_is_an_error(either_memory: Memory) -> None:
    service, names = TaishiMemoryService(either_memory), {"app_name": "kitchen", "user_id": "ann"}

    async def story() -> None:
        await service.add_events_to_memory(events=[event("e1", "I live in Cork.")], **names)
        with pytest.raises(InputError, match="no memory of this user has the id 'e7'"):
            await service.delete_memory(memory_id="e7", **names)
        with pytest.raises(InputError, match="e1"):
            await service.delete_memory(app_name="kitchen", user_id="ben", memory_id="e1")
        for _ in range(2):  # safe to repeat
            await service.delete_memory(memory_id="e1", **names)
        assert await texts(service, "kitchen", "ann", "Cork") == []

    run(story())


@pytest.mark.parametrize(
    ("name", "told", "asked", "echo", "now", "mark"),
    [
        (
            "Ann", "I live in Cork.", "Where do I live?", "You live in Cork.",
            "Ann lives in Galway", " (since corrected: Ann lives in Galway)",
        ),
        (
            "小安", "我住在苏州。", "我住在哪里？", "你住在苏州。",
            "小安住在无锡", "（后更正：小安住在无锡）",
        ),
    ],
)  # fmt: skip
def test_what_holds_no_longer_is_marked_and_nothing_is_said_twice(
    either_memory: Memory, name: str, told: str, asked: str, echo: str, now: str, mark: str
) -> None:
    service = TaishiMemoryService(either_memory, sender_name=lambda user: name)
    names, ann = {"app_name": "kitchen", "user_id": "ann"}, scope_of("kitchen", "ann")
    said = [(told, "user"), ("Noted.", "cook"), (asked, "user"), (echo, "cook")]
    events = [event(f"e{n}", text, author) for n, (text, author) in enumerate(said)]

    async def story() -> None:
        await service.add_events_to_memory(events=events, **names)
        await asyncio.to_thread(either_memory.drain)
        assert await texts(service, "kitchen", "ann", asked) == [told, echo]
        (fact,) = either_memory.facts.list(ann)
        new = either_memory.facts.correct(ann, fact.id, now)
        found = await texts(service, "kitchen", "ann", asked)
        assert sorted(found) == sorted([told + mark, echo + mark, now])
        either_memory.facts.reject(ann, new)
        found = await texts(service, "kitchen", "ann", asked)
        assert len(found) == 2 and all("(since withdrawn" in x or "（后撤回" in x for x in found)

    run(story())


@pytest.mark.parametrize(
    ("name", "before", "later", "asked"),
    [
        ("Ann", "I'm allergic to peanuts.", "I'm not allergic to peanuts.", "Am I allergic?"),
        ("Ann", "I work at Fiat.", "I no longer work at Fiat.", "Where does Ann work?"),
        ("Ann", "I live in Rome.", "I don't live in Rome, I live in Milan.", "Where do I live?"),
        ("小安", "我对花生过敏。", "我对花生不过敏了。", "我对花生过敏吗？"),
        ("小安", "我住在苏州。", "我不住在苏州了，我住在无锡。", "我住在哪里？"),
    ],
)
def test_what_a_later_word_denies_is_marked_and_the_denial_is_not(
    either_memory: Memory, name: str, before: str, later: str, asked: str
) -> None:
    service = TaishiMemoryService(either_memory, sender_name=lambda user: name)
    names = {"app_name": "kitchen", "user_id": "ann"}

    async def story() -> None:
        for number, told in enumerate((before, later)):
            await service.add_events_to_memory(events=[event(f"e{number}", told)], **names)
            await asyncio.to_thread(either_memory.drain)
        found = await texts(service, "kitchen", "ann", asked)
        assert later in found
        assert [one for one in found if re.fullmatch(re.escape(before) + " ?[(（].+[)）]", one)]

    run(story())


@pytest.mark.parametrize(
    ("echo", "is_marked"),
    [
        ("You work at Fiat.", True),
        ("Great, you work at Fiat!", True),
        ("You no longer work at Fiat.", False),
        ("You stopped working at Fiat.", False),
        ("You don't work at Fiat any more.", False),
    ],
)
def test_what_an_agent_says_is_marked_if_it_says_what_ended_and_no_more(
    either_memory: Memory, echo: str, is_marked: bool
) -> None:
    service = TaishiMemoryService(either_memory, sender_name=lambda user: "Ann")
    names = {"app_name": "kitchen", "user_id": "ann"}

    async def story() -> None:
        for number, told in enumerate(("I work at Fiat.", "I no longer work at Fiat.")):
            await service.add_events_to_memory(events=[event(f"e{number}", told)], **names)
            await asyncio.to_thread(either_memory.drain)
        await service.add_events_to_memory(events=[event("e2", echo, "cook")], **names)
        found = await texts(service, "kitchen", "ann", "Where does Ann work at, Fiat?")
        (shown,) = [one for one in found if one.startswith(echo)]
        assert (shown != echo) == is_marked

    run(story())


def test_a_page_is_not_said_again_beside_its_lines(memory: Memory) -> None:
    service, names = TaishiMemoryService(memory), {"app_name": "kitchen", "user_id": "ann"}
    ann = scope_of("kitchen", "ann")
    run(service.add_events_to_memory(events=[event("e1", "I live in Cork.")], **names))
    memory.drain()
    page = memory.get_profile(ann, "user", "ann")
    memory.profiles.edit(ann, "- ann lives in Cork\n- ann sings in the Cork choir", page)
    found = run(texts(service, "kitchen", "ann", "Cork"))
    assert sorted(found) == ["I live in Cork.", "ann sings in the Cork choir"]


def test_the_event_loop_is_not_blocked(memory: Memory) -> None:
    notes = ThreadNotes(memory, "recall", "remember_many", "end_turn", "forget", "get")
    service, names = TaishiMemoryService(memory), {"app_name": "kitchen", "user_id": "ann"}

    async def story() -> None:
        await service.add_events_to_memory(events=[event("e1", "I live in Cork.")], **names)
        await service.search_memory(query="Cork", **names)
        await service.delete_memory(memory_id="e1", **names)
        assert notes.are_off_the_loop()

    run(story())


def test_an_async_memory_will_do(memory: Memory) -> None:
    service = TaishiMemoryService(AsyncMemory(memory))
    names = {"app_name": "kitchen", "user_id": "ann"}

    async def story() -> None:
        await service.add_events_to_memory(events=[event("e1", "I live in Cork.")], **names)
        assert "I live in Cork." in await texts(service, "kitchen", "ann", "Cork")

    run(story())


def test_the_adk_command_knows_the_scheme(
    tmp_path: Path, open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    register()
    registry = get_service_registry()

    async def story(uri: str) -> None:
        service = registry.create_memory_service(uri, agents_dir=".")
        assert isinstance(service, TaishiMemoryService)
        names = {"app_name": "kitchen", "user_id": "ann"}
        await service.add_events_to_memory(events=[event("e1", "I live in Cork.")], **names)
        assert "I live in Cork." in await texts(service, "kitchen", "ann", "Cork")
        await service.close()

    for number, form in enumerate(("taishi:{}", "taishi://{}")):
        folder = tmp_path / f"data{number}"
        run(story(form.format(folder)))
        assert (folder / "taishi.db").exists()
    run(story("taishi:relative"))
    assert (tmp_path / "relative" / "taishi.db").exists()
    with _server(open_memory) as server:
        run(story(f"taishi:{server.url}"))


def test_a_bad_number_of_results_is_an_error(memory: Memory) -> None:
    with pytest.raises(InputError, match="at least 1"):
        TaishiMemoryService(memory, max_results=0)


@pytest.mark.parametrize("page", ["google-adk.md", "google-adk.zh-CN.md"])
def test_the_code_on_the_page_runs(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    names = run_page(page, model=ScriptedLlm(model="scripted"))
    assert names["runner"].memory_service is not None
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
    assert run_example("google_adk_memory.py", tmp_path) == PRINTED


@pytest.mark.parametrize("who", ["the same client", "another client", "another server"])
def test_on_a_server_a_session_is_added_once_and_what_was_deleted_stays_deleted(
    open_memory: Open, who: str
) -> None:
    names, ann = {"app_name": "kitchen", "user_id": "ann"}, scope_of("kitchen", "ann")
    events = [event("e1", "I am allergic to walnuts."), event("e2", "I live in Cork.")]
    events += [event("e3", "Noted.", author="cook")]
    session = Session(id="s", app_name="kitchen", user_id="ann", events=events)

    async def add(memory: Memory) -> list[str]:
        service = TaishiMemoryService(memory)
        for _ in range(2):
            await service.add_session_to_memory(session)
        await asyncio.to_thread(memory.drain, 30)
        return await texts(service, "kitchen", "ann", "walnuts Cork")

    def kinds() -> dict[str, int]:
        found = dict(first.records.digest(ann).kinds)
        return {kind: found.get(kind, 0) for kind in ("note", "turn", "event")}

    with ExitStack() as running:
        urls = [running.enter_context(_server(open_memory)).url for _ in range(2)]
        first = running.enter_context(Memory.open(urls[0]))
        url = urls[1] if who == "another server" else urls[0]
        later = first if who == "the same client" else running.enter_context(Memory.open(url))
        assert {"I am allergic to walnuts.", "I live in Cork."} <= {*run(add(first))}
        assert kinds() == {"note": 3, "turn": 0, "event": 2}
        run(add(later))
        assert kinds() == {"note": 3, "turn": 0, "event": 2}, "nothing was added again"
        run(TaishiMemoryService(later).delete_memory(memory_id="e1", **names))
        for memory in (later, first):
            found = run(add(memory))
            assert found and not any("walnuts" in one for one in found)
        assert kinds() == {"note": 2, "turn": 0, "event": 1}
        assert "walnuts" not in "\n".join(first.transfer.export())


def _server(open_memory: Open) -> RunningApp:
    memory = open_memory({"query.recall_timeout": 10.0}).start_worker()
    app = create_app(memory, keys=Keys(memory.status()["folder"]))
    return RunningApp(app, memory.settings.server)


def test_a_session_that_grows_is_not_asked_for_again_event_by_event(
    either_memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, names = TaishiMemoryService(either_memory), {"app_name": "a", "user_id": "ann"}
    events = [event(f"e{number}", f"I own boat {number}.") for number in range(5)]
    asked: list[str] = []
    get = either_memory.records.get

    def counted(scope: Scope, id: str) -> Any:
        asked.append(id)
        return get(scope, id)

    monkeypatch.setattr(either_memory.records, "get", counted)
    for _ in range(4):
        run(service.add_events_to_memory(events=events, **names))
    assert len(asked) == 10, "before it was stored, and once after"
