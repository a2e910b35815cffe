"""Durable file operations: atomic writes, synced folders, temporary files of dead processes."""

from __future__ import annotations

import hashlib
import heapq
import math
import os
import re
import secrets
import socket
import sys
import time
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from ..errors import ClosedError, QueueError, StorageError

TEMP_SUFFIX = ".tmp"
_MARK = r"([0-9a-f]{12})-\d{1,10}-\d{1,20}"
_TEMP = re.compile(rf"\.({_MARK})-[0-9a-f]{{8}}{re.escape(TEMP_SUFFIX)}\Z", re.ASCII)
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
    path.mkdir(mode=0o700, exist_ok=True)
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
        _write_synced(temp, data)
        temp.replace(path)
    except BaseException:
        with suppress(OSError):  # the first error is the one to report
            temp.unlink()
        raise
    if folder is None:
        sync_folder(path.parent)
    else:
        folder.sync()


def _write_synced(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
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
    if found and sys.platform != "win32" and found[2] == _host_mark():
        return certainly_dead(found[1])
    return is_old(path)


def is_old(path: Path) -> bool:
    return time.time() - path.stat().st_mtime > OLD_TEMP_SECONDS


def is_stranger(mark: str) -> bool:
    """Whether a mark is of another machine, or of this one before a reboot."""
    found = re.fullmatch(_MARK, mark, re.ASCII)
    return found is not None and found[1] != _host_mark()


def process_mark() -> str:
    """`host-pid-start` of this process: tells its death from a reused pid."""
    return _mark_of(os.getpid())


@lru_cache(maxsize=1)  # a fork has a pid of its own
def _mark_of(pid: int) -> str:
    return f"{_host_mark()}-{pid}-{_start_time(pid) or 0}"


def certainly_dead(mark: str) -> bool:
    """Whether the process behind `mark` is dead for sure. In doubt (another host, another
    container, no /proc) the answer is False, and its lease has to expire."""
    host, pid_text, start = mark.split("-")
    # On Windows os.kill(pid, 0) does not test for the process but interrupts it.
    if sys.platform == "win32" or host != _host_mark():
        return False
    pid = int(pid_text)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    now_running = _start_time(pid)
    return now_running is not None and start != "0" and now_running != int(start)


def _host_mark() -> str:
    """Identifies the space in which a pid is unique: host, boot and (in containers) pid
    namespace."""
    return _host_of(os.getpid())


@lru_cache(maxsize=1)
def _host_of(_pid: int) -> str:
    """For this process; a fork may be in another namespace."""
    parts = [socket.gethostname()]
    try:
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text())
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    except OSError:
        parts.append("no /proc")  # macOS: one pid space per host
    return hashlib.sha256("\n".join(parts).encode(errors="replace")).hexdigest()[:12]


def _start_time(pid: int) -> int | None:
    """Ticks from boot to the start of `pid`; -1 for a zombie, None where that cannot be read."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    after_name = stat[stat.rfind(b")") + 2 :].split()  # the name may hold spaces and brackets
    return -1 if after_name[0] in (b"Z", b"X") else int(after_name[19])


LARGE_FOLDER = 1000


class SortedListing:
    """The names in a folder in order, cached so that taking the next one does not list the folder.

    `ready_at` returns when a name may be taken (0: at once), or None for a name to ignore.

    The folder is listed again when the cache is used up, when the next name is newer than the
    listing (another process may have put an older one), and once a second for jobs that others gave
    back; but listing a large folder never takes more than a twentieth of the time.
    """

    def __init__(self, folder: Folder, ready_at: Callable[[str], int | None]) -> None:
        self._folder = folder
        self._ready_at = ready_at
        # Bounded for a process that only puts; what is dropped is found by the next listing.
        self._added: deque[tuple[int, str]] = deque(maxlen=10_000)
        self._ready: list[str] = []
        self._waiting: list[tuple[int, str]] = []
        self._youngest = ""
        self._listed_at = -math.inf
        self._cost = 0.0
        self._is_large = False

    def add(self, name: str, ready_at: int) -> None:
        """Needs no lock, so that a put never waits for a claim."""
        self._added.append((ready_at, name))

    def next(self, now: int) -> str | None:
        """The oldest name that is ready at `now`. One caller at a time."""
        return heapq.heappop(self._ready) if self.is_ready(now) else None

    def is_ready(self, now: int) -> bool:
        """Whether a name is ready at `now`. One caller at a time."""
        self._take_in(now)
        if self._is_stale():
            self._list()
            self._take_in(now)
        return bool(self._ready)

    def _take_in(self, now: int) -> None:
        while self._added:
            heapq.heappush(self._waiting, self._added.popleft())
        while self._waiting and self._waiting[0][0] <= now:
            heapq.heappush(self._ready, heapq.heappop(self._waiting)[1])

    def _is_stale(self) -> bool:
        age = time.monotonic() - self._listed_at
        if self._is_large and age < 20 * self._cost:
            return False
        return not self._ready or self._ready[0] > self._youngest or age > 1.0

    def _list(self) -> None:
        started = time.monotonic()
        self._added.clear()
        names = [(at, n) for n in self._folder.names() if (at := self._ready_at(n)) is not None]
        self._ready = sorted(name for at, name in names if at == 0)
        self._waiting = sorted((at, name) for at, name in names if at > 0)
        self._youngest = max((name for _, name in names), default="")
        self._listed_at = time.monotonic()
        self._cost = self._listed_at - started
        # By size, not time: on a busy machine even an empty folder may take long to list.
        self._is_large = len(names) > LARGE_FOLDER
