"""`memory.drain`: run every background step until nothing is left, within a time limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextvars import copy_context

PAUSE = 0.02


class Drain:
    """Takes the steps again and again in a thread of its own until none finds anything to do.

    Whoever waits for it goes on at the end of the time; a step that hangs in a model or on a disk
    ends whenever it ends, and is the last.
    """

    def __init__(
        self,
        steps: Sequence[Callable[[], bool]],
        is_empty: Callable[[], bool],
        is_on: Callable[[], bool],
    ) -> None:
        self._steps = steps
        self._is_empty = is_empty
        self._is_on = is_on
        self._stop = threading.Event()
        self._ended = threading.Event()
        self._all_done = False
        self._error: BaseException | None = None

    def run(self, seconds: float) -> bool:
        """True: nothing waits any more. Raises what a step raised."""
        here = copy_context()  # so that a trace goes on in the thread
        thread = threading.Thread(target=here.run, args=(self._work,), name="taishi-drain")
        thread.daemon = True
        thread.start()
        try:
            self._ended.wait(min(max(0.0, seconds), threading.TIMEOUT_MAX))
        finally:
            self._stop.set()
        if self._error is not None:
            raise self._error
        return self._all_done

    def _work(self) -> None:
        try:
            while self._goes_on():
                if self._round():
                    continue
                if self._is_empty():
                    self._all_done = True
                    return
                time.sleep(PAUSE)
        except BaseException as error:
            self._error = error
        finally:
            self._ended.set()

    def _round(self) -> bool:
        """Every step once; whether one of them found something to do."""
        worked = False
        for step in self._steps:
            worked = (self._goes_on() and step()) or worked
        return worked

    def _goes_on(self) -> bool:
        return self._is_on() and not self._stop.is_set()
