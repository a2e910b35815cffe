"""Removal of what a user or a partition left in the database, and the count of what is still there
(O2)."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import apsw

from ...types import Edit, Partition, Record
from ..record_rows import naming_texts, number_range, record_of
from . import sessions
from .database import Database
from .imported_copies import copies_of
from .writer import COLUMNS, TransactionWriter

# Of the records r in partitions p: those of a user, wherever they were said.
_OF_USER = """(p.workspace = ? AND (r.user = ? OR (p.kind = 'private' AND p.id = ?) OR
  (r.kind IN ('turn', 'event') AND json_valid(r.data) AND r.data ->> '$.user_id' = ?)))"""


class SqliteErasure:
    """Implements ports.ErasableStore. Each removal is one transaction, then the log is emptied."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def forget_user(self, workspace: str, user: str, names: Collection[str] = ()) -> int:
        home = Partition(workspace, "private", user)
        spoken, who = sessions.spoken_by(user, names)
        with self._db.writing() as connection:
            # Their own records, and the summaries of sessions in which they spoke.
            numbers = [
                number
                for (number,) in connection.execute(
                    f"SELECT number FROM records r JOIN places p ON p.no = r.place "
                    f"WHERE {_OF_USER} "
                    "OR (p.workspace = ? AND r.kind = 'summary' AND EXISTS ("
                    "SELECT 1 FROM messages m "
                    f"WHERE m.place = r.place AND m.session = r.session AND {spoken}))",
                    (workspace, user, user, user, workspace, *who),
                )
            ]
            connection.execute(
                "DELETE FROM links WHERE workspace = ? AND user = ?", (workspace, user)
            )
            count = self._remove(connection, numbers)
            count += sessions.forget_user(connection, workspace, user, names)
            _unname(connection, home)
        self._db.scrub()
        return count

    def forget_record(self, place: Partition, id: str) -> int:
        places: set[int] = set()
        with self._db.writing(places) as connection:
            batch = TransactionWriter(connection, self._clock(), places)
            batch.add(Edit("remove", place=place, id=id), b"")
            count = batch.finish()
        self._db.scrub()
        return count

    def forget_place(self, place: Partition) -> int:
        no = self._db.scalar(f"SELECT {sessions.PLACE_NO}", *sessions.place_key(place))
        if no is None:
            return 0
        with self._db.writing() as connection:
            numbers = [
                number
                for (number,) in connection.execute(
                    "SELECT number FROM records WHERE number > ? AND number < ?",
                    number_range(no),
                )
            ]
            count = self._remove(connection, numbers)
            count += sessions.forget_place(connection, place)
            _unname(connection, place)
        self._db.scrub()
        return count

    def belongings(self, place: Partition, user: str | None = None) -> Iterator[Record]:
        where = "p.workspace = ? AND p.kind = ? AND p.id = ?"
        values: tuple[str, ...] = sessions.place_key(place)
        if user is not None:
            where, values = _OF_USER, (place.workspace, user, user, user)
        yield from self._records(where, values)

    def naming(self, workspace: str, user: str, names: Collection[str]) -> Iterator[Record]:
        where = (
            "p.workspace = ? AND r.kind = 'event' AND EXISTS "
            "(SELECT 1 FROM json_each(?) WHERE instr(r.data, value) > 0)"
        )
        yield from self._records(where, (workspace, json.dumps(naming_texts(user, names))))

    def _records(self, where: str, values: tuple[str, ...]) -> Iterator[Record]:
        columns = ", ".join(f"r.{name}" for name in COLUMNS.split(", "))
        with self._db.reading() as connection:
            rows = connection.execute(
                f"SELECT p.workspace, p.kind, p.id, {columns} FROM records r "
                f"JOIN places p ON p.no = r.place WHERE {where}",
                values,
            ).fetchall()
        for workspace, kind, id, *row in rows:
            yield record_of(Partition(workspace, kind, id), row)

    def mentions(self, workspace: str, place: Partition, user: str | None) -> dict[str, int]:
        """How many rows of each table still belong to a partition, or to a user of a workspace."""
        where = "place IN (SELECT no FROM places WHERE workspace = ?)"
        key = sessions.place_key(place)
        of_place = f"place = {sessions.PLACE_NO}"
        conditions = {
            "records": (f"{of_place} OR (user = ? AND {where})", (*key, user, workspace)),
            "messages": (f"{of_place} OR (speaker_id = ? AND {where})", (*key, user, workspace)),
            "sessions": (of_place, key),
            "compressions": (of_place, key),
            "handed_out": (of_place, key),
            "note_receipts": (of_place, key),
            "links": ("workspace = ? AND user = ?", (workspace, user)),
            "places": ("workspace = ? AND kind = ? AND id = ? AND id != ''", key),
        }
        with self._db.reading() as connection:
            return {
                table: int(connection.execute(f"SELECT count(*) FROM {table} WHERE {sql}", v).get)
                for table, (sql, v) in conditions.items()
            }

    def users_named(self, workspace: str, id: str) -> dict[str, int]:
        is_named, values = "(? = {0} OR substr({0}, ?) = ?)", (id, -len(id) - 1, f":{id}")
        found: Counter[str] = Counter()
        with self._db.reading() as connection:
            for sql in (
                f"SELECT user, count(*) FROM records WHERE user IS NOT NULL "
                f"AND {is_named.format('user')} "
                "AND place IN (SELECT no FROM places WHERE workspace = ?) GROUP BY user",
                f"SELECT p.id, count(*) FROM places p JOIN records r ON r.place = p.no "
                f"WHERE {is_named.format('p.id')} AND p.workspace = ? AND p.kind = 'private' "
                "AND r.user IS NULL GROUP BY p.id",
            ):
                found.update(dict(connection.execute(sql, (*values, workspace))))
        return dict(found)

    def copies_of(
        self, home: Partition, ids: Collection[str] | None = None, user: str | None = None
    ) -> list[tuple[Partition, str, str]]:
        return copies_of(self._db, home, ids, user)

    def scrub(self, seconds: float = 5.0) -> bool:
        return self._db.scrub(seconds)

    def compact(self) -> None:
        self._db.compact()

    def files(self) -> list[Path]:
        """The database, its write-ahead log and the other files beside it."""
        path = self._db.path
        return [one for one in path.parent.glob(f"{path.name}*") if one.is_file()]

    def _remove(self, connection: apsw.Connection, numbers: Sequence[int]) -> int:
        batch = TransactionWriter(connection, self._clock())
        for number in numbers:
            batch.remove(number)
        return batch.finish()


def _unname(connection: apsw.Connection, place: Partition) -> None:
    """A forgotten partition keeps its number, which is never reused, but not its id. The marker is
    a character that no id has."""
    connection.execute(
        f"DELETE FROM note_receipts WHERE place = {sessions.PLACE_NO}", sessions.place_key(place)
    )
    connection.execute(
        "UPDATE places SET id = char(1) || no WHERE workspace = ? AND kind = ? AND id = ? "
        "AND kind != 'workspace'",
        sessions.place_key(place),
    )
