"""W6, W9: a raw turn goes when its job has ended with nothing to keep, whoever is first: the thread
that stores the turn, or the worker that dismisses it."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest

from taishi import Memory, Message, Scope, StorageError
from taishi.ingest.background import BackgroundTasks
from taishi.ingest.worker import Worker
from taishi.types import Job

GROUP = Scope(user="4", group="990")
IDLE = "哈哈哈"
TOLD = "我住在杭州"


def say(memory: Memory, text: str) -> None:
    assert memory.consider(GROUP, [Message(text, speaker="糖糖")], sender_name="糖糖") is not None


def kept(memory: Memory, kind: str = "turn") -> int:
    return len(memory.records.newest(GROUP, kinds=[kind], limit=1000).records)


def background(memory: Memory) -> BackgroundTasks:
    return memory._services.background


def worker(memory: Memory) -> Worker:
    return memory._services.worker


@contextmanager
def nothing_stored(memory: Memory, patch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Turns are accepted, but their raw turns wait until the yielded function is called."""
    tasks, waiting = background(memory), list[Job]()
    land = tasks.land
    patch.setattr(tasks, "land", waiting.append)

    def store() -> None:
        for job in waiting:
            land(job)
        tasks.store_all_turns()
        waiting.clear()

    yield store


def test_W9_a_turn_that_is_stored_first_goes_with_its_job(memory: Memory) -> None:
    say(memory, IDLE)
    background(memory).store_all_turns()
    assert kept(memory) == 1, "it is searchable while the job waits"
    assert worker(memory).step()
    assert kept(memory) == 0
    assert memory.status()["jobs"]["not_worth_keeping"] == 1


def test_W9_a_turn_that_is_stored_after_its_job_is_over_does_not_stay(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with nothing_stored(memory, monkeypatch) as store:
        say(memory, IDLE)
        say(memory, TOLD)
        say(memory, IDLE)
        while worker(memory).step():
            pass
        store()
    assert kept(memory) == 0
    assert kept(memory, "event") == 1, "what is worth keeping stays"


def test_W9_of_many_turns_only_those_whose_job_is_over_go(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with nothing_stored(memory, monkeypatch) as store:
        for _ in range(3):
            say(memory, IDLE)
        assert worker(memory).step()
        store()
        assert kept(memory) == 2, "the others are still to be decided on"
    assert memory.drain()
    assert kept(memory) == 0


def test_W9_a_turn_that_is_stored_while_its_job_is_dismissed_does_not_stay(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stored after the worker deleted it, and before the job was done."""
    queue = memory._services.runtime.parts.queue
    ack = queue.ack
    with nothing_stored(memory, monkeypatch) as store:

        def store_and_ack(lease: Any) -> None:
            store()
            assert kept(memory) == 1
            ack(lease)

        monkeypatch.setattr(queue, "ack", store_and_ack)
        say(memory, IDLE)
        assert worker(memory).step()
    assert kept(memory) == 0


def test_W9_a_turn_whose_job_ends_while_it_is_stored_does_not_stay(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dismissed after it was stored, and before the queue was asked whether its job is open."""
    queue = memory._services.runtime.parts.queue
    turn_ids = queue.turn_ids

    def dismiss_and_ask(*arguments: Any) -> list[str]:
        assert kept(memory) == 1
        assert worker(memory).step()
        return turn_ids(*arguments)

    with nothing_stored(memory, monkeypatch) as store:
        monkeypatch.setattr(queue, "turn_ids", dismiss_and_ask)
        say(memory, IDLE)
        store()
    assert kept(memory) == 0


def test_W9_two_processes_leave_no_raw_turn(
    memory: Memory, open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is told the turn and stores it late, the other works."""
    other = open_memory({"query.recall_timeout": 5.0})
    with nothing_stored(memory, monkeypatch) as store:
        say(memory, IDLE)
        assert worker(other).step()
        store()
    assert kept(memory) == kept(other) == 0


def test_W9_a_queue_that_cannot_be_asked_costs_no_turn(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turn is stored; what should not stay goes with upkeep."""
    queue = memory._services.runtime.parts.queue

    def refuse(*_: Any) -> list[str]:
        raise StorageError("the disk is away; connect it")

    with nothing_stored(memory, monkeypatch) as store, monkeypatch.context() as patch:
        say(memory, IDLE)
        say(memory, TOLD)
        assert worker(memory).step()
        patch.setattr(queue, "turn_ids", refuse)
        store()
        assert kept(memory) == 2
    assert memory._services.upkeep.expire() == 1
    assert kept(memory) == 1, "the job of the other one is open"


def test_W4_upkeep_leaves_the_turns_of_jobs_that_failed(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory({"query.recall_timeout": 5.0, "historian.job_max_retries": 0})
    say(memory, IDLE)
    memory.end_turn(GROUP, "小助手查了天气", wait=10)

    def fail(*_: Any) -> None:
        raise ValueError("a job like this cannot be worked")

    monkeypatch.setattr(worker(memory), "_considered", fail)
    while worker(memory).step():
        pass
    assert memory.status()["queue"]["failed"] == 2
    memory._services.upkeep.expire()
    assert kept(memory) == 2


CHILD = """
    import os, signal
    from acceptance.test_raw_turns import IDLE, say
    from taishi import Memory, load
    from taishi.ingest.raw_turns import RawTurns

    def end(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    memory = Memory.open({address!r}, load(overrides={{"models.embedding.kind": "none"}}))
    tasks, land, waiting = memory._services.background, memory._services.background.land, []
    tasks.land = waiting.append
    say(memory, IDLE)
"""
KILLED_WHILE_STORING = """
    memory._services.worker.step()
    RawTurns._delete_dismissed = end
    land(waiting[0])
    tasks.store_all_turns()
"""
KILLED_WHILE_DISMISSING = """
    queue = memory._services.runtime.parts.queue
    ack = queue.ack
    def store_ack_and_end(lease):
        land(waiting[0])
        tasks.store_all_turns()
        ack(lease)
        end()
    queue.ack = store_ack_and_end
    memory._services.worker.step()
"""


@pytest.mark.parametrize("between", [KILLED_WHILE_STORING, KILLED_WHILE_DISMISSING])
def test_W9_what_a_killed_process_left_goes_when_a_worker_starts(
    between: str,
    open_memory: Callable[..., Memory],
    address_of: Callable[[Path], str | Path],
    tmp_path: Path,
) -> None:
    address = str(address_of(tmp_path / "data"))
    script = textwrap.dedent(CHILD).format(address=address) + textwrap.dedent(between)
    child = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert child.returncode == -SIGKILL, child.stderr.decode()
    memory = open_memory({"query.recall_timeout": 5.0})
    assert kept(memory) == 1, "it was killed in between"
    memory.start_worker()
    end = time.monotonic() + 20
    while kept(memory):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_W9_no_raw_turn_is_left_under_load(memory: Memory) -> None:
    """Several threads are told turns as fast as they come, while the historian works."""
    memory.start_worker()

    def tell() -> None:
        for number in range(40):
            say(memory, f"{IDLE}{number}")
            time.sleep(0.005)

    threads = [threading.Thread(target=tell) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.drain(120)
    background(memory).store_all_turns()
    assert memory.status()["jobs"]["not_worth_keeping"] == 160
    assert kept(memory) == 0
