"""Port to the durable job queue."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from ..types import Job


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

    def extend(self, lease: Lease) -> Lease: ...

    def ack(self, lease: Lease) -> None:
        """Done: the job is gone. Safe to call twice."""

    def retry(self, lease: Lease, reason: str) -> bool:
        """Back to pending after a back-off; True. Out of tries: to failed; False."""

    def postpone(self, lease: Lease, seconds: float) -> None:
        """Back to pending for a while; not counted as a try, as it was no fault of the job's."""

    def recover(self) -> int:
        """Give back what was claimed by somebody whose lease ran out; how many."""

    def forget(self, predicate: Callable[[Job], bool]) -> int:
        """Remove jobs wherever they are; how many."""

    def counts(self) -> dict[str, int]: ...

    def oldest_age(self) -> float: ...

    def pending_jobs(self) -> Iterable[Job]:
        """Jobs not yet done, oldest first, without claiming them."""
