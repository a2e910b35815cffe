"""The processes that have a folder open, each with a small status file (O1)."""

from __future__ import annotations

import json
import logging
import os
import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..disk.durable_io import is_old
from ..disk.file_owner import give_to_owner
from ..disk.file_permissions import make_private_file
from ..disk.process_identity import certainly_dead, is_stranger, process_mark
from ..observe.repeated_trouble import RepeatedTrouble

log = logging.getLogger("taishi")
STALE_SECONDS = 60.0
MOST_BYTES = 65_536


class ProcessFiles:
    """Implements ports.ProcessBoard: one file for each open memory. They only inform; nothing is
    lost with them."""

    def __init__(self, folder: Path, read_only: bool = False) -> None:
        self._folder = folder
        self._read_only = read_only
        self._mark = process_mark()
        self._name = f"{self._mark}-{secrets.token_hex(4)}.json"
        self._trouble = RepeatedTrouble(log)

    def write(self, told: dict[str, Any]) -> None:
        """Replace our status file. Readers see the old one or the new one, complete."""
        if self._read_only:
            return
        path = self._folder / self._name
        temp = path.with_suffix(".tmp")
        try:
            # Not its parents: the data folder of an unmounted volume is not created again.
            with suppress(FileExistsError):
                self._folder.mkdir(mode=0o700)
                give_to_owner(self._folder)
            content = {"mark": self._mark, "pid": os.getpid(), **told}
            make_private_file(temp)
            temp.write_text(json.dumps(content), encoding="utf-8")
            temp.replace(path)
        except OSError as error:
            self._trouble.met(
                "`taishi status` elsewhere does not show this process, whose file in %s cannot be "
                "written: %s",
                self._folder,
                error,
            )
            return
        self._trouble.over("`taishi status` elsewhere shows this process again")

    def others(self) -> list[dict[str, Any]]:
        """The last status of every other live process, where it can be read."""
        found = []
        for path in sorted(self._folder.glob("*.json")):
            told = None if path.name == self._name else self._read(path)
            if told is not None:
                found.append(told)
        return found

    def sweep(self) -> int:
        """Remove the files of dead processes, half-written ones included; how many."""
        removed = 0
        for path in self._folder.glob("*-*-*-*.*"):
            with suppress(OSError, ValueError):  # a foreign name, or another sweep was faster
                mark = path.stem.rpartition("-")[0]
                # A live process of another machine writes its file again with its next status.
                if certainly_dead(mark) or (is_stranger(mark) and is_old(path)):
                    path.unlink()
                    removed += 1
        return removed

    def close(self) -> None:
        with suppress(OSError):
            (self._folder / self._name).unlink(missing_ok=True)

    def _read(self, path: Path) -> dict[str, Any] | None:
        """None if its process is dead, or it is no status file."""
        try:
            age = time.time() - path.stat().st_mtime
            with path.open("rb") as file:
                told = json.loads(file.read(MOST_BYTES))
            if certainly_dead(told["mark"]):
                return None  # the next start removes it, with whatever else it left
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        return told if age < STALE_SECONDS or self._is_neighbour(told["mark"]) else None

    def _is_neighbour(self, mark: str) -> bool:
        """On this machine a process that is not dead is alive, however old its status is."""
        return mark.partition("-")[0] == self._mark.partition("-")[0]
