"""Work cut into pieces that whoever has time may do: who wants it all, or who waits for it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Generic, TypeVar, cast

T = TypeVar("T")


class SharedTask(Generic[T]):
    """One piece of work, done once, by whoever comes first."""

    __slots__ = ("_done", "_error", "_free", "_result", "_work")

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._free = threading.Lock()
        self._done = threading.Lock()
        self._done.acquire()
        self._result: T | None = None
        self._error: BaseException | None = None

    def do(self) -> bool:
        """Do it, unless somebody does or did. Raises nothing: that is for who wants the result."""
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
        """What the work gave; does it first if nobody has."""
        self.do()
        with self._done:
            if self._error is not None:
                raise self._error
            return cast(T, self._result)


class SharedTasks(Generic[T]):
    """The pieces that are open to everybody. Who wants them goes from the first on, who helps
    from the last, so the two meet in the middle."""

    def __init__(self) -> None:
        self._open: deque[SharedTask[T]] = deque()

    @contextmanager
    def of(self, shares: Sequence[SharedTask[T]]) -> Iterator[None]:
        self._open.extend(shares)
        try:
            yield
        finally:
            for share in shares:
                with suppress(ValueError):  # somebody has taken it
                    self._open.remove(share)

    def help(self) -> bool:
        """Do one piece; whether there was any."""
        with suppress(IndexError):
            while not self._open.pop().do():
                pass
            return True
        return False
