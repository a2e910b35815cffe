"""The messages of sessions, in order, and the last summary of each session (W8)."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from ...ports import DueSession, SessionMessage, WaitingMessage
from ...types import Message, Partition
from .database import ALL, Connection, Database
from .partitions import PARTITION_NO, key, lock_one

SUMMARISED_CHARS = 8000  # an appended message may be a whole file
_ADD = """
INSERT INTO messages (partition, workspace, session, speaker, speaker_id, text, time, id)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"""
_KNOWN = f"""
SELECT count(DISTINCT id) FROM messages
WHERE partition = {PARTITION_NO} AND session = %s AND id = ANY (%s::text[])"""
_DUE = """
SELECT p.workspace, p.kind, p.id, m.session, count(*), s.last_summary, coalesce(s.summary, '')
FROM messages m JOIN partitions p ON p.no = m.partition
LEFT JOIN sessions s ON s.partition = m.partition AND s.session = m.session
WHERE NOT m.summarised
GROUP BY p.workspace, p.kind, p.id, m.session, s.last_summary, s.summary
HAVING count(*) >= %s AND coalesce(s.last_summary, min(m.time)) <= %s
ORDER BY min(m.number) LIMIT %s"""
_WAITING = """
SELECT DISTINCT p.workspace, p.kind, p.id, m.session FROM messages m
JOIN partitions p ON p.no = m.partition WHERE NOT m.summarised AND p.workspace = %s
AND (m.speaker_id = %s OR (p.kind = 'private' AND p.id = %s)) LIMIT 200"""


class PostgresSessions:
    """Implements ports.Sessions. Messages are kept until they are forgotten."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def add_messages(self, place: Partition, session: str, messages: Iterable[Message]) -> int:
        """Durable when this returns; how many were new. A message whose id is stored already is
        not."""
        rows = [
            (session, one.speaker, one.speaker_id, one.text, self._time(one), one.id)
            for one in messages
        ]
        ids = [row[-1] for row in rows]
        if not rows or self._are_known(place, session, ids):
            return 0
        return self._db.repeat(lambda: self._add(place, rows), idempotent=None not in ids)

    def _add(self, place: Partition, rows: Sequence[tuple[Any, ...]]) -> int:
        with self._db.transaction(place.workspace) as connection:
            no = lock_one(connection, place)
            with connection.cursor() as cursor:
                cursor.executemany(_ADD, [(no, place.workspace, *row) for row in rows])
                return cursor.rowcount

    def _are_known(self, place: Partition, session: str, ids: Sequence[str | None]) -> bool:
        """Turns overlap and are sent again, so most often there is nothing to write."""
        if None in ids:
            return False
        known = self._db.scalar(place.workspace, _KNOWN, *key(place), session, list(ids))
        return bool(known == len(set(ids)))

    def due_sessions(
        self, now: float, interval: float, min_messages: int, limit: int = 100
    ) -> list[DueSession]:
        """Sessions with `min_messages` new ones and no summary for `interval` seconds.

        For a session without a summary, `interval` counts from its first message.
        """
        with self._db.reading(ALL) as connection:
            rows = connection.execute(_DUE, (min_messages, now - interval, limit)).fetchall()
        return [DueSession(Partition(w, kind, id), *rest) for w, kind, id, *rest in rows]

    def take_messages(
        self, place: Partition, session: str, limit: int = 500
    ) -> list[WaitingMessage]:
        with self._db.reading(place.workspace) as connection:
            rows = connection.execute(
                f"SELECT number, left(text, {SUMMARISED_CHARS}), speaker, time, id, speaker_id "
                f"FROM messages WHERE NOT summarised AND partition = {PARTITION_NO} "
                "AND session = %s ORDER BY number LIMIT %s",
                (*key(place), session, limit),
            ).fetchall()
        return [WaitingMessage(number, Message(*message)) for number, *message in rows]

    def messages(
        self, place: Partition, session: str, after: int = 0, limit: int = 1000
    ) -> list[SessionMessage]:
        with self._db.reading(place.workspace) as connection:
            rows = connection.execute(
                "SELECT number, summarised, text, speaker, time, id, speaker_id FROM messages "
                f"WHERE partition = {PARTITION_NO} AND session = %s AND number > %s "
                "AND text != '' ORDER BY number LIMIT %s",
                (*key(place), session, after, limit),
            ).fetchall()
        return [
            SessionMessage(number, Message(*message), summarised)
            for number, summarised, *message in rows
        ]

    def session_summary(self, place: Partition, session: str) -> str:
        sql = f"SELECT summary FROM sessions WHERE partition = {PARTITION_NO} AND session = %s"
        return str(self._db.scalar(place.workspace, sql, *key(place), session) or "")

    def mark_summarised(
        self, place: Partition, session: str, numbers: Sequence[int], summary: str, now: float
    ) -> None:
        def write() -> None:
            with self._db.transaction(place.workspace) as connection:
                no = lock_one(connection, place)
                connection.execute(
                    "UPDATE messages SET summarised = true WHERE number = ANY (%s::bigint[]) "
                    "AND partition = %s AND session = %s",
                    (list(numbers), no, session),
                )
                connection.execute(
                    "INSERT INTO sessions (partition, workspace, session, last_summary, summary) "
                    "VALUES (%s, %s, %s, %s, %s) ON CONFLICT (partition, session) DO UPDATE "
                    "SET last_summary = excluded.last_summary, summary = excluded.summary",
                    (no, place.workspace, session, now, summary),
                )

        self._db.repeat(write)

    def waiting_sessions(self, workspace: str, user: str) -> list[tuple[Partition, str]]:
        """Sessions that are still to be summarised and in which this user spoke."""
        with self._db.reading(workspace) as connection:
            rows = connection.execute(_WAITING, (workspace, user, user)).fetchall()
        return [(Partition(w, kind, id), session) for w, kind, id, session in rows]

    def forget_messages(
        self, place: Partition, session: str, ids: Sequence[str], texts: Sequence[str]
    ) -> int:
        """Remove messages of a session by id or, as hosts may give none, by exact text."""
        of_session = f"partition = {PARTITION_NO} AND session = %s"
        with self._db.transaction(place.workspace) as connection:
            # What stands for the messages of a session may quote any of them.
            connection.execute(
                f"DELETE FROM compressions WHERE {of_session}", (*key(place), session)
            )
            return connection.execute(
                f"DELETE FROM messages WHERE {of_session} AND (id = ANY (%s::text[]) "
                "OR (text != '' AND text = ANY (%s::text[])))",
                (*key(place), session, list(ids), list(texts)),
            ).rowcount

    def forget(self, place: Partition, user: str | None = None) -> int:
        """Remove a partition's messages; with `user`, also that user's anywhere in the
        workspace."""
        with self._db.transaction(place.workspace) as connection:
            return forget_place(connection, place) + (
                forget_user(connection, place.workspace, user) if user else 0
            )

    def _time(self, message: Message) -> float:
        given = message.time
        return float(given) if isinstance(given, (int, float)) else self._clock()


