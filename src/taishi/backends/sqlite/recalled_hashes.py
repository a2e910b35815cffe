"""Hashes of the statements that recall returned (H6)."""

from __future__ import annotations

from collections.abc import Sequence

from ...types import HandedOut, Partition
from .database import Database
from .sessions import PLACE_NO, place_key


class SqliteRecalledHashes:
    """Implements ports.RecalledHashes. Not exported: only this installation returned them."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, place: Partition, rows: Sequence[tuple[str, str]], most: int) -> None:
        """Beyond `most` in a partition the oldest are dropped. Change counters stay: no index
        reads this. A partition that is not there is not made: a recall is no reason to store an
        id."""
        if self._db.read_only:
            return  # nothing is written here, so nothing recalled can come back as evidence
        with self._db.writing(()) as connection:
            no = connection.execute(f"SELECT {PLACE_NO}", place_key(place)).get
            if no is None:
                return
            for key, told in rows:
                connection.execute(
                    "INSERT INTO handed_out (place, key, told) VALUES (?,?,?) "
                    "ON CONFLICT (place, key) DO NOTHING",
                    (no, key, told),
                )
            connection.execute(
                "DELETE FROM handed_out WHERE place = ? AND number <= (SELECT number "
                "FROM handed_out WHERE place = ? ORDER BY number DESC LIMIT 1 OFFSET ?)",
                (no, no, most),
            )

    def since(self, place: Partition, number: int) -> list[HandedOut]:
        """Rows after this number, in order."""
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT number, key, told FROM handed_out "
                f"WHERE place = {PLACE_NO} AND number > ? ORDER BY number",
                (*place_key(place), number),
            ).fetchall()
        return [HandedOut(*row) for row in rows]

    def all(self, place: Partition) -> list[HandedOut]:
        return self.since(place, 0)

    def forget(self, workspace: str) -> None:
        with self._db.writing(()) as connection:
            connection.execute(
                "DELETE FROM handed_out WHERE place IN (SELECT no FROM places WHERE workspace = ?)",
                (workspace,),
            )
