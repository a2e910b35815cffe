"""The messages of sessions, in order, and the last summary of each session (W8)."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence

import apsw

from ...ports import DueSession, SessionMessage, WaitingMessage
from ...types import Message, Partition
from .database import Database

SUMMARISED_CHARS = 8000  # an appended message may be a whole file
PLACE_NO = "(SELECT no FROM places WHERE workspace = ? AND kind = ? AND id = ?)"


class SqliteSessions:
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
        if not rows or self._are_known(place, session, [row[-1] for row in rows]):
            return 0
        with self._db.writing(()) as connection:
            no = place_no(connection, place)
            before = connection.total_changes()
            for row in rows:
                connection.execute(
                    "INSERT INTO messages (place, session, speaker, speaker_id, text, time, id) "
                    "VALUES (?,?,?,?,?,?,?) ON CONFLICT DO NOTHING",
                    (no, *row),
                )
            return int(connection.total_changes() - before)

    def _are_known(self, place: Partition, session: str, ids: Sequence[str | None]) -> bool:
        """Turns overlap and are sent again, so most often there is nothing to write."""
        asked = f"SELECT 1 FROM messages WHERE place = {PLACE_NO} AND session = ? AND id = ?"
        with self._db.reading() as connection:
            return all(
                id is not None
                and connection.execute(asked, (*place_key(place), session, id)).get is not None
                for id in ids
            )

    def due_sessions(
        self, now: float, interval: float, min_messages: int, limit: int = 100
    ) -> list[DueSession]:
        """Sessions with `min_messages` new ones and no summary for `interval` seconds.

        For a session without a summary, `interval` counts from its first message.
        """
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT p.workspace, p.kind, p.id, m.session, count(*), s.last_summary, "
                "coalesce(s.summary, '') FROM messages m JOIN places p ON p.no = m.place "
                "LEFT JOIN sessions s ON s.place = m.place AND s.session = m.session "
                "WHERE m.summarised = 0 GROUP BY m.place, m.session "
                "HAVING count(*) >= ? AND coalesce(s.last_summary, min(m.time)) <= ? "
                "ORDER BY min(m.number) LIMIT ?",
                (min_messages, now - interval, limit),
            ).fetchall()
        return [DueSession(Partition(w, kind, id), *rest) for w, kind, id, *rest in rows]

    def take_messages(
        self, place: Partition, session: str, limit: int = 500
    ) -> list[WaitingMessage]:
        with self._db.reading() as connection:
            rows = connection.execute(
                f"SELECT number, substr(text, 1, {SUMMARISED_CHARS}), speaker, time, id, "
                "speaker_id FROM messages "
                f"WHERE summarised = 0 AND place = {PLACE_NO} AND session = ? "
                "ORDER BY number LIMIT ?",
                (*place_key(place), session, limit),
            ).fetchall()
        return [WaitingMessage(number, Message(*message)) for number, *message in rows]

    def messages(
        self, place: Partition, session: str, after: int = 0, limit: int = 1000
    ) -> list[SessionMessage]:
        with self._db.reading() as connection:
            # Older versions emptied the text of a message once it was in a summary.
            rows = connection.execute(
                "SELECT number, summarised, text, speaker, time, id, speaker_id FROM messages "
                f"WHERE place = {PLACE_NO} AND session = ? AND number > ? AND text != '' "
                "ORDER BY number LIMIT ?",
                (*place_key(place), session, after, limit),
            ).fetchall()
        return [
            SessionMessage(number, Message(*message), bool(summarised))
            for number, summarised, *message in rows
        ]

    def session_summary(self, place: Partition, session: str) -> str:
        return str(
            self._db.scalar(
                f"SELECT summary FROM sessions WHERE place = {PLACE_NO} AND session = ?",
                *place_key(place),
                session,
            )
            or ""
        )

    def mark_summarised(
        self, place: Partition, session: str, numbers: Sequence[int], summary: str, now: float
    ) -> None:
        with self._db.writing(()) as connection:
            no = place_no(connection, place)
            for number in numbers:
                connection.execute(
                    "UPDATE messages SET summarised = 1 "
                    "WHERE number = ? AND place = ? AND session = ?",
                    (number, no, session),
                )
            connection.execute(
                "INSERT INTO sessions (place, session, last_summary, summary) VALUES (?,?,?,?) "
                "ON CONFLICT (place, session) DO UPDATE "
                "SET last_summary = excluded.last_summary, summary = excluded.summary",
                (no, session, now, summary),
            )

    def waiting_sessions(self, workspace: str, user: str) -> list[tuple[Partition, str]]:
        """Sessions that are still to be summarised and in which this user spoke."""
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT DISTINCT p.workspace, p.kind, p.id, m.session FROM messages m "
                "JOIN places p ON p.no = m.place WHERE m.summarised = 0 AND p.workspace = ? "
                "AND (m.speaker_id = ? OR (p.kind = 'private' AND p.id = ?)) LIMIT 200",
                (workspace, user, user),
            ).fetchall()
        return [(Partition(w, kind, id), session) for w, kind, id, session in rows]

    def forget_messages(
        self, place: Partition, session: str, ids: Sequence[str], texts: Sequence[str]
    ) -> int:
        """Remove messages of a session by id or, as hosts may give none, by exact text."""
        known, said = ",".join("?" * len(ids)), ",".join("?" * len(texts))
        with self._db.writing(()) as connection:
            # What stands for the messages of a session may quote any of them.
            connection.execute(
                f"DELETE FROM compressions WHERE place = {PLACE_NO} AND session = ?",
                (*place_key(place), session),
            )
            before = connection.total_changes()
            connection.execute(
                f"DELETE FROM messages WHERE place = {PLACE_NO} AND session = ? "
                f"AND (id IN ({known}) OR (text != '' AND text IN ({said})))",
                (*place_key(place), session, *ids, *texts),
            )
            return int(connection.total_changes() - before)

    def forget(self, place: Partition, user: str | None = None) -> int:
        """Remove a partition's messages; with `user`, also that user's anywhere in the
        workspace."""
        with self._db.writing(()) as connection:
            return forget_place(connection, place) + (
                forget_user(connection, place.workspace, user) if user else 0
            )

    def _time(self, message: Message) -> float:
        given = message.time
        return float(given) if isinstance(given, (int, float)) else self._clock()


def forget_place(connection: apsw.Connection, place: Partition) -> int:
    """Inside the caller's transaction; how many messages were removed."""
    before = connection.total_changes()
    connection.execute(f"DELETE FROM messages WHERE place = {PLACE_NO}", place_key(place))
    gone = int(connection.total_changes() - before)
    connection.execute(f"DELETE FROM sessions WHERE place = {PLACE_NO}", place_key(place))
    connection.execute(f"DELETE FROM compressions WHERE place = {PLACE_NO}", place_key(place))
    connection.execute("UPDATE ledger SET last_error = ''")
    return gone


