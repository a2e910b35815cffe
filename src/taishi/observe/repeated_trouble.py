"""Trouble that lasts: told when it begins, once a minute while it lasts, and when it is over."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

AGAIN_SECONDS = 60.0


class RepeatedTrouble:
    """One kind of trouble of one part, which tries again and again. For any thread."""

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._lock = threading.Lock()
        self._told_at: float | None = None

    def met(self, message: str, *values: object) -> None:
        now = self._clock()
        with self._lock:
            is_due = self._told_at is None or now - self._told_at >= AGAIN_SECONDS
            if is_due:
                self._told_at = now
        if is_due:
            self._log.warning(message, *values)

    def over(self, message: str, *values: object) -> None:
        """Nothing is said if there was no trouble."""
        with self._lock:
            was_told, self._told_at = self._told_at is not None, None
        if was_told:
            self._log.warning(message, *values)
