"""A cache of recent answers (Q6): an equal request is answered from memory.

An entry is valid for some minutes, as long as nothing changed in any partition that was searched.
The version of the snapshot tells that, so that other processes' writes invalidate it, too.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ..types import Record

MOST = 1024


class CachedResult(Protocol):
    @property
    def hits(self) -> tuple[tuple[Record, float], ...]: ...


A = TypeVar("A", bound=CachedResult)


@dataclass(frozen=True, slots=True)
class _Kept(Generic[A]):
    version: object
    since: float
    answer: A


class ResultCache(Generic[A]):
    """Bounded; what was asked longest ago leaves first."""

    def __init__(self, minutes: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._life = minutes * 60
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, _Kept[A]] = OrderedDict()

    @property
    def are_kept(self) -> bool:
        return self._life > 0

    def get(self, key: Hashable, version: object, now: float) -> A | None:
        """`now` is the question's: what has ceased to be true since is no answer any more."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None:
                return None
            self._kept.move_to_end(key)
        if kept.version != version or self._clock() - kept.since > self._life:
            return None
        ended = any(r.ends is not None and r.ends <= now for r, _ in kept.answer.hits)
        return None if ended else kept.answer

    def put(self, key: Hashable, version: object, answer: A) -> None:
        if not self._life:
            return
        with self._lock:
            self._kept[key] = _Kept(version, self._clock(), answer)
            self._kept.move_to_end(key)
            if len(self._kept) > MOST:
                self._kept.popitem(last=False)

    def texts(self) -> list[str]:
        with self._lock:
            return [record.text for kept in self._kept.values() for record, _ in kept.answer.hits]

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()

    def __len__(self) -> int:
        return len(self._kept)
