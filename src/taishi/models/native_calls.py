"""Lets calls into C++ and Rust libraries finish before the interpreter shuts down.

A daemon thread that comes back from such a call while Python is finalising is unwound by force.
C++ and Rust frames do not survive that: the process aborts with "terminate called without an
active exception". So every such call is counted; at exit no new one begins, and those under way
are waited for.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import ClosedError

EXIT_SECONDS = 10.0


class NativeCalls:
    """Counts calls under way; after `finish` none begins."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = 0
        self._finishing = False
        self._registered = False

    @contextmanager
    def running(self) -> Iterator[None]:
        with self._changed:
            if self._finishing:
                raise ClosedError("the process is ending; the local embedder takes no more texts")
            if not self._registered:
                atexit.register(self.finish)
                self._registered = True
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def finish(self, seconds: float = EXIT_SECONDS) -> bool:
        """Refuse new calls, wait for those under way; whether all of them ended in time."""
        end = time.monotonic() + seconds
        with self._changed:
            self._finishing = True
            while self._running and time.monotonic() < end:
                self._changed.wait(end - time.monotonic())
            return not self._running


native_calls = NativeCalls()
