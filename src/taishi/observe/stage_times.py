"""How long each stage of one recall took, for whoever asks it to explain itself.

Recall passes a recorder down only when it was asked to explain: nobody else pays for the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a recall. Those that run beside each other overlap in time."""

    name: str
    start_ms: float  # since the call began
    took_ms: float


class StageTimes:
    """Records stages in the order in which they began. Used by one call at a time, though not by
    one thread."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._start = clock()
        self._stages: list[Stage] = []

    def now(self) -> float:
        return self._clock()

    def add(self, name: str, started: float, ended: float | None = None) -> None:
        """`started` and `ended` are moments of `now`; without an end, it ends at this moment."""
        last = self._clock() if ended is None else ended
        self._stages.append(Stage(name, (started - self._start) * 1000, (last - started) * 1000))

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = self._clock()
        try:
            yield
        finally:
            self.add(name, started)

    @property
    def stages(self) -> tuple[Stage, ...]:
        return tuple(sorted(self._stages, key=lambda stage: stage.start_ms))


def timed(times: StageTimes | None, name: str) -> AbstractContextManager[None]:
    """Record this stage, if anybody wants to know."""
    return nullcontext() if times is None else times.stage(name)
