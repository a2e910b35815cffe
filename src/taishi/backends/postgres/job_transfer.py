"""Export and import of the jobs in the queue's table, and rewriting of jobs in place (O2)."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import QueueError, StorageError
from ...exported import ExportedJob
from ...job_codec import encode
from ...ports import Outcome
from ...types import Job
from . import job_rows as sql
from .job_listing import JobListing
from .job_rows import lane_of, person_of, plain_reason
from .queries import Queries

REWRITTEN = "rewritten without what somebody asked to forget"


class PostgresQueueTransfer:
    """Implements ports.QueueTransfer. Works beside workers of any process."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries
        self._listing = JobListing(queries, lambda: None)

    def jobs(self) -> tuple[list[ExportedJob], list[str]]:
        moved, unreadable = [], []
        for row in self._listing.rows():
            job = row.job()
            if job is None:
                unreadable.append(row.id)
                continue
            failed = row.state == "failed"
            # A lease is not exported: elsewhere the job is pending.
            due = 0.0 if row.state == "processing" else row.at
            moved.append(ExportedJob(row.id, failed, row.attempt, due, row.reason, job))
        return sorted(moved, key=lambda one: (one.failed, one.id)), unreadable

    def take_in(self, moved: ExportedJob, dry: bool = False) -> Outcome:
        if self._queries.value("SELECT id FROM jobs WHERE id = %s", (moved.id,)) is not None:
            return "same"
        if dry:
            return "added"
        job = moved.job
        row = {
            "id": moved.id,
            "tail": "",
            "job_id": job.job_id,
            "workspace": job.workspace,
            "lane": lane_of(job),
            "person": person_of(job),
            "state": "failed" if moved.failed else "pending",
            "attempt": moved.attempts,
            "at": moved.due,
            "reason": plain_reason(moved.reason),
            "data": encode(job),
        }
        try:
            added = self._queries.value(sql.PUT, row)
        except StorageError as error:
            raise QueueError(
                f"a job could not be written ({error}); import again when the database answers"
            ) from error
        return "same" if added is None else "added"

    def rewrite(
        self, change: Callable[[Job], Job | None], reworded: Callable[[str], str] | None = None
    ) -> list[Job]:
        made = []
        for row in list(self._listing.rows()):
            job = row.job()
            new = None if job is None else change(job)
            if new is None:
                continue
            reason = reworded(row.reason) if reworded is not None else REWRITTEN
            # Without its claim, whatever state it is in by now: a worker finds its lease lost.
            changed = self._queries.execute(
                "UPDATE jobs SET data = %(data)s, job_id = %(job_id)s, lane = %(lane)s, "
                "person = %(person)s, owner = '', claim = '', "
                "at = CASE WHEN state = 'processing' THEN 0 ELSE at END, "
                "reason = CASE WHEN state = 'failed' THEN %(reason)s ELSE '' END, "
                "state = CASE WHEN state = 'processing' THEN 'pending' ELSE state END "
                "WHERE id = %(id)s",
                {
                    "id": row.id,
                    "data": encode(new),
                    "job_id": new.job_id,
                    "lane": lane_of(new),
                    "person": person_of(new),
                    "reason": plain_reason(reason),
                },
            )
            if changed:
                made.append(new)
        return made

    def forget_unreadable(self, predicate: Callable[[bytes], bool]) -> int:
        doomed = [
            row.id
            for row in self._listing.rows()
            if row.job() is None and predicate(bytes(row.data))
        ]
        return self._queries.execute("DELETE FROM jobs WHERE id = ANY(%s)", (doomed,))
