"""Files of lines that grow at the end: what leaves the store is durable here before it goes."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from ..disk.durable_io import (
    TEMP_SUFFIX,
    Folder,
    make_folder,
    sweep_temps,
    sync_folder,
)
from ..disk.file_owner import give_to_owner
from ..disk.file_permissions import make_private_file
from ..disk.process_identity import process_mark
from ..errors import StorageError

SUFFIX = ".jsonl"
# The folder may be somebody's project: other files in it are not ours to read or change.
_OURS = re.compile(r"observations-\d{4}-\d\d\.jsonl", re.ASCII)
# More than the last line of an archive ever takes.
TAIL_BYTES = 64 * 1024


class ArchiveFiles:
    """One folder of such files, by name without a suffix. Callers hold a lock while they write."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self) -> list[str]:
        with self._errors("read"):
            found = self.folder.glob(f"*{SUFFIX}")
            return sorted(path.stem for path in found if _OURS.fullmatch(path.name))

    def lines(self, name: str) -> Iterator[bytes]:
        """Each with its line feed; a last one without was cut short."""
        with self._errors("read"), suppress(FileNotFoundError), self._path(name).open("rb") as file:
            yield from file

    def last_line(self, name: str) -> tuple[int, bytes]:
        """Where the last line begins, and the line; nothing where there is no file."""
        with self._errors("read"):
            try:
                with self._path(name).open("rb") as file:
                    size = file.seek(0, os.SEEK_END)
                    file.seek(max(0, size - TAIL_BYTES))
                    tail = file.read()
            except FileNotFoundError:
                return 0, b""
        before = tail.rfind(b"\n", 0, len(tail) - 1) + 1
        return size - len(tail) + before, tail[before:]

    def append(self, name: str, after: int, data: bytes) -> None:
        """Write `data` in place of all that follows the first `after` bytes. Durable when this
        returns."""
        path = self._path(name)
        with self._errors("written"):
            make_folder(self.folder)
            make_private_file(path)
            handle = os.open(path, os.O_WRONLY | getattr(os, "O_BINARY", 0))
            try:
                os.ftruncate(handle, after)
                os.lseek(handle, after, os.SEEK_SET)
                _write_all(handle, data)
                os.fsync(handle)
            finally:
                os.close(handle)
            if after == 0:
                sync_folder(self.folder)

    def replace(self, name: str, lines: Iterable[bytes]) -> None:
        """Replace the file atomically, without holding all of it in memory."""
        path = self._path(name)
        temp = path.with_name(f"{path.name}.{process_mark()}-{secrets.token_hex(4)}{TEMP_SUFFIX}")
        with self._errors("written"):
            self._sweep()
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            handle = os.open(temp, flags, 0o600)
            try:
                try:
                    give_to_owner(path, handle)
                    for line in lines:
                        _write_all(handle, line)
                    os.fsync(handle)
                finally:
                    os.close(handle)
                temp.replace(path)
            except BaseException:
                with suppress(OSError):  # the first error is the one to report
                    temp.unlink()
                raise
            sync_folder(self.folder)

    def remove(self, name: str) -> None:
        with self._errors("written"):
            self._path(name).unlink(missing_ok=True)
            sync_folder(self.folder)

    def _sweep(self) -> None:
        """A rewrite that was killed left a copy of what may have to be forgotten."""
        with closing(Folder(self.folder)) as here:
            sweep_temps(here, marked=True)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{SUFFIX}"

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(
                f"{self.folder} cannot be {what} ({error}); check its disk and permissions"
            ) from error


def _write_all(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]
