"""Who is let in when more ask than can be answered at once: within the deadline, or told so.

As many recalls run at a time as there are processors: more would take the time from one another,
and all of them would find less. The others wait here. The wait is a part of their deadline, so who
could not be answered in time is told at once, when asking elsewhere or later is still of use.
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

WEIGHT = 0.1  # of the newest, in the averages of how long one takes and by how much that differs
CAUTION = 2.0  # so many times the usual difference is allowed for


class Admission:
    """`slots` at a time, first come first served. For one event loop."""

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
        self._spread = 0.0

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncIterator[float]:
        """A slot, and what is left of `seconds` when it is had; a 503 if that cannot be enough."""
        left = await self._enter(seconds)
        entered = self._clock()
        try:
            if left < min(self._needed, seconds):
                raise self._overloaded()
            yield left
            self._learn(min(self._clock() - entered, seconds))
        finally:
            self._leave()

    async def _enter(self, seconds: float) -> float:
        if self._free:  # always let in: or a single slow one would shut the door for good
            self._free -= 1
            return seconds
        if self._expected_wait() + self._needed > seconds:
            raise self._overloaded()
        begun = self._clock()
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            async with asyncio.timeout(seconds):  # the same in every Python; wait_for is not
                await turn
        except TimeoutError:
            self._give_up(turn)
            raise self._overloaded() from None
        except asyncio.CancelledError:
            self._give_up(turn)
            raise
        return seconds - (self._clock() - begun)

    def _give_up(self, turn: asyncio.Future[None]) -> None:
        """Whose time is over, or who went away, waits no more."""
        if turn.done() and not turn.cancelled():
            self._leave()  # it was let in at that very moment
        elif turn in self._waiting:
            self._waiting.remove(turn)

    def _leave(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def _learn(self, took: float) -> None:
        if not self._mean:
            self._mean = took
        self._spread += (abs(took - self._mean) - self._spread) * WEIGHT
        self._mean += (took - self._mean) * WEIGHT

    @property
    def _needed(self) -> float:
        """What one takes, or a little more: with less it would be answered in part."""
        return self._mean + CAUTION * self._spread

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


# The one of the server that answers the request at hand.
current_admission: ContextVar[Admission] = ContextVar("taishi_admission")