def spoken_by(user: str, names: Collection[str] = ()) -> tuple[str, tuple[str, ...]]:
    """An SQL condition for a user's messages, and its parameters. Where a host gives no speaker
    ids, names are compared."""
    marks = ",".join("?" * len(names))
    named = f"OR (speaker_id IS NULL AND speaker IN ({marks}))" if names else ""
    return f"(speaker_id = ? {named})", (user, *names)


def forget_user(
    connection: apsw.Connection, workspace: str, user: str, names: Collection[str] = ()
) -> int:
    """Inside the caller's transaction. Also removes the summaries of sessions they spoke in, and
    errors of models, which may quote them."""
    spoken, who = spoken_by(user, names)
    theirs = f"{spoken} AND place IN (SELECT no FROM places WHERE workspace = ?)"
    for table in ("sessions", "compressions"):
        connection.execute(
            f"DELETE FROM {table} WHERE (place, session) IN "
            f"(SELECT place, session FROM messages WHERE {theirs})",
            (*who, workspace),
        )
    before = connection.total_changes()
    connection.execute(f"DELETE FROM messages WHERE {theirs}", (*who, workspace))
    gone = int(connection.total_changes() - before)
    return gone + forget_place(connection, Partition(workspace, "private", user))


def place_no(connection: apsw.Connection, place: Partition) -> int:
    connection.execute(
        "INSERT INTO places (workspace, kind, id) VALUES (?,?,?) ON CONFLICT DO NOTHING",
        place_key(place),
    )
    return int(connection.execute(f"SELECT {PLACE_NO}", place_key(place)).get)


def place_key(place: Partition) -> tuple[str, str, str]:
    return place.workspace, place.kind, place.id
