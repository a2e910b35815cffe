"""Profiles as Markdown files with YAML front matter, which a person may read and edit (P1, P3, P4).

    users/{id}.md, groups/{id}.md                   the profiles of the workspace "default"
    history/{users|groups}/{id}/{time}.md           their snapshots, oldest first
    workspaces/{workspace}/users/…                  the same for every other workspace

Whoever reads a profile to write it back holds `locked` across both, or two writers lose a change.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast
from urllib.parse import unquote

import yaml

from ..errors import BusyError, CorruptError, InputError, StorageError
from ..types import Profile, clean_id
from .file_locks import held
from .files import Folder, sweep_temps, sync_folder, write_durably

Stamp = tuple[int, ...]
FOLDERS = {"user": "users", "group": "groups"}
MAX_NAME_BYTES = 200
PATHS_KNOWN = 4096
MAX_FRONT_CHARS = 64 * 1024  # the YAML parser is slow; nobody writes more than this by hand
TIME = "%Y%m%dT%H%M%S.%fZ"
_REVISION = re.compile(r"[0-9]{8}T[0-9]{6}\.[0-9]{6}Z", re.ASCII)
_OUTWARD = re.compile(r"[/\\]|[A-Za-z]:[/\\]|(?:.*[/\\])?\.{1,2}(?:[/\\]|\Z)", re.DOTALL)
_MARK = re.compile(r"^---[ \t]*$", re.MULTILINE)
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|\Z)", re.IGNORECASE)


class Entity(NamedTuple):
    """Whom a profile is about; `files.read(*entity)` reads it."""

    workspace: str
    entity_type: str
    entity_id: str


class ProfileFiles:
    """The profile folder. Every error leaves the old profile whole."""

    def __init__(
        self,
        folder: Path,
        keep: int = 5,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.folder = folder
        self.keep = keep
        self._clock = clock
        # Every recall asks for a page's stamp: its path is worked out once.
        self._known_path = lru_cache(PATHS_KNOWN)(self._path)

    def read(self, workspace: str, entity_type: str, entity_id: str) -> Profile | None:
        path = self._path(workspace, entity_type, entity_id)
        data = _read_bytes(path)
        if data is None:
            return None
        return parse(data, Entity(workspace, entity_type, str(entity_id)), path)

    def write(self, profile: Profile, since: Stamp | None = None) -> Profile:
        """Snapshot what is there, then put `profile` in its place; returns it as written.

        With `since`, the stamp taken when the profile was read, an edit that a person made in
        between is not overwritten: BusyError. A damaged file is never overwritten: CorruptError.
        """
        entity = Entity(profile.workspace, profile.entity_type, profile.entity_id)
        if since is not None and self.stamp(*entity) != since:
            raise BusyError(f"{entity} was edited meanwhile; read it again and merge anew")
        self.read(*entity)
        if not profile.updated_at:
            profile = replace(profile, updated_at=self._now().isoformat())
        self._replace(entity, render(profile))
        return profile

    def list(self, workspace: str = "default") -> list[Entity]:
        """Everybody with a profile in the workspace. The files are not opened."""
        return [
            Entity(workspace, entity_type, entity_id)
            for entity_type, folder in FOLDERS.items()
            for entity_id in _ids(_stems(self._base(workspace) / folder))
        ]

    def workspaces(self) -> tuple[str, ...]:
        """Every workspace that may hold profiles."""
        return ("default", *_ids(_stems(self.folder / "workspaces", suffix="")))

    def stamp(self, workspace: str, entity_type: str, entity_id: str) -> Stamp:
        """Differs after any edit, ours or a person's; () where there is no profile."""
        path = self._known_path(workspace, entity_type, entity_id)
        try:
            stat = path.stat()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise _unreadable(path, error) from error
        return (stat.st_mtime_ns, stat.st_size, stat.st_ino)

    def amend(self, profile: Profile, revision: str | None = None) -> None:
        """Put a page, or one of its snapshots, right in its place: the old one is not kept."""
        entity = Entity(profile.workspace, profile.entity_type, profile.entity_id)
        path = self._revision(entity, revision)[0] if revision else self._path(*entity)
        try:
            _write(path, render(profile))
        except OSError as error:
            raise StorageError(
                f"{path} could not be written ({error}); free some space and try again"
            ) from error

    def remembered(self, workspace: str = "default") -> tuple[Entity, ...]:
        """Everybody with a profile or with snapshots of one in the workspace."""
        base = self._base(workspace) / "history"
        kept = [
            Entity(workspace, entity_type, entity_id)
            for entity_type, folder in FOLDERS.items()
            for entity_id in _ids(_stems(base / folder, suffix=""))
        ]
        return tuple(sorted({*self.list(workspace), *kept}))

    def raw(
        self, workspace: str, entity_type: str, entity_id: str, revision: str | None = None
    ) -> bytes | None:
        """The file of a profile, or of one of its snapshots, as it is on disk."""
        entity = Entity(workspace, entity_type, entity_id)
        if revision is None:
            return _read_bytes(self._path(*entity))
        return _read_bytes(self._history(*entity) / f"{revision}.md")

    def put_raw(self, entity: Entity, data: bytes, revision: str | None = None) -> None:
        """Put a file in its place as it is; a page that is there becomes a snapshot first."""
        if revision is None:
            self._replace(entity, data)
        elif _REVISION.fullmatch(revision):
            history = self._history(*entity)
            try:
                _write(history / f"{revision}.md", data)
            except OSError as error:
                raise StorageError(
                    f"{history} could not be written ({error}); free some space and try again"
                ) from error
            self._prune(history)
        else:
            raise InputError(f"{revision[:40]!r} is not a revision; take one from revisions()")

    def revisions(self, workspace: str, entity_type: str, entity_id: str) -> tuple[str, ...]:
        """Names of the snapshots, newest first."""
        names = _stems(self._history(workspace, entity_type, entity_id))
        return tuple(n for n in reversed(names) if _REVISION.fullmatch(n))

    def read_revision(
        self, workspace: str, entity_type: str, entity_id: str, revision: str
    ) -> Profile:
        entity = Entity(workspace, entity_type, str(entity_id))
        path, data = self._revision(entity, revision)
        return parse(data, entity, path)

    def diff(
        self, workspace: str, entity_type: str, entity_id: str, revision: str, to: str | None = None
    ) -> str:
        """Unified diff from a snapshot to another, or to the profile as it is now."""
        entity = Entity(workspace, entity_type, entity_id)
        _, old = self._revision(entity, revision)
        new = self._revision(entity, to)[1] if to else _read_bytes(self._path(*entity)) or b""
        before, after = (d.decode(errors="replace").splitlines() for d in (old, new))
        lines = difflib.unified_diff(before, after, revision, to or "now", lineterm="")
        return "".join(f"{line}\n" for line in lines)

    def rollback(self, workspace: str, entity_type: str, entity_id: str, revision: str) -> Profile:
        """Put a snapshot back. What is there now, damaged or not, becomes a snapshot first."""
        entity = Entity(workspace, entity_type, entity_id)
        kept = self.read_revision(*entity, revision)
        profile = replace(kept, updated_at=self._now().isoformat())
        self._replace(entity, render(profile))
        return profile

    def delete(self, workspace: str, entity_type: str, entity_id: str) -> bool:
        """Remove the profile, its snapshots and what a killed writer left; False if none."""
        path = self._path(workspace, entity_type, entity_id)
        history = self._history(workspace, entity_type, entity_id)
        self._known_path.cache_clear()  # the id is in it
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
        """Remove temporary files of writers that were killed; for start-up."""
        removed = 0
        for parent in self.folder.rglob("*"):
            if parent.is_dir():
                with closing(Folder(parent)) as folder:
                    removed += sweep_temps(folder)
        return removed

    @contextmanager
    def locked(
        self, workspace: str, entity_type: str, entity_id: str, timeout: float = 60.0
    ) -> Iterator[None]:
        """Hold one profile across read → model → write, against threads and processes.

        Not re-entrant: a second `locked` on the same profile inside the first waits in vain.
        """
        path = self._path(workspace, entity_type, entity_id)
        mark = hashlib.sha256(str(path.relative_to(self.folder)).encode()).hexdigest()[:32]
        lock = self.folder / "locks" / f"{mark}.lock"
        with held(lock, timeout, f"profile {entity_type}:{entity_id}"):
            yield

    def _replace(self, entity: Entity, data: bytes) -> None:
        path, history = self._path(*entity), self._history(*entity)
        try:
            old = _read_bytes(path)
            if old is not None:
                self._snapshot(history, old)
            _write(path, data)
        except OSError as error:
            raise StorageError(
                f"{path} could not be written ({error}); the profile is as it was: check free "
                "space and permissions, then try again"
            ) from error
        self._prune(history)

    def _snapshot(self, history: Path, data: bytes) -> None:
        taken = [n for n in _stems(history) if _REVISION.fullmatch(n)]
        now = self._now()
        if taken:
            if _read_bytes(history / f"{taken[-1]}.md") == data:
                return  # a write that failed has kept it already
            last = datetime.strptime(taken[-1], TIME).replace(tzinfo=UTC)
            now = max(now, last + timedelta(microseconds=1))  # names stay unique and in order
        _write(history / f"{now:{TIME}}.md", data)

    def _prune(self, history: Path) -> None:
        taken = [n for n in _stems(history) if _REVISION.fullmatch(n)]
        try:
            for name in taken[: max(0, len(taken) - self.keep)]:
                (history / f"{name}.md").unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(
                f"the profile was written, but old snapshots in {history} could not be removed "
                f"({error}); correct the folder's permissions"
            ) from error

    def _revision(self, entity: Entity, revision: str) -> tuple[Path, bytes]:
        if not _REVISION.fullmatch(revision):
            raise InputError(f"{revision[:40]!r} is not a revision; take one from revisions()")
        path = self._history(*entity) / f"{revision}.md"
        data = _read_bytes(path)
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
        return self._base(workspace) / _folder(entity_type) / f"{file_name(entity_id)}.md"

    def _history(self, workspace: str, entity_type: str, entity_id: str) -> Path:
        return self._base(workspace) / "history" / _folder(entity_type) / file_name(entity_id)


