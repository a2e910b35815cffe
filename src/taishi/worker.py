"""lease → historian → edits → store → ack (H1). What fails goes back and is tried again."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from .historian.rules import Draft
from .ports import Queue, Store
from .rooms import events
from .types import Edit, Job

log = logging.getLogger("taishi.worker")


@dataclass(slots=True)
class Tally:
    """What became of jobs since this process started."""

    done: int = 0
    retried: int = 0
    failed: int = 0
    not_absolute: int = 0


class Worker:
    """Any number may run on one queue, in any number of processes."""

    def __init__(
        self,
        queue: Queue,
        store: Store,
        write: Callable[[Job], Draft],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._queue = queue
        self._store = store
        self._write = write
        self._clock = clock
        self._lock = threading.Lock()
        self._storing = threading.Lock()
        self.tally = Tally()

    def paused(self) -> AbstractContextManager[bool]:
        """While held, no job of this worker reaches the store."""
        return self._storing

    def step(self) -> bool:
        """Work one job. False: none is due."""
        lease = self._queue.claim()
        if lease is None:
            self._queue.recover()
            lease = self._queue.claim()
            if lease is None:
                return False
        try:
            draft = self._write(lease.job)
            with self._storing:
                self._queue.extend(lease)  # refused if the job was forgotten or given away
                self._store.apply([self._event(lease.job, draft)])
                self._queue.ack(lease)
        except Exception as error:
            again = self._queue.retry(lease, f"{type(error).__name__}: {error}")
            self._count("retried" if again else "failed")
            log.warning("job %s: %s", lease.job.event_id, error)
            return True
        self._count("done")
        if not draft.is_absolute:
            self._count("not_absolute")
        return True

    def _event(self, job: Job, draft: Draft) -> Edit:
        extra = {
            "did_what": draft.did_what,
            "new_info": list(draft.new_info),
            "warnings": list(draft.warnings),
            "written_at": self._clock(),
        }
        return events.put_event(job, draft.canonical_text, draft.is_absolute, extra)

    def _count(self, what: str) -> None:
        with self._lock:
            setattr(self.tally, what, getattr(self.tally, what) + 1)
