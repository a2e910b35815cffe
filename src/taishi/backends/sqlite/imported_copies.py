"""Records that an import copied from another workspace of the same folder."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...types import Partition
from .database import Database

_FOUND = """
SELECT p.workspace, p.kind, p.id, r.id,
  CASE WHEN json_valid(r.data) THEN r.data ->> '$.copied_from' END AS mark
FROM places p JOIN records r ON r.place = p.no
WHERE p.workspace != ? AND mark IS NOT NULL AND """
IDS_AT_ONCE = 500


def copies_of(
    db: Database, home: Partition, ids: Collection[str] | None = None, user: str | None = None
) -> list[tuple[Partition, str, str]]:
    """Copies, in other workspaces, of a partition's records (of all, or of `ids`) and of a
    user's: partition, id, and the mark of the original."""
    same, key = "p.kind = ? AND p.id = ?", (home.workspace, home.kind, home.id)
    asked: list[tuple[str, tuple[Any, ...]]] = []
    if ids is None:
        asked.append((same, key))
    else:
        wanted = list(ids)
        for start in range(0, len(wanted), IDS_AT_ONCE):
            some = wanted[start : start + IDS_AT_ONCE]
            asked.append((f"{same} AND r.id IN ({','.join('?' * len(some))})", (*key, *some)))
    if user is not None:
        asked.append(("r.user = ?", (home.workspace, user)))
    found: dict[tuple[Partition, str], str] = {}
    with db.reading() as connection:
        for sql, values in asked:
            for workspace, kind, place, id, mark in connection.execute(_FOUND + sql, values):
                found[Partition(workspace, kind, place), id] = str(mark)
    return [(place, id, mark) for (place, id), mark in found.items()]
