"""Export of the whole database as of one moment (O2); imports are in transfer_import.py."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...exported import (
    ExportedCalls,
    ExportedLink,
    ExportedMessage,
    ExportedRecord,
    ExportedSession,
    ExportScope,
)
from ...ports import Outcome, Row
from ...types import Partition
from ..ledger_rows import KEYS
from ..record_rows import FIELDS, number_range, packed_terms, record_of
from .database import ALL, Connection, Database, Workspace
from .record_columns import columns
from .transfer_import import Import

PAGE = 500
MESSAGES_PAGE = 50  # they may hold pictures
_RECORDS = f"""
SELECT r.number, i.code, {columns((*FIELDS, "data"), "r.")} FROM records r
LEFT JOIN index_rows i
  ON i.number = r.number AND i.model = (SELECT no FROM models WHERE name = %s)
WHERE r.number > %s AND r.number < %s ORDER BY r.number LIMIT {PAGE}"""
_MESSAGES = f"""
SELECT number, session, speaker, speaker_id, text, time, id, summarised, role, body, learned
FROM messages WHERE partition = %s AND number > %s ORDER BY number LIMIT {MESSAGES_PAGE}"""
_SESSIONS = """
SELECT session, last_summary, summary, scratchpad, scratchpad_time FROM sessions
WHERE partition = %s ORDER BY session"""


class PostgresTransfer:
    """Implements ports.Transfer."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    @contextmanager
    def look(self, extent: ExportScope, model: str | None = None) -> Iterator[PostgresSnapshot]:
        """All rows as of one moment; with `model`, the vectors that it made."""
        with self._db.transaction(_workspace(extent), snapshot=True) as connection:
            yield PostgresSnapshot(connection, extent, model)

    def take_in(
        self, rows: Sequence[Row], *, overwrite: bool, model: str | None, dry: bool = False
    ) -> list[Outcome]:
        """All of these rows or none, in order; the outcome of each. Safe to repeat."""
        terms = [packed_terms(r.record) if isinstance(r, ExportedRecord) else b"" for r in rows]

        def write() -> list[Outcome]:
            outcomes: list[Outcome] = []
            touched: set[int] = set()
            try:
                with self._db.writing(ALL, touched) as connection:
                    taking = Import(connection, self._clock(), overwrite, model, touched)
                    taking.open(rows)
                    outcomes = [
                        taking.take(row, packed) for row, packed in zip(rows, terms, strict=True)
                    ]
                    if dry:
                        raise _DryRunError
                    taking.finish()
            except _DryRunError:
                pass
            return outcomes

        # Messages without an id are counted, so even they are not doubled by a second try.
        return self._db.repeat(write) if rows else []


class _DryRunError(Exception):
    """Rolls a transaction back on purpose."""


def _workspace(extent: ExportScope) -> Workspace:
    if extent.place is not None:
        return extent.place.workspace
    return ALL if extent.workspace is None else extent.workspace


class PostgresSnapshot:
    """The database at one moment, read a page at a time; the order does not depend on row
    numbers."""

    def __init__(self, connection: Connection, extent: ExportScope, model: str | None) -> None:
        self._connection = connection
        self._extent = extent
        self._model = model
        rows = self._run(
            "SELECT no, workspace, kind, id FROM partitions ORDER BY workspace, kind, id"
        )
        places = [(no, Partition(workspace, kind, id)) for no, workspace, kind, id in rows]
        self._places = [(no, place) for no, place in places if extent.holds(place)]

    def _run(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql, values).fetchall()

    def counts(self) -> dict[str, int]:
        return {
            "record": self._sum("records"),
            "message": self._sum("messages"),
            "session": self._sum("sessions"),
            "link": sum(1 for _ in self.links()),
            "ledger": sum(1 for _ in self.ledger()),
        }

    def _sum(self, table: str) -> int:
        numbers = [no for no, _ in self._places]
        sql = f"SELECT count(*) FROM {table} WHERE partition = ANY (%s::bigint[])"
        return int(self._run(sql, numbers)[0][0])

    def records(self) -> Iterator[ExportedRecord]:
        """In each partition in the order they were stored."""
        for no, place in self._places:
            after, high = number_range(no)
            while page := self._run(_RECORDS, self._model, after, high):
                for _, code, *row in page:
                    yield ExportedRecord(record_of(place, row), stored=code)
                if len(page) < PAGE:
                    break
                after = page[-1][0]

    def messages(self) -> Iterator[ExportedMessage]:
        for no, place in self._places:
            after = 0
            while page := self._run(_MESSAGES, no, after):
                for _, *said in page:
                    yield ExportedMessage(place, *said)
                if len(page) < MESSAGES_PAGE:
                    break
                after = page[-1][0]

    def sessions(self) -> Iterator[ExportedSession]:
        for no, place in self._places:
            for row in self._run(_SESSIONS, no):
                yield ExportedSession(place, *row)

    def links(self) -> Iterator[ExportedLink]:
        for workspace, user in self._run(
            "SELECT workspace, user_id FROM links ORDER BY workspace, user_id"
        ):
            if self._extent.holds(Partition(workspace, "private", user)):
                yield ExportedLink(workspace, user)

    def ledger(self) -> Iterator[ExportedCalls]:
        """It belongs to no partition: only in an export of everything."""
        if self._extent == ExportScope():
            for row in self._run(
                f"SELECT {', '.join(KEYS)} FROM ledger ORDER BY day, task, model, mode"
            ):
                yield ExportedCalls(*row)