def file_name(value: str, what: str = "entity_id") -> str:
    """An id as a file name that is legal everywhere and can be turned back (`unquote`).

    Letters of any script stay, so that a person finds the file. What is shaped to leave the
    folder is refused, not repaired: nobody's id looks like that by accident.
    """
    text = clean_id(value, what)
    if text is None:
        raise InputError(f"{what} is empty; pass the id as the host gives it")
    if _OUTWARD.match(text):
        raise InputError(f"{what} {text[:40]!r} could leave the profile folder; use another id")
    name = "".join(c if c.isalnum() or c in "-_.@+=!,#" else _escaped(c) for c in text)
    if name[0] == "." or _DEVICE.match(name):
        name = _escaped(name[0]) + name[1:]
    if name[-1] == ".":  # Windows drops it
        name = name[:-1] + _escaped(".")
    if len(name.encode()) > MAX_NAME_BYTES:
        raise InputError(f"{what} needs a file name of over {MAX_NAME_BYTES} bytes; shorten the id")
    return name


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode())


def _ids(names: list[str]) -> Iterator[str]:
    """The ids behind file names. A stray file, whose name we would not have given, is none."""
    for name in names:
        with suppress(InputError):
            if file_name(unquote(name)) == name:
                yield unquote(name)


def _folder(entity_type: str) -> str:
    if entity_type not in FOLDERS:
        raise InputError(f"entity_type is {entity_type!r:.40}; it must be 'user' or 'group'")
    return FOLDERS[entity_type]


