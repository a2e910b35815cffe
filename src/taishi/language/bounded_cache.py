"""A bounded cache of function results that evicts the oldest entry first.

Like `functools.lru_cache`, but made for one owner, and able to tell and to drop what it holds: text
that somebody wants forgotten may be among the arguments.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

V = TypeVar("V")
_MISSING: Any = object()


class BoundedCache(Generic[V]):
    """Safe for many threads: two that miss at once both compute."""

    def __init__(self, function: Callable[..., V], most: int) -> None:
        self._function = function
        self._most = most
        self._results: dict[tuple[Any, ...], V] = {}
        self._lock = threading.Lock()

    def __call__(self, *arguments: Any) -> V:
        found: V = self._results.get(arguments, _MISSING)
        if found is _MISSING:
            found = self._function(*arguments)
            with self._lock:
                while len(self._results) >= self._most:
                    del self._results[next(iter(self._results))]
                self._results[arguments] = found
        return found

    def __len__(self) -> int:
        return len(self._results)

    def arguments(self) -> list[tuple[Any, ...]]:
        with self._lock:
            return list(self._results)

    def clear(self) -> None:
        with self._lock:
            self._results.clear()
