"""Export of the whole database as of one moment, and import row by row (O2)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, replace
from typing import Any

import apsw

from ...exported import (
    ExportedCalls,
    ExportedLink,
    ExportedMessage,
    ExportedRecord,
    ExportedSession,
    ExportScope,
)
from ...language.passages import is_long
from ...ports import Outcome, Row
from ...types import Edit, Partition, Record
from ..record_rows import PLACE_BITS, packed_terms, record_of
from .database import Database
from .writer import COLUMNS, TransactionWriter

PAGE = 500
MESSAGES_PAGE = 50  # they may hold pictures
_LEDGER = (
    "day, task, model, mode, calls, failed, prompt_tokens, completion_tokens, seconds, "
    "cost, last_error"
)
_RECORDS = f"""
SELECT r.number, s.code, {", ".join(f"r.{name}" for name in COLUMNS.split(", "))}
FROM records r
LEFT JOIN shelf s ON s.number = r.number AND s.model = (SELECT no FROM models WHERE name = ?)
WHERE r.number > ? AND r.number < ? ORDER BY r.number LIMIT {PAGE}"""
_MESSAGES = f"""
SELECT number, session, speaker, speaker_id, text, time, id, summarised, role, body, learned
FROM messages WHERE place = ? AND number > ? ORDER BY number LIMIT {MESSAGES_PAGE}"""
_PLACE_NO = "(SELECT no FROM places WHERE workspace = ? AND kind = ? AND id = ?)"


class SqliteTransfer:
    """Implements ports.Transfer."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    @contextmanager
    def look(self, extent: ExportScope, model: str | None = None) -> Iterator[SqliteSnapshot]:
        """All rows as of one moment; with `model`, the vectors that it made."""
        with self._db.reading() as connection:
            connection.execute("BEGIN")
            try:
                yield SqliteSnapshot(connection, extent, model)
            finally:
                connection.execute("ROLLBACK")

    def take_in(
        self, rows: Sequence[Row], *, overwrite: bool, model: str | None, dry: bool = False
    ) -> list[Outcome]:
        """All of these rows or none, in order; the outcome of each. Safe to repeat."""
        terms = [packed_terms(r.record) if isinstance(r, ExportedRecord) else b"" for r in rows]
        with self._db.writing() as connection:
            taking = _Taking(connection, self._clock(), overwrite, model, dry)
            outcomes = [taking.take(row, packed) for row, packed in zip(rows, terms, strict=True)]
            taking.finish()
        return outcomes


