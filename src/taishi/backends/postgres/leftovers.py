"""What killed processes left: rows of the board, half-written files of the local folder (W5)."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ...disk.durable_io import Folder, sweep_temps
from .processes import ProcessTable


@dataclass(frozen=True, slots=True)
class PostgresLeftovers:
    """Implements ports.Leftovers. Pages are rows: nothing of one is ever half written."""

    folder: Path
    processes: ProcessTable

    def sweep(self) -> bool:
        died = self.processes.sweep() > 0
        with closing(Folder(self.folder)) as here:
            sweep_temps(here, marked=True)
        return died

    def sweep_pages(self) -> None:
        return

    def sweep_all(self) -> None:
        self.sweep()
