"""A server that was just started: it says that it is not ready, and that an answer is not whole."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.recall.partition_index import PartitionIndex
from taishi.recall.warm_up import load_largest
from taishi.server.app import create_app
from taishi.times import Deadline

CREW, CREW_BODY = Scope(group="crew", user="ann"), {"group": "crew", "user": "ann"}
LARGE = 20


def told(memory: Memory, scope: Scope, count: int) -> None:
    texts = [{"text": f"Ann painted boat number {n}", "kind": "fact"} for n in range(count)]
    memory.remember_many(scope, texts)


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taishi.recall.warm_up.SLOW_RECORDS", LARGE)


def test_T4_a_cold_server_is_not_ready_and_says_what_is_late(
    tmp_path: Path, open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    told(memory, CREW, LARGE)
    memory.close()
    memory = open_memory()
    let, load, loaded = threading.Event(), PartitionIndex.load, []

    def slow(*given: Any) -> PartitionIndex:
        let.wait(20)
        loaded.append(given)
        return load(*given)

    monkeypatch.setattr(PartitionIndex, "load", slow)
    monkeypatch.setattr("taishi.server.app.WARM_SECONDS", 0.05)
    body = {"scope": CREW_BODY, "query": "boat number 7"}
    with TestClient(create_app(memory, keys=Keys(tmp_path / "data"))) as client:
        try:
            answer = client.get("/health/ready")
            assert answer.status_code == 503
            assert set(answer.json()["reasons"]) == {"starting"}
            assert client.get("/health/live").status_code == 200
            for path in ("/v1/recall", "/v1/context"):
                late = client.post(path, json={**body, "deadline": 0.2}).json()
                assert late["level"] == "empty"
                assert late["skipped"] == {"store": "late"}
                assert "nothing could be searched" in late["note"]
        finally:
            let.set()
        end = time.monotonic() + 20
        while client.get("/health/ready").status_code != 200:
            assert time.monotonic() < end
            time.sleep(0.02)
        before = len(loaded)
        found = client.post("/v1/recall", json={**body, "deadline": 5}).json()
        assert found["hits"]
        assert not found["skipped"]
        assert len(loaded) == before, "the index was there before the question"


def test_Q2_warming_up_reads_the_large_chats_first_as_far_as_there_is_memory(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory()
    for name, count in (("small", 3), ("large", LARGE), ("largest", LARGE + 5)):
        told(memory, Scope(group=name), count)
    memory.close()
    for most_bytes, rows in ((0, 0), (1, LARGE + 5), (1 << 30, 2 * LARGE + 5)):
        memory = open_memory()
        services = memory._services
        store = services.runtime.parts.store
        assert load_largest(services.retriever, store, "boat", most_bytes, Deadline(10))
        assert services.retriever.stats()["rows"] == rows
        memory.close()
    memory = open_memory()
    assert memory.warm_up(seconds=10)
    assert memory._services.retriever.stats()["rows"] == 2 * LARGE + 5


def test_Q2_warming_up_does_not_wait_longer_than_it_was_told(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    told(memory, CREW, LARGE)
    let = threading.Event()
    monkeypatch.setattr(PartitionIndex, "load", lambda *_: let.wait(20))
    begun = time.monotonic()
    assert not memory.warm_up(seconds=0.3)
    assert time.monotonic() - begun < 5
    let.set()
