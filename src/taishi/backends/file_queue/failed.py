"""The folder of jobs that were given up, each with its reason in a file beside it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from ...disk.durable_io import Folder, write_durably
from .names import REASON_SUFFIX, Entry, entries, to_ms

REASON_MAX_CHARS = 4000
ORPHAN_REASON_SECONDS = 86_400.0
NOT_OURS = "this user may not read the reason; give the file to the owner of the data folder: chown"
NO_REASON = "no reason could be recorded: the disk was full or the process ended"


class FailedFolder:
    """Keeps failed jobs up to an age and a number; 0 means without a limit."""

    def __init__(
        self, folder: Folder, max_age_days: float, max_files: int, clock: Callable[[], float]
    ) -> None:
        self.folder = folder
        self._max_age = max_age_days * 86_400
        self._max_files = max_files
        self._clock = clock

    def reason(self, id: str) -> str:
        try:
            return (self.folder.path / (id + REASON_SUFFIX)).read_text(errors="replace")
        except FileNotFoundError:
            return NO_REASON
        except PermissionError:
            return NOT_OURS

    def write_reason(self, id: str, reason: str) -> None:
        """Without an error: a disk too full for it must not keep a bad job in the queue."""
        path = self.folder.path / (id + REASON_SUFFIX)
        with suppress(OSError):
            write_durably(path, reason[:REASON_MAX_CHARS].encode(errors="backslashreplace"))

    def drop_reason(self, id: str) -> None:
        (self.folder.path / (id + REASON_SUFFIX)).unlink(missing_ok=True)

    def sweep(self) -> int:
        """Remove jobs that are too old, then the oldest above the limit; how many."""
        kept = sorted(entries(self.folder), key=lambda entry: (entry.when, entry.id))
        gone: list[Entry] = []
        if self._max_age > 0:
            oldest = to_ms(self._clock() - self._max_age)
            gone = [entry for entry in kept if entry.when < oldest]
        if self._max_files > 0:
            gone = kept[: max(len(gone), len(kept) - self._max_files)]
        for entry in gone:
            (self.folder.path / entry.name).unlink(missing_ok=True)
            self.drop_reason(entry.id)
        self.drop_orphan_reasons(ORPHAN_REASON_SECONDS)
        return len(gone)

    def drop_orphan_reasons(self, older_than: float) -> None:
        """Remove reasons without a failed job: a crash came between the two steps."""
        names = [name for name in self.folder.names() if name.endswith(REASON_SUFFIX)]
        with_job = {entry.id for entry in entries(self.folder)}
        for name in names:
            path = self.folder.path / name
            with suppress(FileNotFoundError):
                if name.removesuffix(REASON_SUFFIX) not in with_job and (
                    not older_than or time.time() - path.stat().st_mtime > older_than
                ):
                    path.unlink()
