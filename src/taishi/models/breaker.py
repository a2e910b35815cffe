"""Stops asking a service that keeps failing, and tries again after a while.

Closed: calls go through. After `failures` failures in a row it opens: calls fail at once.
After `reset_seconds` exactly one call goes through as a probe; its outcome closes or reopens.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, TypeVar

from ..errors import ClosedError, ModelDownError

T = TypeVar("T")
State = Literal["closed", "open", "half-open"]


class Breaker:
    """Safe to share between threads."""

    def __init__(
        self,
        failures: int = 3,
        reset_seconds: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
        what: str = "model",
    ) -> None:
        self._what = what
        self._limit = failures
        self._reset_seconds = reset_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._state: State = "closed"
        self._failed = 0
        self._opened_at = 0.0
        # Counts changes of state: a call that began before the last change no longer matters.
        self._era = 0

    @property
    def state(self) -> State:
        with self._lock:
            return self._state

    def call(self, function: Callable[[], T]) -> T:
        """Call `function` if we may; raises ModelError at once when we may not."""
        with self.guard():
            return function()

    @contextmanager
    def guard(self) -> Iterator[None]:
        """The same as `call`, for a `with` block."""
        era = self._enter()
        try:
            yield
        except ClosedError:  # we are ending; the service is not at fault
            self._abandon(era)
            raise
        except Exception:
            self._leave(era, failed=True)
            raise
        except BaseException:
            self._abandon(era)
            raise
        self._leave(era, failed=False)

    def _enter(self) -> int:
        with self._lock:
            if self._state == "closed":
                return self._era
            waited = self._clock() - self._opened_at
            if self._state == "open" and waited >= self._reset_seconds:
                self._turn("half-open")
                return self._era
            seconds = max(0.0, self._reset_seconds - waited)
        raise ModelDownError(
            f"The {self._what} failed {self._limit} times in a row and is being left alone; "
            f"it will be tried again in {seconds:.0f} s. Check its address, API key and load"
        )

    def _leave(self, era: int, failed: bool) -> None:
        with self._lock:
            if era != self._era:
                return
            if not failed:
                self._failed = 0
                if self._state == "half-open":
                    self._turn("closed")
                return
            self._failed += 1
            if self._state == "half-open" or self._failed >= self._limit:
                self._turn("open")

    def _abandon(self, era: int) -> None:
        """Interrupted: this says nothing about the service, but the next probe must be let in."""
        with self._lock:
            if era == self._era and self._state == "half-open":
                opened_at = self._opened_at
                self._turn("open")
                self._opened_at = opened_at

    def _turn(self, state: State) -> None:
        self._state = state
        self._era += 1
        if state == "open":
            self._opened_at = self._clock()
            self._failed = 0
