"""Deadlines and lanes: what is late is left behind, and late work does not pile up (Q2)."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Iterator

import pytest

from taishi.recall.deadline import WAITING_PER_THREAD, BoundedExecutor, Deadline, LateError


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    gate = threading.Event()
    yield gate
    gate.set()


@pytest.fixture
def lane() -> Iterator[BoundedExecutor]:
    lane = BoundedExecutor("test", 2)
    yield lane
    lane.close()


def test_a_deadline_counts_down_and_never_below_nothing() -> None:
    clock = Clock()
    deadline = Deadline(0.15, clock)
    assert deadline.left == pytest.approx(0.15)
    clock.now += 0.1
    assert deadline.left == pytest.approx(0.05)
    assert deadline.spent_ms == pytest.approx(100)
    clock.now += 10
    assert deadline.left == 0.0


def test_work_in_time_is_answered_and_its_error_is_the_callers(lane: BoundedExecutor) -> None:
    assert lane.run(lambda: 42, Deadline(5)) == 42

    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        lane.run(fail, Deadline(5))


def test_Q2_late_work_costs_the_deadline_and_no_more(
    lane: BoundedExecutor, gate: threading.Event
) -> None:
    started = time.perf_counter()
    with pytest.raises(LateError, match="test"):
        lane.run(gate.wait, Deadline(0.1))
    assert 0.09 < time.perf_counter() - started < 1


def test_Q2_a_full_lane_refuses_and_recovers(lane: BoundedExecutor, gate: threading.Event) -> None:
    begun = []
    before = threading.active_count()  # other tests of this process may have left some
    with pytest.raises(LateError, match="too much late work"):
        for _ in range(1000):
            begun.append(lane.start(gate.wait))
    assert len(begun) <= 2 * WAITING_PER_THREAD
    assert threading.active_count() - before < 30
    gate.set()
    for ticket in begun:
        assert ticket.result(Deadline(5))
    assert lane.run(lambda: 42, Deadline(5)) == 42


class Work:
    """A piece of work that can be seen to be kept."""

    def __init__(self, gate: threading.Event) -> None:
        self.gate = gate

    def __call__(self) -> bool:
        return self.gate.wait(30)


def test_Q2_what_was_given_up_is_not_kept(lane: BoundedExecutor, gate: threading.Event) -> None:
    seen: list[weakref.ref[Work]] = []
    refused = 0
    for _ in range(300):
        work = Work(gate)
        seen.append(weakref.ref(work))
        try:
            lane.run(work, Deadline(0.001))
        except LateError:
            refused += 1
        del work
    gc.collect()
    assert refused == 300
    assert sum(ref() is not None for ref in seen) <= 2 * WAITING_PER_THREAD


def test_Q2_what_was_given_up_before_it_began_is_never_done(
    lane: BoundedExecutor, gate: threading.Event
) -> None:
    done: list[int] = []
    for _ in range(2):
        lane.start(gate.wait)
    for n in range(10):
        with pytest.raises(LateError):
            lane.run(lambda n=n: done.append(n), Deadline(0.001))
    gate.set()
    assert lane.run(lambda: 42, Deadline(5)) == 42
    assert done == []


def test_a_closed_lane_does_not_wait_for_what_hangs(gate: threading.Event) -> None:
    lane = BoundedExecutor("test", 1)
    lane.start(gate.wait)
    started = time.perf_counter()
    lane.close()
    assert time.perf_counter() - started < 1
