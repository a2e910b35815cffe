"""The embedded queue: one file per job, moved by rename from folder to folder (W4, W5).

    pending/     waiting; `when` is the earliest time of the next try (0 = now)
    processing/  claimed; `when` is the end of the lease, `owner` who holds it
    failed/      given up; `when` is the time of giving up, the reason is in a file beside it

A name is `ID.ATTEMPT[-LOST].WHEN[.OWNER].json`. A job's whole state is in its name, so each step is
one atomic rename, and a kill between any two instructions leaves the job in exactly one folder.
"""

from __future__ import annotations

import math
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ...disk.durable_io import Folder, move, sweep_temps, write_durably
from ...disk.process_identity import certainly_dead, process_mark
from ...errors import ClosedError, InputError, QueueError, ReadOnlyError, StorageError
from ...job_codec import decode as decode
from ...job_codec import encode as encode
from ...ports import FailedJob, Lease
from ...types import Job, Partition
from .failed import FailedFolder
from .listing import QueueListing
from .names import MAX_ATTEMPT, NAME, TOKEN
from .names import Entry as _Entry
from .names import entries as _entries
from .names import parse as _parse
from .names import to_ms as _ms
from .open_turns import OpenTurns
from .sorted_listing import SortedListing
from .transfer import FileQueueTransfer

FAR_AHEAD_SECONDS = 86_400.0  # a later time was written while the clock was wrong
MAX_LOST = 10  # claims by processes that died, after which the job is assumed to be the cause
LOST_AT_ONCE = 2  # so many are retried at once; after later ones other jobs go first


def default_backoff(attempt: int) -> float:
    """1 s, 4 s, 16 s, 64 s, then every 5 minutes."""
    return 300.0 if attempt > 4 else 4.0 ** max(attempt - 1, 0)


