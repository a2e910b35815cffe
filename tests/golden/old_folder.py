"""Builds a data folder as the tree of schema 10 wrote it, with the standard library alone.

What lies in `old_folder/` was read once from a folder that a small story in English and Chinese
had left behind, and stays as it is whatever becomes of the source tree:

    schema.sql     every table and index, as the database lists them
    rows.json      a line for each row; `json` is a text of JSON, `base64` are bytes
    counters.json  the counts of changes in `taishi.db-pulse`, by cell; all other cells are 0
    files/         pages and their snapshots, jobs, keys, the old list of summaries: word for word
    answers.json   what the tree of that time answered to the questions of `old_folder_answers.py`

`python tests/golden/old_folder.py FOLDER` builds it, to look into it.
"""

from __future__ import annotations

import base64
import json
import shutil
import sqlite3
import struct
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

STORED = Path(__file__).parent / "old_folder"
DATABASE = "taishi.db"
COUNTERS = "taishi.db-pulse"
# Git keeps no empty folders.
EMPTY = ("locks", "processes", "profiles/locks", "queues/processing")
FOLDER_MODE, FILE_MODE = 0o700, 0o600


def build(folder: Path, stored: Path = STORED) -> Path:
    """Write the whole folder; it must not exist."""
    shutil.copytree(stored / "files", folder)
    for name in EMPTY:
        (folder / name).mkdir(parents=True)
    _write_database(folder / DATABASE, stored)
    _write_counters(folder / COUNTERS, stored)
    for path in (folder, *folder.rglob("*")):
        path.chmod(FOLDER_MODE if path.is_dir() else FILE_MODE)
    return folder


def _write_database(path: Path, stored: Path) -> None:
    tables = json.loads((stored / "rows.json").read_text(encoding="utf-8"))
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA synchronous = OFF")  # of this connection: nobody waits for a disk
        database.executescript((stored / "schema.sql").read_text(encoding="utf-8"))
        database.execute("BEGIN")
        for name, table in tables.items():
            if name == "sqlite_sequence":  # the last one; filled by SQLite as rows were put in
                database.execute("DELETE FROM sqlite_sequence")
            _insert(database, name, table["columns"], table["rows"])
        database.execute("COMMIT")


def _insert(
    database: sqlite3.Connection, name: str, columns: list[str], rows: list[list[Any]]
) -> None:
    marks = ", ".join("?" * len(columns))
    database.executemany(
        f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({marks})",
        [[_value(one) for one in row] for row in rows],
    )


def _value(stored: Any) -> Any:
    if not isinstance(stored, dict):
        return stored
    ((form, value),) = stored.items()
    if form == "json":
        return json.dumps(value, ensure_ascii=False)
    assert form == "base64", form
    return base64.b64decode(value)


def _write_counters(path: Path, stored: Path) -> None:
    told = json.loads((stored / "counters.json").read_text(encoding="utf-8"))
    content = bytearray(told["bytes"])
    for cell, count in told["cells"].items():
        struct.pack_into("<Q", content, int(cell) * 8, count)
    path.write_bytes(content)


if __name__ == "__main__":
    print(build(Path(sys.argv[1])))
