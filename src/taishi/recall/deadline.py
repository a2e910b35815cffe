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
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..errors import TaishiError

T = TypeVar("T")
WAITING_PER_THREAD = 16


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

    def before(self, reserve: float) -> Deadline:
        """An earlier deadline that leaves `reserve` seconds, or half of what is left."""
        left = self.left
        return Deadline(max(left - reserve, left / 2), self._clock)

    @property
    def spent_ms(self) -> float:
        return (self._clock() - self._start) * 1000


@dataclass(slots=True)
class Ticket(Generic[T]):
    """Work that was handed in; given up means that nobody waits for it any more."""

    future: Future[T]
    given_up: threading.Event


class Lane:
    """A few threads for one kind of work."""

    def __init__(self, name: str, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"taishi-{name}")
        self._name = name
        self._limit = threads * WAITING_PER_THREAD
        self._begun = 0
        self._lock = threading.Lock()

    def start(self, work: Callable[[], T]) -> Ticket[T]:
        with self._lock:
            if self._begun >= self._limit:
                raise LateError(f"{self._name}: too much late work, this one was not begun")
            self._begun += 1
        given_up = threading.Event()
        try:
            return Ticket(self._pool.submit(self._do, work, given_up), given_up)
        except RuntimeError as error:
            raise LateError(f"{self._name}: closed") from error

    def _do(self, work: Callable[[], T], given_up: threading.Event) -> T:
        """Counts until it is taken off the line, so that a frozen lane fills up and refuses."""
        try:
            if given_up.is_set():
                raise LateError(f"{self._name}: given up before it began")
            return work()
        finally:
            with self._lock:
                self._begun -= 1

    def wait(self, ticket: Ticket[T], deadline: Deadline) -> T:
        try:
            return ticket.future.result(deadline.left)
        except FutureTimeout:
            ticket.given_up.set()
            raise LateError(f"{self._name}: no answer within the deadline") from None

    def run(self, work: Callable[[], T], deadline: Deadline) -> T:
        return self.wait(self.start(work), deadline)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
