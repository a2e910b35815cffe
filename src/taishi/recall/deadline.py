"""Executors for work that may block on a disk, a lock or a model, with a deadline for the caller.

A caller waits for its work until its own deadline and then goes on without it. An executor that is
full of late work rejects more, so that late work does not pile up.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

from ..errors import ClosedError, TaishiError
from ..times import Deadline

__all__ = [
    "READING_RESERVE",
    "BehindError",
    "BoundedExecutor",
    "Deadline",
    "LateError",
    "Pending",
    "guarded",
]

log = logging.getLogger("taishi.recall")
T = TypeVar("T")
WAITING_PER_THREAD = 16
# Seconds kept for scoring and for reading records when a model is waited for.
READING_RESERVE = 0.03


class LateError(TaishiError):
    """The answer did not come in time."""


class BehindError(TaishiError):
    """An engine has not got everything yet; it catches up by itself."""


class Pending(Generic[T]):
    """Work that was submitted. Implements ports.Pending.

    A bare lock and not a Future: submitting would take a third of a short recall otherwise.
    """

    __slots__ = ("_done", "_error", "_executor", "_result", "_work", "given_up")

    def __init__(self, work: Callable[[], T], executor: str) -> None:
        self._work: Callable[[], T] | None = work
        self._executor = executor
        self._done = threading.Lock()
        self._done.acquire()
        self._result: T | None = None
        self._error: BaseException | None = None
        self.given_up = False  # nobody waits for it any more

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

    def is_done_by(self, deadline: Deadline) -> bool:
        """Wait for it without giving it up."""
        if not self._done.acquire(timeout=deadline.left):
            return False
        self._done.release()
        return True

    def result(self, deadline: Deadline) -> T:
        """Raises LateError, or what the work raised. Late work that has not begun never will."""
        if not self._done.acquire(timeout=deadline.left):
            self.given_up = True
            raise LateError(f"{self._executor}: no answer within the deadline")
        self._done.release()  # so that it can be asked for again
        if self._error is not None:
            raise self._error
        return cast(T, self._result)


class _WorkerThread:
    """One thread of an executor. It sleeps on a lock of its own, so that it can be woken alone."""

    def __init__(self, name: str, executor: BoundedExecutor) -> None:
        self._wake = threading.Lock()
        self._wake.acquire()
        self._next: Pending[Any] | None = None
        threading.Thread(target=self._serve, args=(executor,), name=name, daemon=True).start()

    def give(self, pending: Pending[Any] | None) -> None:
        """Work to do; None: the thread may end."""
        self._next = pending
        self._wake.release()

    def _serve(self, executor: BoundedExecutor) -> None:
        while True:
            self._wake.acquire()
            pending, self._next = self._next, None
            while pending is not None:
                pending.do()
                pending = executor.done(self)
            if executor.is_closed:
                return


class BoundedExecutor:
    """A few daemon threads for one kind of work, started when there is some.

    The thread that went idle last is woken first, as its data is still in the processor's caches.
    Daemon threads: one that hangs on a dead disk must not keep the process from ending.
    """

    def __init__(self, name: str, threads: int) -> None:
        self._name = name
        self._threads = threads
        self._limit = threads * WAITING_PER_THREAD
        self._lock = threading.Lock()
        self._waiting: deque[Pending[Any]] = deque()
        self._idle: list[_WorkerThread] = []
        self._started = 0  # threads
        self._open = 0  # work that waits or is being done
        self.is_closed = False

    def start(self, work: Callable[[], T]) -> Pending[T]:
        """Raises LateError if there is too much unfinished work."""
        pending = Pending(work, self._name)
        with self._lock:
            if self.is_closed:
                raise LateError(f"{self._name}: closed")
            if self._open >= self._limit:
                raise LateError(f"{self._name}: too much late work, this one was not begun")
            self._open += 1
            if not self._idle and self._started == self._threads:
                self._waiting.append(pending)
                return pending
            if not self._idle:
                self._started += 1
                self._idle.append(_WorkerThread(f"taishi-{self._name}-{self._started}", self))
            thread = self._idle.pop()
        thread.give(pending)
        return pending

    def done(self, thread: _WorkerThread) -> Pending[Any] | None:
        """A thread is free: the next work for it, or it goes idle.

        Counted only now, so that an executor whose threads all hang fills up and rejects work.
        """
        with self._lock:
            self._open -= 1
            if self._waiting:
                return self._waiting.popleft()
            self._idle.append(thread)
            return None

    def run(self, work: Callable[[], T], deadline: Deadline) -> T:
        return self.start(work).result(deadline)

    def close(self) -> None:
        with self._lock:
            self.is_closed = True
            idle, self._idle = self._idle, []
        for thread in idle:
            thread.give(None)


def guarded(path: str, paths: dict[str, str], work: Callable[[], T]) -> T | None:
    """Run a step; if it is late or fails, note that and go on without it."""
    try:
        return work()
    except LateError:
        paths[path] = "late"
    except BehindError:
        paths[path] = "behind"
    except ClosedError:  # a memory or a process that is ending says so elsewhere
        paths[path] = "failed"
    except Exception as error:  # an embedder of the caller's own may raise anything
        paths[path] = "failed"
        log.warning("recall goes on without %s: %s: %s", path, type(error).__name__, error)
    return None
