"""List the jobs of a queue folder without claiming any."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from ...disk.durable_io import Folder
from ...errors import QueueError
from ...job_codec import decode
from ...ports import FailedJob
from ...types import Job
from .failed import FailedFolder
from .names import entries


class QueueListing:
    """The read-only side of a queue. Other processes may move files meanwhile."""

    def __init__(
        self, pending: Folder, processing: Folder, failed: FailedFolder, clock: Callable[[], float]
    ) -> None:
        self._pending = pending
        self._processing = processing
        self._failed = failed
        self._clock = clock

    def counts(self) -> dict[str, int]:
        """How many job files each folder holds. Lists the folders: too slow for every claim."""
        return {
            "pending": len(entries(self._pending)),
            "processing": len(entries(self._processing)),
            "failed": len(entries(self._failed.folder)),
        }

    def oldest_age(self) -> float:
        """Seconds since the oldest job not yet done was put; 0 if there is none."""
        waiting = [*entries(self._pending), *entries(self._processing)]
        born = min((entry.born for entry in waiting), default=None)
        return 0.0 if born is None else max(0.0, self._clock() - born)

    def longest_silence(self, lease_seconds: float) -> float:
        """Seconds since the claim that was renewed longest ago was made or renewed."""
        until = min((entry.when for entry in entries(self._processing)), default=None)
        return 0.0 if until is None else max(0.0, self._clock() - until / 1000 + lease_seconds)

    def pending_jobs(self) -> Iterator[Job]:
        """Jobs in pending and processing, oldest first, without claiming them."""
        for _, job in self.walk(self._pending, self._processing):
            if job is not None:
                yield job

    def open_jobs(self) -> list[tuple[str, str, int, Job]]:
        """State ("pending", "processing"), name, tries so far and job; oldest first."""
        states = {"pending": self._pending, "processing": self._processing}
        found = {e.id: (state, e) for state, folder in states.items() for e in entries(folder)}
        return [
            (found[id][0], found[id][1].name, found[id][1].attempt, job)
            for id, job in self.walk(*states.values())
            if job is not None and id in found
        ]

    def failed_jobs(self) -> list[FailedJob]:
        """Jobs that were given up and why, oldest first."""
        jobs = dict(self.walk(self._failed.folder))
        return [
            FailedJob(e.name, self._failed.reason(e.id), e.attempt, e.when / 1000, jobs[e.id])
            for e in sorted(entries(self._failed.folder), key=lambda e: (e.when, e.id))
            if e.id in jobs
        ]

    def walk(
        self, *folders: Folder, known: Collection[str] = (), strict: bool = False
    ) -> Iterator[tuple[str, Job | None]]:
        """Every job in `folders` once, oldest first, by id; None where the file holds no job. Those
        whose ids are `known` are left out. A file that this user may not read counts as none, and
        is an error if `strict`.

        Files move meanwhile: one that was gone when its turn came is looked for again.
        """
        seen = set(known)
        for _ in range(5):
            found = {e.id: f.path / e.name for f in folders for e in entries(f)}
            moved = False
            for id in sorted(found.keys() - seen):
                try:
                    data = found[id].read_bytes()
                except FileNotFoundError:
                    moved = True
                    continue
                except PermissionError:
                    if strict:
                        raise
                    seen.add(id)
                    yield id, None
                    continue
                seen.add(id)
                try:
                    yield id, decode(data)
                except QueueError:
                    yield id, None
            if not moved:
                return
