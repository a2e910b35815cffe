"""The number of a turn within its request: several turns may end under one request id (W2)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

from ..domain.turn_ids import has_key, number_of
from ..ports import Queue, Store
from ..types import Job, Partition

REQUESTS_REMEMBERED = 10_000
TOLD = ("turn", "event")


@dataclass(slots=True)
class _Numbers:
    """Of the turns of one request in this process."""

    given: int = 0
    accepted: int = 0  # the queue took the turn: what it refused was given a number all the same


class RequestNumbers:
    """Counts turns that are stored and those that are still in the queue."""

    def __init__(self, store: Store, queue: Queue) -> None:
        self._store = store
        self._queue = queue
        self._lock = threading.Lock()
        self._last: OrderedDict[tuple[Partition, str], _Numbers] = OrderedDict()

    def next(self, partition: Partition, request_id: str) -> int:
        """Does not ask the queue, as the end of a turn waits for it: where another process takes
        the same number meanwhile, the worker gives the later turn a new one."""
        with self._lock:
            stored = self._store.last_end_seq(partition, request_id)
            last = self._of(partition, request_id)
            last.given = max(stored, last.given) + 1
            return last.given

    def last_turn(self, partition: Partition, request_id: str) -> str | None:
        """The id of the last turn under a request id, whichever process accepted it.

        The queue is asked first: a job leaves it when its event is in the store.
        """
        waiting = self._queue.turn_ids(partition, request_id)
        stored = self._store.last_end_seq(partition, request_id)
        with self._lock:
            own = self._last.get((partition, request_id), _Numbers()).accepted
        last = max(stored, own, *(number_of(id, request_id) for id in waiting))
        return (
            f"{request_id}:{last}" if last else self._last_with_key(partition, request_id, waiting)
        )

    def _last_with_key(
        self, partition: Partition, request_id: str, waiting: list[str]
    ) -> str | None:
        newest_first = [*reversed(waiting)]
        if not any(has_key(id, request_id) for id in waiting):
            found = self._store.find(partition, TOLD, id_prefix=f"{request_id}.")
            newest_first = [record.id for record in found]
        return next((id for id in newest_first if has_key(id, request_id)), None)

    def count(self, job: Job) -> None:
        """A job that is in the queue: accepted here or by an earlier process, or imported."""
        with self._lock:
            last = self._of(job.scope.home, job.request_id)
            last.given = max(job.end_seq, last.given)
            last.accepted = max(job.end_seq, last.accepted)

    def _of(self, partition: Partition, request_id: str) -> _Numbers:
        key = (partition, request_id)
        found = self._last.setdefault(key, _Numbers())
        self._last.move_to_end(key)
        if len(self._last) > REQUESTS_REMEMBERED:
            self._last.popitem(last=False)
        return found

    def forget(self, partition: Partition) -> None:
        with self._lock:
            for key in [key for key in self._last if key[0] == partition]:
                del self._last[key]
