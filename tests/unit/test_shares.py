from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from taishi.models.local.shares import SharedTask, SharedTasks

PATIENT = 10.0


def noting(done: list[int], number: int) -> Callable[[], int]:
    def work() -> int:
        done.append(number)
        return number * 10

    return work


def test_a_share_is_done_once_and_gives_the_same_again() -> None:
    done: list[int] = []
    share = SharedTask(noting(done, 1))
    share.do()
    share.do()
    assert [share.result(), share.result()] == [10, 10]
    assert done == [1]


def test_who_wants_it_waits_for_who_does_it() -> None:
    begun, may_end = threading.Event(), threading.Event()

    def work() -> str:
        begun.set()
        assert may_end.wait(PATIENT)
        return threading.current_thread().name

    share = SharedTask(work)
    helper = threading.Thread(target=share.do, name="helper")
    helper.start()
    assert begun.wait(PATIENT)
    threading.Timer(0.05, may_end.set).start()
    assert share.result() == "helper"
    helper.join()


def test_an_error_reaches_who_wants_the_result_not_who_helps() -> None:
    def work() -> int:
        raise ValueError("broken")

    share, offer = SharedTask(work), SharedTasks[int]()
    with offer.of([share]):
        assert offer.help()
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            share.result()


def test_help_begins_at_the_end_and_ends_when_nothing_is_open() -> None:
    done: list[int] = []
    offer = SharedTasks[int]()
    shares = [SharedTask(noting(done, number)) for number in range(3)]
    with offer.of(shares):
        assert shares[0].result() == 0
        assert offer.help()
        assert done == [0, 2]
        assert [share.result() for share in shares] == [0, 10, 20]
    assert done == [0, 2, 1]
    assert not offer.help()


def test_nothing_stays_open_when_its_owner_gave_up() -> None:
    offer = SharedTasks[int]()
    with pytest.raises(KeyError), offer.of([SharedTask(noting([], 1))]):
        raise KeyError
    assert not offer.help()


def test_a_crowd_does_every_share_once() -> None:
    done: list[int] = []
    offer = SharedTasks[int]()
    shares = [SharedTask(noting(done, number)) for number in range(500)]

    def helper() -> None:
        while offer.help():
            pass

    with offer.of(shares):
        helpers = [threading.Thread(target=helper) for _ in range(4)]
        for thread in helpers:
            thread.start()
        assert [share.result() for share in shares] == [10 * number for number in range(500)]
        for thread in helpers:
            thread.join()
    assert sorted(done) == list(range(500))
