"""How many requests a caller may make: one bucket of tokens each, filled at a steady rate."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from .problems import Problem

MAX_CALLERS = 10_000


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class Rates:
    """`per_minute` requests, and as many in one burst; 0: no limit. For one event loop."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = float(per_minute)
        self._each_second = per_minute / 60
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, caller: str) -> None:
        """One request of this caller's; a 429 when there were too many."""
        if not self._most:
            return
        now = self._clock()
        bucket = self._buckets.setdefault(caller, _Bucket(self._most, now))
        self._buckets.move_to_end(caller)
        if len(self._buckets) > MAX_CALLERS:
            self._buckets.popitem(last=False)
        bucket.tokens = min(self._most, bucket.tokens + (now - bucket.at) * self._each_second)
        bucket.at = now
        if bucket.tokens < 1:
            wait = math.ceil((1 - bucket.tokens) / self._each_second)
            raise Problem(
                429,
                "too-many-requests",
                "Too many requests",
                f"this key may make {self._most:g} requests a minute; try again in {wait} s",
                {"Retry-After": str(wait)},
            )
        bucket.tokens -= 1