class SqliteSnapshot:
    """The database at one moment, read a page at a time; the order does not depend on row
    numbers."""

    def __init__(self, connection: apsw.Connection, extent: ExportScope, model: str | None) -> None:
        self._run = connection.execute
        self._extent = extent
        self._model = model
        rows = self._run("SELECT no, workspace, kind, id FROM places ORDER BY workspace, kind, id")
        places = [(no, Partition(workspace, kind, id)) for no, workspace, kind, id in rows]
        self._places = [(no, place) for no, place in places if extent.holds(place)]

    def counts(self) -> dict[str, int]:
        return {
            "record": self._sum("records"),
            "message": self._sum("messages"),
            "session": self._sum("sessions"),
            "link": sum(1 for _ in self.links()),
            "ledger": sum(1 for _ in self.ledger()),
        }

    def _sum(self, table: str) -> int:
        sql = f"SELECT count(*) FROM {table} WHERE place = ?"
        return sum(int(self._run(sql, (no,)).get) for no, _ in self._places)

    def records(self) -> Iterator[ExportedRecord]:
        """In each partition in the order they were stored."""
        for no, place in self._places:
            after, high = no << PLACE_BITS, (no + 1) << PLACE_BITS
            while page := self._page(after, high):
                for _, code, *row in page:
                    yield ExportedRecord(record_of(place, row), stored=code)
                after = page[-1][0]

    def _page(self, after: int, high: int) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._run(_RECORDS, (self._model, after, high)).fetchall()
        return rows

    def messages(self) -> Iterator[ExportedMessage]:
        for no, place in self._places:
            after = 0
            while page := self._run(_MESSAGES, (no, after)).fetchall():
                for _, *said, summarised, role, body, learned in page:
                    session, speaker, speaker_id, text, at, id = said
                    yield ExportedMessage(
                        place,
                        session,
                        speaker,
                        speaker_id,
                        text,
                        at,
                        id,
                        bool(summarised),
                        role,
                        body,
                        bool(learned),
                    )
                after = page[-1][0]

    def sessions(self) -> Iterator[ExportedSession]:
        for no, place in self._places:
            for row in self._run(
                "SELECT session, last_summary, summary, scratchpad, scratchpad_time FROM sessions "
                "WHERE place = ? "
                "ORDER BY session",
                (no,),
            ).fetchall():
                yield ExportedSession(place, *row)

    def links(self) -> Iterator[ExportedLink]:
        rows = self._run("SELECT workspace, user FROM links ORDER BY workspace, user").fetchall()
        for workspace, user in rows:
            if self._extent.holds(Partition(workspace, "private", user)):
                yield ExportedLink(workspace, user)

    def ledger(self) -> Iterator[ExportedCalls]:
        """It belongs to no partition: only in an export of everything."""
        if self._extent == ExportScope():
            for row in self._run(
                f"SELECT {_LEDGER} FROM ledger ORDER BY day, task, model, mode"
            ).fetchall():
                yield ExportedCalls(*row)


