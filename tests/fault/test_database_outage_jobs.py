"""PostgreSQL stops while workers hold jobs: when it is back they are done within seconds and in
their order, and none stays claimed until its lease ends (W4, W5)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from support.engine_postgres import PostgresEngine
from support.engine_postgres import own_postgres as own_postgres
from taishi import Memory, Scope
from taishi.backends.postgres.queue import PostgresQueue
from taishi.errors import UnreachableError
from taishi.ports import Lease
from taishi.settings import Settings

pytestmark = pytest.mark.timeout(200)
JOBS = 4
AWAY_SECONDS = 4.0
SECONDS = 25.0  # until all is done, on a machine that is busy; a lease is 300
NORA = Scope(user="nora")


class Gate:
    """A method of the queue or the worker that waits, once, until the server was stopped."""

    def __init__(self, after: bool) -> None:
        self._after = after
        self.is_reached, self.is_open = threading.Event(), threading.Event()

    def around(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def waiting(*args: Any) -> Any:
            found = method(*args) if self._after else None
            if not self.is_reached.is_set() and (found or not self._after):
                self.is_reached.set()
                assert self.is_open.wait(60)
                if self._after:  # committed, and the answer never came
                    raise UnreachableError("the connection broke")
            return found if self._after else method(*args)

        return waiting


@pytest.fixture
def memory(
    own_postgres: PostgresEngine, tmp_path: Any, make_settings: Callable[..., Settings]
) -> Iterator[Memory]:
    own_postgres.run("DROP DATABASE IF EXISTS held WITH (FORCE)")
    own_postgres.run("CREATE DATABASE held OWNER taishi TEMPLATE taishi_template")
    settings = make_settings(
        {"storage.folder": str(tmp_path / "here"), "historian.poll_interval_seconds": 0.5}
    )
    with Memory.open(own_postgres.address("held"), settings) as memory:
        yield memory


def queue_of(memory: Memory) -> PostgresQueue:
    queue = memory._services.worker._queue
    assert isinstance(queue, PostgresQueue)
    return queue


def is_done_soon(memory: Memory) -> bool:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            counts = queue_of(memory).counts()
        except UnreachableError:
            counts = {"pending": 1}
        if not any(counts.values()):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("at", ("claim", "work", "ack"))
def test_W5_an_outage_leaves_no_job_claimed(
    own_postgres: PostgresEngine, memory: Memory, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    queue, worker = queue_of(memory), memory._services.worker
    gate, order = Gate(after=at == "claim"), list[str]()
    ack = queue.ack

    def noted(lease: Lease) -> None:
        ack(lease)
        order.append(lease.job.request_id)

    monkeypatch.setattr(queue, "ack", noted)
    target: Any = {"claim": queue, "work": worker._historian, "ack": queue}[at]
    name = {"claim": "_claim_in_turn", "work": "write", "ack": "ack"}[at]
    monkeypatch.setattr(target, name, gate.around(getattr(target, name)))
    turns = [f"turn-{number}" for number in range(JOBS)]
    for number, turn in enumerate(turns):
        memory.end_turn(
            NORA, "noted it", new_info=f"I like tea {number}", request_id=turn, sender_id="nora"
        )
    memory.start_worker()
    assert gate.is_reached.wait(60)
    own_postgres.stop("immediate")
    try:
        gate.is_open.set()
        time.sleep(AWAY_SECONDS)
    finally:
        own_postgres.start()
    began = time.monotonic()
    assert is_done_soon(memory), queue.open_jobs()
    print(f"done {time.monotonic() - began:.1f} s after the server was back")
    assert list(dict.fromkeys(order)) == turns
    events = memory.records.list(NORA, kinds=("event",), limit=100).records
    assert len(events) == JOBS
