"""Time limits for work that may hang: a disk, a lock, a model.

Work runs in a lane of a few threads. A caller waits for it until its own deadline and then goes
on without it. A lane that is full of late work refuses more, so that late work does not pile up.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

from ..errors import ClosedError, TaishiError
from ..times import Deadline

__all__ = ["BoundedExecutor", "Deadline", "LateError", "Pending", "guarded"]

log = logging.getLogger("taishi.recall")
T = TypeVar("T")
WAITING_PER_THREAD = 16


class LateError(TaishiError):
    """The answer did not come in time."""


class Pending(Generic[T]):
    """Work that was handed in; given up means that nobody waits for it any more.

    A bare lock and not a Future: handing work over is a third of a short recall otherwise.
    """

    __slots__ = ("_done", "_error", "_result", "_work", "given_up")

    def __init__(self, work: Callable[[], T]) -> None:
        self._work: Callable[[], T] | None = work
        self._done = threading.Lock()
        self._done.acquire()
        self._result: T | None = None
        self._error: BaseException | None = None
        self.given_up = False

    def do(self) -> None:
        work, self._work = self._work, None
        try:
            if work is not None and not self.given_up:
                self._result = work()
        except BaseException as error:
            self._error = error
        finally:
            self._done.release()

    @property
    def is_done(self) -> bool:
        return not self._done.locked()

    def result(self, seconds: float) -> T:
        """Raises TimeoutError, or what the work raised."""
        if not self._done.acquire(timeout=seconds):
            raise TimeoutError
        self._done.release()  # whoever asks again gets it again
        if self._error is not None:
            raise self._error
        return cast(T, self._result)


class _WorkerThread:
    """One thread of a lane. Asleep on a lock of its own, so that a lane can wake this very one."""

    def __init__(self, name: str, lane: BoundedExecutor) -> None:
        self._wake = threading.Lock()
        self._wake.acquire()
        self._ticket: Pending[Any] | None = None
        threading.Thread(target=self._serve, args=(lane,), name=name, daemon=True).start()

    def give(self, ticket: Pending[Any] | None) -> None:
        """Work, or None: it may go."""
        self._ticket = ticket
        self._wake.release()

    def _serve(self, lane: BoundedExecutor) -> None:
        while True:
            self._wake.acquire()
            ticket, self._ticket = self._ticket, None
            while ticket is not None:
                ticket.do()
                ticket = lane.done(self)
            if lane.is_closed:
                return


class BoundedExecutor:
    """A few threads for one kind of work, begun when there is some.

    Whoever fell asleep last is woken first: what it needs is still in the processor's caches.
    They end with the process: one that hangs in a dead disk must not keep it from ending.
    """

    def __init__(self, name: str, threads: int) -> None:
        self._name = name
        self._threads = threads
        self._limit = threads * WAITING_PER_THREAD
        self._lock = threading.Lock()
        self._waiting: deque[Pending[Any]] = deque()
        self._idle: list[_WorkerThread] = []
        self._hands = 0
        self._open = 0  # tickets waiting or at hand
        self.is_closed = False

    def start(self, work: Callable[[], T]) -> Pending[T]:
        ticket = Pending(work)
        with self._lock:
            if self.is_closed:
                raise LateError(f"{self._name}: closed")
            if self._open >= self._limit:
                raise LateError(f"{self._name}: too much late work, this one was not begun")
            self._open += 1
            if not self._idle and self._hands == self._threads:
                self._waiting.append(ticket)
                return ticket
            if not self._idle:
                self._hands += 1
                self._idle.append(_WorkerThread(f"taishi-{self._name}-{self._hands}", self))
            hand = self._idle.pop()
        hand.give(ticket)
        return ticket

    def done(self, hand: _WorkerThread) -> Pending[Any] | None:
        """A hand is free: the next for it, or it sleeps.

        Counted only now, so that a frozen lane fills up and refuses.
        """
        with self._lock:
            self._open -= 1
            if self._waiting:
                return self._waiting.popleft()
            self._idle.append(hand)
            return None

    def wait(self, ticket: Pending[T], deadline: Deadline) -> T:
        try:
            return ticket.result(deadline.left)
        except TimeoutError:
            ticket.given_up = True
            raise LateError(f"{self._name}: no answer within the deadline") from None

    def run(self, work: Callable[[], T], deadline: Deadline) -> T:
        return self.wait(self.start(work), deadline)

    def close(self) -> None:
        with self._lock:
            self.is_closed = True
            idle, self._idle = self._idle, []
        for hand in idle:
            hand.give(None)


def guarded(path: str, paths: dict[str, str], work: Callable[[], T]) -> T | None:
    """Run a step; if it is late or fails, note that and go on without it."""
    try:
        return work()
    except LateError:
        paths[path] = "late"
    except ClosedError:  # a memory or a process that is ending says so elsewhere
        paths[path] = "failed"
    except Exception as error:  # an embedder of the caller's own may raise anything
        paths[path] = "failed"
        log.warning("recall goes on without %s: %s: %s", path, type(error).__name__, error)
    return None
