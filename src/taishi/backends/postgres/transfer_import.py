"""One transaction of imported rows, each held against what is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, replace
from typing import Any

from ...exported import (
    ExportedCalls,
    ExportedLink,
    ExportedMessage,
    ExportedRecord,
    ExportedSession,
)
from ...language.passages import is_long
from ...ports import Outcome, Row
from ...types import Edit, Partition, Record
from ..ledger_rows import KEYS
from ..record_rows import FIELDS, record_of
from .change_feed import ANY
from .database import Connection, Database
from .partitions import by_workspace
from .record_columns import columns
from .record_writer import RecordWriter
from .vectors import model_no

_STORED = f"""
SELECT r.* FROM unnest(%s::bigint[], %s::text[]) AS w (partition, id)
CROSS JOIN LATERAL (SELECT partition, {columns((*FIELDS, "data"))} FROM records
  WHERE partition = w.partition AND id = w.id OFFSET 0) AS r"""
_MESSAGE = "session, speaker, speaker_id, text, time, id, summarised, role, body, learned"
_SESSION = "last_summary, summary, scratchpad, scratchpad_time"


class Import:
    """`open` all rows, `take` each of them in order, then `finish`."""

    def __init__(
        self,
        connection: Connection,
        now: float,
        overwrite: bool,
        model: str | None,
        touched: set[int],
    ) -> None:
        self._connection = connection
        self._batch = RecordWriter(connection, now, touched, keeps_times=True)
        self._touched = touched
        self._overwrite = overwrite
        self._model = model
        self._known: dict[tuple[Partition, str], Record] = {}
        self._vectors: dict[tuple[Partition, str], bytes] = {}
        self._unnamed: Counter[tuple[Any, ...]] = Counter()

    def open(self, rows: Sequence[Row]) -> None:
        """Lock the partitions, and read the records that are there."""
        records = [row.record for row in rows if isinstance(row, ExportedRecord)]
        others = [r.place for r in rows if isinstance(r, (ExportedMessage, ExportedSession))]
        self._batch.open([Edit("put", one) for one in records], others)
        for workspace, places in by_workspace(one.place for one in records).items():
            Database.see(self._connection, workspace)
            by_no = {self._batch.no_of(place): place for place in places}
            keys = {(self._batch.no_of(r.place), r.id) for r in records if r.place in places}
            numbers, ids = [no for no, _ in keys], [id for _, id in keys]
            for no, *row in self._connection.execute(_STORED, (numbers, ids)):
                record = record_of(by_no[no], row)
                self._known[record.place, record.id] = record

    def take(self, row: Row, terms: bytes) -> Outcome:
        match row:
            case ExportedRecord():
                return self._record(row, terms)
            case ExportedMessage():
                return self._message(row)
            case ExportedSession():
                no = self._batch.no_of(row.place)
                key = {"partition": no, "session": row.session}
                values = (row.last_summary, row.summary, row.scratchpad, row.scratchpad_time)
                return self._keyed(row.place.workspace, "sessions", key, _SESSION, values)
            case ExportedLink():
                self._touched.add(ANY)
                return self._keyed(row.workspace, "links", {"user_id": row.user}, "", ())
            case ExportedCalls():
                key = {"day": row.day, "task": row.task, "model": row.model, "mode": row.mode}
                return self._keyed(None, "ledger", key, ", ".join(KEYS[4:]), astuple(row)[4:])

    def finish(self) -> None:
        if self._vectors and self._model is not None:
            number = model_no(self._connection, self._model)
            for workspace, places in by_workspace(place for place, _ in self._vectors).items():
                Database.see(self._connection, workspace)
                some = {k: code for k, code in self._vectors.items() if k[0] in places}
                self._batch.take_vectors(number, some)
        self._batch.finish()

    def _record(self, row: ExportedRecord, terms: bytes) -> Outcome:
        record = row.record
        outcome = self._judge(record)
        if outcome in ("added", "replaced"):
            self._batch.add(Edit("put", record), terms)
            self._known[record.place, record.id] = record
        # The passage vectors of a long text are not exported: it is embedded again as a whole.
        if outcome != "kept" and row.stored is not None and not is_long(record.text):
            self._vectors[record.place, record.id] = row.stored
        return outcome

    def _judge(self, record: Record) -> Outcome:
        known = self._known.get((record.place, record.id))
        if known is None:
            owner = record.owner
            return "kept" if owner and self._batch.is_owned(record.place, owner) else "added"
        if replace(known, redaction=0, created=0.0) == replace(record, redaction=0, created=0.0):
            return "same"
        # Never overwrite another job's record: two jobs may produce the same id.
        theirs = record.owner is not None and known.owner != record.owner
        return "kept" if theirs or not self._overwrite else "replaced"

    def _message(self, row: ExportedMessage) -> Outcome:
        no, workspace = self._batch.no_of(row.place), row.place.workspace
        values = (
            row.session,
            row.speaker,
            row.speaker_id,
            row.text,
            row.time,
            row.id,
            row.summarised,
            row.role,
            row.body,
            row.learned,
        )
        if row.id is not None:
            key = {"partition": no, "session": row.session, "id": row.id}
            return self._keyed(workspace, "messages", key, _MESSAGE, values)
        # Messages without an id may be equal: compare how many there are of each.
        Database.see(self._connection, workspace)
        equal = " AND ".join(f"{name} IS NOT DISTINCT FROM %s" for name in _MESSAGE.split(", "))
        there = self._first(
            f"SELECT count(*) FROM messages WHERE partition = %s AND {equal}", no, *values
        )
        self._unnamed[(no, *values)] += 1
        if there is not None and there[0] >= self._unnamed[(no, *values)]:
            return "same"
        self._insert("messages", {"partition": no, "workspace": workspace}, _MESSAGE, values)
        return "added"

    def _keyed(
        self,
        workspace: str | None,
        table: str,
        key: dict[str, Any],
        names: str,
        values: tuple[Any, ...],
    ) -> Outcome:
        """A row that its key identifies; the ledger has no workspace."""
        if workspace is not None:
            Database.see(self._connection, workspace)
            key = {"workspace": workspace, **key}
        where = " AND ".join(f"{name} = %s" for name in key)
        there = self._first(f"SELECT {names} FROM {table} WHERE {where}", *key.values())
        if there == values:
            return "same"
        if there is not None:
            if not self._overwrite:
                return "kept"
            self._first(f"DELETE FROM {table} WHERE {where}", *key.values())
        self._insert(table, key, names, values)
        return "added" if there is None else "replaced"

    def _insert(self, table: str, key: dict[str, Any], names: str, values: tuple[Any, ...]) -> None:
        row = key | dict(zip(names.split(", ") if names else (), values, strict=True))
        marks = ", ".join(["%s"] * len(row))
        self._first(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", *row.values())

    def _first(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        cursor = self._connection.execute(sql, values)
        return cursor.fetchone() if cursor.description is not None else None
