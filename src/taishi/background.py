"""Threads that do work until there is none, then wait to be woken."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

log = logging.getLogger("taishi.background")
MAX_PAUSE = 30.0


class Loop:
    """Calls `work` again and again; False means nothing is left for now.

    A pause that may change is given as a function; `wake` makes a change felt at once.
    An error never ends the loop: it is logged and the next try comes later and later.
    """

    def __init__(
        self, name: str, work: Callable[[], bool], interval: float | Callable[[], float]
    ) -> None:
        self._work = work
        self._interval = interval if callable(interval) else lambda: interval
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"taishi-{name}", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        self._wake.set()

    def stop(self, timeout: float = 10.0) -> None:
        """Finish the piece of work at hand, then end."""
        self._stop.set()
        self._wake.set()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout)

    def _run(self) -> None:
        pause = self._interval()
        while not self._stop.is_set():
            self._wake.clear()
            try:
                more = self._work()
                pause = self._interval()
            except Exception:
                log.exception("%s failed; trying again in %.0f s", self._thread.name, pause)
                more = False
                pause = min(pause * 2, MAX_PAUSE)
            if not more:
                self._wake.wait(pause)
