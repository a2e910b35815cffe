"""Loops that work in the background: when they begin, when they wait, how they end."""

from __future__ import annotations

import threading
import time

from taishi.ingest.worker_threads import MAX_SETTLING, WorkerThread

LONG = 60.0


class Work:
    """Counts its calls and remembers when they came."""

    def __init__(self) -> None:
        self.calls: list[float] = []
        self.called = threading.Event()

    def __call__(self) -> bool:
        self.calls.append(time.monotonic())
        self.called.set()
        return False


def test_a_loop_without_settling_works_at_once_when_woken() -> None:
    work = Work()
    loop = WorkerThread("test", work, LONG)
    assert work.called.wait(5)
    work.called.clear()
    loop.wake()
    assert work.called.wait(5)
    loop.stop()
    assert len(work.calls) == 2


def test_pieces_brought_one_by_one_are_worked_on_together() -> None:
    work = Work()
    loop = WorkerThread("test", work, LONG, settle=0.2)
    for _ in range(20):
        loop.wake()
        time.sleep(0.005)
    assert not work.calls
    assert work.called.wait(5)
    loop.stop()
    assert len(work.calls) == 1


def test_a_loop_that_never_finds_quiet_works_all_the_same() -> None:
    work, settle = Work(), 0.05
    began = time.monotonic()
    loop = WorkerThread("test", work, LONG, settle=settle)
    while not work.calls and time.monotonic() < began + 10:
        loop.wake()
        time.sleep(0.001)
    loop.stop()
    assert work.calls[0] - began >= MAX_SETTLING * settle * 0.9
    assert work.calls[0] - began < 5


def test_a_loop_stopped_while_it_waits_for_quiet_still_does_what_it_was_woken_for() -> None:
    work = Work()
    began = time.monotonic()
    loop = WorkerThread("test", work, LONG, settle=LONG)
    time.sleep(0.2)
    assert not work.calls
    loop.stop()
    assert len(work.calls) == 1
    assert time.monotonic() - began < 5, "and it does not wait for more"
