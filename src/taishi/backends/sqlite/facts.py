"""Facts by subject and category, read through an index."""

from __future__ import annotations

from collections.abc import Collection

from ...types import Partition, Record
from ..record_rows import record_of
from .database import Database
from .sessions import PLACE_NO, place_key
from .writer import COLUMNS

# The same expressions as in the migration: SQLite uses an index only for an identical expression.
_SUBJECT = "CASE WHEN json_valid(data) THEN data ->> '$.subject' END"
_CATEGORY = "CASE WHEN json_valid(data) THEN data ->> '$.category' END"
# He who said it is whom it is about (domain/own_facts.py).
_ABOUT_USER = "CASE WHEN json_valid(data) THEN data ->> '$.about_user' END = 1"
_STANDING = "kind = 'fact' AND state IN ('approved', 'conflict')"


class SqliteFacts:
    """Implements ports.Facts."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def of_category(
        self, place: Partition, subject: str, category: str, limit: int
    ) -> list[tuple[int, Record]]:
        about = f"{_STANDING} AND {_SUBJECT} = ? AND {_CATEGORY} = ?"
        return self._newest(place, about, (subject, category), limit)

    def of_subject(
        self, place: Partition, subject: str, without: Collection[str], limit: int
    ) -> list[tuple[int, Record]]:
        marks = ",".join("?" * len(without))
        about = f"{_STANDING} AND {_SUBJECT} = ? AND coalesce({_CATEGORY}, '') NOT IN ({marks})"
        return self._newest(place, about, (subject, *without), limit)

    def names_of(self, place: Partition, user: str, limit: int) -> list[str]:
        with self._db.reading() as connection:
            rows = connection.execute(
                f"SELECT DISTINCT {_SUBJECT} FROM records WHERE place = {PLACE_NO} AND user = ? "
                f"AND {_STANDING} AND {_ABOUT_USER} LIMIT ?",
                (*place_key(place), user, limit),
            ).fetchall()
        return [name for (name,) in rows if name]

    def _newest(
        self, place: Partition, about: str, values: tuple[str, ...], limit: int
    ) -> list[tuple[int, Record]]:
        with self._db.reading() as connection:
            rows = connection.execute(
                f"SELECT number, {COLUMNS} FROM records WHERE place = {PLACE_NO} AND {about} "
                "ORDER BY number DESC LIMIT ?",
                (*place_key(place), *values, limit),
            ).fetchall()
        return [(number, record_of(place, row)) for number, *row in rows]
