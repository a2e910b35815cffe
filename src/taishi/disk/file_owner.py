"""Whose the files are that root makes in somebody else's folder: the folder's owner's.

A service runs as a user of its own. What a command of root left in its folder as root's, with mode
0600, the service could not read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path


def give_to_owner(path: Path, handle: int | None = None) -> None:
    """Give what was made for `path` to the owner of the file in its place, or of its folder.
    `handle`: of a file that is not at `path` yet. Only root can, and need."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return
    with suppress(OSError):  # a file system without owners, or one that refuses root
        replaced = handle is not None and path.exists()
        owner = (path if replaced else path.parent).stat()
        if owner.st_uid == 0:
            return
        if handle is None:
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
        else:
            os.fchown(handle, owner.st_uid, owner.st_gid)


def of_other_owners(folder: Path, own: Collection[str], database: str) -> list[Path]:
    """What in a data folder is not its owner's. `own` are the names of our files and folders in it;
    the owner is the database's, as the folder may be a mounted volume of root."""
    if sys.platform == "win32":
        return []
    try:
        owner = _uid(folder / database) if (folder / database).exists() else _uid(folder)
        entries = [path for path in sorted(folder.iterdir()) if path.name in own]
    except OSError:
        return []
    return [path for entry in entries for path in _inside(entry) if _uid(path, owner) != owner]


def name_of_owner(path: Path) -> str:
    """A user's name, else a number; "": nobody can tell."""
    try:
        return path.owner()
    except KeyError:
        return str(_uid(path))
    except (OSError, NotImplementedError):
        return ""


def _inside(path: Path) -> Iterator[Path]:
    yield path
    for parent, folders, files in os.walk(path):
        yield from (Path(parent, name) for name in (*folders, *files))


def _uid(path: Path, gone: int | None = None) -> int:
    try:
        return path.lstat().st_uid
    except OSError:
        if gone is None:
            raise
        return gone
