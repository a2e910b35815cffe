"""Named locks on files, against threads and processes (H5). A process that dies lets go."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import BusyError, StorageError
from .durable_io import make_folder

POLL_SECONDS = 0.01


class FileLocks:
    """The Locks port: a file per name while it is held, none afterwards."""

    def __init__(self, folder: Path, read_only: bool = False) -> None:
        """`read_only`, for media that cannot be written: there is nobody to be locked out."""
        self.folder = folder
        self._read_only = read_only

    @contextmanager
    def hold(self, name: str, timeout: float = 60.0) -> Iterator[None]:
        """Not re-entrant: a second hold of a name inside the first waits in vain."""
        if self._read_only:
            yield
            return
        mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        with held(self.folder / f"{mark}.lock", timeout, f"{name[:80]!a}"):
            yield

    def sweep(self) -> int:
        return sweep_locks(self.folder)


def sweep_locks(folder: Path) -> int:
    """Remove the files of locks whose holders were killed; how many. Nobody waits for them: the
    system let go of the lock itself."""
    removed = 0
    for path in folder.glob("*.lock"):
        with suppress(OSError, BusyError):  # held, or another sweep was faster
            _release(_take(path, -1.0, path.name, make=False), path)
            removed += 1
    return removed


@contextmanager
def held(path: Path, timeout: float, what: str) -> Iterator[None]:
    """Hold the lock that `path` stands for; BusyError when somebody else does for too long."""
    try:
        make_folder(path.parent)
        handle = _take(path, timeout, what)
    except OSError as error:
        raise StorageError(f"{path} cannot be locked ({error}); check the folder") from error
    try:
        yield
    finally:
        _release(handle, path)


def _take(path: Path, timeout: float, what: str, make: bool = True) -> int:
    deadline = time.monotonic() + timeout
    while True:
        handle = os.open(path, os.O_RDWR | (os.O_CREAT if make else 0), 0o600)
        try:
            if _try_lock(handle) and _still_there(handle, path):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        if time.monotonic() > deadline:
            raise BusyError(f"{what} is held by another writer for over {timeout:g} s; try again")
        time.sleep(POLL_SECONDS)


def _still_there(handle: int, path: Path) -> bool:
    """The holder before us removes the file when done; a lock on a removed file is no lock."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _release(handle: int, path: Path) -> None:
    if sys.platform == "win32":  # an open file cannot be removed there: close first
        os.close(handle)
        with suppress(OSError):  # the next holder has it open, and will remove it
            path.unlink()
    else:
        path.unlink(missing_ok=True)
        os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
