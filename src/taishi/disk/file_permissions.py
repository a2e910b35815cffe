"""Restricts a data folder to its owner: folders 0700, files 0600, whatever the umask."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from .file_owner import give_to_owner

OTHERS = stat.S_IRWXG | stat.S_IRWXO
FILE_MODE = 0o600


def make_private_file(path: Path) -> None:
    """Create an empty file, if there is none yet."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))
        give_to_owner(path)


def open_to_others(folder: Path, own: Collection[str]) -> list[Path]:
    """What other users of the machine could read in a data folder, outermost first.

    `own` are the names of our files and folders in it. The folder itself counts only if it holds
    nothing else: it may be a user's project. A closed folder is not searched, since nobody else can
    reach what is inside.
    """
    if sys.platform == "win32" or not folder.is_dir():
        return []
    entries = list(folder.iterdir())
    ours = [path for path in entries if path.name in own]
    found = [folder] if len(ours) == len(entries) and _is_open(folder) else []
    return [*found, *(path for entry in ours for path in _open_inside(entry))]


def close_to_others(folder: Path, own: Collection[str]) -> int:
    """Remove the permissions of others; how many entries had some."""
    found = open_to_others(folder, own)
    for path in reversed(found):  # contents first: an interrupted run is continued by the next
        with suppress(OSError):  # owned by somebody else, or gone: `doctor` lists what stays open
            path.chmod(stat.S_IMODE(path.lstat().st_mode) & ~OTHERS)
    return len(found)


def _open_inside(path: Path) -> Iterator[Path]:
    if _is_open(path):
        yield path
        for parent, folders, files in os.walk(path):
            inside = (Path(parent, name) for name in (*folders, *files))
            yield from (one for one in inside if _is_open(one))


def _is_open(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return not stat.S_ISLNK(mode) and bool(mode & OTHERS)
