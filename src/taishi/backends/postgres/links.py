"""Users who let their private chat and their groups know each other (S2)."""

from __future__ import annotations

from ...types import Partition
from .change_feed import ANY
from .database import Database
from .records import partition_no


class PostgresLinks:
    """Implements ports.Links."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def set_link(self, workspace: str, user: str, on: bool) -> None:
        sql = (
            "INSERT INTO links (workspace, user_id) VALUES (%s, %s) ON CONFLICT DO NOTHING"
            if on
            else "DELETE FROM links WHERE workspace = %s AND user_id = %s"
        )

        def write() -> None:
            touched = {ANY}
            with self._db.writing(workspace, touched, erases=not on) as connection:
                connection.execute(sql, (workspace, user))
                # Whoever read more by this link reads the private chat, too.
                own = partition_no(connection, Partition(workspace, "private", user))
                touched |= set() if own is None else {own}

        self._db.repeat(write)

    def linked(self, workspace: str, user: str) -> bool:
        sql = "SELECT 1 FROM links WHERE workspace = %s AND user_id = %s"
        return self._db.scalar(workspace, sql, workspace, user) is not None

    def groups_of(self, workspace: str, user: str) -> list[Partition]:
        with self._db.reading(workspace) as connection:
            rows = connection.execute(
                "SELECT id FROM partitions WHERE workspace = %s AND kind = 'group' AND no IN "
                "(SELECT partition FROM records WHERE user_id = %s) ORDER BY no",
                (workspace, user),
            ).fetchall()
        return [Partition(workspace, "group", id) for (id,) in rows]
