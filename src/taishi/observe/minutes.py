"""The last minutes of this process in memory: how long calls took, how old the queue was.

For a person who looks at a page: a monitor has the histograms of `metrics`. Bounded by the number
of minutes and of buckets, whatever happens.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MINUTES = 180
SMALLEST = 20e-6  # seconds; the first bucket ends here
GROWTH = 1.1  # each bucket is a tenth wider than the one before
BUCKETS = 170  # to more than three minutes
DUE_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class MinuteLatency:
    """The calls of one minute. Both times are upper bounds, at most a tenth too high."""

    start: float  # of the minute, in epoch seconds
    count: int
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class MinutePeak:
    """The largest value that was seen in one minute."""

    start: float
    most: float


@dataclass(frozen=True, slots=True)
class Activity:
    """The last hours of this process, by the minute; minutes in which nothing happened are not
    there. `queue_age` is in seconds."""

    recall: tuple[MinuteLatency, ...] = ()
    end_turn: tuple[MinuteLatency, ...] = ()
    queue_age: tuple[MinutePeak, ...] = ()


class MinuteLatencies:
    """Durations by the minute, in buckets. Thread-safe."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._rows: OrderedDict[int, list[int]] = OrderedDict()
        self._lock = threading.Lock()

    def observe(self, seconds: float) -> None:
        minute, bucket = int(self._clock() // 60), _bucket(seconds)
        with self._lock:
            row = self._rows.get(minute)
            if row is None:
                row = self._rows[minute] = [0] * BUCKETS
                if len(self._rows) > MINUTES:
                    self._rows.popitem(last=False)
            row[bucket] += 1

    def read(self) -> tuple[MinuteLatency, ...]:
        first = int(self._clock() // 60) - MINUTES
        with self._lock:
            rows = [(minute, list(row)) for minute, row in self._rows.items() if minute > first]
        return tuple(
            MinuteLatency(minute * 60.0, sum(row), _quantile(row, 0.5), _quantile(row, 0.95))
            for minute, row in sorted(rows)
        )


class MinutePeaks:
    """The largest value of each minute. Thread-safe."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._peaks: OrderedDict[int, float] = OrderedDict()
        self._noted = -math.inf
        self._lock = threading.Lock()

    @property
    def is_due(self) -> bool:
        """Whether it is time to look again: looking may cost more than noting."""
        return abs(self._clock() - self._noted) >= DUE_SECONDS

    def note(self, value: float) -> None:
        now = self._clock()
        minute = int(now // 60)
        with self._lock:
            self._noted = now
            self._peaks[minute] = max(value, self._peaks.get(minute, 0.0))
            if len(self._peaks) > MINUTES:
                self._peaks.popitem(last=False)

    def read(self) -> tuple[MinutePeak, ...]:
        first = int(self._clock() // 60) - MINUTES
        with self._lock:
            peaks = sorted(self._peaks.items())
        return tuple(MinutePeak(minute * 60.0, most) for minute, most in peaks if minute > first)


def _bucket(seconds: float) -> int:
    if seconds <= SMALLEST:
        return 0
    return min(math.ceil(math.log(seconds / SMALLEST, GROWTH)), BUCKETS - 1)


def _quantile(row: list[int], share: float) -> float:
    """The upper end of the bucket that the share falls into, in milliseconds."""
    wanted, seen = share * sum(row), 0
    for bucket, count in enumerate(row):
        seen += count
        if count and seen >= wanted:
            return round(SMALLEST * GROWTH**bucket * 1000, 3)
    return 0.0
