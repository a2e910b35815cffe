"""Tell the queue how a claimed job ended, also if its database is away at that moment, or can only
be read."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from functools import partial

from ..errors import ReadOnlyError, TaishiError, UnreachableError
from ..ports import Lease, Queue

log = logging.getLogger("taishi.worker")
# The queue's database does not answer, or takes no writes for a while.
AWAY = (UnreachableError, ReadOnlyError)


class JobEndings:
    """What the database could not be told is told before anything else is claimed. Without that a
    job would stay claimed until its lease ends, and the next ones of its chat would overtake it."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._settling = threading.Lock()
        self._untold: deque[tuple[Lease, Callable[[], object]]] = deque()

    def ack(self, lease: Lease) -> None:
        try:
            self._queue.ack(lease)
        except AWAY as error:
            log.warning("job %s is acknowledged later: %s", lease.job.event_id, error)
            self._untold.append((lease, partial(self._queue.ack, lease)))

    def postpone(self, lease: Lease, seconds: float) -> None:
        """Given back at once when the database answers again: it has waited until then."""
        try:
            self._queue.postpone(lease, seconds)
        except AWAY:
            self._untold.append((lease, partial(self._queue.postpone, lease, 0.0)))

    def retry(self, lease: Lease, reason: str) -> bool:
        """False: it was given up."""
        try:
            return self._queue.retry(lease, reason)
        except AWAY:
            self._untold.append((lease, partial(self._queue.retry, lease, reason)))
            return True

    def settle(self) -> None:
        """Tell what is untold. Raises one of AWAY while the database is; every worker waits until
        it is through, because the jobs may be its own."""
        with self._settling:
            while self._untold:
                lease, tell = self._untold[0]
                try:
                    tell()
                except AWAY:
                    raise
                except (OSError, TaishiError) as error:  # it keeps its claim until the lease ends
                    log.warning("job %s was not given back: %s", lease.job.event_id, error)
                self._untold.popleft()
