"""Receipts of changes to notes (T5)."""

from __future__ import annotations

from ...ports import NoteReceipt
from ...types import Partition
from .database import Database
from .partitions import PARTITION_NO, lock_one
from .partitions import key as place_key


class PostgresNoteReceipts:
    """Implements ports.NoteReceipts. Not exported: only this installation's callers repeat."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, place: Partition, key: str) -> NoteReceipt | None:
        with self._db.reading(place.workspace) as connection:
            row = connection.execute(
                "SELECT key, fingerprint, version, count FROM note_receipts "
                f"WHERE partition = {PARTITION_NO} AND key = %s",
                (*place_key(place), key),
            ).fetchone()
        return None if row is None else NoteReceipt(*row)

    def put(self, place: Partition, receipt: NoteReceipt, most: int) -> None:
        """Change counts stay: no index reads this."""
        self._db.repeat(lambda: self._put(place, receipt, most))

    def _put(self, place: Partition, receipt: NoteReceipt, most: int) -> None:
        values = (receipt.key, receipt.fingerprint, receipt.version, receipt.count)
        with self._db.transaction(place.workspace) as connection:
            no = lock_one(connection, place)
            connection.execute(
                "INSERT INTO note_receipts "
                "(partition, workspace, key, fingerprint, version, count) "
                "VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (partition, key) DO UPDATE SET "
                "fingerprint = excluded.fingerprint, version = excluded.version, "
                "count = excluded.count",
                (no, place.workspace, *values),
            )
            connection.execute(
                "DELETE FROM note_receipts WHERE partition = %s AND key != '' AND number <= "
                "(SELECT number FROM note_receipts WHERE partition = %s AND key != '' "
                "ORDER BY number DESC LIMIT 1 OFFSET %s)",
                (no, no, most),
            )
