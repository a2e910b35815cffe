"""The Store port on SQLite."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw

from ...language import segment
from ...ports import Changes, Embedded, Shelf, ShelfRow, Unembedded
from ...types import EMPTY, Edit, Place, Record
from . import history
from .batch import COLUMNS, FIELDS, PLACE_BITS, SHELVED, Batch
from .connect import Database
from .history import History

IN_BATCH = 500

# Vectors of another model are as good as none.
_SHELF = f"""number, revision, {", ".join(SHELVED)}, terms,
  CASE WHEN model = (SELECT no FROM models WHERE name = ?) THEN code END"""


class SqliteStore:
    """One file; several threads and several processes may use it at once."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._db = Database(path)
        self._clock = clock
        self._place_nos: dict[Place, int] = {}
        self.history = History(self._db, clock)

    # -- writing ---------------------------------------------------------------------------

    def apply(self, edits: Sequence[Edit]) -> int:
        # Terms are the slow part; work them out before anybody waits for the write lock.
        packed = [segment.pack(record_terms(e.record)) if e.record else b"" for e in edits]
        with self._db.writing() as connection:
            batch = Batch(connection, self._clock())
            for edit, terms in zip(edits, packed, strict=True):
                batch.add(edit, terms)
            return batch.finish()

    def put_vectors(self, model: str, vectors: Sequence[Embedded]) -> None:
        with self._db.writing() as connection:
            batch = Batch(connection, self._clock())
            no = self._model_no(connection, model)
            for vector in vectors:
                connection.execute(
                    "UPDATE shelf SET model = ?, code = ? WHERE number = ? AND revision = ?",
                    (no, vector.code, vector.number, vector.revision),
                )
                if connection.changes():
                    connection.execute(
                        "INSERT INTO vectors (number, full) VALUES (?, ?) "
                        "ON CONFLICT (number) DO UPDATE SET full = excluded.full",
                        (vector.number, vector.full),
                    )
                    batch.touch(vector.number)
            batch.finish()

    def adopt_model(self, name: str) -> int:
        with self._db.writing() as connection:
            no = self._model_no(connection, name)
            connection.execute(
                "UPDATE shelf SET model = 0, code = NULL WHERE model NOT IN (0, ?)", (no,)
            )
            if connection.changes():
                connection.execute("DELETE FROM vectors")
                # Every index in every process must read its shelf anew.
                connection.execute("UPDATE places SET seq = seq + 1, floor = seq + 1")
        return int(self._db.scalar("SELECT count(*) FROM shelf WHERE model = 0"))

    @staticmethod
    def _model_no(connection: apsw.Connection, name: str) -> int:
        connection.execute("INSERT INTO models (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
        return int(connection.execute("SELECT no FROM models WHERE name = ?", (name,)).get)

    # -- reading records ---------------------------------------------------------------------

    def get(self, place: Place, id: str) -> Record | None:
        with self._db.reading() as connection:
            rows = connection.execute(
                f"SELECT {COLUMNS} FROM records WHERE id = ? AND place = "
                "(SELECT no FROM places WHERE workspace = ? AND kind = ? AND id = ?)",
                (id, place.workspace, place.kind, place.id),
            ).fetchall()
        return _record(place, rows[0]) if rows else None

    def fetch(self, numbers: Sequence[int], places: Collection[Place]) -> dict[int, Record]:
        shelves = {self._place_no(place): place for place in places}
        wanted = [number for number in numbers if number >> PLACE_BITS in shelves]
        found: dict[int, Record] = {}
        with self._db.reading() as connection:
            for marks, part in _batches(wanted):
                for number, *row in connection.execute(
                    f"SELECT number, {COLUMNS} FROM records WHERE number IN ({marks})", part
                ):
                    found[number] = _record(shelves[number >> PLACE_BITS], row)
        return found

    def last_end_seq(self, place: Place, request_id: str) -> int:
        prefix = f"{request_id}:"
        with self._db.reading() as connection:
            ids = connection.execute(
                "SELECT id FROM records WHERE id >= ? AND id < ? AND place = "
                "(SELECT no FROM places WHERE workspace = ? AND kind = ? AND id = ?)",
                (prefix, f"{request_id};", place.workspace, place.kind, place.id),
            ).fetchall()
        ends = (id[len(prefix) :].partition(":")[0] for (id,) in ids)
        return max((int(end) for end in ends if end.isdecimal()), default=0)

    def scan(self, place: Place, after: int = 0, limit: int = 1000) -> list[tuple[int, Record]]:
        shelf = self.shelves([place]).get(place)
        if shelf is None:
            return []
        low, high = _range(shelf.no)
        with self._db.reading() as connection:
            rows = connection.execute(
                f"SELECT number, {COLUMNS} FROM records WHERE number > ? AND number < ? "
                "ORDER BY number LIMIT ?",
                (max(low, after), high, limit),
            ).fetchall()
        return [(number, _record(place, row)) for number, *row in rows]

    def find(
        self,
        place: Place,
        kinds: Collection[str],
        states: Collection[str] | None = None,
        limit: int = 1000,
    ) -> list[Record]:
        """The newest records of these kinds (and states) in a place."""
        shelf = self.shelves([place]).get(place)
        if shelf is None:
            return []
        sql = f"SELECT {COLUMNS} FROM records WHERE number > ? AND number < ? AND kind IN "
        sql += f"({','.join('?' * len(kinds))})"
        if states is not None:
            sql += f" AND state IN ({','.join('?' * len(states))})"
        with self._db.reading() as connection:
            rows = connection.execute(
                f"{sql} ORDER BY number DESC LIMIT ?",
                (*_range(shelf.no), *kinds, *(states or ()), limit),
            ).fetchall()
        return [_record(place, row) for row in rows]

    def places(self) -> list[tuple[Place, int]]:
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT workspace, kind, id, (SELECT count(*) FROM records WHERE place = no) "
                "FROM places ORDER BY workspace, kind, id"
            ).fetchall()
        return [(Place(workspace, kind, id), count) for workspace, kind, id, count in rows]

    # -- reading for the index ---------------------------------------------------------------

    def _place_no(self, place: Place) -> int:
        """A place's number never changes once it has one; -1 until then."""
        no = self._place_nos.get(place)
        if no is None:
            shelf = self.shelves([place]).get(place)
            if shelf is None:
                return -1
            no = self._place_nos[place] = shelf.no
        return no

    def shelves(self, places: Sequence[Place]) -> dict[Place, Shelf]:
        found = {}
        with self._db.reading() as connection:
            for place in places:
                row = connection.execute(
                    "SELECT no, seq FROM places WHERE workspace = ? AND kind = ? AND id = ?",
                    (place.workspace, place.kind, place.id),
                ).get
                if row is not None:
                    found[place] = Shelf(*row)
        return found

    def shelf_rows(self, no: int, model: str | None) -> tuple[int, Sequence[ShelfRow]]:
        low, high = _range(no)
        with self._db.reading() as connection:  # noqa: SIM117
            with connection:  # one snapshot for the count and the rows
                seq = connection.execute("SELECT seq FROM places WHERE no = ?", (no,)).get
                rows = connection.execute(
                    f"SELECT {_SHELF} FROM shelf WHERE number > ? AND number < ? ORDER BY number",
                    (model, low, high),
                ).fetchall()
        return int(seq or 0), rows

    def changes(self, no: int, since: int, model: str | None) -> Changes | None:
        with self._db.reading() as connection:  # noqa: SIM117
            with connection:
                seq, floor = connection.execute(
                    "SELECT seq, floor FROM places WHERE no = ?", (no,)
                ).get or (0, 0)
                if since < floor:
                    return None
                numbers = [number for (number,) in connection.execute(
                    "SELECT DISTINCT number FROM changes WHERE place = ? AND seq > ?", (no, since)
                )]  # fmt: skip
                rows = [
                    ShelfRow._make(row)
                    for marks, part in _batches(numbers)
                    for row in connection.execute(
                        f"SELECT {_SHELF} FROM shelf WHERE number IN ({marks}) ORDER BY number",
                        (model, *part),
                    )
                ]
        gone = set(numbers) - {row.number for row in rows}
        return Changes(seq, rows, sorted(gone))

    def full_vectors(self, numbers: Sequence[int]) -> dict[int, bytes]:
        found: dict[int, bytes] = {}
        with self._db.reading() as connection:
            for marks, part in _batches(numbers):
                found.update(
                    connection.execute(
                        f"SELECT number, full FROM vectors WHERE number IN ({marks})", part
                    )
                )
        return found

    def unembedded(self, limit: int) -> list[Unembedded]:
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT number, revision, text FROM shelf JOIN records USING (number) "
                "WHERE model = 0 ORDER BY number LIMIT ?",
                (limit,),
            ).fetchall()
        return [Unembedded(*row) for row in rows]

    # -- links and forgetting ----------------------------------------------------------------

    def set_link(self, workspace: str, user: str, on: bool) -> None:
        with self._db.writing() as connection:
            connection.execute(
                "INSERT INTO links VALUES (?, ?) ON CONFLICT DO NOTHING"
                if on
                else "DELETE FROM links WHERE workspace = ? AND user = ?",
                (workspace, user),
            )

    def linked(self, workspace: str, user: str) -> bool:
        return bool(
            self._db.scalar("SELECT 1 FROM links WHERE workspace = ? AND user = ?", workspace, user)
        )

    def groups_of(self, workspace: str, user: str) -> list[Place]:
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT id FROM places WHERE workspace = ? AND kind = 'group' AND no IN "
                "(SELECT place FROM records WHERE user = ?)",
                (workspace, user),
            ).fetchall()
        return [Place(workspace, "group", id) for (id,) in rows]

    def forget_user(self, workspace: str, user: str) -> int:
        home = Place(workspace, "private", user)
        with self._db.writing() as connection:
            # Their own records, and what sums up a session in which they spoke.
            numbers = [number for (number,) in connection.execute(
                "SELECT number FROM records r JOIN places ON no = place WHERE workspace = ? "
                "AND (user = ? OR (places.kind = 'private' AND places.id = ?) "
                "OR (r.kind = 'summary' AND EXISTS (SELECT 1 FROM messages m WHERE "
                "m.place = r.place AND m.session = r.session AND m.speaker_id = ?)))",
                (workspace, user, home.id, user),
            )]  # fmt: skip
            connection.execute(
                "DELETE FROM links WHERE workspace = ? AND user = ?", (workspace, user)
            )
            count = self._remove(connection, numbers)
            count += history.forget_user(connection, workspace, user)
        self._db.scrub()
        return count

    def forget_record(self, place: Place, id: str) -> int:
        count = self.apply([Edit("remove", place=place, id=id)])
        self._db.scrub()
        return count

    def forget_place(self, place: Place) -> int:
        shelf = self.shelves([place]).get(place)
        if shelf is None:
            return 0
        low, high = _range(shelf.no)
        with self._db.writing() as connection:
            numbers = [number for (number,) in connection.execute(
                "SELECT number FROM records WHERE number > ? AND number < ?", (low, high)
            )]  # fmt: skip
            count = self._remove(connection, numbers)
            count += history.forget_place(connection, place)
        self._db.scrub()
        return count

    def _remove(self, connection: apsw.Connection, numbers: Sequence[int]) -> int:
        batch = Batch(connection, self._clock())
        for number in numbers:
            batch.remove(number)
        return batch.finish()

    # -- housekeeping ------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        with self._db.reading() as connection:
            kinds = dict(connection.execute("SELECT kind, count(*) FROM records GROUP BY kind"))
            waiting = connection.execute("SELECT count(*) FROM shelf WHERE model = 0").get
        return {**kinds, "unembedded": waiting}

    def check(self) -> str:
        return self._db.integrity()

    def close(self) -> None:
        self._db.close()


def record_terms(record: Record) -> Iterator[str]:
    """What a record is found by: its text and the name of who said it."""
    yield from segment.terms(record.text)
    if record.speaker:
        yield from segment.terms(record.speaker)


def _range(no: int) -> tuple[int, int]:
    return no << PLACE_BITS, (no + 1) << PLACE_BITS


def _batches(numbers: Sequence[int]) -> Iterator[tuple[str, Sequence[int]]]:
    for start in range(0, len(numbers), IN_BATCH):
        part = numbers[start : start + IN_BATCH]
        yield ",".join("?" * len(part)), part


def _record(place: Place, row: Sequence[Any]) -> Record:
    *fields, data = row
    known = dict(zip(FIELDS, fields, strict=True))
    return Record(place=place, data=EMPTY if data == "{}" else json.loads(data), **known)
