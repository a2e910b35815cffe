"""Lets whoever appends a message pass: background work shares the interpreter with it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PAUSE_SECONDS = 0.0005
GAP_SECONDS = 0.002
LONGEST_SECONDS = 0.01  # then a piece of the work is done beside it: it must end some day


class Foreground:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._busy = 0
        self._ended = 0.0

    @contextmanager
    def busy(self) -> Iterator[None]:
        with self._lock:
            self._busy += 1
        try:
            yield
        finally:
            with self._lock:
                self._busy -= 1
            self._ended = time.monotonic()

    def give_way(self) -> None:
        """Wait while somebody is busy; called by background work every millisecond or so."""
        end = time.monotonic() + LONGEST_SECONDS
        while self._busy or time.monotonic() - self._ended < GAP_SECONDS:
            if time.monotonic() > end:
                return
            time.sleep(PAUSE_SECONDS)
