"""PostgreSQL stops under a memory in ordinary use: chats that were written to since they were last
asked about are answered from memory all the same, and what was deleted stays deleted (Q3, O2)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from support.engine_postgres import PostgresEngine
from support.engine_postgres import own_postgres as own_postgres
from taishi import Memory, Recall, Scope
from taishi.api_keys import Keys
from taishi.server.app import create_app
from taishi.settings import Settings

pytestmark = pytest.mark.timeout(300)
NORA, BEN = Scope(user="nora"), Scope(user="ben")
SECONDS = 10.0  # for an answer, on a machine that is busy


@dataclass
class Site:
    """A database of its own, and the memories that are open on it."""

    engine: PostgresEngine
    make_settings: Callable[..., Settings]
    folder: Path
    stack: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        self.engine.run("CREATE DATABASE used OWNER taishi TEMPLATE taishi_template")

    @property
    def address(self) -> str:
        return self.engine.address("used")

    def open(self, name: str) -> Memory:
        settings = self.make_settings({"storage.folder": str(self.folder / name)})
        memory = self.stack.enter_context(Memory.open(self.address, settings))
        memory.warm_up(seconds=SECONDS)  # as a server does when it starts
        until = time.monotonic() + SECONDS
        while memory._services.runtime.parts.store.moment() is None:
            assert time.monotonic() < until, "it does not hear of changes"
            time.sleep(0.01)
        return memory

    def stop(self) -> None:
        self.engine.stop("immediate")


@pytest.fixture
def site(
    own_postgres: PostgresEngine, tmp_path: Path, make_settings: Callable[..., Settings]
) -> Iterator[Site]:
    site = Site(own_postgres, make_settings, tmp_path)
    try:
        yield site
    finally:
        if not (own_postgres.data / "postmaster.pid").exists():
            own_postgres.start()
        site.stack.close()


def asked(memory: Memory, scope: Scope, question: str = "Where is the boat?") -> Recall:
    return memory.recall(scope, f"{question} {time.monotonic_ns()}", deadline=SECONDS)


def texts(recall: Recall) -> str:
    return "\n".join(hit.text for hit in recall.hits)


def has_known(memory: Memory, scope: Scope) -> None:
    """As a chat does: asked about, then a turn ends and is worked on."""
    memory.remember(scope, "The boat lies in Bergen.")
    assert "Bergen" in texts(asked(memory, scope))
    for number, said in enumerate(("I live in Oslo", "My dog is called Rex", "I like green tea")):
        memory.end_turn(
            scope,
            new_info=said,
            request_id=f"told-{number}-{scope.user}",
            sender_id=scope.user,
            sender_name="Nora",
        )
        assert memory.drain(60)


def answers_behind(memory: Memory, scope: Scope) -> Recall:
    found = asked(memory, scope)
    assert found.paths.get("store") == "behind", found
    return found


def test_Q3_a_chat_written_to_since_it_was_asked_is_answered_from_memory(site: Site) -> None:
    memory = site.open("one")
    has_known(memory, NORA)
    site.stop()
    first = answers_behind(memory, NORA)
    assert first.level == "keyword" and "Bergen" in texts(first)
    assert first.took_ms < 1000 * SECONDS / 2


def test_Q3_a_hanging_database_is_answered_for_within_the_deadline(site: Site) -> None:
    """Before anybody can know that it hangs."""
    memory = site.open("one")
    has_known(memory, NORA)
    site.engine.hang()
    try:
        began = time.monotonic()
        found = memory.recall(NORA, "Where is the boat?", deadline=0.5)
        assert time.monotonic() - began < 1.5
        assert found.paths.get("store") == "behind" and "Bergen" in texts(found), found
    finally:
        site.engine.go_on()


def test_Q3_another_session_and_another_person_in_a_known_group(site: Site) -> None:
    memory = site.open("one")
    crew = Scope(group="crew", user="nora", session="monday")
    memory.remember(crew, "The boat lies in Bergen.")
    assert "Bergen" in texts(asked(memory, crew))
    site.stop()
    for reader in (Scope(group="crew", user="nora", session="tuesday"), Scope(group="crew")):
        assert "Bergen" in texts(answers_behind(memory, reader))
    # What was never asked for is not in memory, and nobody else's memory stands in for it.
    assert asked(memory, BEN).hits == ()


def test_Q3_filters_hold_without_the_database(site: Site) -> None:
    memory = site.open("one")
    memory.remember(NORA, "The boat lies in Bergen.", metadata={"about": "boat"})
    memory.remember(NORA, "The boat of Ben lies in Oslo.", metadata={"about": "ben"})
    asked(memory, NORA)
    site.stop()
    found = memory.recall(NORA, "boat", deadline=SECONDS, filters={"metadata.about": "boat"})
    assert "Bergen" in texts(found) and "Oslo" not in texts(found), found


@pytest.mark.parametrize("by", ("this server", "another server"))
def test_O2_what_was_forgotten_does_not_come_back(site: Site, by: str) -> None:
    """Neither a record nor a person, whichever server forgot it; others' chats go on."""
    memory, other = site.open("one"), site.open("other")
    for scope in (NORA, BEN):
        memory.remember(scope, "The boat lies in Bergen.")
        memory.remember(scope, "The secret boat lies in Hidden Bay.")
    crew = Scope(group="crew", user="mia")
    memory.remember(crew, "The boat of the crew lies in Narvik.")
    for scope in (NORA, BEN, crew):
        for one in (memory, other):
            assert one.recall(scope, "Where is the boat?", deadline=SECONDS).hits
    eraser = memory if by == "this server" else other
    found = asked(eraser, NORA, "secret boat Hidden Bay").hits
    (secret,) = [hit for hit in found if "secret" in hit.text]
    eraser.forget(NORA, secret.id)
    eraser.forget(BEN)
    time.sleep(1.0)  # the other one hears of it
    site.stop()
    for one in (memory, other):
        for scope in (NORA, BEN):
            found = one.recall(scope, "Where is the boat?", deadline=SECONDS)
            assert "Hidden" not in texts(found), found
        assert asked(one, BEN).hits == ()
    if by == "another server":
        assert "Narvik" in texts(answers_behind(memory, Scope(group="crew")))


