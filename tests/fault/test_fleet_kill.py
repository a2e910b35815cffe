"""Servers and workers on one PostgreSQL: workers are killed, the database is restarted, clients go
on. No turn is lost or doubled, pages are right, and everybody comes back by himself (W4, W5)."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from support.engine_postgres import PostgresEngine
from support.engine_postgres import own_postgres as own_postgres
from support.fleet import Clients, ProcessFleet, fleet
from taishi import Memory, Scope
from taishi.api_keys import Keys

CITIES = ("Oslo", "Rome", "Paris", "Lima", "Cairo", "Delhi", "Quito", "Tokyo", "Bonn", "Riga")
WORKSPACES = 3


def turns_of(people: int, each: int) -> list[dict[str, Any]]:
    """Everybody says where he lives, again and again, and what he likes, once each."""
    return [
        {
            "scope": {"user": f"u{person}", "workspace": f"w{person % WORKSPACES}"},
            "action_summary": f"step {at}",
            "new_info": f"I live in {city_of(person, at)}. I like tea number {at}.",
            "sender_name": f"Ann{person}",
            "request_id": f"r-{person}-{at}",
        }
        for at in range(each)
        for person in range(people)
    ]


def city_of(person: int, at: int) -> str:
    return CITIES[(person + at) % len(CITIES)]


def disturb(
    running: ProcessFleet,
    engine: PostgresEngine,
    every: float,
    restart_after: float,
    most_kills: int,
    over: threading.Event,
) -> None:
    """A worker dies every so often; the database is restarted once."""
    began, restarted = time.monotonic(), False
    while not over.wait(every):
        if running.kills < most_kills:
            running.kill_worker()
        if not restarted and time.monotonic() - began > restart_after:
            engine.restart()
            restarted = True


def play(
    engine: PostgresEngine,
    tmp_path: Path,
    settings: Any,
    *,
    servers: int,
    workers: int,
    people: int,
    each: int,
    every: float,
    restart_after: float,
    seconds: float,
    most_kills: int = 1000,
) -> dict[str, Any]:
    engine.run("CREATE DATABASE fleet OWNER taishi TEMPLATE taishi_template")
    address = engine.address("fleet")
    _, secret = Keys(address).create("bot", None, "admin")
    turns, over = turns_of(people, each), threading.Event()
    with fleet(address, tmp_path / "there", servers, workers) as running:
        clients = Clients(running.urls, secret)
        began = time.monotonic()
        disturber = threading.Thread(
            target=disturb, args=(running, engine, every, restart_after, most_kills, over)
        )
        disturber.start()
        try:
            clients.send_all(turns, 6, seconds)
            sent = time.monotonic() - began
            with Memory.open(address, settings) as memory:
                until, queue = time.monotonic() + seconds, {"pending": 1}
                while time.monotonic() < until and any(queue.values()):
                    queue = memory.status()["queue"]
                    queue = {name: queue[name] for name in ("pending", "processing", "failed")}
                    time.sleep(0.2)
                took = time.monotonic() - began
                over.set()
                disturber.join()
                retried = memory.status()["jobs"]["retried"]
                assert not any(queue.values()), queue
                check(memory, turns, clients, people, each)
        finally:
            over.set()
            disturber.join()
        assert all(server.poll() is None for server in running.servers), "servers survive"
        assert all(worker.poll() is None for worker in running.workers), "and so do workers"
        roles = wait_for_roles(running, servers, workers)
    return {
        "jobs": len(turns),
        "jobs per second": round(len(turns) / took, 1),
        "sent in": round(sent, 1),
        "seconds": round(took, 1),
        "kills": running.kills,
        "retried": retried,
        "answers": dict(clients.answers),
        "longest refusal": round(clients.refused_seconds, 1),
        "processes": dict(roles),
    }


def check(
    memory: Memory, turns: list[dict[str, Any]], clients: Clients, people: int, each: int
) -> None:
    assert set(clients.accepted) == {turn["request_id"] for turn in turns}
    seen: Counter[str] = Counter()
    for person in range(people):
        scope = Scope(user=f"u{person}", workspace=f"w{person % WORKSPACES}")
        for record in memory.records.list(scope, kinds=("event", "turn"), limit=1000).records:
            assert record.kind == "event", record.id
            seen[record.id] += 1
        page = memory.profiles.source(scope)
        assert page is not None, person
        expected = [f"Ann{person} lives in {city_of(person, each - 1)}"]
        expected += [f"Ann{person} likes tea number {at}" for at in range(each)]
        lines = [line.removeprefix("- ") for line in page.body.splitlines() if line]
        assert sorted(lines) == sorted(expected), "the last word about a home, and all others"
        liked = [int(line.rpartition(" ")[2]) for line in lines if "likes" in line]
        assert all(one < other for one, other in pairwise(liked)), "in the order of being said"
    lost, doubled = set(clients.accepted.values()) - set(seen), len(seen) - len(turns)
    assert not lost and not doubled and set(seen.values()) == {1}


def wait_for_roles(running: ProcessFleet, servers: int, workers: int) -> Counter[str]:
    """A killed process is on the board until its host finds it dead."""
    until = time.monotonic() + 30
    while True:
        roles = Counter(row["role"] for row in running.status()["processes"])
        if (roles["serve"], roles["work"]) == (servers, workers) or time.monotonic() > until:
            assert (roles["serve"], roles["work"]) == (servers, workers), roles
            return roles
        time.sleep(0.5)


@pytest.mark.thorough
@pytest.mark.timeout(1800)
def test_W5_2000_turns_with_kills_and_a_restart(
    own_postgres: PostgresEngine, tmp_path: Path, make_settings: Callable[..., Any]
) -> None:
    settings = make_settings({"storage.folder": str(tmp_path / "here")})
    figures = play(
        own_postgres, tmp_path, settings, servers=3, workers=4, people=100, each=20,
        every=5.0, restart_after=12.0, seconds=800.0, most_kills=40,
    )  # fmt: skip
    assert figures["kills"] >= 4
    print(figures)


@pytest.mark.thorough
def test_W5_a_small_fleet_with_a_kill_and_a_restart(
    own_postgres: PostgresEngine, tmp_path: Path, make_settings: Callable[..., Any]
) -> None:
    settings = make_settings({"storage.folder": str(tmp_path / "here")})
    figures = play(
        own_postgres, tmp_path, settings, servers=2, workers=2, people=8, each=5,
        every=0.5, restart_after=0.0, seconds=60.0, most_kills=1,
    )  # fmt: skip
    print(figures)
