"""Durable file operations: atomic writes, synced folders, temporary files of dead processes."""

from __future__ import annotations

import os
import re
import secrets
import sys
import time
import weakref
from contextlib import suppress
from pathlib import Path

from ..errors import ClosedError, QueueError, StorageError
from .file_owner import give_to_owner
from .process_identity import MARK, certainly_dead, host_mark, process_mark

TEMP_SUFFIX = ".tmp"
_TEMP = re.compile(rf"\.({MARK})-[0-9a-f]{{8}}{re.escape(TEMP_SUFFIX)}\Z", re.ASCII)
OLD_TEMP_SECONDS = 600.0

# Windows refuses to move a file that another process is moving; elsewhere it is gone.
_LOST_RACE = (FileNotFoundError, PermissionError) if os.name == "nt" else (FileNotFoundError,)


class Folder:
    """A directory that is created durably, and whose handle stays open so that a sync is one
    call."""

    def __init__(self, path: Path, make: bool = True) -> None:
        """Without `make`, for media that cannot be written, a missing folder is an empty one."""
        self.path = path
        self._missing = not make and not path.is_dir()
        if make:
            make_folder(path)
        has_handle = sys.platform != "win32" and not self._missing
        self._handle = os.open(path, os.O_RDONLY) if has_handle else None
        self._closed = False
        self._close_handle = (
            weakref.finalize(self, os.close, self._handle) if self._handle is not None else None
        )

    def sync(self) -> None:
        """Make renames and removals in this folder survive a power cut (a no-op on Windows)."""
        if self._closed:
            raise ClosedError(f"{self.path} was closed; open the memory again")
        if self._handle is not None:
            os.fsync(self._handle)

    def names(self) -> list[str]:
        if self._missing:
            return []
        try:
            return os.listdir(self.path)  # noqa: PTH208  (names alone: no Path per file)
        except OSError as error:
            raise StorageError(
                f"cannot list {self.path}: {error}; restore the folder or its permissions"
            ) from error

    def close(self) -> None:
        self._closed = True
        if self._close_handle is not None:
            self._close_handle()


def make_folder(path: Path) -> None:
    """mkdir -p with mode 0700 and every new entry synced: a durable file in a lost folder is
    lost."""
    if path.is_dir():
        return
    make_folder(path.parent)
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        if not path.is_dir():
            raise
    else:
        give_to_owner(path)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    if sys.platform == "win32":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_durably(path: Path, data: bytes, folder: Folder | None = None) -> None:
    """Write `path` atomically, and return only when it would survive a power cut.

    Pass the `Folder` that holds `path` to avoid opening it again. On failure the OSError is raised,
    the old file (if any) is untouched and no temporary file is left.
    """
    temp = path.with_name(f"{path.name}.{process_mark()}-{secrets.token_hex(4)}{TEMP_SUFFIX}")
    try:
        _write_synced(temp, data, path)
        temp.replace(path)
    except BaseException:
        with suppress(OSError):  # the first error is the one to report
            temp.unlink()
        raise
    if folder is None:
        sync_folder(path.parent)
    else:
        folder.sync()


def _write_synced(path: Path, data: bytes, target: Path) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        give_to_owner(target, handle)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def move(source: Path, target: Path) -> bool:
    """Rename a file; False if another process moved it first."""
    try:
        source.rename(target)
    except _LOST_RACE:
        if target.parent.is_dir():
            return False
        raise QueueError(f"{target.parent} is gone; restore the folder or start again") from None
    except OSError as error:
        raise QueueError(
            f"cannot move {source} to {target.parent}: {error}; free some space or "
            "make both folders writable"
        ) from error
    return True


def sweep_temps(folder: Folder, marked: bool = False) -> int:
    """Remove the temporary files of dead writers; those of live ones stay. With `marked`, only
    files named after a process of ours."""
    removed = 0
    for name in folder.names():
        if name.endswith(TEMP_SUFFIX) and (not marked or _TEMP.search(name)):
            path = folder.path / name
            with suppress(FileNotFoundError):  # its writer finished, or another sweep was faster
                if is_abandoned(path):
                    path.unlink()
                    removed += 1
    return removed


def is_abandoned(path: Path) -> bool:
    """Whether nobody will finish this temporary file. Its name says which process writes it;
    where that process cannot be checked (another machine, before a reboot, another program), its
    age decides."""
    found = _TEMP.search(path.name)
    if found and sys.platform != "win32" and found[2] == host_mark():
        return certainly_dead(found[1])
    return is_old(path)


def is_old(path: Path) -> bool:
    return time.time() - path.stat().st_mtime > OLD_TEMP_SECONDS
