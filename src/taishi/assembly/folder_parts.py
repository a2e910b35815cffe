"""A memory in a folder: SQLite, and files beside it."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ..backends.archive_files import ArchiveFiles
from ..backends.backup import back_up
from ..backends.copy_mark_file import CopyMarkFile
from ..backends.file_queue.queue import FileQueue
from ..backends.folder_files import FolderFiles
from ..backends.leftovers import FilesAlone, FolderLeftovers
from ..backends.process_files import ProcessFiles
from ..backends.profile_files.files import ProfileFiles
from ..backends.profile_files.transfer import ProfileFilesTransfer
from ..backends.sqlite import SqliteStore
from ..backends.sqlite.read_only import is_disk_full, is_read_only
from ..disk.durable_io import make_folder
from ..disk.file_locks import FileLocks
from ..disk.file_owner import name_of_owner, of_other_owners
from ..disk.file_permissions import close_to_others, open_to_others
from ..errors import DiskError, InputError, StorageError
from ..settings import Settings
from ..settings.addresses import complaint_about, scheme_of
from .knowledge import ORIGINALS
from .storage import OutsideFiles, Storage

log = logging.getLogger("taishi")
DATABASE = "taishi.db"
COMMAND = "cli"  # the role of a process that ends by itself
PROMPTS = "prompts"
ARCHIVE = "archive"
LOCKS = "locks"
PROCESSES = "processes"
PROBE_BYTES = 4096
COPYING = "copying.json"


def open_folder(address: str | Path, settings: Settings, clock: Callable[[], float]) -> Storage:
    folder = folder_of(address)
    try:
        make_folder(folder)
        read_only = is_read_only(folder / DATABASE)
        close_to_others(folder, own_entries(settings))
    except OSError as error:
        raise _unusable(folder, error) from error
    if read_only:
        log.warning("%s can only be read: recall works, nothing new is kept", folder)
    try:
        store = _store(folder / DATABASE, settings, clock, read_only)
    except PermissionError as error:  # an empty folder, where nothing can be made
        raise _unusable(folder, error) from error
    read_only = store.read_only
    pages = _inside(folder, settings.profile.path, "profile.path")
    profiles = ProfileFiles(pages, keep=settings.profile.revision_keep, read_only=read_only)
    queue = _queue(folder, settings, read_only)
    locks = FileLocks(folder / LOCKS, read_only)
    processes = ProcessFiles(folder / PROCESSES, read_only)
    return Storage(
        address=str(folder),
        folder=folder,
        store=store,
        queue=queue,
        profiles=profiles,
        pages=ProfileFilesTransfer(profiles),
        locks=locks,
        archive=ArchiveFiles(folder / ARCHIVE),
        originals=FolderFiles(folder / ORIGINALS),
        processes=processes,
        leftovers=FolderLeftovers(folder, queue, profiles, locks, processes),
        stored_bytes=FilesAlone(),
        copy_mark=CopyMarkFile(folder / COPYING),
        read_only=read_only,
        copy_to=lambda target, outside: back_up(
            folder, store, queue.transfer, target, partial(_copy_outside, outside)
        ),
        close=store.close,
        is_read_only=lambda: read_only,
    )


def _store(
    path: Path, settings: Settings, clock: Callable[[], float], read_only: bool
) -> SqliteStore:
    """On a full disk a command can still read, so that a memory can be saved to another one. What
    stays open does not begin like that: it would go on without writing when there is room again."""
    try:
        return SqliteStore(path, clock, read_only)
    except DiskError:
        if settings.machine.role != COMMAND or not is_disk_full(path.parent):
            raise
        log.warning("the disk of %s is full: it is only read, nothing new is kept", path.parent)
        return SqliteStore(path, clock, read_only=True, full=True)


def _copy_outside(outside: OutsideFiles | None, copy: Path) -> tuple[int, int]:
    """What is not under the folder goes where a memory without `storage.files` looks for it."""
    if outside is None:
        return 0, 0
    originals, archive = FolderFiles(copy / ORIGINALS), ArchiveFiles(copy / ARCHIVE)
    count = size = 0
    for key in outside.originals.list():
        data = None if originals.exists(key) else outside.originals.get(key)
        if data is not None:
            originals.put(key, data)
            count, size = count + 1, size + len(data)
    for name in outside.archive.names():
        archive.replace(name, outside.archive.lines(name))
        count += 1
    return count, size


def _unusable(folder: Path, error: OSError) -> StorageError:
    text = f"{folder} cannot be used as a data folder: {error}"
    if isinstance(error, PermissionError):
        advice = "run this as the user that it belongs to, or make it writable for this one"
    else:
        advice = "name another one, or make it writable"
    return StorageError(f"{text}; {advice}")


def _queue(folder: Path, settings: Settings, read_only: bool) -> FileQueue:
    queue, historian = settings.queue, settings.historian
    return FileQueue(
        _inside(folder, queue.path, "queue.path"),
        lease_seconds=historian.stale_job_timeout_seconds,
        max_retries=historian.job_max_retries,
        failed_max_age_days=queue.failed_max_age_days,
        failed_max_files=queue.failed_max_files,
        cleanup_interval=queue.failed_cleanup_interval,
        read_only=read_only,
    )


def own_entries(settings: Settings) -> frozenset[str]:
    """What a memory itself puts into its data folder, by name."""
    inside = (settings.queue.path, settings.profile.path)
    database = (f"{DATABASE}{suffix}" for suffix in ("", "-wal", "-shm", "-journal", "-pulse"))
    return frozenset(
        (
            *database,
            ARCHIVE,
            LOCKS,
            ORIGINALS,
            PROMPTS,
            PROCESSES,
            "keys.json",
            "sessions.json",
            "oauth.json",
            COPYING,
            "end_summaries.json",
            *(Path(path).parts[0] for path in inside if path),
        )
    )


def can_only_be_read(settings: Settings) -> bool:
    """Whether a memory is there, on media that cannot be written."""
    return is_read_only(folder_of(settings.memory.data) / DATABASE)


def folder_has_memory(address: str | Path) -> bool:
    """False if that is certain; whatever else is wrong with the path, opening it says."""
    if not str(address).strip():
        return True
    try:
        (Path(address).expanduser() / DATABASE).stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError, RuntimeError):
        pass
    return True


def mark_folder(address: str, content: bytes) -> None:
    """For a copy into a folder where no memory is yet."""
    folder = folder_of(address)
    if folder_has_memory(address):
        return
    try:
        make_folder(folder)
        mark = CopyMarkFile(folder / COPYING)
        if mark.read() is None:
            mark.write(content)
    except OSError as error:
        raise _unusable(folder, error) from error


def readable_by_others(settings: Settings) -> list[Path]:
    """Which of a memory's files other users of the machine could read."""
    return open_to_others(folder_of(settings.memory.data), own_entries(settings))


