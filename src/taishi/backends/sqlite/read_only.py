"""Databases on media that cannot be written: a mounted snapshot, a disc, a folder of another
user."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import apsw

from ...errors import DiskError, StorageError
from .migration_functions import migrations, refuse_newer


def is_read_only(path: Path) -> bool:
    """Whether there is a database, and it or its folder cannot be written."""
    effective = os.access in os.supports_effective_ids
    try:
        return path.is_file() and not all(
            os.access(one, os.W_OK, effective_ids=effective) for one in (path, path.parent)
        )
    except OSError:  # a name too long, a folder without permission: no database there
        return False


class ReadOnlySource:
    """Connections that create no files. Without a write-ahead log nobody is writing, and the
    file can be opened as immutable; with one, SQLite reads both."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = path.with_name(f"{path.name}-wal")
        self._log_index = path.with_name(f"{path.name}-shm")

    def connect(self) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        options = "immutable=1" if self._is_settled() else "mode=ro"
        connection = apsw.Connection(f"file:{quote(str(self._path))}?{options}", flags=flags)
        try:
            connection.pragma("user_version")
        except apsw.CantOpenError as error:
            connection.close()
            raise DiskError(
                f"{self._path} can only be read, and so cannot be put together with its "
                f"write-ahead log {self._log.name} ({error}). Copy the folder to a disk that can "
                "be written, and open the copy."
            ) from error
        return connection

    def _is_settled(self) -> bool:
        """No log; or an empty one without the index file that every writer keeps open."""
        try:
            return not self._log.stat().st_size and not self._log_index.exists()
        except FileNotFoundError:
            return True


def check_schema(connection: apsw.Connection, path: Path) -> None:
    version = int(connection.pragma("user_version"))
    refuse_newer(path, version)
    if version < len(migrations()):
        raise StorageError(
            f"{path} was written by an older Taishi (schema {version}) and cannot be brought up "
            "to date where it can only be read. Copy the folder to a disk that can be written, "
            "and open the copy."
        )
