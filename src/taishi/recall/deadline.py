"""Time limits for work that may hang: a disk, a lock, a model.

Work runs in a lane of a few threads. A caller waits for it until its own deadline and then goes
on without it. A lane that is full of late work refuses more, so that late work does not pile up.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from typing import TypeVar

from ..errors import TaishiError

T = TypeVar("T")


class LateError(TaishiError):
    """The answer did not come in time."""


class Deadline:
    """A moment by which an answer is due."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._start = clock()
        self._end = self._start + seconds

    @property
    def left(self) -> float:
        return max(0.0, self._end - self._clock())

    @property
    def spent_ms(self) -> float:
        return (self._clock() - self._start) * 1000


class Lane:
    """A few threads for one kind of work."""

    def __init__(self, name: str, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"taishi-{name}")
        self._name = name
        self._limit = threads * 8
        self._running = 0
        self._lock = threading.Lock()

    def start(self, work: Callable[[], T]) -> Future[T]:
        with self._lock:
            if self._running >= self._limit:
                raise LateError(f"{self._name}: too much late work, this one was not begun")
            self._running += 1
        future = self._pool.submit(work)
        future.add_done_callback(self._finished)
        return future

    def _finished(self, _: Future[T]) -> None:
        with self._lock:
            self._running -= 1

    def wait(self, future: Future[T], deadline: Deadline) -> T:
        try:
            return future.result(deadline.left)
        except FutureTimeout:
            future.cancel()
            raise LateError(f"{self._name}: no answer within the deadline") from None

    def run(self, work: Callable[[], T], deadline: Deadline) -> T:
        return self.wait(self.start(work), deadline)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
