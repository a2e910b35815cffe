"""Rate limiting with one token bucket per name."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from .fleet import Fleet
from .problems import Problem

MAX_NAMES = 10_000
Clock = Callable[[], float]


@dataclass(slots=True)
class _Bucket:
    tokens: float
    updated: float


class TokenBuckets:
    """`per_minute` tokens for each name, and as many in one burst. Keeps the most recently used
    names. For one event loop."""

    def __init__(self, per_minute: int, clock: Clock = time.monotonic) -> None:
        self._capacity = float(per_minute)
        self._per_second = per_minute / 60
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def wait(self, name: str) -> int:
        """Whole seconds until a token is available; 0: now."""
        bucket = self._buckets.get(name)
        missing = 1 - self._tokens(bucket) if bucket else 0.0
        return math.ceil(missing / self._per_second) if missing > 0 else 0

    def take(self, name: str) -> None:
        """Take one token, if there is one."""
        now = self._clock()
        bucket = self._buckets.setdefault(name, _Bucket(self._capacity, now))
        self._buckets.move_to_end(name)
        if len(self._buckets) > MAX_NAMES:
            self._buckets.popitem(last=False)
        bucket.tokens = max(0.0, self._tokens(bucket) - 1)
        bucket.updated = now

    def _tokens(self, bucket: _Bucket) -> float:
        return min(
            self._capacity, bucket.tokens + (self._clock() - bucket.updated) * self._per_second
        )


class Buckets(Protocol):
    """Tokens by name; of one process, or shared by several."""

    def wait(self, name: str) -> int: ...
    def take(self, name: str) -> None: ...


class RateLimiter:
    """Limits requests per caller; `per_minute` 0: no limit."""

    def __init__(
        self, per_minute: int, clock: Clock = time.monotonic, buckets: Buckets | None = None
    ) -> None:
        self._per_minute = per_minute
        self._buckets = buckets or TokenBuckets(per_minute, clock)

    def take(self, caller: str) -> None:
        """Count one request of this caller; raises a 429 above the limit."""
        if not self._per_minute:
            return
        self._check(self._buckets.wait(caller))
        self._buckets.take(caller)

    async def take_in_fleet(self, caller: str, fleet: Fleet) -> None:
        """The same for all servers together; each has counted it on its own before."""
        self._check(await fleet.take(caller, self._per_minute))

    def _check(self, wait: int) -> None:
        if wait:
            what = f"this key may make {self._per_minute} requests a minute"
            raise too_many_requests(what, wait)


def too_many_requests(
    what: str, wait: int, code: str = "too-many-requests", title: str = "Too many requests"
) -> Problem:
    return Problem(
        429,
        code,
        title,
        f"{what}; try again in {wait} s",
        {"Retry-After": str(wait)},
    )
