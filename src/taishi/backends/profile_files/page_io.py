"""Reading and writing single page files, with errors that say what to do."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

from ...disk.durable_io import Folder, write_durably
from ...errors import InputError, StorageError
from .pages import damaged

FOLDERS = {"user": "users", "group": "groups"}


def folder_of(entity_type: str) -> str:
    if entity_type not in FOLDERS:
        raise InputError(f"entity_type is {entity_type!r:.40}; it must be 'user' or 'group'")
    return FOLDERS[entity_type]


def read_bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except IsADirectoryError as error:
        raise damaged(path, "is a folder, not a page") from error
    except PermissionError as error:
        if path.is_dir():  # what Windows raises for a folder
            raise damaged(path, "is a folder, not a page") from error
        raise damaged(path, f"may not be read ({error.strerror})") from error
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> StorageError:
    return StorageError(f"{path} cannot be read ({error}); check its permissions")


def stems(folder: Path, suffix: str = ".md") -> list[str]:
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
        raise unreadable(folder, error) from error


def write_page(path: Path, data: bytes) -> None:
    with closing(Folder(path.parent)) as folder:
        write_durably(path, data, folder)
