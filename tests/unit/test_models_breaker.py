from __future__ import annotations

import threading

import pytest

from taishi.errors import ClosedError, ModelError
from taishi.models.breaker import Breaker


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def fail() -> None:
    raise ModelError("no")


def broken(clock: Clock, failures: int = 3) -> Breaker:
    breaker = Breaker(failures=failures, reset_seconds=30, clock=clock)
    for _ in range(failures):
        with pytest.raises(ModelError, match=r"^no$"):
            breaker.call(fail)
    return breaker


def test_opens_after_failures_in_a_row_and_then_calls_nothing() -> None:
    breaker = broken(Clock())
    called: list[int] = []
    with pytest.raises(ModelError, match="tried again in 30 s"):
        breaker.call(lambda: called.append(1))
    assert breaker.state == "open"
    assert not called


def test_a_success_in_between_starts_the_count_anew() -> None:
    breaker = Breaker(failures=2, clock=Clock())
    for _ in range(5):
        with pytest.raises(ModelError):
            breaker.call(fail)
        assert breaker.call(lambda: 7) == 7
    assert breaker.state == "closed"


def test_probe_that_succeeds_closes() -> None:
    clock = Clock()
    breaker = broken(clock)
    clock.now = 30
    assert breaker.call(lambda: "yes") == "yes"
    assert breaker.state == "closed"


def test_probe_that_fails_opens_for_the_whole_time_again() -> None:
    clock = Clock()
    breaker = broken(clock)
    clock.now = 30
    with pytest.raises(ModelError, match=r"^no$"):
        breaker.call(fail)
    clock.now = 59
    with pytest.raises(ModelError, match="left alone"):
        breaker.call(lambda: None)
    clock.now = 60
    breaker.call(lambda: None)


def test_exactly_one_probe_at_a_time() -> None:
    clock = Clock()
    breaker = broken(clock)
    clock.now = 30
    inside, release = threading.Event(), threading.Event()

    def slow() -> None:
        inside.set()
        release.wait(5)

    probe = threading.Thread(target=breaker.call, args=(slow,))
    probe.start()
    assert inside.wait(5)
    refused = 0
    for _ in range(20):
        with pytest.raises(ModelError, match="left alone"):
            breaker.call(lambda: None)
        refused += 1
    release.set()
    probe.join()
    assert refused == 20
    assert breaker.state == "closed"


def test_a_call_from_before_it_opened_does_not_close_it() -> None:
    clock = Clock()
    breaker = Breaker(failures=1, clock=clock)
    with breaker.guard():
        with pytest.raises(ModelError, match=r"^no$"):
            breaker.call(fail)
        assert breaker.state == "open"
    assert breaker.state == "open"


def test_an_interrupted_probe_lets_the_next_one_in() -> None:
    clock = Clock()
    breaker = broken(clock)
    clock.now = 30

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        breaker.call(interrupted)
    assert breaker.call(lambda: 1) == 1


def test_what_is_closing_down_is_no_fault_of_the_service() -> None:
    breaker = Breaker(failures=1)
    with pytest.raises(ClosedError), breaker.guard():
        raise ClosedError("the process is ending")
    assert breaker.state == "closed"
