"""Profiles as Markdown files with YAML front matter, which a person may read and edit (P1, P3, P4).

    users/{id}.md, groups/{id}.md                   the profiles of the workspace "default"
    history/{users|groups}/{id}/{time}.md           their snapshots, oldest first
    workspaces/{workspace}/users/…                  the same for every other workspace

A caller that reads a profile to write it back holds `locked` across both, or updates are lost.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from ...disk.durable_io import Folder, sweep_temps, sync_folder
from ...disk.file_locks import held, sweep_locks
from ...errors import CorruptError, StorageError
from ...ports import ProfileKey
from .names import file_name, ids_of
from .page_io import FOLDERS, folder_of, read_bytes, stems, unreadable, write_page
from .pages import REVISION, Pages, Stamp, checked_revision
from .text import Fault

PATHS_KNOWN = 4096


class ProfileFiles(Pages):
    """Implements ports.ProfilePages. On any error the old profile is intact."""

    def __init__(
        self,
        folder: Path,
        keep: int = 5,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        read_only: bool = False,
    ) -> None:
        """`read_only`, for media that cannot be written: no lock is needed, or possible."""
        super().__init__(keep, clock)
        self._locks = not read_only
        self.folder = folder
        # Every recall asks for a page's stamp: its path is computed once.
        self._known_path = lru_cache(PATHS_KNOWN)(self._path)

    def where(self, entity: ProfileKey) -> str:
        return str(self._path(*entity))

    def _unreadable(self, entity: ProfileKey, error: StorageError) -> Fault:
        if isinstance(error, CorruptError):
            folder = self._path(*entity).is_dir()
            return Fault("folder" if folder else "unreadable", 1)
        return super()._unreadable(entity, error)

    def list(self, workspace: str = "default") -> list[ProfileKey]:
        """Everybody with a profile in the workspace. The files are not opened."""
        return [
            ProfileKey(workspace, entity_type, entity_id)
            for entity_type, folder in FOLDERS.items()
            for entity_id in ids_of(stems(self._base(workspace) / folder))
        ]

    def workspaces(self) -> tuple[str, ...]:
        """Every workspace that may hold profiles."""
        return ("default", *ids_of(stems(self.folder / "workspaces", suffix="")))

    def stamp(self, workspace: str, entity_type: str, entity_id: str) -> Stamp:
        """Differs after any edit, ours or a person's; () where there is no profile."""
        path = self._known_path(workspace, entity_type, entity_id)
        try:
            stat = path.stat()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise unreadable(path, error) from error
        return (stat.st_mtime_ns, stat.st_size, stat.st_ino)

    def remembered(self, workspace: str = "default") -> tuple[ProfileKey, ...]:
        """Everybody with a profile or a snapshot of one in the workspace."""
        base = self._base(workspace) / "history"
        kept = [
            ProfileKey(workspace, entity_type, entity_id)
            for entity_type, folder in FOLDERS.items()
            for entity_id in ids_of(stems(base / folder, suffix=""))
        ]
        return tuple(sorted({*self.list(workspace), *kept}))

    def raw(
        self, workspace: str, entity_type: str, entity_id: str, revision: str | None = None
    ) -> bytes | None:
        """The file of a profile, or of one of its snapshots, as it is on disk."""
        entity = ProfileKey(workspace, entity_type, entity_id)
        if revision is None:
            return read_bytes(self._path(*entity))
        return read_bytes(self._history(*entity) / f"{revision}.md")

    def put_raw(self, entity: ProfileKey, data: bytes, revision: str | None = None) -> None:
        """Write a file as it is; a page that is there becomes a snapshot first."""
        if revision is None:
            self._replace(entity, data)
        else:
            self.overwrite(entity, data, checked_revision(revision))
            self._prune(self._history(*entity))

    def overwrite(self, entity: ProfileKey, data: bytes, revision: str | None = None) -> None:
        path = self._history(*entity) / f"{revision}.md" if revision else self._path(*entity)
        try:
            write_page(path, data)
        except OSError as error:
            raise StorageError(
                f"{path} could not be written ({error}); free some space and try again"
            ) from error

    def revisions(self, workspace: str, entity_type: str, entity_id: str) -> tuple[str, ...]:
        """Names of the snapshots, newest first."""
        names = stems(self._history(workspace, entity_type, entity_id))
        return tuple(n for n in reversed(names) if REVISION.fullmatch(n))

    def delete(self, workspace: str, entity_type: str, entity_id: str) -> bool:
        """Remove the profile, its snapshots and temporary files; False if there was none."""
        path = self._path(workspace, entity_type, entity_id)
        history = self._history(workspace, entity_type, entity_id)
        self._known_path.cache_clear()  # the cache holds the id
        try:
            there = path.exists() or history.exists()
            path.unlink(missing_ok=True)
            if path.parent.is_dir():
                for left in path.parent.iterdir():
                    if left.name.startswith(f"{path.name}.") and left.suffix == ".tmp":
                        left.unlink(missing_ok=True)
                sync_folder(path.parent)
            if history.is_dir():
                shutil.rmtree(history)
                sync_folder(history.parent)
        except OSError as error:
            raise StorageError(
                f"{path} or {history} could not be removed ({error}); some of it may be left: "
                "close what holds the files open and delete again"
            ) from error
        return there

    def sweep(self) -> int:
        """Remove temporary files and locks of killed writers; for start-up."""
        removed = sweep_locks(self.folder / "locks")
        for parent in self.folder.rglob("*"):
            if parent.is_dir():
                with closing(Folder(parent)) as folder:
                    removed += sweep_temps(folder)
        return removed

    @contextmanager
    def locked(
        self, workspace: str, entity_type: str, entity_id: str, timeout: float = 60.0
    ) -> Iterator[None]:
        """Hold one profile across read, merge and write, against threads and processes.

        Not re-entrant: a second `locked` on the same profile inside the first runs into its
        timeout.
        """
        path = self._path(workspace, entity_type, entity_id)
        if not self._locks:
            yield
            return
        mark = hashlib.sha256(str(path.relative_to(self.folder)).encode()).hexdigest()[:32]
        lock = self.folder / "locks" / f"{mark}.lock"
        with held(lock, timeout, f"profile {entity_type}:{entity_id}"):
            yield

    def _replace(self, entity: ProfileKey, data: bytes, since: Stamp | None = None) -> None:
        path, history = self._path(*entity), self._history(*entity)
        try:
            old = read_bytes(path)
            if old is not None:
                self._snapshot(history, old)
            write_page(path, data)
        except OSError as error:
            raise StorageError(
                f"{path} could not be written ({error}); the profile is as it was: check free "
                "space and permissions, then try again"
            ) from error
        self._prune(history)

    def _snapshot(self, history: Path, data: bytes) -> None:
        taken = [n for n in stems(history) if REVISION.fullmatch(n)]
        if taken and read_bytes(history / f"{taken[-1]}.md") == data:
            return  # a failed write has snapshotted it already
        write_page(history / f"{self._new_revision(taken[-1] if taken else None)}.md", data)

    def _prune(self, history: Path) -> None:
        taken = [n for n in stems(history) if REVISION.fullmatch(n)]
        try:
            for name in taken[: max(0, len(taken) - self.keep)]:
                (history / f"{name}.md").unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(
                f"the profile was written, but old snapshots in {history} could not be removed "
                f"({error}); correct the folder's permissions"
            ) from error

    def _base(self, workspace: str) -> Path:
        if workspace == "default":
            return self.folder
        return self.folder / "workspaces" / file_name(workspace, "workspace")

    def _path(self, workspace: str, entity_type: str, entity_id: str) -> Path:
        return self._base(workspace) / folder_of(entity_type) / f"{file_name(entity_id)}.md"

    def _history(self, workspace: str, entity_type: str, entity_id: str) -> Path:
        return self._base(workspace) / "history" / folder_of(entity_type) / file_name(entity_id)
