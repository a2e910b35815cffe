"""`memory.jobs`: the historian's work, what was given up, and what its models cost."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC
from typing import Any

from ..domain import arguments
from ..ingest.historian_threads import HistorianThreads
from ..ingest.request_numbers import RequestNumbers
from ..runtime import Parts, Runtime
from ..times import TimeLike, to_datetime, to_epoch
from ..types import Scope, clean_id

Rows = list[dict[str, Any]]  # inside the class, `list` is the verb


class JobService:
    def __init__(
        self, runtime: Runtime, threads: HistorianThreads, numbers: RequestNumbers
    ) -> None:
        self._runtime = runtime
        self._numbers = numbers
        self._queue = runtime.parts.queue
        self._threads = threads

    def longest_silence(self) -> float:
        """Seconds since the least recently renewed claim was made or renewed; 0 if no job is
        claimed. If that is far more than a job takes, its worker lost it or is stuck."""
        self._runtime.check_open()
        return self._runtime.parts.queue.longest_silence()

    def idle_seconds(self) -> float:
        """Seconds since a worker of this process last looked at the queue or finished a job; 0 if
        none runs here. Needs no database."""
        return float(self._threads.own_work()["workers"]["idle_seconds"])

    def list(self) -> Rows:
        """Jobs that are waiting, running or failed, with the reason; oldest first."""
        self._runtime.check_open()
        listed: list[dict[str, Any]] = [
            {
                "state": state,
                "name": name,
                "event_id": job.event_id,
                "attempts": attempts,
                "reason": "",
                "job": asdict(job),
            }
            for state, name, attempts, job in self._queue.open_jobs()
        ]
        for failed in self._queue.failed_jobs():
            job = failed.job
            listed.append(
                {
                    "state": "failed",
                    "name": failed.name,
                    "event_id": job.event_id if job else "",
                    "attempts": failed.attempts,
                    "reason": failed.reason,
                    "job": asdict(job) if job else None,
                }
            )
        return listed

    def known_turn(self, scope: Scope, request_id: str) -> str | None:
        """The id of the last turn that was accepted under a request id, if there was one.

        Asks the queue and the store, so that it works after a crash, and for turns that other
        processes accepted. Only a turn that `consider` found not worth keeping leaves no trace.
        """
        self._runtime.check_scope(scope)
        id = clean_id(request_id, "request_id") or ""
        return self._numbers.last_turn(scope.home, id) if id else None

    def retry(self, name: str) -> None:
        """Requeue a failed job and reset its retry count."""
        self._runtime.check_open()
        self._queue.retry_failed(arguments.text(name, "name"))
        self._threads.wake()

    def ledger(self, since: TimeLike | None = None) -> Rows:
        """Calls to models by day (UTC), task, model and mode: tokens, seconds, cost, failures."""
        self._runtime.check_open()
        day = None
        if since is not None:
            day = to_datetime(to_epoch(since, self._runtime.zone), UTC).date().isoformat()
        return ledger_rows(self._runtime.parts, day)


def ledger_rows(parts: Parts, since_day: str | None = None) -> Rows:
    """Calls that were not written yet included."""
    parts.ledger.flush()
    return parts.store.ledger.totals(since_day)
