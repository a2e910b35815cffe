"""Admission control for recalls: wait for a free slot within the deadline, or answer 503.

As many recalls run at a time as there are processors: more would slow one another down, and each
would return less. The others wait here. Waiting counts against their deadline, so a request that
cannot be served in time is refused at once, while retrying elsewhere or later still helps.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

from .problems import Problem
from .rate_limit import Clock

SMOOTHING = 0.1  # weight of the newest sample in the moving averages of duration and deviation
DEVIATIONS = 2.0  # of headroom above the mean duration


class Admission:
    """`slots` requests at a time, first come first served. For one event loop."""

    def __init__(
        self,
        slots: int,
        count: Callable[[str], None] = lambda reason: None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._slots = self._free = slots
        self._count = count
        self._clock = clock
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._mean = 0.0
        self._deviation = 0.0

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncIterator[float]:
        """Wait for a slot; yields what is left of `seconds`. Raises a 503 if that is not enough."""
        remaining = await self._enter(seconds)
        entered = self._clock()
        try:
            if remaining < min(self._needed_seconds, seconds):
                raise self._overloaded()
            yield remaining
            self._update_estimate(min(self._clock() - entered, seconds))
        finally:
            self._release()

    async def _enter(self, seconds: float) -> float:
        if self._free:  # a free slot is always granted, or one slow request would block all others
            self._free -= 1
            return seconds
        if self._expected_wait() + self._needed_seconds > seconds:
            raise self._overloaded()
        started = self._clock()
        slot = asyncio.get_running_loop().create_future()
        self._waiting.append(slot)
        try:
            async with asyncio.timeout(seconds):  # unlike wait_for the same in every Python
                await slot
        except TimeoutError:
            self._give_up(slot)
            raise self._overloaded() from None
        except asyncio.CancelledError:
            self._give_up(slot)
            raise
        return seconds - (self._clock() - started)

    def _give_up(self, slot: asyncio.Future[None]) -> None:
        """Stop waiting: the deadline passed, or the client disconnected."""
        if slot.done() and not slot.cancelled():
            self._release()  # the slot was granted at that very moment
        elif slot in self._waiting:
            self._waiting.remove(slot)

    def _release(self) -> None:
        while self._waiting:
            slot = self._waiting.popleft()
            if not slot.done():
                slot.set_result(None)
                return
        self._free += 1

    def _update_estimate(self, seconds: float) -> None:
        if not self._mean:
            self._mean = seconds
        self._deviation += (abs(seconds - self._mean) - self._deviation) * SMOOTHING
        self._mean += (seconds - self._mean) * SMOOTHING

    @property
    def _needed_seconds(self) -> float:
        """A cautious estimate of one recall's duration: with less time its result would be
        partial."""
        return self._mean + DEVIATIONS * self._deviation

    def _expected_wait(self) -> float:
        return (len(self._waiting) + 1) * self._mean / self._slots

    def _overloaded(self) -> Problem:
        self._count("overloaded")
        wait = max(1, math.ceil(self._expected_wait()))
        return Problem(
            503,
            "overloaded",
            "More is asked than can be answered in time",
            f"too many ask at once to answer this within its deadline; try again in {wait} s, or "
            "ask with a longer deadline",
            {"Retry-After": str(wait)},
        )


# The admission control of the server that handles the current request.
current_admission: ContextVar[Admission] = ContextVar("taishi_admission")
