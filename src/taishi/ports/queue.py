"""Ports to the durable job queue: its workers' side, its administration, export and import."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from ..exported import ExportedJob
from ..types import Job, Partition
from .transfer import Outcome


@dataclass(frozen=True, slots=True)
class Lease:
    """A job that is ours until `until` (epoch seconds)."""

    job: Job
    token: str
    attempt: int
    until: float


class Queue(Protocol):
    """A durable first-in, first-out queue with leases (W4, W5)."""

    def put(self, job: Job) -> str:
        """Durable when this returns. Raises QueueError, and then nothing was accepted."""

    def claim(self) -> Lease | None: ...

    def is_waiting(self) -> bool:
        """Whether a claim would probably find a job."""

    def extend(self, lease: Lease) -> Lease:
        """Renew a lease. Raises QueueError if it was lost: another worker has the job."""

    def ack(self, lease: Lease) -> None:
        """Done: the job is gone. Safe to call twice."""

    def retry(self, lease: Lease, reason: str) -> bool:
        """Back to pending after a back-off; True. Out of tries: to failed; False."""

    def postpone(self, lease: Lease, seconds: float) -> None:
        """Back to pending for a while, without counting a try: it was no fault of the job's."""

    def recover(self) -> int:
        """Give back the jobs whose lease ran out; how many."""

    def forget(self, predicate: Callable[[Job], bool]) -> int:
        """Remove jobs in whatever state they are; how many."""

    def counts(self) -> dict[str, int]:
        """Jobs by state: pending, processing, failed."""

    def oldest_age(self) -> float:
        """Seconds since the oldest job not yet done was put, claimed or not; 0 if there is
        none."""

    def longest_silence(self) -> float:
        """Seconds since the claim that was renewed longest ago was made or renewed; 0 if nothing
        is claimed."""

    def pending_jobs(self) -> Iterable[Job]:
        """Jobs not yet done, oldest first, without claiming them."""

    def turn_ids(self, partition: Partition, prefix: str) -> list[str]:
        """The event ids of a partition's jobs not yet done that begin so, oldest first. Quick
        however many jobs wait: it is asked before a turn is accepted."""


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A job that was given up. `job` is None where its stored bytes cannot be read as one."""

    name: str
    reason: str
    attempts: int
    failed_at: float
    job: Job | None


class JobAdmin(Protocol):
    """What an operator does with jobs: list them, see why they failed, try again."""

    def open_jobs(self) -> list[tuple[str, str, int, Job]]:
        """State ("pending", "processing"), name, tries so far and job; oldest first."""

    def failed_jobs(self) -> list[FailedJob]:
        """Jobs that were given up and why, oldest first."""

    def retry_failed(self, name: str) -> None:
        """Put a failed job back with all its tries. InputError if no failed job has this name."""


class QueueTransfer(Protocol):
    """Jobs on their way to another queue, and jobs that lose a part. Works beside workers."""

    def jobs(self) -> tuple[list[ExportedJob], list[str]]:
        """Open jobs, then failed ones, each oldest first; and the names of what holds no job."""

    def take_in(self, moved: ExportedJob, dry: bool = False) -> Outcome:
        """Durable when this returns. A job with this id, in whatever state, is left alone."""

    def rewrite(
        self, change: Callable[[Job], Job | None], reworded: Callable[[str], str] | None = None
    ) -> list[Job]:
        """Replace each job for which `change` is not None; the new ones. A worker that holds the
        old one loses its lease. The reason of a failure is kept only as `reworded`."""

    def forget_unreadable(self, predicate: Callable[[bytes], bool]) -> int:
        """Remove stored bytes that hold no job and for which `predicate` is true; how many."""


class JobQueue(Queue, JobAdmin, Protocol):
    """Everything that a memory asks of its queue."""

    max_retries: int
    # Called with a job that is done, before it is removed: what must be durable first.
    before_ack: Callable[[Job], None]

    @property
    def transfer(self) -> QueueTransfer: ...

    def listen(self, wake: Callable[[], None]) -> None:
        """Call `wake` when another process puts a job, if this queue can tell; workers poll all
        the same."""

    def close(self) -> None: ...