class _Taking:
    """One transaction of imported rows."""

    def __init__(
        self,
        connection: apsw.Connection,
        now: float,
        overwrite: bool,
        model: str | None,
        dry: bool,
    ) -> None:
        self._run = connection.execute
        self._batch = TransactionWriter(connection, now, keeps_times=True)
        self._overwrite = overwrite
        self._model = model
        self._dry = dry
        self._unnamed: Counter[tuple[Any, ...]] = Counter()

    def take(self, row: Row, terms: bytes) -> Outcome:
        match row:
            case ExportedRecord():
                return self._record(row, terms)
            case ExportedMessage():
                return self._message(row)
            case ExportedSession():
                return self._keyed(
                    row,
                    "sessions",
                    f"place = {_PLACE_NO} AND session = ?",
                    (*_key(row.place), row.session),
                    "last_summary, summary, scratchpad, scratchpad_time",
                    (row.last_summary, row.summary, row.scratchpad, row.scratchpad_time),
                )
            case ExportedLink():
                key = (row.workspace, row.user)
                return self._keyed(row, "links", "workspace = ? AND user = ?", key, "1", (1,))
            case ExportedCalls():
                return self._keyed(
                    row,
                    "ledger",
                    "day = ? AND task = ? AND model = ? AND mode = ?",
                    (row.day, row.task, row.model, row.mode),
                    _LEDGER,
                    astuple(row),
                )

    def finish(self) -> None:
        if not self._dry:
            self._batch.finish()

    def _record(self, row: ExportedRecord, terms: bytes) -> Outcome:
        record = row.record
        outcome = self._judge(record)
        if not self._dry:
            if outcome in ("added", "replaced"):
                self._batch.add(Edit("put", record), terms)
            # The passage vectors of a long text are not exported: it is embedded again as a whole.
            vector = None if is_long(record.text) else row.stored
            if outcome != "kept" and vector is not None and self._model is not None:
                self._vector(record, vector)
        return outcome

    def _judge(self, record: Record) -> Outcome:
        there = self._run(
            f"SELECT {COLUMNS} FROM records WHERE place = {_PLACE_NO} AND id = ?",
            (*_key(record.place), record.id),
        ).fetchone()
        if there is None:
            return "kept" if record.owner and self._is_owned(record) else "added"
        known = record_of(record.place, there)
        if replace(known, redaction=0, created=0.0) == replace(record, redaction=0, created=0.0):
            return "same"
        # Never overwrite another job's record: two jobs may produce the same id.
        theirs = record.owner is not None and known.owner != record.owner
        return "kept" if theirs or not self._overwrite else "replaced"

    def _is_owned(self, record: Record) -> bool:
        """Whether a record of the same job is stored already, under another id."""
        found = self._run(
            f"SELECT 1 FROM records WHERE place = {_PLACE_NO} AND owner = ?",
            (*_key(record.place), record.owner),
        )
        return found.get is not None

    def _vector(self, record: Record, vector: bytes) -> None:
        number = self._run(
            f"SELECT number FROM records WHERE place = {_PLACE_NO} AND id = ?",
            (*_key(record.place), record.id),
        ).get
        self._run("INSERT INTO models (name) VALUES (?) ON CONFLICT DO NOTHING", (self._model,))
        self._run(
            "UPDATE shelf SET model = (SELECT no FROM models WHERE name = ?), code = ? "
            "WHERE number = ? AND model = 0",
            (self._model, vector, number),
        )
        if self._run("SELECT changes()").get:
            self._batch.touch(number)

    def _message(self, row: ExportedMessage) -> Outcome:
        values = (
            row.session,
            row.speaker,
            row.speaker_id,
            row.text,
            row.time,
            row.id,
            int(row.summarised),
            row.role,
            row.body,
            int(row.learned),
        )
        columns = "session, speaker, speaker_id, text, time, id, summarised, role, body, learned"
        if row.id is None:
            return self._unnamed_message(row, columns, values)
        return self._keyed(
            row,
            "messages",
            f"place = {_PLACE_NO} AND session = ? AND id = ?",
            (*_key(row.place), row.session, row.id),
            columns,
            values,
        )

    def _unnamed_message(
        self, row: ExportedMessage, columns: str, values: tuple[Any, ...]
    ) -> Outcome:
        """Messages without an id may be equal: compare how many there are of each."""
        equal = " AND ".join(f"{name} IS ?" for name in columns.split(", "))
        there = self._run(
            f"SELECT count(*) FROM messages WHERE place = {_PLACE_NO} AND {equal}",
            (*_key(row.place), *values),
        ).get
        self._unnamed[(row.place, *values)] += 1
        if there >= self._unnamed[(row.place, *values)]:
            return "same"
        self._insert(row, "messages", columns, values)
        return "added"

    def _keyed(
        self,
        row: Row,
        table: str,
        where: str,
        key: tuple[Any, ...],
        columns: str,
        values: tuple[Any, ...],
    ) -> Outcome:
        there = self._run(f"SELECT {columns} FROM {table} WHERE {where}", key).fetchone()
        if there == values:
            return "same"
        if there is not None:
            if not self._overwrite:
                return "kept"
            if not self._dry:
                self._run(f"DELETE FROM {table} WHERE {where}", key)
        self._insert(row, table, columns, values)
        return "added" if there is None else "replaced"

    def _insert(self, row: Row, table: str, columns: str, values: tuple[Any, ...]) -> None:
        if self._dry:
            return
        match row:
            case ExportedLink():
                columns, values = "workspace, user", (row.workspace, row.user)
            case ExportedSession():
                columns, values = (
                    f"place, session, {columns}",
                    (self._place_no(row.place), row.session, *values),
                )
            case ExportedMessage():
                columns, values = f"place, {columns}", (self._place_no(row.place), *values)
        marks = ",".join("?" * len(values))
        self._run(f"INSERT INTO {table} ({columns}) VALUES ({marks})", values)

    def _place_no(self, place: Partition) -> int:
        self._run(
            "INSERT INTO places (workspace, kind, id) VALUES (?,?,?) ON CONFLICT DO NOTHING",
            _key(place),
        )
        return int(self._run(f"SELECT {_PLACE_NO}", _key(place)).get)


def _key(place: Partition) -> tuple[str, str, str]:
    return place.workspace, place.kind, place.id
