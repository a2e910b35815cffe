"""Files by key in a folder.

Every name of a key is a folder, the last one a file. Names are escaped so that they are legal and
distinct on every file system: `%41` for a letter with a case, a folder ends in `%`. So neither a
key nor two keys together can reach another file.
"""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from ..disk.durable_io import make_folder, sync_folder, write_durably
from ..errors import InputError, StorageError
from ..ports.files import checked_key

MAX_NAME_BYTES = 180  # file systems allow 255; a file that is being written has a longer name
FOLDER_END = "%"
TRIES = 5
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|\Z)")


class FolderFiles:
    """Implements ports.FileStore. For many threads and processes."""

    where = ""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, key: str, data: bytes) -> None:
        path = self._path(key)
        for attempt in range(TRIES):
            try:
                make_folder(path.parent)
                write_durably(path, data)
                return
            except FileNotFoundError as error:  # the empty folder was removed by a delete
                if attempt == TRIES - 1:
                    raise _failed(path, error) from error
            except OSError as error:
                raise _failed(path, error) from error

    def get(self, key: str) -> bytes | None:
        path = self._path(key)
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _failed(path, error) from error

    def exists(self, key: str) -> bool:
        path = self._path(key)
        try:
            return path.is_file()
        except OSError as error:
            raise _failed(path, error) from error

    def delete(self, key: str) -> bool:
        path = self._path(key)
        try:
            path.unlink()
            sync_folder(path.parent)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise _failed(path, error) from error
        self._remove_empty(path.parent)
        return True

    def list(self, prefix: str = "") -> Sequence[str]:
        within, _, _ = prefix.rpartition("/")
        try:
            names = checked_key(within).split("/") if "/" in prefix else []
            below = self._folder.joinpath(*(_escaped(name) + FOLDER_END for name in names))
            known = "".join(f"{name}/" for name in names)
            return sorted(key for key in _keys(below, known) if key.startswith(prefix))
        except InputError:
            return []  # no key looks like that
        except OSError as error:
            raise _failed(self._folder, error) from error

    def link(self, key: str, seconds: float) -> str | None:
        checked_key(key)
        return None

    def clear(self) -> None:
        try:
            for path in self._folder.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            sync_folder(self._folder)
        except FileNotFoundError:
            return  # nothing was ever put
        except OSError as error:
            raise _failed(self._folder, error) from error

    def _path(self, key: str) -> Path:
        *folders, name = (_escaped(part) for part in checked_key(key).split("/"))
        return self._folder.joinpath(*(one + FOLDER_END for one in folders), name)

    def _remove_empty(self, folder: Path) -> None:
        """Up to our own: the name of a folder may be an id that is to be forgotten."""
        with suppress(OSError):  # it holds other files
            while folder != self._folder:
                folder.rmdir()
                folder = folder.parent
                sync_folder(folder)


def _keys(folder: Path, prefix: str) -> Iterator[str]:
    """The keys below a folder. The stack is ours: a hostile depth must not end in recursion."""
    todo = [(folder, prefix)]
    while todo:
        here, before = todo.pop()
        try:
            entries = list(os.scandir(here))
        except FileNotFoundError:
            continue
        for entry in entries:
            bare = entry.name.removesuffix(FOLDER_END)
            name = unquote(bare)
            with suppress(InputError, UnicodeError):
                if name in ("", ".", "..") or _escaped(name) != bare:
                    continue  # a half-written file, or one that somebody else put here
                if entry.name.endswith(FOLDER_END):
                    todo.append((Path(entry.path), f"{before}{name}/"))
                else:
                    yield before + name


def _escaped(name: str) -> str:
    """A name that is legal everywhere and can be turned back by `unquote`."""
    text = "".join(c if _is_plain(c) else _hex(c) for c in name)
    if text[:1] == "." or _DEVICE.match(text):
        text = _hex(text[0]) + text[1:]
    if text.endswith((".", ".tmp")):  # Windows drops the one, a sweep removes the other
        text = text[:-1] + _hex(text[-1])
    if len(text.encode()) > MAX_NAME_BYTES:
        raise InputError(f"a name of a file's key is too long ({name!a:.40}…); shorten it")
    return text


def _is_plain(c: str) -> bool:
    """Whether a character is the same on file systems that fold case or compose letters."""
    if c in "-_.=":
        return True
    return c.isalnum() and c == c.casefold() == c.upper().lower() and _is_single(c)


def _is_single(c: str) -> bool:
    return all(unicodedata.normalize(form, c) == c for form in ("NFD", "NFKC"))


def _hex(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def _failed(path: Path, error: OSError) -> StorageError:
    return StorageError(
        f"{path} cannot be read or written ({error}); check the disk's space and permissions"
    )
