"""Files that killed processes left in a data folder, removed at the next start (W5).

Half-written files, locks that nobody holds, status files of dead processes. None of it is needed,
and a half-written file may hold what somebody asks to forget.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ..disk.durable_io import Folder, sweep_temps
from ..disk.file_locks import FileLocks
from .file_queue.queue import FileQueue
from .process_files import ProcessFiles
from .profile_files.files import ProfileFiles


class FilesAlone:
    """Implements ports.StoredBytes: all that there is, is in the files of the folder."""

    note = "database: all tables, free pages and the write-ahead log"

    def tables(self) -> tuple[tuple[str, tuple[bytes, ...]], ...]:
        return ()


@dataclass(frozen=True, slots=True)
class FolderLeftovers:
    """Implements ports.Leftovers. Files of running processes are kept."""

    folder: Path
    queue: FileQueue
    profiles: ProfileFiles
    locks: FileLocks
    processes: ProcessFiles

    def sweep(self) -> bool:
        """What is found without listing every page. True if a process was killed since the last
        sweep, so that the pages are worth a look, too."""
        died = self.processes.sweep() > 0
        self.queue.sweep_temps()
        self.locks.sweep()
        with closing(Folder(self.folder)) as here:
            # The folder may be a user's project: remove only files named after a process of ours.
            sweep_temps(here, marked=True)
        return died

    def sweep_pages(self) -> None:
        """The same among pages and their snapshots; lists every folder of them."""
        self.profiles.sweep()

    def sweep_all(self) -> None:
        self.sweep()
        self.sweep_pages()
