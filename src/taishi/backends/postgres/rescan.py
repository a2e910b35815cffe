"""Redact stored texts again by newer rules, a batch at a time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from ...ports import RescanStep
from ...ports.chat_message import with_texts
from ...types import Edit, Partition, Record
from ..record_rows import number_range, packed_terms, record_of
from .database import ALL, Connection, Database
from .partitions import lock_one
from .record_columns import RECORD_COLUMNS
from .record_writer import RecordWriter
from .records import partition_no

# Tables with a text column but no redaction stamp, and their keys.
TEXTS = (
    ("messages", "text"),
    ("messages", "body"),
    ("sessions", "summary"),
    ("sessions", "scratchpad"),
    ("compressions", "body"),
    ("ledger", "last_error"),
)
_JSON = ("body", "scratchpad")  # columns with texts in JSON
_ROW = {
    "messages": "number",
    "sessions": "partition, session",
    "compressions": "partition, session, last",
    "ledger": "day, task, model, mode",
}
TEXTS_AT_ONCE = 200
BODIES_AT_ONCE = 20  # they may hold pictures


class PostgresRescan:
    """Implements ports.Rescan. Rows are read and written in one transaction, so that no
    concurrent change is lost."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def is_due(self, stamp: int) -> bool:
        """Whether any record was redacted by other rules. Records without a stamp were derived
        from redacted texts, and do not count alone."""
        sql = "SELECT EXISTS (SELECT 1 FROM records WHERE redaction NOT IN (0, %s))"
        return bool(self._db.scalar(ALL, sql, stamp))

    def waiting(self, stamp: int) -> int:
        sql = "SELECT count(*) FROM records WHERE redaction != %s"
        return int(self._db.scalar(ALL, sql, stamp))

    def records(
        self,
        place: Partition,
        stamp: int,
        after: int,
        limit: int,
        change: Callable[[Record], Record],
    ) -> RescanStep:
        """A batch of records that other rules redacted, in order, each written back as changed.
        One whose text stays keeps its vector; only its stamp is new."""
        return self._db.repeat(lambda: self._step(place, stamp, after, limit, change))

    def _step(
        self,
        place: Partition,
        stamp: int,
        after: int,
        limit: int,
        change: Callable[[Record], Record],
    ) -> RescanStep:
        touched: set[int] = set()
        with self._db.writing(place.workspace, touched) as connection:
            if partition_no(connection, place) is None:
                return RescanStep(0, 0, after)
            low, high = number_range(lock_one(connection, place))
            rows = connection.execute(
                f"SELECT number, {RECORD_COLUMNS} FROM records WHERE number > %s AND number < %s "
                "AND redaction != %s ORDER BY number LIMIT %s",
                (max(low, after), high, stamp, limit),
            ).fetchall()
            edits, same = [], []
            for number, *row in rows:
                old = record_of(place, row)
                new = change(old)
                if new.text == old.text and _json(new) == _json(old):
                    same.append(number)
                else:
                    edits.append(Edit("put", new))
            connection.execute(
                "UPDATE records SET redaction = %s WHERE number = ANY (%s::bigint[])", (stamp, same)
            )
            batch = RecordWriter(connection, self._clock(), touched)
            batch.open(edits)
            for edit in edits:
                assert edit.record is not None
                batch.add(edit, packed_terms(edit.record))
            batch.finish()
        return RescanStep(len(rows), len(edits), rows[-1][0] if rows else after)

    def other_texts(self, change: Callable[[str], str]) -> int:
        """Messages, session summaries, scratchpads, errors of models; how many changed. In
        batches, so that others can write in between and memory stays bounded."""
        changed = 0
        for table, column in TEXTS:
            after: tuple[Any, ...] | None = ()
            while after is not None:
                with self._db.transaction(ALL) as connection:
                    count, after = _some_texts(connection, table, column, after, change)
                changed += count
        return changed


def _json(record: Record) -> str:
    return json.dumps(dict(record.data))


def _some_texts(
    connection: Connection,
    table: str,
    column: str,
    after: tuple[Any, ...],
    change: Callable[[str], str],
) -> tuple[int, tuple[Any, ...] | None]:
    """Of the rows after `after`: how many changed, and the last row's key if there may be more."""
    keys, at_once = _ROW[table], BODIES_AT_ONCE if column in _JSON else TEXTS_AT_ONCE
    marks = ", ".join(["%s"] * len(keys.split(", ")))
    behind = f"AND ({keys}) > ({marks})" if after else ""
    rows = connection.execute(
        f"SELECT {column}, {keys} FROM {table} WHERE {column} != '' {behind} "
        f"ORDER BY {keys} LIMIT %s FOR UPDATE",
        (*after, at_once),
    ).fetchall()
    changed = 0
    for text, *row_key in rows:
        if (new := with_texts(text, change) if column in _JSON else change(text)) != text:
            connection.execute(
                f"UPDATE {table} SET {column} = %s WHERE ({keys}) = ({marks})", (new, *row_key)
            )
            changed += 1
    return changed, tuple(rows[-1][1:]) if len(rows) == at_once else None
