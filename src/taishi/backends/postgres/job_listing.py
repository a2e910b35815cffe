"""List the jobs of the queue's table without claiming any."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from ...ports import FailedJob
from ...types import Job, Partition
from . import job_rows as sql
from .job_rows import JobRow, lane_in
from .queries import Queries

PAGE = 500


class JobListing:
    """The read-only side of the queue. Workers go on meanwhile."""

    def __init__(self, queries: Queries, now: Callable[[], float | None]) -> None:
        self._queries = queries
        self._now = now

    def counts(self) -> dict[str, int]:
        found = dict(self._queries.rows("SELECT state, count(*) FROM jobs GROUP BY state"))
        return {state: int(found.get(state, 0)) for state in ("pending", "processing", "failed")}

    def oldest_age(self) -> float:
        """Seconds since the oldest job not yet done was put: its id begins with the nanosecond."""
        age = self._queries.value(
            f"SELECT {sql.NOW} - min(left(id, 20))::numeric::float8 / 1e9 FROM jobs "
            "WHERE state IN ('pending', 'processing')",
            {"now": self._now()},
        )
        return 0.0 if age is None else max(0.0, age)

    def rows(self, states: str = "'pending', 'processing', 'failed'") -> Iterator[JobRow]:
        """Every row in these states, oldest first, a page at a time."""
        after = ""
        while True:
            page = self._queries.rows(
                f"SELECT {sql.COLUMNS} FROM jobs WHERE id > %s AND state IN ({states}) "
                "ORDER BY id LIMIT %s",
                (after, PAGE),
            )
            for row in page:
                yield JobRow(*row)
            if len(page) < PAGE:
                return
            after = page[-1][0]

    def pending_jobs(self) -> Iterator[Job]:
        for row in self.rows("'pending', 'processing'"):
            job = row.job()
            if job is not None:
                yield job

    def turn_ids(self, partition: Partition, prefix: str) -> list[str]:
        """Only jobs in whose bytes the prefix is, as `job_codec` writes it, are sent from there."""
        beginning = b'"request_id":' + json.dumps(prefix).encode()[:-1]
        rows = self._queries.of(partition.workspace).rows(
            f"SELECT {sql.COLUMNS} FROM jobs WHERE lane = %s AND state <> 'failed' "
            "AND position(%s::bytea IN data) > 0 ORDER BY id",
            (lane_in(partition), beginning),
        )
        jobs = (JobRow(*row).job() for row in rows)
        return [job.event_id for job in jobs if job and job.event_id.startswith(prefix)]

    def open_jobs(self) -> list[tuple[str, str, int, Job]]:
        return [
            (row.state, row.id, row.attempt, job)
            for row in self.rows("'pending', 'processing'")
            if (job := row.job()) is not None
        ]

    def failed_jobs(self) -> list[FailedJob]:
        found = sorted(self.rows("'failed'"), key=lambda row: (row.at, row.id))
        return [FailedJob(row.id, row.reason, row.attempt, row.at, row.job()) for row in found]
