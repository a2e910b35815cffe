"""Removal of what a user or a partition left in the database, and the count of what is still there
(O2)."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from ...errors import BusyError
from ...types import Edit, Partition, Record
from ..record_rows import FIELDS, naming_texts, number_range, record_of
from . import sessions
from .change_feed import ANY
from .database import ALL, Connection, Database
from .partitions import PARTITION_NO, key, lock_one
from .record_columns import columns, search_key
from .record_writer import RecordWriter
from .records import partition_no

log = logging.getLogger("taishi")
LOCK_TIMEOUT = "10s"
# Of the records r: those of a user, wherever they were said. Three look-ups, each with its index.
_OF_USER = f"""r.number IN (
  SELECT number FROM records WHERE workspace = %s AND user_id = %s
  UNION ALL SELECT number FROM records WHERE partition = {PARTITION_NO}
  UNION ALL SELECT number FROM records
    WHERE workspace = %s AND told_by = %s AND kind IN ('turn', 'event'))"""
_OF_RECORD = columns((*FIELDS, "data"), "r.")
# Tables that hold words, or hashes of them.
_REWRITTEN = ("records", "index_rows", "index_packs", "messages", "sessions", "compressions",
              "ledger", "record_terms", "record_vectors", "partitions", "links")  # fmt: skip


class PostgresErasure:
    """Implements ports.ErasableStore. Each removal is one transaction.

    The bytes of deleted rows are in the server's files until it vacuums, and in its write-ahead log
    until that is recycled: both are the server's to decide. `compact` rewrites the tables at once.
    """

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def forget_user(self, workspace: str, user: str, names: Collection[str] = ()) -> int:
        return self._db.repeat(lambda: self._forget_user(workspace, user, names))

    def _forget_user(self, workspace: str, user: str, names: Collection[str]) -> int:
        touched = {ANY}
        with self._db.writing(workspace, touched) as connection:
            batch = RecordWriter(connection, self._clock(), touched)
            batch.open_numbers(_numbers_of_user(connection, workspace, user, names))
            # Again, as nothing more can come to these partitions now.
            numbers = _numbers_of_user(connection, workspace, user, names)
            batch.open_numbers(numbers)
            for number in numbers:
                batch.remove(number)
            count = batch.finish()
            connection.execute(
                "DELETE FROM links WHERE workspace = %s AND user_id = %s", (workspace, user)
            )
            count += sessions.forget_user(connection, workspace, user, names)
            _unname(connection, Partition(workspace, "private", user))
        return count

    def forget_record(self, place: Partition, id: str) -> int:
        edit = Edit("remove", place=place, id=id)

        def remove() -> int:
            touched: set[int] = set()
            with self._db.writing(place.workspace, touched) as connection:
                batch = RecordWriter(connection, self._clock(), touched)
                batch.open([edit])
                batch.add(edit, b"")
                return batch.finish()

        return self._db.repeat(remove)

    def forget_place(self, place: Partition) -> int:
        return self._db.repeat(lambda: self._forget_place(place))

    def _forget_place(self, place: Partition) -> int:
        touched = {ANY}
        with self._db.writing(place.workspace, touched) as connection:
            if partition_no(connection, place) is None:
                return 0
            no = lock_one(connection, place)
            batch = RecordWriter(connection, self._clock(), touched)
            low, high = number_range(no)
            batch.open_numbers([low])
            for (number,) in connection.execute(
                "SELECT number FROM records WHERE number > %s AND number < %s", (low, high)
            ).fetchall():
                batch.remove(number)
            count = batch.finish() + sessions.forget_place(connection, place)
            _unname(connection, place)
        return count

    def belongings(self, place: Partition, user: str | None = None) -> Iterator[Record]:
        where, values = "p.workspace = %s AND p.kind = %s AND p.id = %s", key(place)
        if user is not None:
            where, values = _OF_USER, _who(place.workspace, user)
        yield from self._records(place.workspace, where, values)

    def naming(self, workspace: str, user: str, names: Collection[str]) -> Iterator[Record]:
        where = (
            "r.workspace = %s AND r.kind = 'event' AND EXISTS "
            "(SELECT 1 FROM unnest(%s::text[]) AS one WHERE strpos(r.data, one) > 0)"
        )
        yield from self._records(workspace, where, (workspace, naming_texts(user, names)))

    def _records(self, workspace: str, where: str, values: tuple[object, ...]) -> Iterator[Record]:
        with self._db.reading(workspace) as connection:
            rows = connection.execute(
                f"SELECT p.workspace, p.kind, p.id, {_OF_RECORD} FROM records r "
                f"JOIN partitions p ON p.no = r.partition WHERE {where}",
                values,
            ).fetchall()
        for workspace, kind, id, *row in rows:
            yield record_of(Partition(workspace, kind, id), row)

    def mentions(self, workspace: str, place: Partition, user: str | None) -> dict[str, int]:
        """How many rows of each table still belong to a partition, or to a user of a workspace."""
        of_place, values = f"partition = {PARTITION_NO}", key(place)
        conditions: dict[str, tuple[str, tuple[Any, ...]]] = {
            "records": (f"{of_place} OR (user_id = %s AND workspace = %s)",
                        (*values, user, workspace)),
            "messages": (f"{of_place} OR (speaker_id = %s AND workspace = %s)",
                         (*values, user, workspace)),
            "sessions": (of_place, values),
            "compressions": (of_place, values),
            "recalled_hashes": (of_place, values),
            "note_receipts": (of_place, values),
            "links": ("workspace = %s AND user_id = %s", (workspace, user)),
            "partitions": ("workspace = %s AND kind = %s AND id = %s AND id != ''", values),
        }  # fmt: skip
        with self._db.reading(ALL) as connection:
            found = {}
            for table, (sql, given) in conditions.items():
                row = connection.execute(
                    f"SELECT count(*) FROM {table} WHERE {sql}", given
                ).fetchone()
                found[table] = int(row[0]) if row else 0
        return found

    def users_named(self, workspace: str, id: str) -> dict[str, int]:
        is_named, values = "({0} = %s OR right({0}, %s::int) = %s)", (id, len(id) + 1, f":{id}")
        found: Counter[str] = Counter()
        with self._db.reading(ALL) as connection:
            for sql in (
                f"SELECT user_id, count(*) FROM records WHERE {is_named.format('user_id')} "
                "AND workspace = %s GROUP BY user_id",
                "SELECT p.id, count(*) FROM partitions p JOIN records r ON r.partition = p.no "
                f"WHERE {is_named.format('p.id')} AND p.workspace = %s AND p.kind = 'private' "
                "AND r.user_id IS NULL GROUP BY p.id",
            ):
                for name, count in connection.execute(sql, (*values, workspace)):
                    found[name] += count
        return dict(found)

    def copies_of(
        self, home: Partition, ids: Collection[str] | None = None, user: str | None = None
    ) -> list[tuple[Partition, str, str]]:
        """Copies, in other workspaces, of a partition's records (of all, or of `ids`) and of a
        user's: partition, id, and the mark of the original."""
        same = "p.kind = %s AND p.id = %s AND (%s::text[] IS NULL OR r.id = ANY (%s::text[]))"
        wanted = None if ids is None else list(ids)
        asked: list[tuple[str, tuple[Any, ...]]] = [(same, (home.kind, home.id, wanted, wanted))]
        if user is not None:
            asked.append(("r.user_id = %s", (user,)))
        found: dict[tuple[Partition, str], str] = {}
        with self._db.reading(ALL) as connection:
            for sql, values in asked:
                for workspace, kind, place, id, mark in connection.execute(
                    "SELECT p.workspace, p.kind, p.id, r.id, r.copied_from "
                    "FROM partitions p JOIN records r ON r.partition = p.no "
                    f"WHERE p.workspace != %s AND r.copied_from IS NOT NULL AND {sql}",
                    (home.workspace, *values),
                ):
                    found[Partition(workspace, kind, place), id] = mark
        return [(place, id, mark) for (place, id), mark in found.items()]

    def scrub(self, seconds: float = 5.0) -> bool:
        """The write-ahead log is the server's: nothing to do here."""
        return True

    def compact(self) -> None:
        """VACUUM FULL, table by table; nobody can use a table meanwhile. One that is in use for too
        long is left to the server's own vacuum."""
        for table in _REWRITTEN:
            try:
                with self._db.reading(ALL) as connection:
                    connection.execute(f"SET lock_timeout = '{LOCK_TIMEOUT}'")
                    try:
                        connection.execute(f"VACUUM (FULL) {table}")
                    finally:
                        connection.execute("RESET lock_timeout")
            except BusyError as error:
                log.warning("the table %s was not rewritten: %s", table, error)

    def files(self) -> list[Path]:
        """None on this machine: the files are the server's."""
        return []


