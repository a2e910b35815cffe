"""Rebuild everything derived from the records: terms, filter columns, column batches, the change
log."""

from __future__ import annotations

from typing import Any

import apsw

from ...types import Partition
from ..record_rows import INDEX_COLUMNS, index_values, number_range, packed_terms, record_of
from .database import Database
from .writer import COLUMNS

IN_BATCH = 500


def reindex(db: Database, place: Partition | None = None) -> int:
    """Of one partition, or of all; how many records. A vector is kept where its text is unchanged.

    One transaction a batch: after a kill some rows are rebuilt, and all are valid.
    """
    one = "WHERE workspace = ? AND kind = ? AND id = ?" if place else ""
    named = (place.workspace, place.kind, place.id) if place else ()
    with db.reading() as connection:
        numbers = [no for (no,) in connection.execute(f"SELECT no FROM places {one}", named)]
    return sum(_place(db, no) for no in numbers)


def _place(db: Database, no: int) -> int:
    low, high = number_range(no)
    after, done = low, 0
    rows: list[tuple[Any, ...]] = [(after,)]
    while rows:
        # Read in the transaction that writes, or the changes of another process would be undone.
        with db.writing({no}) as connection:
            rows = _rows(connection, after, high)
            for number, *row in rows:
                _put(connection, number, row)
        after, done = rows[-1][0] if rows else after, done + len(rows)
    with db.writing({no}) as connection:
        inside = "number > ? AND number < ?"
        connection.execute(
            f"DELETE FROM shelf WHERE {inside} AND number NOT IN "
            f"(SELECT number FROM records WHERE {inside})",
            (low, high, low, high),
        )
        connection.execute(
            "DELETE FROM packs WHERE chunk >= ? AND chunk <= ?", (low >> 10, high >> 10)
        )
        connection.execute("DELETE FROM changes WHERE place = ?", (no,))
        # Every index in every process must take a new snapshot.
        connection.execute("UPDATE places SET seq = seq + 1, floor = seq + 1 WHERE no = ?", (no,))
    return done


def _rows(connection: apsw.Connection, after: int, high: int) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = connection.execute(
        f"SELECT number, {COLUMNS} FROM records WHERE number > ? AND number < ? "
        "ORDER BY number LIMIT ?",
        (after, high, IN_BATCH),
    ).fetchall()
    return found


def _put(connection: apsw.Connection, number: int, row: list[Any]) -> None:
    record = record_of(Partition("", "private"), row)
    connection.execute(
        f"INSERT INTO shelf (number, revision, {', '.join(INDEX_COLUMNS)}, terms) "
        f"VALUES (?, 1, {','.join('?' * len(INDEX_COLUMNS))}, ?) "
        "ON CONFLICT (number) DO UPDATE SET "
        f"{', '.join(f'{name} = excluded.{name}' for name in (*INDEX_COLUMNS, 'terms'))}",
        (number, *index_values(record), packed_terms(record)),
    )
