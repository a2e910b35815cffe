"""Backup of a data folder that is in use, written under a temporary name until it is complete
(O2)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..disk.durable_io import TEMP_SUFFIX, make_folder, sync_folder
from ..disk.file_permissions import make_private_file
from ..disk.process_identity import certainly_dead, process_mark
from ..errors import InputError, StorageError
from ..exported import Backup
from .file_queue.transfer import FileQueueTransfer
from .sqlite import SqliteStore

PART_SUFFIX = ".part"
# They belong to running processes, and to the browsers that are signed in there.
NOT_COPIED = ("locks", "processes", "sessions.json")
# Pages before their snapshots: a page that is replaced meanwhile is then among the snapshots.
LAST = "history"


def back_up(
    home: Path,
    store: SqliteStore,
    queue: FileQueueTransfer,
    target: Path,
    add: Callable[[Path], tuple[int, int]],
) -> Backup:
    """Copy all that is under `home` to the new folder `target`. `add` puts more into the copy; how
    many files, and their bytes.

    Jobs are copied before the records made from them: a job that finishes meanwhile is in both
    copies, and is done again there with the same effect. The other way round it might be in
    neither.
    """
    if target.resolve().is_relative_to(home.resolve()):
        raise InputError(f"{target} is inside the data folder; copy it to somewhere else")
    with made_whole(target) as copy:
        jobs = queue.copy_to(copy / queue.folder.resolve().relative_to(home.resolve()))
        make_private_file(copy / store.path.name)  # SQLite would make one that all may read
        records = store.copy_to(copy / store.path.name)

        def apart(path: Path) -> bool:
            """What is copied separately, and what belongs to running processes."""
            database = path.parent == home and path.name.startswith(store.path.name)
            return database or path.resolve() == queue.folder.resolve() or path.name in NOT_COPIED

        files, size = copy_files(home, copy, apart)
        more, more_bytes = add(copy)
        size += (copy / store.path.name).stat().st_size + more_bytes
    return Backup(str(target), files + more + jobs + 1, size, jobs, records)


@contextmanager
def made_whole(target: Path) -> Iterator[Path]:
    """A new folder to fill. It is renamed to `target` on success and removed otherwise.

    What a killed process left beside it is removed first.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(f"{target} already exists; name a folder that does not exist yet")
    part = target.with_name(f"{target.name}.{process_mark()}{PART_SUFFIX}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(target)
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(mode=0o700)
        try:
            yield part
            for folder, _, _ in os.walk(part):
                sync_folder(Path(folder))
            if target.is_dir():
                target.rmdir()
            part.rename(target)
            sync_folder(target.parent)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
    except OSError as error:
        raise StorageError(
            f"the copy could not be written to {target} ({error}); check its disk's space and "
            "permissions, then try again"
        ) from error


def _remove_abandoned(target: Path) -> None:
    for left in target.parent.glob(f"{_literal(target.name)}.*{PART_SUFFIX}"):
        mark = left.name[len(target.name) + 1 : -len(PART_SUFFIX)]
        if mark.count("-") == 2 and certainly_dead(mark):
            shutil.rmtree(left, ignore_errors=True)


def _literal(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def copy_files(source: Path, target: Path, skip: Callable[[Path], bool]) -> tuple[int, int]:
    """Copy the files that are not skipped, snapshots last; how many, and their bytes.

    Writers replace files atomically, so each copy is one version of its file. A file that
    disappears meanwhile was no longer needed.
    """
    count = size = 0
    for path in sorted(_files(source, skip), key=lambda path: (LAST in path.parts, path)):
        copy = target / path.relative_to(source)
        make_folder(copy.parent)
        if not _copied(path, copy):
            continue
        count += 1
        size += copy.stat().st_size
    return count, size


def _files(source: Path, skip: Callable[[Path], bool]) -> Iterator[Path]:
    for folder, subfolders, names in os.walk(source):
        here = Path(folder)
        subfolders[:] = [name for name in subfolders if not skip(here / name)]
        for name in names:
            path = here / name
            if path.suffix not in (TEMP_SUFFIX, ".lock") and not skip(path):
                yield path


def _copied(path: Path, copy: Path) -> bool:
    """Content and time, for the owner alone: of a folder that can only be read, the modes would
    keep the copy from being used. False: the file is gone."""
    try:
        source = path.open("rb")
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StorageError(
            f"{path} cannot be read ({error.strerror or error}); check its permissions, then try "
            "again"
        ) from error
    with source:
        make_private_file(copy)
        with copy.open("wb") as target:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
        found = os.fstat(source.fileno())
        os.utime(copy, ns=(found.st_atime_ns, found.st_mtime_ns))
    return True
