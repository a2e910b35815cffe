"""Rebuild everything derived from the records: terms, filter columns, column batches, the change
log."""

from __future__ import annotations

from ...types import Partition
from ..index_chunk_ranges import chunks_of
from ..record_rows import number_range, packed_terms, record_of
from . import search_rows
from .change_feed import ANY
from .database import ALL, Database
from .partitions import key, lock_numbers
from .record_columns import INDEXED, RECORD_COLUMNS, index_values

IN_BATCH = 500
_INDEX = INDEXED.split(", ")
_PUT = f"""
INSERT INTO index_rows (number, workspace, revision, {INDEXED}, terms)
VALUES (%s, %s, 1, {",".join(["%s"] * (len(_INDEX) + 1))})
ON CONFLICT (number) DO UPDATE SET
  {", ".join(f"{name} = excluded.{name}" for name in (*_INDEX, "terms"))}"""


def reindex(db: Database, place: Partition | None = None) -> int:
    """Of one partition, or of all; how many records. A vector is kept where its text is unchanged.

    One transaction a batch: after a kill some rows are rebuilt, and all are valid.
    """
    one = "WHERE workspace = %s AND kind = %s AND id = %s" if place else ""
    named = key(place) if place else ()
    with db.reading(place.workspace if place else ALL) as connection:
        found = connection.execute(f"SELECT no, workspace FROM partitions {one}", named).fetchall()
    return sum(_partition(db, no, workspace) for no, workspace in found)


def _partition(db: Database, no: int, workspace: str) -> int:
    low, high = number_range(no)
    after, done = low, 0
    while count := _batch(db, no, workspace, after, high):
        after, done = count[0], done + count[1]
    with db.writing(workspace, (ANY, no)) as connection:
        lock_numbers(connection, [no])
        inside = "number > %s AND number < %s"
        for table in ("index_rows", *search_rows.TABLES):
            connection.execute(
                f"DELETE FROM {table} WHERE {inside} AND number NOT IN "
                f"(SELECT number FROM records WHERE {inside})",
                (low, high, low, high),
            )
        connection.execute(
            "DELETE FROM index_packs WHERE chunk >= %s AND chunk < %s", chunks_of(no)
        )
        connection.execute("DELETE FROM changes WHERE partition = %s", (no,))
        # Every index in every process must take a new snapshot.
        connection.execute(
            "UPDATE partitions SET seq = seq + 1, floor = seq + 1 WHERE no = %s", (no,)
        )
    return done


def _batch(db: Database, no: int, workspace: str, after: int, high: int) -> tuple[int, int] | None:
    """The last number and how many; None: there is nothing more."""
    # Read in the transaction that writes, or the changes of another process would be undone.
    with db.writing(workspace, (no,)) as connection:
        (locked,) = lock_numbers(connection, [no])
        rows = connection.execute(
            f"SELECT number, {RECORD_COLUMNS} FROM records WHERE number > %s AND number < %s "
            "ORDER BY number LIMIT %s",
            (after, high, IN_BATCH),
        ).fetchall()
        if not rows:
            return None
        values, terms = [], []
        for number, *row in rows:
            record = record_of(locked.place, row)
            terms.append((number, packed_terms(record)))
            values.append((number, workspace, *index_values(record), terms[-1][1]))
        with connection.cursor() as cursor:
            cursor.executemany(_PUT, values)
        if locked.sql_search:
            search_rows.put_terms(connection, workspace, terms)
    return rows[-1][0], len(rows)
