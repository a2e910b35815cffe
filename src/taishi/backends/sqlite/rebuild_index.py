"""The projections of the records, made anew from the records: terms, filters, packs, changes."""

from __future__ import annotations

from typing import Any

import apsw

from ...types import Partition
from .database import Database
from .transfer import record_of
from .writer import COLUMNS, PLACE_BITS, SHELVED, packed_terms

IN_BATCH = 500


def reindex(db: Database, place: Partition | None = None) -> int:
    """Of one place, or of all; how many records. A vector stays where its text is the same.

    Batch by batch, each a transaction: killed on the way, some entries are new and all are whole.
    """
    one = "WHERE workspace = ? AND kind = ? AND id = ?" if place else ""
    named = (place.workspace, place.kind, place.id) if place else ()
    with db.reading() as connection:
        numbers = [no for (no,) in connection.execute(f"SELECT no FROM places {one}", named)]
    return sum(_place(db, no) for no in numbers)


def _place(db: Database, no: int) -> int:
    low, high = no << PLACE_BITS, (no + 1) << PLACE_BITS
    after, done = low, 0
    rows: list[tuple[Any, ...]] = [(after,)]
    while rows:
        # Read where it is written: what another process changes in between would be undone.
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
        # Every index in every process must read its shelf anew.
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
    values = [getattr(record, name) for name in SHELVED]
    connection.execute(
        f"INSERT INTO shelf (number, revision, {', '.join(SHELVED)}, terms) "
        f"VALUES (?, 1, {','.join('?' * len(SHELVED))}, ?) ON CONFLICT (number) DO UPDATE SET "
        f"{', '.join(f'{name} = excluded.{name}' for name in (*SHELVED, 'terms'))}",
        (number, *values, packed_terms(record)),
    )
