"""Export and import of the jobs of a queue folder, and rewriting of jobs in place (O2)."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from ...errors import QueueError, StorageError
from ...exported import ExportedJob
from ...ports import Outcome
from ...types import Job
from ..durable_io import Folder, write_durably
from .codec import decode, encode
from .names import MAX_ATTEMPT, REASON_SUFFIX, Entry, entries, to_ms

State = Literal["pending", "processing", "failed"]
LOOKS = 5


class Found(NamedTuple):
    """A job file as it was read: its folder, its parsed name, its bytes."""

    state: State
    entry: Entry
    data: bytes


class FileQueueTransfer:
    """Implements ports.QueueTransfer. Works beside workers of any process: it only reads, adds
    whole files and removes."""

    def __init__(self, pending: Folder, processing: Folder, failed: Folder) -> None:
        self._folders: dict[State, Folder] = {
            "pending": pending,
            "processing": processing,
            "failed": failed,
        }

    @property
    def folder(self) -> Path:
        return self._folders["pending"].path.parent

    def jobs(self) -> tuple[list[ExportedJob], list[str]]:
        """Open jobs, then failed ones, each oldest first; and the names of files that hold no
        job."""
        moved, unreadable = [], []
        for found in self.files():
            entry = found.entry
            try:
                job = decode(found.data)
            except QueueError:
                unreadable.append(entry.name)
                continue
            failed = found.state == "failed"
            # A lease is not exported: elsewhere the job is pending.
            due = 0.0 if found.state == "processing" else entry.when / 1000
            reason = self.reason(entry.id) if failed else ""
            moved.append(ExportedJob(entry.id, failed, entry.attempt, due, reason, job))
        return sorted(moved, key=lambda one: (one.failed, one.id)), unreadable

    def take_in(self, moved: ExportedJob, dry: bool = False) -> Outcome:
        """Durable when this returns. A job with this id, in whatever folder, is left alone."""
        if any(e.id == moved.id for f in self._folders.values() for e in entries(f)):
            return "same"
        if not dry:
            attempt, when = min(moved.attempts, MAX_ATTEMPT), to_ms(moved.due)
            folder = self._folders["failed" if moved.failed else "pending"]
            try:
                if moved.failed:
                    reason = moved.reason.encode(errors="backslashreplace")
                    write_durably(folder.path / (moved.id + REASON_SUFFIX), reason, folder)
                path = folder.path / Entry(moved.id, attempt, when).name
                write_durably(path, encode(moved.job), folder)
            except OSError as error:
                raise QueueError(
                    f"a job could not be written to {folder.path}: {error}; free some space or "
                    "make it writable, then import again"
                ) from error
        return "added"

    def copy_to(self, target: Path) -> int:
        """Copy every job file, unreadable ones included, as a queue folder; how many."""
        copies = {state: Folder(target / state) for state in self._folders}
        count = 0
        try:
            for found in self.files():
                state, entry = found.state, found.entry
                if state == "processing":
                    state, entry = "pending", replace(entry, when=0, owner="")
                if state == "failed":
                    reason = self.reason(entry.id).encode(errors="backslashreplace")
                    write_durably(copies[state].path / (entry.id + REASON_SUFFIX), reason)
                write_durably(copies[state].path / entry.name, found.data, copies[state])
                count += 1
        except OSError as error:
            raise StorageError(f"{target} cannot be written ({error}); free some space") from error
        finally:
            for folder in copies.values():
                folder.close()
        return count

    def rewrite(
        self, change: Callable[[Job], Job | None], reworded: Callable[[str], str] | None = None
    ) -> list[Job]:
        """Replace each job for which `change` is not None; the new ones. The reason of a failure is
        kept only as `reworded`.

        The new file is written first, under a new name at the same position, and then the old one
        is removed, wherever it has moved to: a worker that holds it finds its lease lost.
        """
        made: dict[str, Job] = {}
        for found in self.files():
            if found.entry.id in made:
                continue  # written by us a moment ago
            try:
                new = change(decode(found.data))
            except QueueError:
                continue
            if new is None:
                continue
            state: State = "failed" if found.state == "failed" else "pending"
            when = 0 if found.state == "processing" else found.entry.when
            id = f"{found.entry.id[:21]}{secrets.token_hex(6)}"
            folder = self._folders[state]
            if state == "failed":
                beside = folder.path / (id + REASON_SUFFIX)
                reason = "rewritten without what somebody asked to forget"
                if reworded is not None:
                    reason = reworded(self.reason(found.entry.id))
                write_durably(beside, reason.encode(errors="backslashreplace"))
            entry = replace(found.entry, id=id, when=when, owner="")
            write_durably(folder.path / entry.name, encode(new), folder)
            self.remove(found.entry.id)
            made[id] = new
        return list(made.values())

    def forget_unreadable(self, predicate: Callable[[bytes], bool]) -> int:
        """Remove files that hold no job and for whose bytes `predicate` is true; how many."""
        removed = 0
        for found in self.files():
            if predicate(found.data) and not _is_job(found.data):
                self.remove(found.entry.id)
                removed += 1
        return removed

    def remove(self, id: str) -> None:
        """Remove a job file, wherever it has moved to."""
        folders = self._folders.values()
        while there := [f.path / e.name for f in folders for e in entries(f) if e.id == id]:
            for path in there:
                path.unlink(missing_ok=True)
        (self._folders["failed"].path / (id + REASON_SUFFIX)).unlink(missing_ok=True)
        for folder in folders:
            folder.sync()

    def reason(self, id: str) -> str:
        try:
            return (self._folders["failed"].path / (id + REASON_SUFFIX)).read_text(errors="replace")
        except FileNotFoundError:
            return ""

    def files(self) -> Iterator[Found]:
        """Every job file once. Files move meanwhile, also to folders that were read already: so
        all are read again until there is nothing new."""
        seen: set[str] = set()
        for look in range(LOOKS):
            news = look == 0
            for state, folder in self._folders.items():
                for entry in sorted(entries(folder), key=lambda entry: entry.id):
                    if entry.id in seen:
                        continue
                    news = True
                    try:
                        data = (folder.path / entry.name).read_bytes()
                    except FileNotFoundError:
                        continue
                    seen.add(entry.id)
                    yield Found(state, entry, data)
            if not news:
                return


def _is_job(data: bytes) -> bool:
    try:
        decode(data)
    except QueueError:
        return False
    return True
