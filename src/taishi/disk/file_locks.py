"""Named locks on files, against threads and processes (H5). A process that dies lets go."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import BusyError, StorageError
from .durable_io import make_folder
from .file_owner import give_to_owner

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
        with suppress(OSError):  # held, which is a Timeout, or another sweep was faster
            _release(_acquire(path, 0.0))
            removed += 1
    return removed


@contextmanager
def held(path: Path, timeout: float, what: str) -> Iterator[None]:
    """Hold the lock that `path` stands for; BusyError when somebody else does for too long."""
    try:
        make_folder(path.parent)
        lock = _acquire(path, timeout)
    except Timeout as error:
        raise BusyError(
            f"{what} is held by another writer for over {timeout:g} s; try again"
        ) from error
    except OSError as error:
        raise StorageError(
            f"{what} cannot be changed, because {path.parent} cannot be written "
            f"({error.strerror or error}); make the folder and its files writable for this user"
        ) from error
    try:
        yield
    finally:
        _release(lock)


def _acquire(path: Path, timeout: float) -> FileLock:
    """A lock of its own for each hold, so that no two of them share a count. Never the library's
    soft lock: that one outlives a holder that dies."""
    lock = FileLock(path, mode=0o600, thread_local=False, fallback_to_soft=False)
    lock.acquire(max(timeout, 0.0), POLL_SECONDS)  # below 0 it would wait for ever
    give_to_owner(path)
    return lock


def _release(lock: FileLock) -> None:
    """Remove the file while it is still locked: whoever waits for it sees that it is gone, and
    makes a new one. Not in a process that was forked meanwhile: the lock is not its own."""
    if lock.is_locked:
        with suppress(OSError):  # an open file may not be removable on Windows; release() does it
            Path(lock.lock_file).unlink()
        lock.release()
