"""Receipts of changes to notes (T5)."""

from __future__ import annotations

from ...ports import NoteReceipt
from ...types import Partition
from .database import Database
from .sessions import PLACE_NO, place_key, place_no


class SqliteNoteReceipts:
    """Implements ports.NoteReceipts. Not exported: only this installation's callers repeat."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, place: Partition, key: str) -> NoteReceipt | None:
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT key, fingerprint, version, count FROM note_receipts "
                f"WHERE place = {PLACE_NO} AND key = ?",
                (*place_key(place), key),
            ).fetchall()
        return NoteReceipt(*rows[0]) if rows else None

    def put(self, place: Partition, receipt: NoteReceipt, most: int) -> None:
        """Change counters stay: no index reads this."""
        with self._db.writing(()) as connection:
            no = place_no(connection, place)
            connection.execute(
                "INSERT INTO note_receipts (place, key, fingerprint, version, count) "
                "VALUES (?,?,?,?,?) ON CONFLICT (place, key) DO UPDATE SET "
                "fingerprint = excluded.fingerprint, version = excluded.version, "
                "count = excluded.count",
                (no, receipt.key, receipt.fingerprint, receipt.version, receipt.count),
            )
            connection.execute(
                "DELETE FROM note_receipts WHERE place = ? AND key != '' AND number <= "
                "(SELECT number FROM note_receipts WHERE place = ? AND key != '' "
                "ORDER BY number DESC LIMIT 1 OFFSET ?)",
                (no, no, most),
            )
