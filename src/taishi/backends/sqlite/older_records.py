"""Records of one kind that have reached an age."""

from __future__ import annotations

from ...types import Partition, Record
from .database import Database
from .transfer import record_of
from .writer import COLUMNS, PLACE_BITS


def older_records(
    db: Database, place: Partition, kind: str, before: float, limit: int
) -> list[Record]:
    """The first to come of a place's records whose time is before this; those without a time
    have no age."""
    with db.reading() as connection:
        no = connection.execute(
            "SELECT no FROM places WHERE workspace = ? AND kind = ? AND id = ?",
            (place.workspace, place.kind, place.id),
        ).get
        if no is None:
            return []
        rows = connection.execute(
            f"SELECT {COLUMNS} FROM records WHERE number > ? AND number < ? AND kind = ? "
            "AND time < ? ORDER BY number LIMIT ?",
            (no << PLACE_BITS, (no + 1) << PLACE_BITS, kind, before, limit),
        ).fetchall()
    return [record_of(place, row) for row in rows]
