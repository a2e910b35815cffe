"""Each engine in turn hangs or dies under load: recall answers in time, says what is missing, and
comes back to the full level by itself (Q3, W4)."""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from support.cut_off import PostgresServer, Server, engine_states
from support.engine_postgres import PostgresEngine
from support.engine_postgres import own_postgres as own_postgres
from support.engine_s3 import s3_address, s3_keys, start_s3
from support.engine_valkey import start_valkey
from support.hash_embedder import HashEmbedder
from support.small_corpus import questions, texts
from support.vector_engines import start_server
from taishi import Memory, Recall, Scope
from taishi.api_keys import Keys
from taishi.errors import QueueError, StorageError, UnreachableError
from taishi.server.app import create_app

keys_of_s3 = s3_keys
DEADLINE = 0.5
# Beyond the deadline: what a machine whose processors are all busy takes to wake a thread.
ALLOWANCE = 1.0
BACK_SECONDS = 30.0
THREADS = 4
PEOPLE = [Scope(user=f"p{number}") for number in range(THREADS)]


@dataclass
class Load:
    """Threads that ask and note what they got, until `over`."""

    memory: Memory
    slowest: float = 0.0
    errors: list[BaseException] = field(default_factory=list)
    answers: list[Recall] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def ask(self, scope: Scope) -> None:
        for question in itertools.cycle(questions(20)):
            if self.over.wait(0.03):
                return
            began = time.monotonic()
            unheard = f"{question} {time.monotonic_ns()}"  # so that no cache has the answer
            try:
                self.answers.append(self.memory.recall(scope, unheard, deadline=DEADLINE))
            except BaseException as error:
                self.errors.append(error)
            self.slowest = max(self.slowest, time.monotonic() - began)

    @contextmanager
    def running(self) -> Iterator[Load]:
        threads = [threading.Thread(target=self.ask, args=(scope,)) for scope in PEOPLE]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self.over.set()
            for thread in threads:
                thread.join()

    def seen(self, seconds: float) -> list[Recall]:
        """The answers of the next so many seconds."""
        start = len(self.answers)
        time.sleep(seconds)
        return self.answers[start:]


def until(check: Callable[[], bool], seconds: float = BACK_SECONDS) -> float:
    """How long it took."""
    began = time.monotonic()
    while not check():
        assert time.monotonic() - began < seconds, "it did not happen in time"
        time.sleep(0.05)
    return time.monotonic() - began


def is_full(recall: Recall) -> bool:
    return recall.level == "hybrid" and not recall.skipped and bool(recall.hits)


def cut_off(
    memory: Memory,
    name: str,
    cut: Callable[[], None],
    mend: Callable[[], None],
    poke: Callable[[], Any],
    meanwhile: Callable[[list[Recall]], None],
) -> dict[str, float]:
    """`poke` uses the engine, for those that recall does not ask."""
    with Load(memory).running() as load:
        until(lambda: bool(load.answers) and is_full(load.answers[-1]))
        until(lambda: set(engine_states(memory).values()) == {"ok"})
        cut()
        try:
            noticed = until(lambda: _poked(poke) and engine_states(memory)[name] == "degraded")
            meanwhile(load.seen(1.5))
        finally:
            mend()

        def is_back() -> bool:
            _poked(poke)
            return set(engine_states(memory).values()) == {"ok"} and is_full(load.answers[-1])

        back = until(is_back)
        _mostly(load.seen(1.0), is_full)  # and it stays
    assert not load.errors, load.errors[0]
    assert load.slowest <= DEADLINE + ALLOWANCE, load.slowest
    return {"noticed": round(noticed, 2), "back": round(back, 2), "slowest": round(load.slowest, 2),
            "answers": len(load.answers)}  # fmt: skip


def _poked(poke: Callable[[], Any]) -> bool:
    try:
        poke()
    except StorageError:
        pass
    return True


def nothing() -> None: ...


def told(memory: Memory, count: int) -> None:
    for number, scope in enumerate(PEOPLE):
        some = texts(count, seed=number)
        memory.remember_many(scope, [{"text": text, "kind": "event"} for text in some])
    assert memory.drain(60)
    for scope in PEOPLE:  # into memory
        for question in questions(20):
            memory.recall(scope, question, deadline=20.0)


def from_memory(memory: Memory, recalls: list[Recall]) -> None:
    """PostgreSQL is away: hits all the same, and each answer says so. Nothing is half accepted."""
    _mostly(recalls, lambda one: bool(one.hits) and one.skipped.get("store") == "behind")
    began = time.monotonic()
    with pytest.raises((QueueError, UnreachableError), match="does not answer"):
        memory.end_turn(PEOPLE[0], new_info="I live in Nowhere", request_id="lost")
    assert time.monotonic() - began < 5.0


def by_words(recalls: list[Recall]) -> None:
    _mostly(recalls, lambda one: one.level == "keyword" and bool(one.hits))
    assert all(one.skipped for one in recalls)


