"""Calls into C++ and Rust libraries end before the interpreter does."""

from __future__ import annotations

import threading

import pytest

from taishi.errors import ClosedError
from taishi.models.native_calls import NativeCalls


def test_a_call_under_way_is_waited_for() -> None:
    calls, begun, may_end = NativeCalls(), threading.Event(), threading.Event()
    ended: list[bool] = []

    def work() -> None:
        with calls.running():
            begun.set()
            may_end.wait(10)
        ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait(10)
    threading.Timer(0.05, may_end.set).start()
    assert calls.finish(10)
    thread.join(10)
    assert ended == [True]


def test_no_call_begins_after_the_end() -> None:
    calls = NativeCalls()
    assert calls.finish()
    with pytest.raises(ClosedError), calls.running():
        pass


def test_a_call_that_hangs_does_not_keep_the_process() -> None:
    calls, may_end = NativeCalls(), threading.Event()

    def hang() -> None:
        with calls.running():
            may_end.wait(10)

    thread = threading.Thread(target=hang)
    thread.start()
    assert not calls.finish(0.05)
    may_end.set()
    thread.join(10)


def test_a_failed_call_is_not_counted_as_running() -> None:
    calls = NativeCalls()
    with pytest.raises(ValueError), calls.running():
        raise ValueError("bad input")
    assert calls.finish(0)
