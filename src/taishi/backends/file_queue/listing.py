"""List the jobs of a queue folder without claiming any."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...errors import QueueError
from ...ports import FailedJob
from ...types import Job
from ..durable_io import Folder
from .codec import decode
from .names import REASON_SUFFIX, entries

NO_REASON = "no reason could be recorded: the disk was full or the process ended"


class QueueListing:
    """The read-only side of a queue. Other processes may move files meanwhile."""

    _pending: Folder
    _processing: Folder
    _failed: Folder
    _clock: Callable[[], float]

    def counts(self) -> dict[str, int]:
        """How many job files each folder holds. Lists the folders: too slow for every claim."""
        return {
            "pending": len(entries(self._pending)),
            "processing": len(entries(self._processing)),
            "failed": len(entries(self._failed)),
        }

    def oldest_age(self) -> float:
        """Seconds since the oldest pending job was put; 0 when none waits."""
        born = min((entry.born for entry in entries(self._pending)), default=None)
        return 0.0 if born is None else max(0.0, self._clock() - born)

    def pending_jobs(self) -> Iterator[Job]:
        """Jobs in pending and processing, oldest first, without claiming them."""
        for _, job in self._walk(self._pending, self._processing):
            if job is not None:
                yield job

    def open_jobs(self) -> list[tuple[str, str, int, Job]]:
        """State ("pending", "processing"), name, tries so far and job; oldest first."""
        states = {"pending": self._pending, "processing": self._processing}
        found = {e.id: (state, e) for state, folder in states.items() for e in entries(folder)}
        return [
            (found[id][0], found[id][1].name, found[id][1].attempt, job)
            for id, job in self._walk(*states.values())
            if job is not None and id in found
        ]

    def failed_jobs(self) -> list[FailedJob]:
        """Jobs that were given up and why, oldest first."""
        jobs = dict(self._walk(self._failed))
        return [
            FailedJob(e.name, self._reason(e.id), e.attempt, e.when / 1000, jobs[e.id])
            for e in sorted(entries(self._failed), key=lambda e: (e.when, e.id))
            if e.id in jobs
        ]

    def _walk(self, *folders: Folder) -> Iterator[tuple[str, Job | None]]:
        """Every job in `folders` once, oldest first, by id; None where the file holds no job.

        Files move meanwhile: one that was gone when its turn came is looked for again.
        """
        seen: set[str] = set()
        for _ in range(5):
            found = {e.id: f.path / e.name for f in folders for e in entries(f)}
            moved = False
            for id in sorted(found.keys() - seen):
                try:
                    data = found[id].read_bytes()
                except FileNotFoundError:
                    moved = True
                    continue
                seen.add(id)
                try:
                    yield id, decode(data)
                except QueueError:
                    yield id, None
            if not moved:
                return

    def _reason(self, id: str) -> str:
        try:
            return (self._failed.path / (id + REASON_SUFFIX)).read_text(errors="replace")
        except FileNotFoundError:
            return NO_REASON
