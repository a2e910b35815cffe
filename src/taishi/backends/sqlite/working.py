"""Working memory on SQLite: appended messages, their compressions, scratchpads (M1–M3)."""

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
from .database import Database
from .sessions import PLACE_NO, place_key, place_no

_OF_SESSION = f"place = {PLACE_NO} AND session = ?"
_APPENDED = f"{_OF_SESSION} AND role != ''"


class SqliteWorkingMemory:
    """Implements ports.WorkingStore, on the tables of sessions."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def append(
        self, place: Partition, session: str, messages: Sequence[ChatMessage], now: float
    ) -> int:
        rows = [
            (
                session,
                one.speaker,
                one.speaker_id,
                one.text,
                one.time,
                one.id,
                int(is_summarised(one)),
                one.role,
                body_of(one),
            )
            for one in messages
        ]
        if not rows:
            return 0
        with self._db.writing(()) as connection:
            no = place_no(connection, place)
            before = connection.total_changes()
            # A turn may have brought a message before: then it gets its role now.
            connection.executemany(
                "INSERT INTO messages (place, session, speaker, speaker_id, text, time, id, "
                "summarised, role, body) VALUES (?,?,?,?,?,?,?,?,?,?) "
                "ON CONFLICT (place, session, id) DO UPDATE SET text = excluded.text, "
                "role = excluded.role, body = excluded.body WHERE role = ''",
                [(no, *row) for row in rows],
            )
            added = int(connection.total_changes() - before)
            connection.execute(
                "UPDATE sessions SET scratchpad_time = max(scratchpad_time, ?) "
                "WHERE place = ? AND session = ? AND scratchpad != ''",
                (now, no, session),
            )
            return added

    def messages(
        self, place: Partition, session: str, after: int = 0, limit: int = 1000
    ) -> list[StoredMessage]:
        return self._read(
            f"{_APPENDED} AND number > ? ORDER BY number LIMIT ?", place, session, after, limit
        )

    def latest(self, place: Partition, session: str, limit: int) -> list[StoredMessage]:
        found = self._read(f"{_APPENDED} ORDER BY number DESC LIMIT ?", place, session, limit)
        return found[::-1]

    def pop(self, place: Partition, session: str) -> StoredMessage | None:
        key = (*place_key(place), session)
        with self._db.writing(()) as connection:
            row = connection.execute(
                f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE {_APPENDED} "
                "ORDER BY number DESC LIMIT 1",
                key,
            ).fetchone()
            if row is None:
                return None
            last = stored_message(*row)
            connection.execute("DELETE FROM messages WHERE number = ?", (last.number,))
            connection.execute(
                f"DELETE FROM compressions WHERE {_OF_SESSION} AND last >= ?", (*key, last.number)
            )
        return last

    def latest_user_message(self, place: Partition, session: str) -> StoredMessage | None:
        found = self._read(
            f"{_APPENDED} AND role = 'user' ORDER BY number DESC LIMIT 1", place, session
        )
        return found[0] if found else None

    def message(self, place: Partition, session: str, id: str) -> StoredMessage | None:
        found = self._read(f"{_APPENDED} AND id = ?", place, session, id)
        return found[0] if found else None

    def unlearned(self, place: Partition, session: str, limit: int) -> list[StoredMessage]:
        return self._read(
            f"{_APPENDED} AND role IN ('user', 'assistant') AND learned = 0 AND text != '' "
            "ORDER BY number LIMIT ?",
            place,
            session,
            limit,
        )

    def mark_learned(self, place: Partition, session: str, up_to: int) -> None:
        with self._db.writing(()) as connection:
            connection.execute(
                f"UPDATE messages SET learned = 1 WHERE {_APPENDED} AND number <= ? "
                "AND learned = 0",
                (*place_key(place), session, up_to),
            )

    def count(self, place: Partition, session: str) -> int:
        sql = f"SELECT count(*) FROM messages WHERE {_APPENDED}"
        return int(self._db.scalar(sql, *place_key(place), session))

    def sessions(self, place: Partition, limit: int = 100) -> list[SessionInfo]:
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT session, count(*), max(time) FROM messages "
                f"WHERE place = {PLACE_NO} AND role != '' GROUP BY session "
                "ORDER BY max(number) DESC LIMIT ?",
                (*place_key(place), limit),
            ).fetchall()
        return [SessionInfo(*row) for row in rows]

    def clear(self, place: Partition, session: str) -> int:
        key = (*place_key(place), session)
        with self._db.writing(()) as connection:
            before = connection.total_changes()
            connection.execute(f"DELETE FROM messages WHERE {_OF_SESSION}", key)
            removed = int(connection.total_changes() - before)
            connection.execute(f"DELETE FROM sessions WHERE {_OF_SESSION}", key)
            connection.execute(f"DELETE FROM compressions WHERE {_OF_SESSION}", key)
        self._db.scrub()
        return removed

    # -- compressions --------------------------------------------------------------------------

    def compressions(self, place: Partition, session: str, limit: int) -> list[Compression]:
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT first, last, count, body, made_by, time FROM compressions "
                f"WHERE {_OF_SESSION} ORDER BY last DESC LIMIT ?",
                (*place_key(place), session, limit),
            ).fetchall()
        return [compression_of(*row) for row in reversed(rows)]

    def add_compression(self, place: Partition, session: str, made: Compression) -> bool:
        with self._db.writing(()) as connection:
            key = (*place_key(place), session)
            there = connection.execute(
                f"SELECT count(*) FROM messages WHERE {_APPENDED} AND number <= ?",
                (*key, made.last),
            ).get
            if there != made.count:
                connection.execute(f"DELETE FROM compressions WHERE {_OF_SESSION}", key)
                return False
            connection.execute(
                "INSERT INTO compressions (place, session, last, first, count, body, made_by, time)"
                " VALUES (?,?,?,?,?,?,?,?) ON CONFLICT (place, session, last) DO UPDATE SET "
                "first = excluded.first, count = excluded.count, body = excluded.body, "
                "made_by = excluded.made_by, time = excluded.time "
                "WHERE made_by = 'rules' AND excluded.made_by = 'model'",
                (
                    place_no(connection, place),
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
        with self._db.reading() as connection:
            row = connection.execute(
                f"SELECT scratchpad, scratchpad_time FROM sessions WHERE {_OF_SESSION} "
                "AND scratchpad != ''",
                (*place_key(place), session),
            ).fetchone()
        return None if row is None else (json.loads(row[0]), float(row[1] or 0.0))

    def put_scratchpad(
        self, place: Partition, session: str, fields: Mapping[str, Any], now: float
    ) -> None:
        text = json.dumps(dict(fields), ensure_ascii=False) if fields else ""
        with self._db.writing(()) as connection:
            connection.execute(
                "INSERT INTO sessions (place, session, scratchpad, scratchpad_time) "
                "VALUES (?,?,?,?) ON CONFLICT (place, session) DO UPDATE SET "
                "scratchpad = excluded.scratchpad, scratchpad_time = excluded.scratchpad_time",
                (place_no(connection, place), session, text, now if text else None),
            )

    def drop_scratchpads(self, before: float) -> int:
        idle = "scratchpad != '' AND coalesce(scratchpad_time, 0) < ?"
        if not self._db.scalar(f"SELECT EXISTS (SELECT 1 FROM sessions WHERE {idle})", before):
            return 0
        with self._db.writing(()) as connection:
            changes = connection.total_changes()
            connection.execute(
                f"UPDATE sessions SET scratchpad = '', scratchpad_time = NULL WHERE {idle}",
                (before,),
            )
            return int(connection.total_changes() - changes)

    def _read(
        self, where: str, place: Partition, session: str, *values: object
    ) -> list[StoredMessage]:
        with self._db.reading() as connection:
            rows = connection.execute(
                f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE {where}",
                (*place_key(place), session, *values),
            ).fetchall()
        return [stored_message(*row) for row in rows]
