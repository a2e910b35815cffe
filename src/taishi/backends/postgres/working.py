"""Working memory: appended messages, their compressions, scratchpads (M1–M3)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...ports import Compression, SessionInfo, StoredMessage
from ...ports.chat_message import ChatMessage, body_of
from ...types import Partition
from ..working_rows import (
    MESSAGE_COLUMNS,
    compression_body,
    compression_of,
    is_summarised,
    stored_message,
)
from .database import ALL, Database
from .partitions import PARTITION_NO, key, lock_one

_OF_SESSION = f"partition = {PARTITION_NO} AND session = %s"
_APPENDED = f"{_OF_SESSION} AND role != ''"
# A turn may have brought a message before: then it gets its role now.
_APPEND = """
INSERT INTO messages (partition, workspace, session, speaker, speaker_id, text, time, id,
  summarised, role, body) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (partition, session, id) DO UPDATE SET text = excluded.text, role = excluded.role,
  body = excluded.body WHERE messages.role = ''"""
_ADD_COMPRESSION = """
INSERT INTO compressions
  (partition, workspace, session, last, first, count, body, made_by, time)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (partition, session, last) DO UPDATE SET first = excluded.first,
  count = excluded.count, body = excluded.body, made_by = excluded.made_by, time = excluded.time
WHERE compressions.made_by = 'rules' AND excluded.made_by = 'model'"""
_PUT_SCRATCHPAD = """
INSERT INTO sessions (partition, workspace, session, scratchpad, scratchpad_time)
VALUES (%s, %s, %s, %s, %s) ON CONFLICT (partition, session) DO UPDATE SET
  scratchpad = excluded.scratchpad, scratchpad_time = excluded.scratchpad_time"""


class PostgresWorkingMemory:
    """Implements ports.WorkingStore, on the tables of sessions."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def append(
        self, place: Partition, session: str, messages: Sequence[ChatMessage], now: float
    ) -> int:
        rows = [
            (
                place.workspace,
                session,
                one.speaker,
                one.speaker_id,
                one.text,
                one.time,
                one.id,
                is_summarised(one),
                one.role,
                body_of(one),
            )
            for one in messages
        ]
        if not rows:
            return 0

        def write() -> int:
            with self._db.transaction(place.workspace) as connection:
                no = lock_one(connection, place)
                with connection.cursor() as cursor:
                    cursor.executemany(_APPEND, [(no, *row) for row in rows])
                    added = cursor.rowcount
                connection.execute(
                    "UPDATE sessions SET scratchpad_time = greatest(scratchpad_time, %s) "
                    "WHERE partition = %s AND session = %s AND scratchpad != ''",
                    (now, no, session),
                )
                return added

        return self._db.repeat(write, idempotent=all(one.id is not None for one in messages))

    def messages(
        self, place: Partition, session: str, after: int = 0, limit: int = 1000
    ) -> list[StoredMessage]:
        return self._read(
            f"{_APPENDED} AND number > %s ORDER BY number LIMIT %s", place, session, after, limit
        )

    def latest(self, place: Partition, session: str, limit: int) -> list[StoredMessage]:
        found = self._read(f"{_APPENDED} ORDER BY number DESC LIMIT %s", place, session, limit)
        return found[::-1]

    def pop(self, place: Partition, session: str) -> StoredMessage | None:
        values = (*key(place), session)
        with self._db.transaction(place.workspace) as connection:
            lock_one(connection, place)
            row = connection.execute(
                f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE {_APPENDED} "
                "ORDER BY number DESC LIMIT 1",
                values,
            ).fetchone()
            if row is None:
                return None
            last = stored_message(*row)
            connection.execute("DELETE FROM messages WHERE number = %s", (last.number,))
            connection.execute(
                f"DELETE FROM compressions WHERE {_OF_SESSION} AND last >= %s",
                (*values, last.number),
            )
        return last

    def latest_user_message(self, place: Partition, session: str) -> StoredMessage | None:
        found = self._read(
            f"{_APPENDED} AND role = 'user' ORDER BY number DESC LIMIT 1", place, session
        )
        return found[0] if found else None

    def message(self, place: Partition, session: str, id: str) -> StoredMessage | None:
        found = self._read(f"{_APPENDED} AND id = %s", place, session, id)
        return found[0] if found else None

    def unlearned(self, place: Partition, session: str, limit: int) -> list[StoredMessage]:
        return self._read(
            f"{_APPENDED} AND role IN ('user', 'assistant') AND NOT learned AND text != '' "
            "ORDER BY number LIMIT %s",
            place,
            session,
            limit,
        )

    def mark_learned(self, place: Partition, session: str, up_to: int) -> None:
        with self._db.transaction(place.workspace) as connection:
            connection.execute(
                f"UPDATE messages SET learned = true WHERE {_APPENDED} AND number <= %s "
                "AND NOT learned",
                (*key(place), session, up_to),
            )

    def count(self, place: Partition, session: str) -> int:
        sql = f"SELECT count(*) FROM messages WHERE {_APPENDED}"
        return int(self._db.scalar(place.workspace, sql, *key(place), session))

    def sessions(self, place: Partition, limit: int = 100) -> list[SessionInfo]:
        with self._db.reading(place.workspace) as connection:
            rows = connection.execute(
                "SELECT session, count(*), max(time) FROM messages "
                f"WHERE partition = {PARTITION_NO} AND role != '' GROUP BY session "
                "ORDER BY max(number) DESC LIMIT %s",
                (*key(place), limit),
            ).fetchall()
        return [SessionInfo(*row) for row in rows]

    def clear(self, place: Partition, session: str) -> int:
        values = (*key(place), session)
        with self._db.transaction(place.workspace) as connection:
            removed = connection.execute(
                f"DELETE FROM messages WHERE {_OF_SESSION}", values
            ).rowcount
            connection.execute(f"DELETE FROM sessions WHERE {_OF_SESSION}", values)
            connection.execute(f"DELETE FROM compressions WHERE {_OF_SESSION}", values)
        return removed

    # -- compressions --------------------------------------------------------------------------

    def compressions(self, place: Partition, session: str, limit: int) -> list[Compression]:
        with self._db.reading(place.workspace) as connection:
            rows = connection.execute(
                "SELECT first, last, count, body, made_by, time FROM compressions "
                f"WHERE {_OF_SESSION} ORDER BY last DESC LIMIT %s",
                (*key(place), session, limit),
            ).fetchall()
        return [compression_of(*row) for row in reversed(rows)]

    def add_compression(self, place: Partition, session: str, made: Compression) -> bool:
        values = (*key(place), session)
        with self._db.transaction(place.workspace) as connection:
            no = lock_one(connection, place)
            there = connection.execute(
                f"SELECT count(*) FROM messages WHERE {_APPENDED} AND number <= %s",
                (*values, made.last),
            ).fetchone()
            if there != (made.count,):
                connection.execute(f"DELETE FROM compressions WHERE {_OF_SESSION}", values)
                return False
            connection.execute(
                _ADD_COMPRESSION,
                (
                    no,
                    place.workspace,
                    session,
                    made.last,
                    made.first,
                    made.count,
                    compression_body(made),
                    made.made_by,
                    made.time,
                ),
            )
        return True

    # -- scratchpads ---------------------------------------------------------------------------

    def scratchpad(self, place: Partition, session: str) -> tuple[Mapping[str, Any], float] | None:
        with self._db.reading(place.workspace) as connection:
            row = connection.execute(
                f"SELECT scratchpad, scratchpad_time FROM sessions WHERE {_OF_SESSION} "
                "AND scratchpad != ''",
                (*key(place), session),
            ).fetchone()
        return None if row is None else (json.loads(row[0]), float(row[1] or 0.0))

    def put_scratchpad(
        self, place: Partition, session: str, fields: Mapping[str, Any], now: float
    ) -> None:
        text = json.dumps(dict(fields), ensure_ascii=False) if fields else ""

        def write() -> None:
            with self._db.transaction(place.workspace) as connection:
                no = lock_one(connection, place)
                values = (no, place.workspace, session, text, now if text else None)
                connection.execute(_PUT_SCRATCHPAD, values)

        self._db.repeat(write)

    def drop_scratchpads(self, before: float) -> int:
        with self._db.transaction(ALL) as connection:
            return connection.execute(
                "UPDATE sessions SET scratchpad = '', scratchpad_time = NULL "
                "WHERE scratchpad != '' AND coalesce(scratchpad_time, 0) < %s",
                (before,),
            ).rowcount

    def _read(
        self, where: str, place: Partition, session: str, *values: object
    ) -> list[StoredMessage]:
        with self._db.reading(place.workspace) as connection:
            rows = connection.execute(
                f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE {where}",
                (*key(place), session, *values),
            ).fetchall()
        return [stored_message(*row) for row in rows]