def _who(workspace: str, user: str) -> tuple[Any, ...]:
    home = Partition(workspace, "private", user)
    return workspace, user, *key(home), workspace, search_key(user)


def _numbers_of_user(
    connection: Connection, workspace: str, user: str, names: Collection[str]
) -> list[int]:
    """Their own records, and the summaries of sessions in which they spoke."""
    spoken, who = sessions.spoken_by(user, names)
    rows = connection.execute(
        f"SELECT r.number FROM records r WHERE {_OF_USER} UNION "
        "SELECT number FROM records WHERE kind = 'summary' AND (partition, session) IN "
        f"(SELECT partition, session FROM messages WHERE workspace = %s AND {spoken})",
        (*_who(workspace, user), workspace, *who),
    )
    return [number for (number,) in rows.fetchall()]


def _unname(connection: Connection, place: Partition) -> None:
    """A forgotten partition keeps its number, which is never reused, but not its id. The marker is
    a character that no id has."""
    for table in ("recalled_hashes", "note_receipts"):
        connection.execute(f"DELETE FROM {table} WHERE partition = {PARTITION_NO}", key(place))
    connection.execute(
        "UPDATE partitions SET id = chr(1) || no WHERE workspace = %s AND kind = %s AND id = %s "
        "AND kind != 'workspace'",
        key(place),
    )
