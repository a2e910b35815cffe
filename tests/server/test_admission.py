"""More recalls than can be answered at once: the wait counts, and who is too late is told so."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from server.conftest import Served
from support.raw_http import Answer, RawClient, request
from support.running_app import RunningApp
from taishi.recall.service import RecallService
from taishi.server.admission import Admission
from taishi.server.problems import Problem

WORK = 0.05
DEADLINE = 0.4
QUESTION = {"scope": {"user": "u7"}, "query": "tea", "deadline": DEADLINE}
PATHS = ["/v1/recall", "/v1/context", "/v1/events/search", "/v1/profiles/search"]


async def crowd(admission: Admission, count: int, seconds: float, work: float = 0.02) -> list[Any]:
    """Everybody at once: what was left for each, or its problem."""

    async def one() -> float:
        async with admission.within(seconds) as left:
            await asyncio.sleep(work)
            return left

    return await asyncio.gather(*(one() for _ in range(count)), return_exceptions=True)


def test_Q2_the_wait_is_part_of_the_deadline() -> None:
    now = [0.0]

    async def ask() -> list[float]:
        admission, done = Admission(1, clock=lambda: now[0]), asyncio.Event()

        async def one() -> float:
            async with admission.within(10.0) as left:
                await done.wait()
                return left

        tasks = [asyncio.create_task(one()) for _ in range(2)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        now[0] = 1.5
        done.set()
        return await asyncio.gather(*tasks)

    assert asyncio.run(ask()) == [10.0, 8.5]


def test_Q2_who_could_not_be_answered_in_time_is_told_at_once() -> None:
    told: list[str] = []

    async def ask() -> tuple[list[Any], float]:
        admission = Admission(2, told.append)
        await crowd(admission, 2, 1.0)  # how long one takes is known now
        begun = time.monotonic()
        late = asyncio.create_task(crowd(admission, 40, 0.1))
        await asyncio.sleep(0)
        return await late, time.monotonic() - begun

    found, took = asyncio.run(ask())
    problems = [one for one in found if isinstance(one, Problem)]
    assert all(isinstance(one, (float, Problem)) for one in found)
    assert 2 <= len(found) - len(problems) <= 14  # five rounds of two, give or take
    assert {one.status for one in problems} == {503}
    assert all(int(one.headers["Retry-After"]) >= 1 for one in problems)
    assert len(told) == len(problems) and set(told) == {"overloaded"}
    assert took < 5


def test_a_slow_one_does_not_shut_the_door_for_good() -> None:
    async def ask() -> list[Any]:
        admission = Admission(1)
        await crowd(admission, 1, 5.0, work=0.3)
        return [await crowd(admission, 1, 0.1, work=0.0) for _ in range(3)]

    assert asyncio.run(ask()) == [[0.1]] * 3


def test_who_goes_away_leaves_the_place_to_the_next() -> None:
    async def ask() -> list[Any]:
        admission = Admission(1)
        tasks = [asyncio.create_task(crowd(admission, 1, 5.0)) for _ in range(3)]
        await asyncio.sleep(0.005)
        tasks[1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return [await tasks[2], await crowd(admission, 1, 5.0)]

    assert all(isinstance(one[0], float) for one in asyncio.run(ask()))


def at_the_same_moment(loop: asyncio.AbstractEventLoop, *calls: Callable[[], object]) -> None:
    """In one round of the loop and in this order, as both come due while it is busy."""
    loop.call_later(0.01, time.sleep, 0.1)
    for number, call in enumerate(calls):
        loop.call_later(0.04 + number / 100, call)


def released(holding: AbstractAsyncContextManager[float]) -> None:
    """Leave at once: nothing in there waits, so that no round of the loop goes by."""
    leaving = holding.__aexit__(None, None, None)
    with pytest.raises(StopIteration):
        leaving.__await__().__next__()


@pytest.mark.parametrize("ends", ["its time is over", "it goes away"])
def test_Q2_who_is_let_in_when_it_is_too_late_gives_the_slot_back(ends: str) -> None:
    async def ask() -> tuple[object, list[Any]]:
        admission = Admission(1)
        holding = admission.within(5.0)
        await holding.__aenter__()
        # Over in the middle of the pause, too, a moment after the slot is free.
        seconds = 0.05 if ends == "its time is over" else 5.0
        late = asyncio.create_task(crowd(admission, 1, seconds))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        calls: list[Callable[[], object]] = [lambda: released(holding)]
        if ends == "it goes away":
            calls.append(late.cancel)
        at_the_same_moment(asyncio.get_running_loop(), *calls)
        (outcome,) = await asyncio.gather(late, return_exceptions=True)
        return outcome, await crowd(admission, 2, 1.0, work=0.0)

    outcome, after = asyncio.run(ask())
    if ends == "its time is over":
        assert isinstance(outcome, list) and isinstance(outcome[0], Problem)
    else:
        assert isinstance(outcome, asyncio.CancelledError)
    assert [type(one) for one in after] == [float, float]


@pytest.mark.parametrize("ends", ["its time is over", "it goes away"])
def test_Q2_who_gave_up_is_not_counted_among_those_who_wait(ends: str) -> None:
    """Or the next would be told that too many wait, while nobody does."""

    async def waits(admission: Admission) -> bool:
        """Whether it was still waiting after a while, or was told off at once."""
        one = asyncio.create_task(crowd(admission, 1, 0.15))
        await asyncio.sleep(0.03)
        is_waiting = not one.done()
        if ends == "it goes away":
            one.cancel()
        await asyncio.gather(one, return_exceptions=True)
        return is_waiting

    async def ask() -> list[bool]:
        admission = Admission(1)
        await crowd(admission, 1, 1.0, work=0.02)  # how long one takes is known now
        async with admission.within(5.0):
            return [await waits(admission) for _ in range(8)]

    assert asyncio.run(ask()) == [True] * 8


class SlowRecalls:
    """Each takes a while; what deadline each was given, how many ran at once."""

    def __init__(self, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
        self.given: list[float] = []
        self.most = self._inside = 0
        self._lock = threading.Lock()
        answer = RecallService._answer

        def slowly(service: Any, settings: Any, scope: Any, wish: Any, limit: Any) -> Any:
            with self._lock:
                self._inside += 1
                self.most = max(self.most, self._inside)
                self.given.append(limit)
            time.sleep(WORK)
            with self._lock:
                self._inside -= 1
            return answer(service, settings, scope, wish, 5.0)

        monkeypatch.setattr(RecallService, "_answer", slowly)


def test_Q2_a_server_under_load_answers_in_time_or_with_503(
    serve: Callable[..., Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    served = serve()
    # However many processors this machine has: with as many slots as askers nobody would wait.
    served.app.state.admission = Admission(2, served.app.state.admission._count)
    slow = SlowRecalls(served, monkeypatch)
    headers = {"Content-Type": "application/json"}
    asked = [request("POST", path, headers, json.dumps(QUESTION).encode()) for path in PATHS]
    with RunningApp(served.app, served.memory.settings.server) as server:
        slow.given.clear()  # of the question that warms it up

        def ask(number: int) -> list[Answer]:
            with RawClient(server.address) as client:
                return [client.ask(asked[number % 4]) for _ in range(4)]

        with ThreadPoolExecutor(30) as pool:
            answers = [answer for some in pool.map(ask, range(30)) for answer in some]
        codes = Counter(answer.status for answer in answers)
        assert set(codes) == {200, 503} and codes[200] >= 8, codes
        for answer in answers:
            if answer.status == 503:
                assert answer.json["type"] == "urn:taishi:problem:overloaded"
                assert answer.json["request_id"] and int(answer.headers["retry-after"]) >= 1
        assert all(0 < left <= DEADLINE for left in slow.given)
        assert min(slow.given) < DEADLINE - WORK / 2  # some did wait, and it counted
        assert slow.most <= 2
        assert {answer.status for answer in ask(0)} == {200}  # and afterwards all is well
    assert served.app.state.metrics.refused.read()[("overloaded",)] == codes[503]


def test_no_deadline_is_the_usual_one_and_zero_is_zero(
    serve: Callable[..., Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    served = serve({"query.recall_timeout": 0.7})
    slow = SlowRecalls(served, monkeypatch)
    for deadline in (None, 0, 3.0):
        body = {**QUESTION, "deadline": deadline}
        assert served.client.post("/v1/recall", json=body).status_code == 200
    assert slow.given == [0.7, 0, 3.0]