def render(profile: Profile) -> bytes:
    """The file of a profile. Characters that UTF-8 cannot hold become question marks."""
    texts = (profile.name, *profile.tags, profile.updated_at, profile.source_event_id)
    if sum(len(text) + 20 for text in texts) > MAX_FRONT_CHARS // 12:  # escapes take up to 10
        raise InputError("name and tags of a profile are too long; keep them to a few words")
    front = (
        f"entity_type: {profile.entity_type}\n"
        f"entity_id: {_quoted(str(profile.entity_id))}\n"
        f"name: {_quoted(profile.name)}\n"
        f"tags: [{', '.join(map(_quoted, profile.tags))}]\n"
        f"updated_at: {_quoted(profile.updated_at)}\n"
        f"source_event_id: {_quoted(profile.source_event_id)}\n"
    )
    return f"---\n{front}---\n\n{profile.body.strip()}\n".encode(errors="replace")


def _quoted(text: str) -> str:
    """Text that no YAML reader takes for a number, a date, a boolean or a second line."""
    return yaml.safe_dump(text, default_style='"', allow_unicode=True, width=10**9).rstrip("\n")


def parse(data: bytes, entity: Entity, path: Path) -> Profile:
    """The profile in a file. All of the front matter is text: ids are never numbers or dates."""
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise _damaged(path, "is not UTF-8 text") from error
    marks = [found.span() for found in islice(_MARK.finditer(text), 2)]
    if len(marks) < 2 or marks[0][0] != 0:
        raise _damaged(path, "does not begin with front matter between two lines of ---")
    front, body = text[marks[0][1] : marks[1][0]], text[marks[1][1] :]
    if len(front) > MAX_FRONT_CHARS:
        raise _damaged(path, "has too much front matter")
    try:
        fields = yaml.load(front, yaml.BaseLoader) or {}  # the loader that only makes text
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" near line {mark.line + 1}" if mark else ""
        raise _damaged(path, f"has front matter that is not YAML{where}") from error
    return _profile(fields, body.strip(), entity, path)


