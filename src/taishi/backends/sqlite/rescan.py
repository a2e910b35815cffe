"""Redact stored texts again by newer rules, a batch at a time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import apsw

from ...ports import RescanStep
from ...ports.chat_message import with_texts
from ...types import Edit, Partition, Record
from ..record_rows import number_range, packed_terms, record_of
from .database import Database
from .writer import COLUMNS, TransactionWriter

# Tables with a text column but no redaction stamp, and their keys.
_TEXTS = (
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
    "sessions": "place, session",
    "compressions": "place, session, last",
    "ledger": "day, task, model, mode",
}
TEXTS_AT_ONCE = 200
BODIES_AT_ONCE = 20  # they may hold pictures


class SqliteRescan:
    """Implements ports.Rescan. Rows are read and written in one transaction, so that no
    concurrent change is lost."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def is_due(self, stamp: int) -> bool:
        """Whether any record was redacted by other rules. Records without a stamp were derived
        from redacted texts, and do not count alone."""
        sql = "SELECT EXISTS (SELECT 1 FROM records WHERE redaction NOT IN (0, ?))"
        return bool(self._db.scalar(sql, stamp))

    def waiting(self, stamp: int) -> int:
        return int(self._db.scalar("SELECT count(*) FROM records WHERE redaction != ?", stamp))

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
        places: set[int] = set()
        with self._db.writing(places) as connection:
            no = connection.execute(
                "SELECT no FROM places WHERE workspace = ? AND kind = ? AND id = ?",
                (place.workspace, place.kind, place.id),
            ).get
            low, high = number_range(no or 0)
            rows = connection.execute(
                f"SELECT number, {COLUMNS} FROM records WHERE number > ? AND number < ? "
                "AND redaction != ? ORDER BY number LIMIT ?",
                (max(low, after), high, stamp, limit),
            ).fetchall()
            batch = TransactionWriter(connection, self._clock(), places)
            changed = 0
            for number, *row in rows:
                old = record_of(place, row)
                new = change(old)
                if new.text == old.text and json.dumps(dict(new.data)) == json.dumps(
                    dict(old.data)
                ):
                    connection.execute(
                        "UPDATE records SET redaction = ? WHERE number = ?", (stamp, number)
                    )
                else:
                    batch.add(Edit("put", new), packed_terms(new))
                    changed += 1
            batch.finish()
        return RescanStep(len(rows), changed, rows[-1][0] if rows else after)

    def other_texts(self, change: Callable[[str], str]) -> int:
        """Messages, session summaries, scratchpads, errors of models; how many changed. In
        batches, so that others can write in between and memory stays bounded."""
        changed = 0
        for table, column in _TEXTS:
            after: tuple[Any, ...] | None = ()
            while after is not None:
                with self._db.writing(()) as connection:
                    count, after = _some_texts(connection, table, column, after, change)
                changed += count
        return changed


def _some_texts(
    connection: apsw.Connection,
    table: str,
    column: str,
    after: tuple[Any, ...],
    change: Callable[[str], str],
) -> tuple[int, tuple[Any, ...] | None]:
    """Of the rows after `after`: how many changed, and the last row's key if there may be more."""
    keys, at_once = _ROW[table], BODIES_AT_ONCE if column in _JSON else TEXTS_AT_ONCE
    marks = ", ".join("?" * len(keys.split(", ")))
    behind = f"AND ({keys}) > ({marks})" if after else ""
    rows = connection.execute(
        f"SELECT {column}, {keys} FROM {table} WHERE {column} != '' {behind} "
        f"ORDER BY {keys} LIMIT ?",
        (*after, at_once),
    ).fetchall()
    changed = 0
    for text, *key in rows:
        if (new := with_texts(text, change) if column in _JSON else change(text)) != text:
            connection.execute(
                f"UPDATE {table} SET {column} = ? WHERE ({keys}) = ({marks})", (new, *key)
            )
            changed += 1
    return changed, tuple(rows[-1][1:]) if len(rows) == at_once else None
