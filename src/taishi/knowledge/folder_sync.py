"""Keeps the documents of a folder in step with its files, by their hashes.

Only regular files below the folder are read: links are not followed, hidden files and folders are
skipped. A file that cannot be read is a line in the report, and the others go on.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import InputError, MissingExtraError, StorageError, TaishiError
from ..ports import Store
from ..ports.knowledge import DocumentInfo, SyncProblem, SyncReport
from ..transfer.progress import Progress
from ..types import Scope
from .importer import Importer, Source
from .manifest import DOCUMENT, NOTE, document_id, document_info
from .originals import Originals
from .removal import remove_document

MAX_FILE_BYTES = 200_000_000  # as much as the readers take
MAX_DEPTH = 64
MAX_DOCUMENTS = 1_000_000
ROOT = "root"


@dataclass(frozen=True, slots=True)
class File:
    path: Path
    name: str  # within the folder, with slashes
    size: int


@dataclass(slots=True)
class _Outcome:
    names: dict[str, list[str]] = field(default_factory=dict)
    problems: list[SyncProblem] = field(default_factory=list)
    warnings: list[SyncProblem] = field(default_factory=list)
    written: int = 0

    def add(self, action: str, name: str) -> None:
        self.names.setdefault(action, []).append(name)

    def report(self) -> SyncReport:
        names = {action: tuple(found) for action, found in self.names.items()}
        return SyncReport(
            added=names.get("added", ()),
            changed=names.get("changed", ()),
            unchanged=len(names.get("unchanged", ())),
            removed=names.get("removed", ()),
            problems=tuple(self.problems),
            warnings=tuple(self.warnings),
            chunks=self.written,
        )


class FolderSync:
    def __init__(self, importer: Importer, store: Store, originals: Originals) -> None:
        self._importer = importer
        self._store = store
        self._originals = originals

    def run(self, scope: Scope, folder: Path, label: str | None, progress: Progress) -> SyncReport:
        root = _folder(folder)
        prefix = label or root.name or "files"
        known = {one.id: one for one in self._documents(scope) if one.folder == prefix}
        if label is None:
            _check_same_root(known, root, prefix)
        outcome = _Outcome()
        files = list(_files(root, outcome.problems))
        bar = _Bar(sum(file.size for file in files), progress)
        seen = set()
        for file in files:
            name = f"{prefix}/{file.name}"
            seen.add(document_id(name))
            self._take(scope, Source(name, b"", prefix, {ROOT: str(root)}), file, outcome, bar)
            bar.finish(file.size)
        for id, info in known.items():
            if id not in seen:
                with self._importer.locked(scope, id):
                    gone = remove_document(self._store, self._originals, scope.home, id)
                outcome.written += gone
                outcome.add("removed", info.name)
        return outcome.report()

    def _take(self, scope: Scope, source: Source, file: File, outcome: _Outcome, bar: _Bar) -> None:
        try:
            data = _read(file)
            given = Source(source.name, data, source.folder, source.metadata)
            done = self._importer.run(scope, given, bar.tick)
        except StorageError:
            raise  # ours: no other file would do better
        except (OSError, TaishiError) as error:
            outcome.problems.append(SyncProblem(source.name, _reason(error)))
            return
        outcome.add(done.action, source.name)
        outcome.warnings += [SyncProblem(source.name, one) for one in done.info.warnings]
        outcome.written += done.written

    def _documents(self, scope: Scope) -> Iterator[DocumentInfo]:
        found = self._store.find(scope.home, (DOCUMENT,), None, MAX_DOCUMENTS, f"{DOCUMENT}:")
        return (document_info(one) for one in found if NOTE not in one.data)


class _Bar:
    """Turns bytes of files and characters of a document into one moving number."""

    def __init__(self, total: int, progress: Progress) -> None:
        self._total = max(total, 1)
        self._progress = progress
        self._before = self._inside = 0
        progress(0, self._total)

    def tick(self, chars: int) -> None:
        self._inside += chars
        self._progress(min(self._before + self._inside, self._total), self._total)

    def finish(self, size: int) -> None:
        self._before, self._inside = self._before + size, 0
        self._progress(min(self._before, self._total), self._total)


def _folder(folder: Path) -> Path:
    try:
        root = Path(folder).expanduser().resolve()
        if root.is_dir():
            return root
    except (OSError, ValueError, RuntimeError):
        pass
    raise InputError(f"{str(folder)!a:.120} is not a folder; name one that is there")


def _check_same_root(known: dict[str, DocumentInfo], root: Path, label: str) -> None:
    """Two folders of one name would remove each other's documents."""
    other = {str(info.metadata.get(ROOT) or "") for info in known.values()} - {str(root), ""}
    if other:
        raise InputError(
            f"{label!a:.80} was synced from {sorted(other)[0]!a:.120} before; to go on with it "
            f"from here, or to keep both, pass a name (name={label!a:.80} goes on)"
        )


def _files(root: Path, problems: list[SyncProblem]) -> Iterator[File]:
    """In order of their names. The stack is ours: a hostile depth must not end in recursion."""
    todo = [(root, "", 0)]
    while todo:
        here, prefix, depth = todo.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError as error:
            problems.append(SyncProblem(prefix or root.name, _reason(error)))
            continue
        below = []
        for entry in entries:
            if entry.name.startswith("."):
                continue
            name = prefix + os.fsencode(entry.name).decode("utf-8", "replace")
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode) and depth < MAX_DEPTH:
                below.append((Path(entry.path), f"{name}/", depth + 1))
            elif stat.S_ISREG(mode):
                size = entry.stat(follow_symlinks=False).st_size
                yield File(Path(entry.path), name, size)
            elif stat.S_ISLNK(mode):
                problems.append(SyncProblem(name, "a link: links are not followed"))
            else:
                problems.append(SyncProblem(name, "not a regular file"))
        todo.extend(reversed(below))


def _read(file: File) -> bytes:
    return read_file(file.path)


def read_file(path: Path) -> bytes:
    """A regular file, whole; never a link, a pipe or a device that took its place meanwhile."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as handle:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise InputError("not a regular file")
        if found.st_size > MAX_FILE_BYTES:
            raise InputError(
                f"{found.st_size:,} bytes; files of at most {MAX_FILE_BYTES:,} are read"
            )
        return handle.read(MAX_FILE_BYTES + 1)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return str(error) if isinstance(error, MissingExtraError | TaishiError) else repr(error)
