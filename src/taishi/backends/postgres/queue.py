"""The queue in a table (W4, W5): claims with `FOR UPDATE SKIP LOCKED`, leases, NOTIFY.

Jobs of one partition, and those that may change one person's page, are worked one after another in
the order in which they came. Between workspaces it is fair: the one that was served longest ago is
next, however many jobs another has.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from psycopg_pool import PoolTimeout

from ...disk.process_identity import process_mark
from ...errors import (
    ClosedError,
    InputError,
    QueueError,
    ReadOnlyError,
    StorageError,
    UnreachableError,
)
from ...job_codec import encode
from ...ports import FailedJob, Lease
from ...types import Job, Partition
from . import job_rows as sql
from .database import Database
from .job_leases import MAX_LOST, JobLeases, default_backoff, parsed
from .job_listing import JobListing
from .job_rows import JobRow, lane_of, person_of
from .job_transfer import PostgresQueueTransfer
from .notifications import Listener
from .queries import Queries

SWEEP_SECONDS = 60.0
PUT_SECONDS = 2.0
TRIES = 10


class PostgresQueue:
    """Implements ports.JobQueue, for any number of servers and workers.

    `clock` is for tests; without it the time is the database's, so that servers whose clocks
    differ agree on leases.
    """

    def __init__(
        self,
        database: Database,
        *,
        lease_seconds: float = 300,
        max_retries: int = 3,
        max_lost: int = MAX_LOST,
        backoff: Callable[[int], float] = default_backoff,
        failed_max_age_days: float = 30,
        failed_max_files: int = 500,
        cleanup_interval: int = 100,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._queries = Queries(database)
        self.before_ack: Callable[[Job], None] = lambda job: None
        self.max_retries = max_retries
        self._failed_max_age = failed_max_age_days * 86_400
        self._failed_max_files = failed_max_files
        self._cleanup_interval = cleanup_interval
        self._clock = clock
        self._token = secrets.token_hex(4)
        self._lock = threading.Lock()
        self._last_stamp = 0
        self._finished = 0
        self._recovered_at = self._swept_at = -math.inf
        self._listener: Listener | None = None
        self._closed = False
        self._leases = JobLeases(self._queries, self._now, lease_seconds, max_lost, backoff)
        self._listing = JobListing(self._queries, self._now)
        self.transfer = PostgresQueueTransfer(self._queries)

    def put(self, job: Job) -> str:
        """Durable when this returns. A job whose `job_id` is in the queue is not put again."""
        self._check_open()
        row = {
            "id": self._new_id(),
            "tail": secrets.token_hex(6),
            "job_id": job.job_id,
            "workspace": job.workspace,
            "lane": lane_of(job),
            "person": person_of(job),
            "state": "pending",
            "attempt": 0,
            "at": 0.0,
            "reason": "",
            "data": encode(job),
        }
        try:
            found = self._put(job.workspace, row)
        except ReadOnlyError as error:
            raise QueueError(f"the job was not accepted, as {error}") from error
        except StorageError as error:
            raise QueueError(
                f"the job was not accepted: {str(error).rstrip('.')}; try again when the database "
                "answers"
            ) from error
        return str(found or job.job_id)  # none: it is there already

    def _put(self, workspace: str, row: dict[str, Any]) -> str | None:
        """Once more if the connection broke on the way: the job is recognised by its id. A turn
        that ends does not wait long for a server that is away."""
        queries = self._queries.of(workspace, wait=PUT_SECONDS)
        found: str | None
        try:
            found = queries.value(sql.PUT, row)
        except UnreachableError as error:
            if isinstance(error.__cause__, PoolTimeout):
                raise
            found = queries.value(sql.PUT, row)
        return found

    def claim(self) -> Lease | None:
        """The oldest job that is ready in the workspace whose turn it is."""
        self._check_open()
        if time.monotonic() - self._recovered_at > min(self._leases.seconds / 4, 30.0):
            self._release_lost()
        self._leases.release_doubtful()
        values = {"now": self._now(), "owner": self._owner(), "lease": self._leases.seconds}
        for _ in range(TRIES):
            workspace, row = self._claimed({**values, "claim": secrets.token_hex(8)})
            if workspace is None:
                return None
            if row is None:  # another worker took the last one there
                continue
            job = row.job()
            if job is not None:
                return Lease(job, f"{row.id}.{row.claim}", row.attempt, row.at)
            self._fail(row, "the stored bytes hold no job")
        return None

    def _claimed(self, values: dict[str, Any]) -> tuple[str | None, JobRow | None]:
        """The workspace whose turn it is, and its job that is ours now. If the connection breaks,
        it may be ours without our knowing."""
        try:
            return self._claim_in_turn(values)
        except UnreachableError:
            self._leases.doubt(values["claim"])
            raise

    def _claim_in_turn(self, values: dict[str, Any]) -> tuple[str | None, JobRow | None]:
        with self._queries.transaction() as connection:
            found = connection.execute(sql.NEXT_UNLOCKED_WORKSPACE, values).fetchone()
            if found is None:  # none, or another worker is claiming there: wait for it
                found = connection.execute(sql.NEXT_WORKSPACE, values).fetchone()
            if found is None:
                return None, None
            values = {**values, "workspace": found[0]}
            row = connection.execute(sql.CLAIM, values).fetchone()
            connection.execute(sql.SERVED, values)
        return found[0], None if row is None else JobRow(*row)

    def is_waiting(self) -> bool:
        values = {"now": self._now(), "owner": self._owner()}
        return bool(self._queries.value(sql.IS_WAITING, values))

    def listen(self, wake: Callable[[], None]) -> None:
        """Call `wake` whenever any process puts a job. Workers poll all the same: while the
        connection is down, nobody is told."""
        with self._lock:
            if self._listener is None and not self._closed:
                self._listener = Listener(self._queries.database, sql.CHANNEL, wake)

    def extend(self, lease: Lease) -> Lease:
        until = self._leases.extend(lease)
        if until is None:
            raise QueueError(
                f"the lease on {lease.job.event_id!a} ran out and was given to another worker; "
                "stop working on it, or set a longer stale_job_timeout_seconds"
            )
        return Lease(lease.job, lease.token, lease.attempt, until)

    def ack(self, lease: Lease) -> None:
        """Done: the job is gone. Safe to call twice; another worker's claim is left alone."""
        if self._leases.held(lease):
            self.before_ack(lease.job)
            self._queries.execute("DELETE FROM jobs WHERE id = %s AND claim = %s", parsed(lease))
        self._count_finished()

    def retry(self, lease: Lease, reason: str) -> bool:
        """True also when the lease was lost: the job belongs to another worker now."""
        held = self._leases.held(lease)
        if held is None:
            return True
        if held.attempt > self.max_retries:
            self._fail(held, f"given up after {held.attempt} tries; the last: {reason}")
            return False
        self._leases.wait(held, self._leases.backoff(held.attempt))
        return True

    def postpone(self, lease: Lease, seconds: float) -> None:
        held = self._leases.held(lease)
        if held is not None:
            self._leases.wait(held._replace(attempt=held.attempt - 1), seconds)

    def recover(self) -> int:
        """Give back the jobs of workers that are dead or late, and clean up; how many."""
        self._check_open()
        released = self._release_lost()
        if self._cleanup_interval > 0 and time.monotonic() - self._swept_at > SWEEP_SECONDS:
            self.sweep_failed()
        return released

    def retry_failed(self, name: str) -> None:
        """Put a failed job back, at its old position and with all its tries."""
        found = None
        if name.isprintable():  # a NUL is no text to the database
            found = self._queries.value(
                "UPDATE jobs SET state = 'pending', attempt = 0, lost = 0, at = 0, reason = '' "
                "WHERE id = %s AND state = 'failed' RETURNING id",
                (name,),
            )
        if found is None:
            raise InputError(
                f"no failed job is called {name!a:.60}; `taishi jobs list` "
                "(memory.jobs.list) shows them"
            )
        self._queries.execute(sql.WAKE)

    def forget(self, predicate: Callable[[Job], bool]) -> int:
        """Remove the jobs for which `predicate` is true, whoever holds them; how many."""
        self._check_open()
        doomed = [
            row.id
            for row in self._listing.rows()
            if (job := row.job()) is not None and predicate(job)
        ]
        self._queries.execute("DELETE FROM jobs WHERE id = ANY(%s)", (doomed,))
        return len(doomed)

    def sweep_failed(self) -> int:
        """Remove failed jobs that are too old, then the oldest above the limit; how many."""
        self._swept_at = time.monotonic()
        gone = 0
        if self._failed_max_age > 0:
            gone += self._queries.execute(
                f"DELETE FROM jobs WHERE state = 'failed' AND at < {sql.NOW} - %(age)s",
                {"now": self._now(), "age": self._failed_max_age},
            )
        if self._failed_max_files > 0:
            gone += self._queries.execute(
                "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE state = 'failed' "
                "ORDER BY at DESC, id DESC OFFSET %s)",
                (self._failed_max_files,),
            )
        return gone

    def counts(self) -> dict[str, int]:
        return self._listing.counts()

    def oldest_age(self) -> float:
        return self._listing.oldest_age()

    def longest_silence(self) -> float:
        return self._leases.longest_silence()

    def pending_jobs(self) -> Iterable[Job]:
        return self._listing.pending_jobs()

    def turn_ids(self, partition: Partition, prefix: str) -> list[str]:
        return self._listing.turn_ids(partition, prefix)

    def open_jobs(self) -> list[tuple[str, str, int, Job]]:
        return self._listing.open_jobs()

    def failed_jobs(self) -> list[FailedJob]:
        return self._listing.failed_jobs()

    def close(self) -> None:
        with self._lock:
            self._closed, listener = True, self._listener
        if listener is not None:
            listener.close()

    def _release_lost(self) -> int:
        self._recovered_at = time.monotonic()
        return self._leases.release_lost()

    def _fail(self, row: JobRow, reason: str) -> None:
        self._leases.fail(row, reason)
        self._count_finished()

    def _count_finished(self) -> None:
        with self._lock:
            self._finished += 1
            due = self._cleanup_interval > 0 and self._finished % self._cleanup_interval == 0
        if due:
            self.sweep_failed()

    def _now(self) -> float | None:
        return None if self._clock is None else self._clock()

    def _new_id(self) -> str | None:
        """None: the database makes one of its own clock."""
        if self._clock is None:
            return None
        with self._lock:
            self._last_stamp = max(self._last_stamp + 1, int(self._clock() * 1e9))
            return f"{self._last_stamp:020d}-{secrets.token_hex(6)}"

    def _owner(self) -> str:
        return f"{process_mark()}-{self._token}-{threading.get_ident()}"

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("the queue was closed; open the memory again")
