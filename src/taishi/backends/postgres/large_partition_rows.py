"""Fills in and removes the rows that a search in SQL reads (search_rows.py), for a partition that
has grown over the limit, or shrunk."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..record_rows import number_range
from .database import Connection, Database
from .driver_errors import translated
from .halfvec import SCALE_BYTES, halfvec
from .partitions import PartitionWorkspaces, lock_numbers
from .search_rows import FILLING, OFF, READY, TABLES, lexemes

IN_BATCH = 1000
# A writer may have put terms and no vector: if it changed a record and left its text as it was.
_MISSING = """
SELECT i.number, i.terms, t.number IS NULL, CASE WHEN v.number IS NULL THEN i.code END, i.model
FROM index_rows i
LEFT JOIN record_terms t ON t.number = i.number
LEFT JOIN record_vectors v ON v.number = i.number
WHERE i.number > %s AND i.number < %s
  AND (t.number IS NULL OR (v.number IS NULL AND i.model != 0))
ORDER BY i.number LIMIT %s"""
# COPY does not write to tables with a policy, so it goes by tables of the session's own.
_STAGE = """
CREATE TEMPORARY TABLE IF NOT EXISTS staged_vectors (LIKE record_vectors) ON COMMIT DELETE ROWS;
CREATE TEMPORARY TABLE IF NOT EXISTS staged_terms (LIKE record_terms) ON COMMIT DELETE ROWS"""
_LEXEME = struct.Struct(">H")


class PostgresSearchRows:
    """Which partitions have search rows. Every step is safe to repeat, by any process."""

    def __init__(self, db: Database, workspaces: PartitionWorkspaces) -> None:
        self._db = db
        self._workspaces = workspaces

    def is_ready(self, no: int) -> bool:
        sql = "SELECT sql_search FROM partitions WHERE no = %s"
        return bool(self._db.scalar(self._workspaces.of(no), sql, no) == READY)

    def enable(self, no: int) -> int:
        """Keep search rows from now on, and fill in those of earlier records; how many. Others may
        write meanwhile."""
        workspace = self._workspaces.of(no)
        if self.is_ready(no):
            return 0
        with translated(self._db.host), self._db.connect() as connection:
            mark(connection, workspace, no, FILLING)
            filled = fill(connection, workspace, no, lambda: False)
            mark(connection, workspace, no, READY)
        return filled or 0

    def disable(self, no: int) -> None:
        workspace = self._workspaces.of(no)
        with translated(self._db.host), self._db.connect() as connection:
            mark(connection, workspace, no, OFF)
            remove(connection, workspace, no)


def mark(connection: Connection, workspace: str, no: int, state: int) -> bool:
    """From now on, writers know. False: there is no such partition."""
    with _locked(connection, workspace, no) as found:
        connection.execute("UPDATE partitions SET sql_search = %s WHERE no = %s", (state, no))
        return found


def fill(
    connection: Connection, workspace: str, no: int, stopped: Callable[[], bool]
) -> int | None:
    """All rows that are missing, in short transactions; how many. None: it was stopped."""
    low, high = number_range(no)
    after, filled = low, 0
    for sql in _STAGE.split(";"):
        connection.execute(sql)
    while not stopped():
        with _locked(connection, workspace, no):
            cursor = connection.execute(_MISSING, (after, high, IN_BATCH), binary=True)
            rows = cursor.fetchall()
            if not rows:
                return filled
            _copy(connection, workspace, no, rows)
        after, filled = rows[-1][0], filled + len(rows)
    return None


def remove(connection: Connection, workspace: str, no: int) -> None:
    low, high = number_range(no)
    for table in TABLES:
        with _locked(connection, workspace, no):
            connection.execute(
                f"DELETE FROM {table} WHERE number >= %s AND number < %s", (low, high)
            )


@contextmanager
def _locked(connection: Connection, workspace: str, no: int) -> Iterator[bool]:
    """A transaction that writers of the partition wait for. False: there is no such partition."""
    with connection.transaction():
        connection.seen = None  # the last one ended with its transaction
        Database.see(connection, workspace)
        yield bool(lock_numbers(connection, [no]))


def _copy(connection: Connection, workspace: str, no: int, rows: Sequence[tuple[Any, ...]]) -> None:
    terms = [(n, no, workspace, _tsvector(n, packed)) for n, packed, new, _, _ in rows if new]
    vectors = [
        (n, no, workspace, model, halfvec(code).to_binary())
        for n, _, _, code, model in rows
        if code is not None and len(code) > SCALE_BYTES
    ]
    _put(connection, "terms", ("int8", "int8", "text", "bytea"), terms)
    _put(connection, "vectors", ("int8", "int8", "text", "int4", "bytea"), vectors)


def _put(
    connection: Connection, name: str, types: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    if not rows:
        return
    with connection.cursor() as cursor:
        # In binary form bytes are sent as they are: here, as the types of the columns expect them.
        with cursor.copy(f"COPY staged_{name} FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)
        cursor.execute(
            f"INSERT INTO record_{name} SELECT * FROM staged_{name} ON CONFLICT DO NOTHING"
        )


def _tsvector(number: int, terms: bytes) -> bytes:
    """PostgreSQL's binary form: a count; each lexeme with a zero byte, and no positions."""
    words = lexemes(number, terms)
    none = b"\0" + _LEXEME.pack(0)
    return struct.pack(">I", len(words)) + b"".join(word.encode() + none for word in words)
