"""Calls that wait to be entered: whoever asked a model for a recall must not wait for the disk."""

from __future__ import annotations

import logging
import threading
from collections import deque

from ..errors import TaishiError
from ..ports import Call, Ledger

log = logging.getLogger("taishi.ledger")
MOST = 10_000  # of a disk that is full; the oldest are lost


class LedgerBuffer:
    """Implements ports.Ledger in front of the real one. Flushed in the background, by whoever
    reads the ledger, and at closing."""

    def __init__(self, book: Ledger) -> None:
        self._book = book
        self._calls: deque[Call] = deque(maxlen=MOST)
        self._flushing = threading.Lock()

    def add(self, call: Call) -> None:
        self._calls.append(call)

    @property
    def is_empty(self) -> bool:
        return not self._calls

    def flush(self) -> None:
        with self._flushing:
            for _ in range(len(self._calls)):
                call = self._calls.popleft()
                try:
                    self._book.add(call)
                except TaishiError as error:
                    self._calls.appendleft(call)
                    log.warning("calls of models are not in the ledger yet: %s", error)
                    return
