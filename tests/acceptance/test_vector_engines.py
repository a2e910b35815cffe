"""Vectors in an engine outside this process (B1): the same hits, and nothing lost, late or left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from support.hash_embedder import HashEmbedder
from support.small_corpus import questions, texts
from support.vector_engines import address_of
from taishi import InputError, Memory, MissingExtraError, Scope, SettingsError, StorageError, load
from taishi.backends import vector_engines
from taishi.backends.vector_engines import parse_address
from taishi.recall import vector_feed
from taishi.recall.engine_search import EngineSearch

NOW = 1_700_000_000.0
ANN, BOB = Scope(user="ann"), Scope(user="bob")
ENGINES = [
    "milvus",
    pytest.param("lancedb", marks=pytest.mark.thorough),
    pytest.param("chroma", marks=pytest.mark.thorough),
]


@contextmanager
def opened(folder: Path, address: str = "", model: str = "hash-1") -> Iterator[Memory]:
    settings = load(environ={}, overrides={"storage.vectors": address})
    embedder = HashEmbedder(model)
    with Memory.open(folder, settings, embedder=embedder, clock=lambda: NOW) as memory:
        yield memory


def told(memory: Memory, scope: Scope, sentences: list[str]) -> None:
    memory.remember_many(scope, [{"text": text, "kind": "event"} for text in sentences])
    assert memory.drain(60)


def hits(memory: Memory, scope: Scope, question: str) -> list[str]:
    found = memory.recall(scope, question, top_k=10, floor=0.0, deadline=20.0)
    assert (found.level, found.paths["vector"]) == ("hybrid", "ok")
    return [hit.text for hit in found.hits]


def feed_of(memory: Memory) -> vector_feed.VectorFeed:
    feed = memory._services.runtime.vectors._feed
    assert feed is not None
    return feed


@dataclass
class Faulty:
    """An engine whose calls can be made to fail or to hang."""

    engine: Any
    fault: Callable[[], None] | None = None
    calls: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        real = getattr(self.engine, name)
        if not callable(real):
            return real

        def call(*arguments: Any, **options: Any) -> Any:
            self.calls.append(name)
            if self.fault is not None:
                self.fault()
            return real(*arguments, **options)

        return call


def down() -> None:
    raise StorageError("the engine was switched off by the test")


@pytest.mark.parametrize("name", ENGINES)
def test_B1_every_engine_finds_what_the_search_in_this_process_finds(
    name: str, tmp_path: Path
) -> None:
    address = address_of(name, tmp_path)
    overlaps = []
    with opened(tmp_path / "a") as plain, opened(tmp_path / "b", address) as memory:
        for one in (plain, memory):
            told(one, ANN, texts(500))
            told(one, BOB, texts(40, seed=9))
        for question in questions(40):
            expected, found = hits(plain, ANN, question), hits(memory, ANN, question)
            assert len(found) == 10
            overlaps.append(len(set(expected) & set(found)) / len(expected))
        assert memory.status()["index"]["vectors"] == 0, "none are held in this process"
        assert memory.status()["vectors"] == {
            "engine": address,
            "vectors": 540,
            "lag": 0,
            "failure": "",
        }
        theirs = set(texts(40, seed=9))
        for question in questions(10):
            assert set(hits(memory, BOB, question)) <= theirs, "S3: nothing of another chat"
    # Not 1: in this process, all but the nearest twenty are compared by 8 bits a number.
    assert np.mean(overlaps) >= 0.99


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path / "data", address_of("milvus", tmp_path)) as one:
        told(one, ANN, texts(60))
        yield one


def test_Q3_an_engine_that_fails_lowers_the_level_and_comes_back_by_itself(memory: Memory) -> None:
    feed = feed_of(memory)
    feed.engine = faulty = Faulty(feed.engine)
    assert hits(memory, ANN, "red boat"), "the control"
    faulty.fault = down
    found = memory.recall(ANN, "a green lantern", floor=0.0)
    assert (found.level, found.paths["vector"]) == ("keyword", "failed")
    assert found.hits and found.skipped == {"vector": "failed"}
    for at in range(6):
        memory.recall(ANN, f"a blue kettle {at}", floor=0.0)
    asked = len(faulty.calls)
    memory.recall(ANN, "a white tent", floor=0.0)
    assert len(faulty.calls) == asked, "the breaker leaves it alone"
    faulty.fault = None
    search = memory._services.retriever.source._engine
    assert isinstance(search, EngineSearch)
    search._guard.__self__._opened_at -= 60  # as if a minute had passed
    assert hits(memory, ANN, "a green lantern")


def test_Q2_an_engine_that_hangs_does_not_outlive_the_deadline(memory: Memory) -> None:
    feed = feed_of(memory)
    feed.engine = faulty = Faulty(feed.engine)
    let_go = threading.Event()
    faulty.fault = lambda: (let_go.wait(20), None)[1]
    began = time.monotonic()
    found = memory.recall(ANN, "a green lantern", floor=0.0, deadline=0.3)
    assert time.monotonic() - began < 1.5
    assert (found.level, found.paths["vector"]) == ("keyword", "late") and found.hits
    faulty.fault = None
    let_go.set()
    assert hits(memory, ANN, "a green lantern")


def test_Q3_an_engine_that_was_not_fed_yet_is_behind_and_words_answer(memory: Memory) -> None:
    feed = feed_of(memory)
    feed.engine = faulty = Faulty(feed.engine)
    faulty.fault = down
    told(memory, BOB, texts(30, seed=5))
    question = texts(30, seed=5)[3]
    found = memory.recall(BOB, question, floor=0.0)
    assert (found.level, found.paths["vector"]) == ("keyword", "behind")
    assert found.hits[0].text == question and "vector" in found.skipped
    assert memory.status()["vectors"]["failure"]
    faulty.fault = None
    assert memory.drain(20)
    assert hits(memory, BOB, question)[0] == question


def test_a_changed_text_is_not_found_by_its_old_vector(memory: Memory) -> None:
    memory.remember(ANN, "Zoe plays the harpsichord", id="z", kind="fact")
    assert memory.drain(20)
    feed = feed_of(memory)
    number = max(no for no, at in feed.engine.entries(1).items())
    old = feed.engine.get([number])[number]
    memory.remember(ANN, "Zoe keeps bees on the roof", id="z", kind="fact")
    assert memory.drain(20)
    revision, vector = feed.engine.get([number])[number]
    assert revision > old[0] and float(vector @ old[1]) < 0.9
    assert memory.maintenance.verify_vectors().ok


def test_O2_what_is_forgotten_leaves_the_engine_and_the_proof_says_so(memory: Memory) -> None:
    told(memory, BOB, texts(20, seed=5))
    engine = feed_of(memory).engine
    assert engine.count() == 80
    traces = memory.deletions.traces(BOB)
    memory.forget(BOB)
    assert engine.count() == 60 and len(engine.entries(1)) == 60
    proof = memory.deletions.prove(BOB, traces)
    assert proof and f"vectors: {engine.address}" in proof.places
    one = memory.records.list(ANN, limit=1).records[0]
    memory.forget(ANN, one.id)
    assert engine.count() == 59


def test_O2_a_removal_that_cannot_reach_the_engine_stays_pending(memory: Memory) -> None:
    told(memory, BOB, texts(20, seed=5))
    feed = feed_of(memory)
    feed.engine = faulty = Faulty(feed.engine)
    traces = memory.deletions.traces(BOB)
    faulty.fault = down
    memory.forget(BOB)
    proof = memory.deletions.prove(BOB, traces)
    assert not proof
    assert [r.place for r in proof.found] == [f"vectors: {feed.engine.address}"]
    assert faulty.engine.count() == 80, "the control: they are still there"
    faulty.fault = None
    assert memory.deletions.prove(BOB, traces)
    assert faulty.engine.count() == 60


def test_O2_a_chat_that_was_fed_halfway_is_forgotten_whole(memory: Memory) -> None:
    feed = feed_of(memory)
    feed.engine = faulty = Faulty(feed.engine)
    put = 0

    def cut_off() -> None:
        nonlocal put
        put += faulty.calls[-1] == "put"
        if put and faulty.calls[-1] == "set_position":
            raise StorageError("cut off before the position moves")

    faulty.fault = cut_off
    told(memory, BOB, texts(20, seed=5))
    assert faulty.engine.count() == 80, "the control: put, and no position yet"
    found = memory.recall(BOB, "red boat", floor=0.0)
    assert found.paths["vector"] == "behind"
    faulty.fault = None
    memory.forget(BOB)
    assert faulty.engine.count() == 60


def test_vectors_of_another_model_replace_all_and_two_memories_share_an_engine(
    tmp_path: Path,
) -> None:
    address = address_of("milvus", tmp_path)
    with opened(tmp_path / "one", address) as memory:
        told(memory, ANN, texts(20))
    with opened(tmp_path / "two", address) as other:
        told(other, BOB, texts(10, seed=4))
        assert feed_of(other).engine.count() == 10, "partitions of the same number, apart"
    with opened(tmp_path / "one", address, model="hash-2") as memory:
        assert memory.drain(20)
        assert memory.maintenance.verify_vectors().stored == 20
        assert hits(memory, ANN, "red boat")
    with opened(tmp_path / "two", address) as other:
        assert other.maintenance.verify_vectors().ok and hits(other, BOB, "red boat")


def test_reembedding_replaces_vectors_of_the_same_revision(memory: Memory) -> None:
    feed = feed_of(memory)
    number = next(iter(feed.engine.entries(1)))
    wrong = np.eye(1, 64, 7, dtype=np.float32)[0]
    feed.engine.remove([number])
    feed.engine.put(feed.model, [(number, 1, wrong)])
    memory.maintenance.reembed()
    assert memory.drain(20)
    assert not np.allclose(feed.engine.get([number])[number][1], wrong)
    assert memory.maintenance.verify_vectors().ok


def test_verify_finds_every_kind_of_damage_and_rebuild_mends_it(
    memory: Memory, tmp_path: Path
) -> None:
    feed, model = feed_of(memory), feed_of(memory).model
    check = memory.maintenance.verify_vectors()
    assert check.ok and (check.stored, check.indexed, check.sampled) == (60, 60, 20)
    first, second, third, *_ = sorted(feed.engine.entries(1))
    any_vector = feed.engine.get([first])[first][1]
    feed.engine.remove([first, second, third])
    feed.engine.put(model, [(second, 0, any_vector), (9 << 32 | 1, 1, any_vector)])
    feed.engine.put(model, [(1 << 32 | 5000, 1, any_vector)])
    check = memory.maintenance.verify_vectors()
    assert (check.missing, check.outdated, check.extra, check.ok) == (2, 1, 2, False)
    seen: list[tuple[int, int]] = []
    assert memory.maintenance.rebuild_vectors(lambda done, total: seen.append((done, total))) == 60
    assert memory.maintenance.verify_vectors().ok and seen[-1][0] == seen[-1][1] > 0
    assert hits(memory, ANN, "red boat")
    for number in sorted(feed.engine.entries(1)):
        feed.engine.remove([number])
        feed.engine.put(model, [(number, 1, np.eye(1, 64, 9, dtype=np.float32)[0])])
    check = memory.maintenance.verify_vectors()
    assert (check.different, check.missing, check.ok) == (20, 0, False)


def test_index_commands_say_what_they_found_in_both_languages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from taishi.cli import taishi

    address = address_of("milvus", tmp_path)
    monkeypatch.setenv("TAISHI__STORAGE__VECTORS", address)
    monkeypatch.setattr("taishi.assembly.parts.choose_embedder", lambda *_: (HashEmbedder(), "h"))
    with opened(tmp_path / "data", address) as memory:
        told(memory, ANN, texts(10))

    def run(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(taishi, ["--data", str(tmp_path / "data"), *arguments])
        return result.exit_code, result.stdout

    assert run("index", "verify")[0] == 0
    with opened(tmp_path / "data", address) as memory:
        assert memory.drain(20)
        engine = feed_of(memory).engine
        engine.remove(list(engine.entries(1))[:3])
    code, said = run("index", "verify", "--json")
    assert code == 1 and json.loads(said)["missing"] == 3
    assert "缺少 3 个" in run("--lang", "zh", "index", "verify")[1]
    assert json.loads(run("index", "rebuild", "--json")[1]) == {"vectors": 10}
    code, said = run("--lang", "en", "index", "verify")
    assert code == 0 and "matches the store" in said


def test_without_an_engine_there_is_nothing_to_verify(tmp_path: Path) -> None:
    with opened(tmp_path / "data") as memory:
        with pytest.raises(InputError, match=r"storage\.vectors is empty"):
            memory.maintenance.verify_vectors()
        with pytest.raises(InputError, match="taishi rebuild"):
            memory.maintenance.rebuild_vectors()


@pytest.mark.parametrize(
    "address",
    [
        "milvus://",
        "milvus:///",
        "milvus://host",
        "milvus://host:0",
        "milvus://host:99999",
        "milvus://host:19530/../../etc",
        "milvus:///tmp/no-database",
        "milvus:///tmp/../etc/passwd.db",
        "milvus:///tmp/%2e%2e/x.db",
        "milvus:///tmp/a\x00b.db",
        "milvus://ho st:19530",
        "milvus://host:19530?token=x",
        "lancedb://host:80",
        "lancedb:///",
        "lancedb://..",
        "chroma://user:secret@host:8000",
        "chroma:///a#b",
        "pinecone://host:1",
        "file:///etc/passwd",
        "\ud800://x",
        "x" * 5000,
    ],
)
def test_hostile_addresses_are_refused_and_say_what_to_write(address: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"storage\.vectors") as caught:
        parse_address(address)
    assert "secret" not in str(caught.value) and len(str(caught.value)) < 400


def test_a_password_is_used_and_never_shown() -> None:
    address = parse_address("milvus://root:s%40cret@db.example:19530")
    assert (address.token, address.port) == ("root:s@cret", 19530)
    assert "cret" not in f"{address} {address!r}"
    with pytest.raises(SettingsError) as caught:
        parse_address("milvus://root:secret@host:99999")
    assert "secret" not in str(caught.value)


def test_a_missing_package_names_the_pip_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_engines, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"install .*\[chroma\]"):  # noqa: SIM117
        with opened(tmp_path / "data", "chroma:///tmp/x"):
            pass


@pytest.mark.thorough  # the driver takes seconds to give up
def test_a_server_that_is_not_there_stops_nobody(tmp_path: Path) -> None:
    with opened(tmp_path / "data", "milvus://127.0.0.1:9") as memory:
        memory.remember(ANN, "Ann has a red boat")
        found = memory.recall(ANN, "red boat", deadline=5.0)
        assert found.hits and found.level == "keyword" and found.paths["vector"] == "behind"
        began = time.monotonic()
        assert memory.recall(ANN, "a red boat", deadline=5.0).hits
        assert time.monotonic() - began < 2, "once it is known to be down, nobody waits for it"


FEEDER = """
import sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
from support.hash_embedder import HashEmbedder
from taishi import Memory, load
from taishi.recall import vector_feed

