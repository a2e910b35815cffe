"""Splits the embedding of a question into parts, so that a waiting thread can compute one, too."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Generic, Protocol, TypeVar, cast, runtime_checkable

T = TypeVar("T")


@runtime_checkable
class SharesWork(Protocol):
    """An embedder of this process, whose work can be shared between threads."""

    def help(self) -> bool:
        """Compute a part of a question that another thread embeds; False: there is none. Takes
        milliseconds and neither reads a disk nor asks a network."""


class SharedTask(Generic[T]):
    """One part of the work, done once, by the thread that comes first."""

    __slots__ = ("_done", "_error", "_free", "_result", "_work")

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._free = threading.Lock()
        self._done = threading.Lock()
        self._done.acquire()
        self._result: T | None = None
        self._error: BaseException | None = None

    def do(self) -> bool:
        """Do it, unless another thread does or did. An error is raised by `result`, not here."""
        if not self._free.acquire(blocking=False):
            return False
        try:
            self._result = self._work()
        except BaseException as error:
            self._error = error
        finally:
            self._done.release()
        return True

    def result(self) -> T:
        """The result; computes it first if no thread has."""
        self.do()
        with self._done:
            if self._error is not None:
                raise self._error
            return cast(T, self._result)


class SharedTasks(Generic[T]):
    """The parts that any thread may take. The thread that embeds takes the first, one that waits
    the last, so that they meet in the middle."""

    def __init__(self) -> None:
        self._open: deque[SharedTask[T]] = deque()

    @contextmanager
    def of(self, shares: Sequence[SharedTask[T]]) -> Iterator[None]:
        self._open.extend(shares)
        try:
            yield
        finally:
            for share in shares:
                with suppress(ValueError):  # another thread has taken it
                    self._open.remove(share)

    def help(self) -> bool:
        """Do one part; False: there was none."""
        with suppress(IndexError):
            while not self._open.pop().do():
                pass
            return True
        return False
