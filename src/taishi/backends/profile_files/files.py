"""Profiles as Markdown files with YAML front matter, which a person may read and edit (P1, P3, P4).

    users/{id}.md, groups/{id}.md                   the profiles of the workspace "default"
    history/{users|groups}/{id}/{time}.md           their snapshots, oldest first
    workspaces/{workspace}/users/…                  the same for every other workspace

A caller that reads a profile to write it back holds `locked` across both, or updates are lost.
"""

from __future__ import annotations

import difflib
import hashlib
import logging
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path

from ...errors import BusyError, CorruptError, InputError, StorageError
from ...ports import ProfileKey
from ...types import Profile
from ..durable_io import Folder, sweep_temps, sync_folder
from ..file_locks import held, sweep_locks
from .names import file_name, ids_of
from .page_io import FOLDERS, damaged, folder_of, read_bytes, stems, unreadable, write_page
from .text import GUESSED, Fault, decoded, parse, render

log = logging.getLogger("taishi.profiles")
Stamp = tuple[int, ...]
PATHS_KNOWN = 4096
TIME = "%Y%m%dT%H%M%S.%fZ"
_REVISION = re.compile(r"[0-9]{8}T[0-9]{6}\.[0-9]{6}Z", re.ASCII)


class ProfileFiles:
    """Implements ports.ProfilePages. On any error the old profile is intact."""

    def __init__(
        self,
        folder: Path,
        keep: int = 5,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        read_only: bool = False,
    ) -> None:
        """`read_only`, for media that cannot be written: no lock is needed, or possible."""
        self._locks = not read_only
        self.folder = folder
        self.keep = keep
        self._clock = clock
        # Every recall asks for a page's stamp: its path is computed once.
        self._known_path = lru_cache(PATHS_KNOWN)(self._path)
        self._warned: dict[Path, bytes] = {}

    def read(self, workspace: str, entity_type: str, entity_id: str) -> Profile | None:
        """The page, parsed leniently; the faults of each version are logged once (P6).

        CorruptError only where there is nothing to read: a folder, a file without permission, or
        the page of somebody else.
        """
        path = self._path(workspace, entity_type, entity_id)
        data = read_bytes(path)
        if data is None:
            return None
        entity = ProfileKey(workspace, entity_type, str(entity_id))
        parsed = parse(data, entity)
        if (other := self._other(entity, parsed.said)) is not None:
            raise damaged(path, f"is the page of {other.entity_type} {other.entity_id!r:.60}")
        self._warn(path, data, parsed.faults)
        return parsed.profile

    def faults(self, entity: ProfileKey) -> tuple[Fault, ...]:
        """All that is wrong with a page; nothing if there is none."""
        try:
            data = read_bytes(self._path(*entity))
        except CorruptError:
            folder = self._path(*entity).is_dir()
            return (Fault("folder" if folder else "unreadable", 1),)
        except StorageError as error:
            return (Fault("unreadable", 1, str(error.__cause__ or error)[:80]),)
        if data is None:
            return ()
        parsed = parse(data, entity)
        other = self._other(entity, parsed.said)
        if other is None:
            return parsed.faults
        line = next((one.line for one in parsed.faults if one.kind == "id"), 1)
        return (Fault("other", line, f"{other.entity_type} {other.entity_id!r:.60}"),)

    def is_whole(self, workspace: str, entity_type: str, entity_id: str) -> bool:
        """Whether the text of the page is certain: not empty, and in a known encoding."""
        found = self.faults(ProfileKey(workspace, entity_type, str(entity_id)))
        return not any(
            one.kind in ("empty", "folder", "unreadable", "other") or one.detail in GUESSED
            for one in found
        )

    def path_of(self, entity: ProfileKey) -> Path:
        return self._path(*entity)

    def _other(self, entity: ProfileKey, said: tuple[str, str]) -> ProfileKey | None:
        """Whose page this is, if it names another entity that has a page, or would share this file.

        Otherwise the name inside is a typing error, and the file name counts. Nobody is shown the
        page of somebody else.
        """
        named = ProfileKey(entity.workspace, *said)
        if named == entity or said[0] not in FOLDERS:
            return None
        alike = named.entity_type == entity.entity_type and (
            named.entity_id.casefold() == entity.entity_id.casefold()
        )
        try:
            return named if alike or self._path(*named).exists() else None
        except (InputError, OSError):
            return None

    def _warn(self, path: Path, data: bytes, faults: tuple[Fault, ...]) -> None:
        version = hashlib.sha256(data).digest()
        if faults and self._warned.get(path) != version:
            self._warned[path] = version
            log.warning("%s was read all the same: %s", path, "; ".join(map(str, faults)))

    def write(self, profile: Profile, since: Stamp | None = None) -> Profile:
        """Snapshot what is there, then replace it by `profile`; returns it as written.

        With `since`, the stamp taken when the profile was read, an edit that a person made in
        between is not overwritten: BusyError. A file that cannot be read at all is never
        overwritten: CorruptError. One that was read with faults becomes a snapshot as it is.
        """
        entity = ProfileKey(profile.workspace, profile.entity_type, profile.entity_id)
        if since is not None and self.stamp(*entity) != since:
            raise BusyError(f"{entity} was edited meanwhile; read it again and merge anew")
        self.read(*entity)
        if not profile.updated_at:
            profile = replace(profile, updated_at=self._now().isoformat())
        self._replace(entity, render(profile))
        return profile

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

    def amend(self, profile: Profile, revision: str | None = None) -> None:
        """Overwrite a page, or one of its snapshots; the old text is not kept as a revision."""
        entity = ProfileKey(profile.workspace, profile.entity_type, profile.entity_id)
        path = self._revision(entity, revision)[0] if revision else self._path(*entity)
        try:
            write_page(path, render(profile))
        except OSError as error:
            raise StorageError(
                f"{path} could not be written ({error}); free some space and try again"
            ) from error

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
        elif _REVISION.fullmatch(revision):
            history = self._history(*entity)
            try:
                write_page(history / f"{revision}.md", data)
            except OSError as error:
                raise StorageError(
                    f"{history} could not be written ({error}); free some space and try again"
                ) from error
            self._prune(history)
        else:
            raise InputError(f"{revision[:40]!r} is not a revision; take one from revisions()")

    def revisions(self, workspace: str, entity_type: str, entity_id: str) -> tuple[str, ...]:
        """Names of the snapshots, newest first."""
        names = stems(self._history(workspace, entity_type, entity_id))
        return tuple(n for n in reversed(names) if _REVISION.fullmatch(n))

    def read_revision(
        self, workspace: str, entity_type: str, entity_id: str, revision: str
    ) -> Profile:
        entity = ProfileKey(workspace, entity_type, str(entity_id))
        path, data = self._revision(entity, revision)
        parsed = parse(data, entity)
        if self._other(entity, parsed.said) is not None:
            raise damaged(path, "is a page of somebody else")
        return parsed.profile

    def diff(
        self, workspace: str, entity_type: str, entity_id: str, revision: str, to: str | None = None
    ) -> str:
        """Unified diff from a snapshot to another, or to the profile as it is now."""
        entity = ProfileKey(workspace, entity_type, entity_id)
        _, old = self._revision(entity, revision)
        new = self._revision(entity, to)[1] if to else read_bytes(self._path(*entity)) or b""
        before, after = (decoded(d)[0].splitlines() for d in (old, new))
        lines = difflib.unified_diff(before, after, revision, to or "now", lineterm="")
        return "".join(f"{line}\n" for line in lines)

    def rollback(self, workspace: str, entity_type: str, entity_id: str, revision: str) -> Profile:
        """Put a snapshot back. What is there now, damaged or not, becomes a snapshot first."""
        entity = ProfileKey(workspace, entity_type, entity_id)
        kept = self.read_revision(*entity, revision)
        profile = replace(kept, updated_at=self._now().isoformat(), source_event_id="")
        self._replace(entity, render(profile))
        return profile

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

    def _replace(self, entity: ProfileKey, data: bytes) -> None:
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
        taken = [n for n in stems(history) if _REVISION.fullmatch(n)]
        now = self._now()
        if taken:
            if read_bytes(history / f"{taken[-1]}.md") == data:
                return  # a failed write has snapshotted it already
            last = datetime.strptime(taken[-1], TIME).replace(tzinfo=UTC)
            now = max(now, last + timedelta(microseconds=1))  # names stay unique and in order
        write_page(history / f"{now:{TIME}}.md", data)

    def _prune(self, history: Path) -> None:
        taken = [n for n in stems(history) if _REVISION.fullmatch(n)]
        try:
            for name in taken[: max(0, len(taken) - self.keep)]:
                (history / f"{name}.md").unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(
                f"the profile was written, but old snapshots in {history} could not be removed "
                f"({error}); correct the folder's permissions"
            ) from error

    def _revision(self, entity: ProfileKey, revision: str) -> tuple[Path, bytes]:
        if not _REVISION.fullmatch(revision):
            raise InputError(f"{revision[:40]!r} is not a revision; take one from revisions()")
        path = self._history(*entity) / f"{revision}.md"
        data = read_bytes(path)
        if data is None:
            raise InputError(f"there is no revision {revision}; take one from revisions()")
        return path, data

    def _now(self) -> datetime:
        return self._clock().astimezone(UTC)

    def _base(self, workspace: str) -> Path:
        if workspace == "default":
            return self.folder
        return self.folder / "workspaces" / file_name(workspace, "workspace")

    def _path(self, workspace: str, entity_type: str, entity_id: str) -> Path:
        return self._base(workspace) / folder_of(entity_type) / f"{file_name(entity_id)}.md"

    def _history(self, workspace: str, entity_type: str, entity_id: str) -> Path:
        return self._base(workspace) / "history" / folder_of(entity_type) / file_name(entity_id)
