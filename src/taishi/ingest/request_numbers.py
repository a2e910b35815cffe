"""The number of a turn within its request: several turns may end under one request id (W2)."""

from __future__ import annotations

import threading
from collections import OrderedDict

from ..ports import Store
from ..types import Job, Partition

REQUESTS_REMEMBERED = 10_000


class RequestNumbers:
    """Counts turns that are stored and those that are still in the queue."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._last: OrderedDict[tuple[Partition, str], int] = OrderedDict()

    def next(self, partition: Partition, request_id: str) -> int:
        key = (partition, request_id)
        with self._lock:
            stored = self._store.last_end_seq(partition, request_id)
            number = max(stored, self._last.get(key, 0)) + 1
            self._last[key] = number
            self._last.move_to_end(key)
            if len(self._last) > REQUESTS_REMEMBERED:
                self._last.popitem(last=False)
            return number

    def last(self, partition: Partition, request_id: str) -> int:
        stored = self._store.last_end_seq(partition, request_id)
        with self._lock:
            return max(stored, self._last.get((partition, request_id), 0))

    def count(self, job: Job) -> None:
        """A job that came from elsewhere: from an earlier process, or by an import."""
        key = (job.scope.home, job.request_id)
        with self._lock:
            self._last[key] = max(job.end_seq, self._last.get(key, 0))

    def forget(self, partition: Partition) -> None:
        with self._lock:
            for key in [key for key in self._last if key[0] == partition]:
                del self._last[key]
