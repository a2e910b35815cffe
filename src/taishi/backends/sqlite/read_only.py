"""Databases where nothing can be written: a mounted snapshot, a disc, a folder of another user, a
disk that is full."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import apsw

from ...disk.file_permissions import make_private_file
from ...errors import DiskError, StorageError
from .migration_functions import migrations, refuse_newer

ROOM = 256 * 1024


def is_read_only(path: Path) -> bool:
    """Whether there is a database, and it or its folder cannot be written."""
    effective = os.access in os.supports_effective_ids
    try:
        return path.is_file() and not all(
            os.access(one, os.W_OK, effective_ids=effective) for one in (path, path.parent)
        )
    except OSError:  # a name too long, a folder without permission: no database there
        return False


def is_disk_full(folder: Path) -> bool:
    """Whether there is no room for what SQLite needs to open a database for writing."""
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(ROOM))
    except OSError as error:
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    return False


class ReadOnlySource:
    """Connections that write nothing. Without a write-ahead log nobody is writing, and the
    file can be opened as immutable; with one, SQLite reads both.

    On a disk that is full, somebody may write again as soon as there is room. There the log and its
    index are made, empty, if they are missing: with them SQLite takes the locks that keep what is
    being read, and needs no room."""

    def __init__(self, path: Path, full: bool = False) -> None:
        self._path = path
        self._full = full
        self._log = path.with_name(f"{path.name}-wal")
        self._log_index = path.with_name(f"{path.name}-shm")

    def connect(self) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        if self._full:
            with suppress(OSError):  # no room even for a name: then nobody can begin to write
                make_private_file(self._log)
                make_private_file(self._log_index)
        options = (
            "immutable=1" if self._is_settled() else f"mode=ro{'&readonly_shm=1' * self._full}"
        )
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