def forget_place(connection: Connection, place: Partition) -> int:
    """Inside the caller's transaction; how many messages were removed."""
    of_place, values = f"WHERE partition = {PARTITION_NO}", key(place)
    gone = connection.execute(f"DELETE FROM messages {of_place}", values).rowcount
    connection.execute(f"DELETE FROM sessions {of_place}", values)
    connection.execute(f"DELETE FROM compressions {of_place}", values)
    connection.execute("UPDATE ledger SET last_error = '' WHERE last_error != ''")
    return gone


def spoken_by(user: str, names: Collection[str] = ()) -> tuple[str, tuple[Any, ...]]:
    """An SQL condition for a user's messages, and its parameters. Where a host gives no speaker
    ids, names are compared."""
    sql = "(speaker_id = %s OR (speaker_id IS NULL AND speaker = ANY (%s::text[])))"
    return sql, (user, list(names))


def forget_user(
    connection: Connection, workspace: str, user: str, names: Collection[str] = ()
) -> int:
    """Inside the caller's transaction. Also removes the summaries of sessions they spoke in, and
    errors of models, which may quote them."""
    spoken, who = spoken_by(user, names)
    theirs = f"{spoken} AND workspace = %s"
    for table in ("sessions", "compressions"):
        connection.execute(
            f"DELETE FROM {table} WHERE (partition, session) IN "
            f"(SELECT partition, session FROM messages WHERE {theirs})",
            (*who, workspace),
        )
    gone = connection.execute(f"DELETE FROM messages WHERE {theirs}", (*who, workspace)).rowcount
    return gone + forget_place(connection, Partition(workspace, "private", user))
