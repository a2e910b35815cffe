"""SQL functions and checks that the migrations need."""

from __future__ import annotations

import json
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import apsw
import numpy as np

from ...disk.installation import upgrade_line
from ...errors import StorageError
from ...types import trust_of, uses_of

SCALE_BYTES = 4
# Columns that 001_records.sql gained after the first folders had been written with it.
_LATER_COLUMNS = {
    "records": ("since REAL", "until REAL", "owner TEXT"),
    "shelf": ("since REAL", "until REAL"),
}


def migrations() -> list[Traversable]:
    """The numbered scripts, in order. `user_version` is how many of them were applied."""
    folder = resources.files(__package__) / "migrations"
    scripts = (item for item in folder.iterdir() if item.name.endswith(".sql"))
    return sorted(scripts, key=lambda item: item.name)


def refuse_newer(path: Path, version: int) -> None:
    known = len(migrations())
    if version > known:
        raise StorageError(
            f"{path} was written by a newer Taishi (schema {version}, this one knows "
            f"{known}). Upgrade: {upgrade_line()}"
        )


def add_missing_columns(connection: apsw.Connection) -> None:
    """Add the columns that the first released schema lacked, whatever version the file says it
    has."""
    for table, columns in _LATER_COLUMNS.items():
        there = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        for column in columns if there else ():
            if column.split()[0] not in there:
                connection.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'records'").get:
        connection.execute(
            "CREATE UNIQUE INDEX IF NOT EXISTS records_by_owner ON records (place, owner) "
            "WHERE owner IS NOT NULL"
        )


def trust(kind: str, confidence: float, data: str) -> float:
    """The trust column that schema 5 added, computed from a record of schema 4."""
    return trust_of(kind, confidence, json.loads(data))


def uses(kind: str, data: str) -> int:
    return uses_of(kind, json.loads(data))


def planes(full: bytes | None) -> bytes | None:
    """A vector of schema 3 (a scale and 16-bit numbers) in the layout of schema 4: the scale of
    the upper bytes, the upper bytes, the lower bytes."""
    if full is None:
        return None
    # Not above 127 in either byte, so the largest number is a little smaller than it was.
    fit = (127 * 256 + 127) / 32767
    scale = np.frombuffer(full, np.float32, 1) * np.float32(256 / fit)
    whole = np.rint(np.frombuffer(full, np.int16, offset=SCALE_BYTES) * fit).astype(np.int32)
    upper = (whole + 128) >> 8
    lower = whole - (upper << 8)
    return b"".join([scale.tobytes(), *(p.astype(np.int8).tobytes() for p in (upper, lower))])