def _profile(fields: Any, body: str, entity: Entity, path: Path) -> Profile:
    if not isinstance(fields, dict):
        raise _damaged(path, "has front matter that is not a list of `key: value` lines")
    tags = fields.get("tags") or []
    if isinstance(tags, str):
        tags = [tags]
    texts = {key: fields.get(key, "") for key in ("name", "updated_at", "source_event_id")}
    if not isinstance(tags, list) or not all(isinstance(t, str) for t in (*tags, *texts.values())):
        raise _damaged(path, "has a name, tag, time or event id that is not plain text")
    for key in ("entity_type", "entity_id"):
        if (said := fields.get(key, getattr(entity, key))) != getattr(entity, key):
            raise _damaged(path, f"says {key} {said!r:.60}, but its place says otherwise")
    return Profile(
        entity_type=cast(Literal["user", "group"], entity.entity_type),
        entity_id=entity.entity_id,
        tags=tuple(tags),
        body=body,
        workspace=entity.workspace,
        **texts,
    )


def _damaged(path: Path, what: str) -> CorruptError:
    return CorruptError(
        f"{path} {what}; it is left as it is: correct it in an editor, roll back to a revision, "
        "or delete the profile"
    )


def _read_bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> StorageError:
    return StorageError(f"{path} cannot be read ({error}); check its permissions")


def _stems(folder: Path, suffix: str = ".md") -> list[str]:
    """Names in a folder that end in `suffix`, without it, in order; none without a folder."""
    try:
        return sorted(
            name.removesuffix(suffix)
            for name in os.listdir(folder)  # noqa: PTH208  (names alone: no Path per file)
            if name.endswith(suffix)
        )
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _unreadable(folder, error) from error


def _write(path: Path, data: bytes) -> None:
    with closing(Folder(path.parent)) as folder:
        write_durably(path, data, folder)