def not_of_the_owner(settings: Settings) -> list[Path]:
    """Which of a memory's files belong to another user than the memory itself."""
    return of_other_owners(folder_of(settings.memory.data), own_entries(settings), DATABASE)


def memory_owner(folder: Path) -> str:
    """The user whose memory it is. A mounted volume may be root's, with the service's files in
    it."""
    database = folder / DATABASE
    return name_of_owner(database if database.exists() else folder)


def unwritable_folder(folder: Path, settings: Settings) -> tuple[Path, OSError] | None:
    """The first of the folders which a memory writes to that cannot be written, and why."""
    queue, pages = folder / settings.queue.path, folder / settings.profile.path
    states = (queue / state for state in ("pending", "processing", "failed"))
    inner = (*states, pages, *(folder / name for name in (LOCKS, ARCHIVE, ORIGINALS, PROCESSES)))
    for path in (folder, *inner):
        try:
            if path is folder or path.is_dir():
                with tempfile.TemporaryFile(dir=path) as probe:
                    probe.write(bytes(PROBE_BYTES))
        except OSError as error:
            return path, error
    return None


def folder_of(address: str | Path) -> Path:
    text = str(address)
    if not text.strip() or "\x00" in text:
        raise InputError("the data folder's path is empty or broken; give a path such as ./data")
    if scheme := scheme_of(text):
        raise InputError(
            f"{scheme}:// addresses are not supported by this version; give a folder such as "
            "./data, postgresql://USER@HOST/DATABASE, or http:// or https:// with the address of a "
            "server"
        )
    if complaint := complaint_about(address):
        raise InputError(complaint)
    return Path(text).expanduser()


def _inside(folder: Path, name: str, key: str) -> Path:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise InputError(f"{key} = {name!r} leaves the data folder; use a name inside it")
    return path
