"""Buffers model-call ledger entries, so that a recall never waits for the disk."""

from __future__ import annotations

import logging
import threading
from collections import deque

from ..errors import TaishiError
from ..ports import Call, Ledger

log = logging.getLogger("taishi.ledger")
MAX_CALLS = 10_000  # bounds memory when the disk is full; the oldest are dropped


class LedgerBuffer:
    """Implements ports.Ledger in front of the real one. Flushed in the background, before the
    ledger is read, and on close."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._calls: deque[Call] = deque(maxlen=MAX_CALLS)
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
                    self._ledger.add(call)
                except TaishiError as error:
                    self._calls.appendleft(call)
                    log.warning("calls of models are not in the ledger yet: %s", error)
                    return