vector_feed.BATCH = 20
slow = vector_feed.VectorFeed.feed_all

settings = load(environ={{}}, overrides={{"storage.vectors": {address!r}}})
from taishi.backends.vector_engines.base import CollectionEngine
upsert = CollectionEngine.put

def put(self, model, vectors):
    upsert(self, model, vectors)
    print("put", len(vectors), flush=True)
    time.sleep(0.05)

CollectionEngine.put = put
with Memory.open({folder!r}, settings, embedder=HashEmbedder()) as memory:
    memory.drain(60)
    print("done", flush=True)
"""


@pytest.mark.parametrize("name", ENGINES)
def test_W4_a_feeder_that_is_killed_goes_on_where_it_was(name: str, tmp_path: Path) -> None:
    address = address_of(name, tmp_path)
    with opened(tmp_path / "data") as memory:
        told(memory, ANN, texts(300))
        told(memory, BOB, texts(100, seed=3))
    script = FEEDER.format(
        tests=str(Path(__file__).parent.parent), address=address, folder=str(tmp_path / "data")
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(4):
        assert process.stdout.readline().startswith("put")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with opened(tmp_path / "data", address) as memory:
        assert memory.drain(60)
        check = memory.maintenance.verify_vectors()
        assert check.ok and check.indexed == 400
        assert hits(memory, ANN, "red boat")
