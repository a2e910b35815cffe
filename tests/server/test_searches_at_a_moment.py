"""`now` in every search: "last week" and ages are those of the conversation, as in a replay."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import httpx
import pytest

from support.running_app import RunningApp
from taishi import AsyncMemory, InputError, Memory, Scope, TimeError, tools
from taishi.adapters.undefined import IncomingMessage, UndefinedMemory
from taishi.api_keys import Keys
from taishi.cli.serve import new_application
from taishi.server.app import create_app

ANN = Scope(user="ann")
QUERY = "what did Ann cook last week?"
# A Wednesday each; a day of the week before; what was cooked then.
MOMENTS = {
    "2026-02-18T12:00:00+08:00": ("2026-02-11T18:00:00+08:00", "leek soup"),
    "2026-03-18T12:00:00+08:00": ("2026-03-11T18:00:00+08:00", "plum cake"),
}
MOMENT = pytest.mark.parametrize("now", MOMENTS)


def cooked(memory: Memory) -> Memory:
    memory.remember_many(
        ANN,
        [
            {"text": f"Ann cooked a {dish}", "kind": "event", "time": time, "id": dish}
            for time, dish in MOMENTS.values()
        ],
    )
    return memory


@pytest.fixture
def kept(open_memory: Callable[..., Memory]) -> Memory:
    """Of today, long after both."""
    return cooked(open_memory({"query.recall_timeout": 10.0}))


@pytest.fixture(params=["folder", "server"])
def memory(request: pytest.FixtureRequest, kept: Memory) -> Iterator[Memory]:
    if request.param == "folder":
        yield kept
        return
    app = create_app(kept, keys=Keys(kept.status()["folder"]))
    with RunningApp(app, kept.settings.server) as server, Memory.open(server.url) as remote:
        yield remote


def first(text: str) -> str:
    """The dish that is named first."""
    named = {dish: text.find(dish) for _, dish in MOMENTS.values() if dish in text}
    return min(named, key=lambda dish: named[dish])


@MOMENT
def test_E2_events_are_searched_from_the_moment_that_is_given(memory: Memory, now: str) -> None:
    dish = MOMENTS[now][1]
    assert memory.search_events(ANN, QUERY, now=now).hits[0].id == dish
    assert asyncio.run(AsyncMemory(memory).search_events(ANN, QUERY, now=now)).hits[0].id == dish


@MOMENT
def test_E2_an_event_that_was_later_does_not_look_fresh(memory: Memory, now: str) -> None:
    """Without a time in the question, it is the age alone that differs."""
    scores = {hit.id: hit.score for hit in memory.search_events(ANN, "Ann cooked", now=now).hits}
    at_once = {hit.id: hit.score for hit in memory.search_events(ANN, "Ann cooked").hits}
    assert scores[MOMENTS[now][1]] > at_once[MOMENTS[now][1]]


def test_E2_pages_are_searched_from_the_moment_that_is_given(memory: Memory) -> None:
    memory.profiles.set(ANN, "- cooks soup")
    at_once, late = (
        memory.search_profiles(ANN, "who cooks soup?", now=now).hits[0].score
        for now in (None, "2036-01-01")
    )
    assert late < at_once, "ten years later the page is old"


@pytest.mark.parametrize("tool", ["search_events", "recall", "context"])
@MOMENT
def test_T1_tools_search_from_the_moment_of_the_host(memory: Memory, now: str, tool: str) -> None:
    told = tools.dispatch(memory, tool, {"query": QUERY}, ANN, names=[tool], now=now)
    assert first(told) == MOMENTS[now][1]
    if tool == "context":
        assert "7 days ago" in told or "week" in told


def test_T1_the_moment_is_no_argument_of_the_model(kept: Memory) -> None:
    given = {"query": QUERY, "now": "2026-02-18"}
    assert 'no argument "now"' in tools.dispatch(kept, "search_events", given, ANN)
    with pytest.raises(TimeError):  # of the host, so it is not for the model to read
        tools.dispatch(kept, "search_events", {"query": QUERY}, ANN, now="soon")


@pytest.mark.parametrize("path", ["events", "profiles"])
def test_the_api_takes_a_moment(kept: Memory, path: str) -> None:
    kept.profiles.set(ANN, "- cooks soup")
    app = create_app(kept, keys=Keys(kept.status()["folder"]))
    body: dict[str, Any] = {"scope": {"user": "ann"}, "query": QUERY}
    with RunningApp(app, kept.settings.server) as server:
        for now, (_, dish) in MOMENTS.items():
            found = httpx.post(f"{server.url}/v1/{path}/search", json={**body, "now": now})
            assert found.status_code == 200
            assert path == "profiles" or found.json()["hits"][0]["id"] == dish
        wrong = httpx.post(f"{server.url}/v1/{path}/search", json={**body, "now": "soon"})
        assert wrong.status_code in (400, 422)


def test_clients_of_mcp_say_the_moment_in_a_header(kept: Memory) -> None:
    app = new_application(kept, Keys(kept.status()["folder"]), "127.0.0.1", "en")

    def called(tool: str, arguments: dict[str, Any], now: str) -> Any:
        params = {"name": tool, "arguments": arguments}
        headers = {"X-Taishi-User": "ann", "X-Taishi-Now": now, "Accept": "application/json"}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return httpx.post(f"{server.url}/mcp", json=call, headers=headers, timeout=30)

    with RunningApp(app, kept.settings.server) as server:
        for now, (_, dish) in MOMENTS.items():
            found = called("search_events", {"query": QUERY}, now)
            assert found.status_code == 200
            assert first(found.json()["result"]["content"][0]["text"]) == dish
        wrong = called("search_events", {"query": QUERY}, "soon")
        assert wrong.status_code == 400 and "X-Taishi-Now" in wrong.text
        called("end", {"new_info": "Ann cooked a pear tart"}, "2026-02-18T12:00:00+08:00")
    kept.drain()
    (tart,) = [r for r in kept.records.list(ANN, kinds=["event"]).records if "tart" in r.text]
    assert tart.time == datetime.fromisoformat("2026-02-18T12:00:00+08:00").timestamp()


def test_a_moment_that_is_none_is_refused(memory: Memory) -> None:
    for search in (memory.search_events, memory.search_profiles):
        with pytest.raises(InputError):
            search(ANN, QUERY, now="soon")


@MOMENT
def test_a_bot_that_replays_messages_searches_from_their_time(kept: Memory, now: str) -> None:
    turn = UndefinedMemory(kept, language="en").turn(
        IncomingMessage("ann", "Ann", QUERY, message_id="m1", time=now)
    )
    told = asyncio.run(turn.call_tool("cognitive.search_events", {"query": QUERY}))
    assert first(told) == MOMENTS[now][1]
