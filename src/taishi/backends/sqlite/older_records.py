"""Records that have reached an age, or the end of their time."""

from __future__ import annotations

from ...types import Partition, Record
from ..record_rows import number_range, record_of
from .database import Database
from .writer import COLUMNS


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
            (*number_range(no), kind, before, limit),
        ).fetchall()
    return [record_of(place, row) for row in rows]


def expired_records(db: Database, now: float, limit: int) -> list[tuple[Partition, str]]:
    """Those of any partition that are to be deleted by now."""
    with db.reading() as connection:
        rows = connection.execute(
            "SELECT workspace, p.kind, p.id, r.id FROM records r JOIN places p ON no = place "
            "WHERE expires <= ? AND r.kind != 'short_term' ORDER BY expires LIMIT ?",
            (now, limit),
        ).fetchall()
    return [(Partition(workspace, kind, place), id) for workspace, kind, place, id in rows]
