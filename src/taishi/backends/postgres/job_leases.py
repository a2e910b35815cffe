"""Claims on jobs: whose they are, how they end, and what becomes of those that were lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from ...disk.process_identity import certainly_dead
from ...errors import InputError
from ...ports import Lease
from . import job_rows as sql
from .job_rows import JobRow, plain_reason
from .queries import Queries

MAX_LOST = 10  # claims by processes that died, after which the job is assumed to be the cause
LOST_AT_ONCE = 2  # so many are retried at once; after later ones other jobs go first
DOUBT_SECONDS = 30.0  # a commit that was on its way when the connection broke may arrive so late
FAR_AHEAD_SECONDS = 86_400.0  # a later time was written while a clock was wrong


def default_backoff(attempt: int) -> float:
    """1 s, 4 s, 16 s, 64 s, then every 5 minutes."""
    return 300.0 if attempt > 4 else 4.0 ** max(attempt - 1, 0)


class JobLeases:
    """The rows that are being processed. A change is refused if the claim was lost meanwhile."""

    def __init__(
        self,
        queries: Queries,
        now: Callable[[], float | None],
        lease_seconds: float,
        max_lost: int = MAX_LOST,
        backoff: Callable[[int], float] = default_backoff,
    ) -> None:
        self._queries = queries
        self._now = now
        self.seconds = lease_seconds
        self._max_lost = max_lost
        self.backoff = backoff
        self._lock = threading.Lock()
        self._doubtful: dict[str, float] = {}  # claims, and until when they are looked for

    def doubt(self, claim: str) -> None:
        """The connection broke before it was known whether this claim was made."""
        with self._lock:
            self._doubtful[claim] = time.monotonic() + DOUBT_SECONDS

    def release_doubtful(self) -> None:
        """Give back what was claimed without our knowing. It was no try and no loss."""
        with self._lock:
            if not self._doubtful:
                return
            began = time.monotonic()
            self._queries.execute(
                "UPDATE jobs SET state = 'pending', attempt = greatest(attempt - 1, 0), at = 0, "
                "owner = '', claim = '' WHERE state = 'processing' AND claim = ANY(%s)",
                (list(self._doubtful),),
            )
            self._doubtful = {
                claim: until for claim, until in self._doubtful.items() if until > began
            }

    def longest_silence(self) -> float:
        """Seconds since the claim that was renewed longest ago was made or renewed."""
        silence = self._queries.value(
            f"SELECT {sql.NOW} - (min(at) - %(lease)s) FROM jobs WHERE state = 'processing'",
            {"now": self._now(), "lease": self.seconds},
        )
        return 0.0 if silence is None else max(0.0, silence)

    def held(self, lease: Lease) -> JobRow | None:
        """The row of a lease, extended or not; None if it was lost."""
        id, claim = parsed(lease)
        row = self._queries.row(
            f"SELECT {sql.COLUMNS} FROM jobs WHERE id = %s AND claim = %s AND state = 'processing'",
            (id, claim),
        )
        return None if row is None else JobRow(*row)

    def extend(self, lease: Lease) -> float | None:
        """Until when it is ours now; None if it was lost."""
        id, claim = parsed(lease)
        until: float | None = self._queries.value(
            f"UPDATE jobs SET at = {sql.NOW} + %(lease)s "
            "WHERE id = %(id)s AND claim = %(claim)s AND state = 'processing' RETURNING at",
            {"now": self._now(), "lease": self.seconds, "id": id, "claim": claim},
        )
        return until

    def release_lost(self) -> int:
        """Give back what late workers hold, and dead ones of this machine; how many."""
        rows = self._queries.rows(
            f"SELECT {sql.COLUMNS}, at <= {sql.NOW} OR at > {sql.NOW} + %(far)s FROM jobs "
            "WHERE state = 'processing'",
            {"now": self._now(), "far": self.seconds + FAR_AHEAD_SECONDS},
        )
        released = 0
        for *columns, is_late in rows:
            row = JobRow(*columns)
            if is_late:
                reason = "its lease ran out: the worker was too slow or is gone"
            elif certainly_dead("-".join(row.owner.split("-")[:3])):
                reason = "its worker process ended before the job was done"
            else:
                continue
            released += self._take_back(row, reason)
        return released

    def _take_back(self, held: JobRow, reason: str) -> bool:
        """A lost claim is not counted as a try, but a job that kills its workers must end, too."""
        lost = held._replace(attempt=max(held.attempt - 1, 0), lost=held.lost + 1)
        if lost.lost >= self._max_lost:
            reason = f"given up: {lost.lost} workers died or fell silent at it; the last: {reason}"
            return self.fail(lost, reason)
        late = lost.lost - LOST_AT_ONCE
        return self.wait(lost, self.backoff(min(late, 3)) if late > 0 else 0.0)

    def wait(self, row: JobRow, delay: float) -> bool:
        """Back to pending; False if the claim was lost meanwhile."""
        return self._end(row, "pending", delay if delay > 0 else None, "")

    def fail(self, row: JobRow, reason: str) -> bool:
        return self._end(row, "failed", 0.0, plain_reason(reason))

    def _end(self, row: JobRow, state: str, delay: float | None, reason: str) -> bool:
        """`delay` from now on; None: at once, whatever the clock says."""
        changed = self._queries.execute(
            "UPDATE jobs SET state = %(state)s, attempt = %(attempt)s, lost = %(lost)s, "
            "owner = '', claim = '', reason = %(reason)s, "
            f"at = CASE WHEN %(delay)s::float8 IS NULL THEN 0 ELSE {sql.NOW} + %(delay)s END "
            "WHERE id = %(id)s AND claim = %(claim)s AND state = 'processing' AND at = %(at)s",
            {
                **row._asdict(),
                "now": self._now(),
                "delay": None if delay is None else min(delay, FAR_AHEAD_SECONDS),
                "state": state,
                "reason": reason,
            },
        )
        return changed > 0


def parsed(lease: Lease) -> tuple[str, str]:
    """The id of the job and the mark of the claim."""
    id, dot, claim = lease.token.rpartition(".")
    if not dot:
        raise InputError("that lease is not from this queue; pass what claim() returned")
    return id, claim
