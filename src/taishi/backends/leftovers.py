"""What processes that were killed left in a data folder, swept at the next start (W5).

Half-written files, files of locks that nobody holds, life signs of the dead. None of it is needed,
and a half-written file may hold what somebody asks to forget.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from .durable_io import Folder, sweep_temps
from .file_locks import FileLocks
from .file_queue.queue import FileQueue
from .process_identity import ProcessFiles
from .profile_files.files import ProfileFiles


@dataclass(frozen=True, slots=True)
class FolderLeftovers:
    """Implements ports.Leftovers. Safe beside other processes: what belongs to the living stays."""

    folder: Path
    queue: FileQueue
    profiles: ProfileFiles
    locks: FileLocks
    processes: ProcessFiles

    def sweep(self) -> bool:
        """What can be found without looking at every page. True if a process was killed since the
        last time, so that the pages are to be looked at, too."""
        died = self.processes.sweep() > 0
        self.queue.sweep_temps()
        self.locks.sweep()
        with closing(Folder(self.folder)) as here:
            # The folder may be somebody's project: only what bears the name of a process of ours.
            sweep_temps(here, marked=True)
        return died

    def sweep_pages(self) -> None:
        """The same among pages and their snapshots; reads every folder of them."""
        self.profiles.sweep()

    def sweep_all(self) -> None:
        self.sweep()
        self.sweep_pages()