def test_S2_a_link_that_was_switched_off_stays_off(site: Site) -> None:
    memory, other = site.open("one"), site.open("other")
    crew = Scope(group="crew", user="nora")
    memory.remember(NORA, "The boat lies in Bergen.")
    memory.remember(crew, "The boat of the crew lies in Narvik.")
    memory.set_link(NORA, True)
    assert "Bergen" in texts(asked(memory, crew))
    other.set_link(NORA, False)
    time.sleep(1.0)
    site.stop()
    found = answers_behind(memory, crew)
    assert "Narvik" in texts(found) and "Bergen" not in texts(found)


def test_P5_what_was_taken_back_by_hand_is_not_shown(site: Site) -> None:
    """A fact that a person rejected at another server: this one says that the store is away."""
    memory, other = site.open("one"), site.open("other")
    memory.end_turn(NORA, new_info="I live in Bergen", request_id="home", sender_id="nora")
    assert memory.drain(60)
    assert "Bergen" in texts(asked(memory, NORA, "Where does nora live?"))
    for fact in other.facts.list(NORA):
        other.facts.reject(NORA, fact.id)
    time.sleep(1.0)
    site.stop()
    assert asked(memory, NORA, "Where does nora live?").paths.get("store") != "behind"


# Of the database alone: not shown while it is away.
STORED = {"taishi_records", "taishi_embedding_backlog", "taishi_queue_jobs", "taishi_model_calls"}


def test_O1_metrics_and_status_answer_without_the_database(site: Site) -> None:
    """Though nobody asked for either of them before; and a question is answered without a wait."""
    memory, keys = site.open("one"), Keys(site.address)
    _, secret = keys.create("watch", None, "admin")
    has_known(memory, NORA)
    headers = {"Authorization": f"Bearer {secret}"}
    with TestClient(create_app(memory, keys=keys), headers=headers) as client:
        assert client.get("/v1/whoami").status_code == 200
        time.sleep(1.0)  # the key is not fresh any more
        site.stop()
        began = time.monotonic()
        question = {"scope": {"user": "nora"}, "query": "Where is the boat?", "deadline": SECONDS}
        told = client.post("/v1/recall", json=question).json()
        took = time.monotonic() - began
        print(f"the first recall took {took:.3f} s, {told['took_ms']:.1f} ms of it to recall")
        assert told["paths"]["store"] == "behind" and told["hits"], told
        assert took < 1.5
        status = client.get("/v1/status")
        assert status.status_code == 200, status.text
        details = status.json()["details"]
        assert details["engines"]["database"]["state"] == "degraded"
        assert details["records"] == {} and details["processes"][0]["own"]
        page = client.get("/metrics")
        assert page.status_code == 200, page.text
        shown = {one.name: one for one in text_string_to_metric_families(page.text)}
        up = {one.labels["engine"]: one.value for one in shown["taishi_engine_up"].samples}
        assert up == {"database": 0.0}
        assert shown.keys().isdisjoint(STORED)
        assert {"taishi_recall_seconds", "taishi_http_requests", "taishi_jobs"} <= shown.keys()
        site.engine.start()
        end = time.monotonic() + 60
        while STORED - {"taishi_model_calls"} - shown.keys() and time.monotonic() < end:
            page = client.get("/metrics").text
            shown = {one.name: one for one in text_string_to_metric_families(page)}
            time.sleep(0.1)
        assert shown.keys() >= STORED