def still_full(recalls: list[Recall]) -> None:
    _mostly(recalls, is_full)


def _mostly(recalls: list[Recall], check: Callable[[Recall], bool]) -> None:
    """But for a few that were late, on a machine that is busy with all this."""
    right = sum(map(check, recalls))
    assert right and right >= 0.9 * len(recalls), Counter(str(r.paths) for r in recalls)


def over_rest(client: TestClient) -> tuple[tuple[int, int], Any, str]:
    """What a question and a turn get: the codes, what is said of the store, when to try again."""
    scope = {"user": "p0"}
    question = {"scope": scope, "query": questions(1)[0], "deadline": 10}
    asked = client.post("/v1/recall", json=question)
    told = client.post("/v1/turns", json={"scope": scope, "new_info": "I keep bees"})
    paths = asked.json().get("paths", {})
    codes = asked.status_code, told.status_code
    return codes, paths.get("store"), told.headers.get("Retry-After", "0")


@contextmanager
def opened(
    engine: PostgresEngine,
    tmp_path: Path,
    make_settings: Callable[..., Any],
    storage: Mapping[str, str],
) -> Iterator[Memory]:
    engine.run("CREATE DATABASE cut OWNER taishi TEMPLATE taishi_template")
    changes = {"storage.folder": str(tmp_path / "here"), **storage}
    settings = make_settings(changes)
    with Memory.open(engine.address("cut"), settings, embedder=HashEmbedder()) as memory:
        told(memory, 40)
        yield memory


@pytest.mark.thorough
def test_Q3_postgres_dies_under_load(
    own_postgres: PostgresEngine, tmp_path: Path, make_settings: Callable[..., Any]
) -> None:
    server = PostgresServer(own_postgres)
    with opened(own_postgres, tmp_path, make_settings, {}) as memory:
        keys = Keys(own_postgres.address("cut"))
        _, secret = keys.create("bot", None, "admin")
        headers = {"Authorization": f"Bearer {secret}"}
        with TestClient(create_app(memory, keys=keys), headers=headers) as client:
            assert over_rest(client)[0] == (200, 202)
            assert memory.drain(30)

            def meanwhile(recalls: list[Recall]) -> None:
                from_memory(memory, recalls)
                codes, store, again = over_rest(client)
                assert codes == (200, 503) and store == "behind" and int(again) > 0
                ready = client.get("/health/ready")
                assert ready.status_code == 200, "recall goes on from memory"
                assert ready.json()["status"] == "degraded"
                assert list(ready.json()["reasons"]) == ["database"]

            print(cut_off(memory, "database", server.kill, server.come_back, nothing, meanwhile))
            assert over_rest(client)[0] == (200, 202)
        memory.drain(30)
        assert memory.get(PEOPLE[0], "lost:1") is None, "what was refused is nowhere"
        memory.end_turn(PEOPLE[0], new_info="I live in Oslo", request_id="kept")
        assert memory.drain(30) and memory.get(PEOPLE[0], "kept:1") is not None


@pytest.mark.thorough
@pytest.mark.timeout(400)
def test_Q3_every_engine_in_turn_hangs_and_dies(
    own_postgres: PostgresEngine,
    tmp_path: Path,
    make_settings: Callable[..., Any],
    keys_of_s3: None,
) -> None:
    valkey, s3, milvus = (
        Server(start, tmp_path / name)
        for name, start in (
            ("valkey", start_valkey), ("s3", start_s3), ("milvus", partial(start_server, "milvus")),
        )
    )  # fmt: skip
    storage = {
        "storage.cache": valkey.known["url"],
        "storage.files": s3_address(s3.known["endpoint"]),
        "storage.vectors": milvus.known["address"],
    }
    try:
        with opened(own_postgres, tmp_path, make_settings, storage) as memory:
            memory.knowledge.add(PEOPLE[0], b"# Bees\n\nThey make honey.\n", name="bees.md")
            (document,) = memory.knowledge.list(PEOPLE[0])
            memory.drain(60)

            def fresh() -> None:  # a question that no cache of this process has the answer to
                memory.recall(PEOPLE[0], f"boat {time.monotonic()}", deadline=DEADLINE)

            original = partial(memory.knowledge.original, PEOPLE[0], document.id)
            cases = (
                ("database", PostgresServer(own_postgres), nothing, partial(from_memory, memory)),
                ("cache", valkey, fresh, still_full),
                ("files", s3, original, still_full),
                ("vectors", milvus, fresh, by_words),
            )
            for name, server, poke, meanwhile in cases:
                for cut, mend in ((server.hang, server.go_on), (server.kill, server.come_back)):
                    how = f"{name} {cut.__name__}"
                    print(how, cut_off(memory, name, cut, mend, poke, meanwhile))
    finally:
        for one in (valkey, s3, milvus):
            one.close()