class FileQueue:
    """Implements ports.JobQueue in a folder, for many threads and processes."""

    def __init__(
        self,
        folder: Path,
        *,
        lease_seconds: float = 300,
        max_retries: int = 3,
        max_lost: int = MAX_LOST,
        backoff: Callable[[int], float] = default_backoff,
        failed_max_age_days: float = 30,
        failed_max_files: int = 500,
        cleanup_interval: int = 100,
        clock: Callable[[], float] = time.time,
        read_only: bool = False,
    ) -> None:
        """`read_only`, for media that cannot be written: jobs can be listed, not put or claimed."""
        self._read_only = read_only
        # Called with a finished job before it is removed: what must be durable first.
        self.before_ack: Callable[[Job], None] = lambda job: None
        self._lease_seconds = lease_seconds
        self.max_retries = max_retries
        self._max_lost = max_lost
        self._backoff = backoff
        self._cleanup_interval = cleanup_interval
        self._clock = clock
        try:
            self._pending, self._processing, self._failed = (
                Folder(Path(folder) / state, make=not read_only)
                for state in ("pending", "processing", "failed")
            )
        except OSError as error:
            raise StorageError(
                f"cannot open the queue in {folder}: {error}; make it writable"
            ) from error
        self.transfer = FileQueueTransfer(self._pending, self._processing, self._failed)
        failed = FailedFolder(self._failed, failed_max_age_days, failed_max_files, clock)
        self._given_up = failed
        self._listing = QueueListing(self._pending, self._processing, failed, clock)
        self._open_turns = OpenTurns(self._listing, self._pending, self._processing)
        self._line = SortedListing(self._pending, self._ready_at)
        self._lock = threading.RLock()
        self._stamp_lock = threading.Lock()
        self._last_stamp = 0
        self._recovered_at = -math.inf
        self._finished = 0
        self._process = (0, "")
        self._closed = False

    def put(self, job: Job) -> str:
        """Durable when this returns. Raises QueueError, and then nothing was accepted."""
        self._check_open()
        if self._read_only:
            raise QueueError(
                f"the job was not accepted: {self._pending.path} can only be read; make the data "
                "folder writable, or copy it to a disk that is, then open it again"
            ) from ReadOnlyError(f"{self._pending.path} can only be read")
        data = encode(job)
        entry = _Entry(self._new_id(), 0, 0)
        path = self._pending.path / entry.name
        try:
            write_durably(path, data, self._pending)
        except BaseException as error:
            with suppress(OSError):
                path.unlink()  # it may have been renamed, but not synced
            if not isinstance(error, OSError):
                raise
            self._check_open()  # closed by another thread meanwhile: report that instead
            raise QueueError(
                f"the job was not accepted: {error}; free some space or make {path.parent} "
                "writable, then try again"
            ) from error
        self._line.add(entry.name, 0)
        return entry.id

    def claim(self) -> Lease | None:
        """The oldest job that is ready, leased for `lease_seconds`; None if there is none."""
        self._check_open()
        if self._read_only:
            return None
        now = self._clock()
        if not 0 <= now - self._recovered_at < min(self._lease_seconds / 4, 30.0):
            self._release_lost_leases()
        while True:
            with self._lock:
                name = self._line.next(_ms(now))
            if name is None:
                return None
            if lease := self._take(name, now):
                return lease

    def is_waiting(self) -> bool:
        """Whether a job is ready, without listing a folder that was listed a moment ago."""
        with self._lock:
            return self._line.is_ready(_ms(self._clock()))

    def extend(self, lease: Lease) -> Lease:
        """Renew a lease. Raises QueueError if it was lost: stop, another worker has the job."""
        with self._lock:
            held = self._held(lease)
            if held is not None:
                until = _ms(self._clock() + self._lease_seconds)
                folder, renewed = self._processing.path, replace(held, when=until)
                if move(folder / held.name, folder / renewed.name):
                    return replace(lease, until=until / 1000)
        raise QueueError(
            f"the lease on {lease.job.event_id!a} ran out and was given to another worker; stop "
            "working on it, or set a longer stale_job_timeout_seconds"
        )

    def ack(self, lease: Lease) -> None:
        """Done: the job is gone. Safe to call twice; with a lost lease, another worker's claim
        is left alone."""
        if self._held(lease):
            self.before_ack(lease.job)
        with self._lock:
            if held := self._held(lease):
                (self._processing.path / held.name).unlink(missing_ok=True)
        self._count_finished()

    def retry(self, lease: Lease, reason: str) -> bool:
        """Back to pending after a back-off; True. Out of tries: to failed; False.

        Also True when the lease was lost: the job belongs to another worker now, and is left alone.
        """
        with self._lock:
            held = self._held(lease)
            return held is None or self._give_back(held, reason, self._backoff(held.attempt))

    def postpone(self, lease: Lease, seconds: float) -> None:
        """Back to pending for `seconds`; this claim does not count as a try."""
        with self._lock:
            held = self._held(lease)
            if held is not None:
                later = replace(
                    held, attempt=held.attempt - 1, when=_ms(self._clock() + seconds), owner=""
                )
                move(self._processing.path / held.name, self._pending.path / later.name)

    def recover(self) -> int:
        """Give back the jobs of workers that are dead or late, and clean up; how many."""
        self._check_open()
        if self._read_only:
            return 0
        released = self._release_lost_leases()
        for folder in (self._pending, self._processing):
            for name in folder.names():
                if name.endswith(".json") and not NAME.fullmatch(name):
                    self._fail(folder, name, _Entry(self._new_id(), 0, 0), f"foreign name {name!a}")
        self.sweep_temps()
        if self._cleanup_interval > 0:
            self.sweep_failed()
        return released

    def sweep_temps(self) -> int:
        """Remove the temporary files of killed puts; how many."""
        return sum(map(sweep_temps, (self._pending, self._failed)))

    def retry_failed(self, name: str) -> None:
        """Put a failed job back, at its old position and with all its tries."""
        entry = _parse(name)
        if entry is None:
            raise InputError(
                "that is not the name of a failed job; take one from `taishi jobs list` "
                "(memory.jobs.list)"
            )
        fresh = replace(entry, attempt=0, when=0, owner="", lost=0)
        if not move(self._failed.path / name, self._pending.path / fresh.name):
            raise InputError(
                f"no failed job is called {name}; `taishi jobs list` (memory.jobs.list) shows them"
            )
        self._given_up.drop_reason(entry.id)
        self._line.add(fresh.name, 0)

    def forget(self, predicate: Callable[[Job], bool]) -> int:
        """Remove, from every folder, the jobs for which `predicate` is true; how many.

        A job may move meanwhile, so the ids are collected first and then removed until no folder
        has one.
        """
        self._check_open()
        folders = (self._pending, self._processing, self._failed)
        doomed = {
            id for id, job in self._listing.walk(*folders) if job is not None and predicate(job)
        }
        with self._lock:
            while found := [
                f.path / e.name for f in folders for e in _entries(f) if e.id in doomed
            ]:
                for path in found:
                    path.unlink(missing_ok=True)
            self._given_up.drop_orphan_reasons(older_than=0.0)
            for folder in folders:
                folder.sync()
        self._open_turns.clear()
        return len(doomed)

    def sweep_failed(self) -> int:
        """Remove failed jobs that are too old, then the oldest above the limit; how many."""
        return self._given_up.sweep()

    def counts(self) -> dict[str, int]:
        return self._listing.counts()

    def oldest_age(self) -> float:
        return self._listing.oldest_age()

    def longest_silence(self) -> float:
        return self._listing.longest_silence(self._lease_seconds)

    def pending_jobs(self) -> Iterator[Job]:
        return self._listing.pending_jobs()

    def turn_ids(self, partition: Partition, prefix: str) -> list[str]:
        return self._open_turns.ids(partition, prefix)

    def open_jobs(self) -> list[tuple[str, str, int, Job]]:
        return self._listing.open_jobs()

    def failed_jobs(self) -> list[FailedJob]:
        return self._listing.failed_jobs()

    def listen(self, wake: Callable[[], None]) -> None:
        """Nobody tells of a new file: workers poll."""

    def close(self) -> None:
        self._closed = True
        for folder in (self._pending, self._processing, self._failed):
            folder.close()

    def _take(self, name: str, now: float) -> Lease | None:
        """Claim one pending file. None: another worker was faster, or it holds no job."""
        entry = _parse(name)
        if entry is None:
            return None
        until = _ms(now + self._lease_seconds)
        attempt = min(entry.attempt + 1, MAX_ATTEMPT)
        held = replace(entry, attempt=attempt, when=until, owner=self._new_owner())
        path = self._processing.path / held.name
        if not move(self._pending.path / name, path):
            return None
        try:
            job = decode(path.read_bytes())
        except FileNotFoundError:
            return None  # the lease expired before the file was read
        except QueueError as error:
            self._fail(self._processing, held.name, held, str(error))
            return None
        except OSError as error:
            self._give_back(held, f"cannot read it: {error}", self._backoff(held.attempt))
            raise QueueError(f"cannot read {path}: {error}; it will be tried again") from error
        return Lease(job, held.token, held.attempt, until / 1000)

    def _ready_at(self, name: str) -> int | None:
        found = NAME.fullmatch(name)
        if found is None:
            return None
        when = int(found[4])
        return when if when <= _ms(self._clock() + FAR_AHEAD_SECONDS) else 0

    def _held(self, lease: Lease) -> _Entry | None:
        """The claim of a lease, extended or not; None if it was lost."""
        found = TOKEN.fullmatch(lease.token)
        if found is None:
            raise InputError("that lease is not from this queue; pass what claim() returned")
        until = round(lease.until * 1000)
        expected = _Entry(found[1], int(found[2]), until, found[4], int(found[3] or 0))
        if (self._processing.path / expected.name).exists():
            return expected
        return next((e for e in _entries(self._processing) if e.token == lease.token), None)

    def _release_lost_leases(self) -> int:
        now = self._recovered_at = self._clock()
        released = 0
        for entry in _entries(self._processing):
            if not _ms(now) < entry.when <= _ms(now + self._lease_seconds + FAR_AHEAD_SECONDS):
                reason = "its lease ran out: the worker was too slow or is gone"
            elif entry.owner and certainly_dead(entry.owner.rpartition("-")[0]):
                reason = "its worker process ended before the job was done"
            else:
                continue
            self._take_back(entry, reason)
            released += 1
        return released

    def _take_back(self, held: _Entry, reason: str) -> None:
        """A lost claim is not counted as a try, but a job that kills its workers must end, too."""
        lost = replace(held, attempt=max(held.attempt - 1, 0), lost=held.lost + 1)
        if lost.lost >= self._max_lost:
            reason = f"given up: {lost.lost} workers died or fell silent at it; the last: {reason}"
            self._fail(self._processing, held.name, lost, reason)
        else:
            late = lost.lost - LOST_AT_ONCE
            self._wait(held, lost, self._backoff(min(late, 3)) if late > 0 else 0.0)

    def _give_back(self, held: _Entry, reason: str, delay: float) -> bool:
        if held.attempt > self.max_retries:
            reason = f"given up after {held.attempt} tries; the last: {reason}"
            self._fail(self._processing, held.name, held, reason)
            return False
        self._wait(held, held, delay)
        return True

    def _wait(self, held: _Entry, counted: _Entry, delay: float) -> None:
        when = _ms(self._clock() + min(delay, FAR_AHEAD_SECONDS)) if delay > 0 else 0
        waiting = replace(counted, when=when, owner="")
        if move(self._processing.path / held.name, self._pending.path / waiting.name):
            self._line.add(waiting.name, when)

    def _fail(self, folder: Folder, name: str, entry: _Entry, reason: str) -> None:
        """Move a file, unchanged, to failed. The reason is written first, so that it is never
        missing after a crash; a disk too full for it must not keep a bad job in the queue."""
        self._given_up.write_reason(entry.id, reason)
        given_up = replace(entry, when=_ms(self._clock()), owner="")
        move(folder.path / name, self._failed.path / given_up.name)
        self._count_finished()

    def _count_finished(self) -> None:
        with self._lock:
            self._finished += 1
            due = self._cleanup_interval > 0 and self._finished % self._cleanup_interval == 0
        if due:
            self.sweep_failed()

    def _new_id(self) -> str:
        """Sorts by time, and by order of the calls even if the clock stands still or steps back."""
        with self._stamp_lock:
            self._last_stamp = max(self._last_stamp + 1, int(self._clock() * 1e9))
            return f"{self._last_stamp:020d}-{secrets.token_hex(6)}"

    def _new_owner(self) -> str:
        pid = os.getpid()
        if self._process[0] != pid:  # first use, or we are a fork
            self._process = (pid, process_mark())
        return f"{self._process[1]}-{secrets.token_hex(4)}"

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("the queue was closed; open the memory again")
