"""Numbers of partitions, and the lock that makes their writers take turns."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ...types import Partition
from .database import ALL, Connection, Database

PARTITION_NO = "(SELECT no FROM partitions WHERE workspace = %s AND kind = %s AND id = %s)"
KNOWN_WORKSPACES = 100_000
_NAMED = "unnest(%s::text[], %s::text[], %s::text[]) AS w (workspace, kind, id)"
_COLUMNS = "p.no, p.workspace, p.kind, p.id, p.next, p.seq, p.sql_search"
# Here and elsewhere OFFSET 0 keeps the planner from turning look-ups into a join, for which it
# would read a whole table: it has no idea how many rows a policy hides.
FOUND = f"""
{_NAMED} CROSS JOIN LATERAL (SELECT no, seq FROM partitions p
  WHERE p.workspace = w.workspace AND p.kind = w.kind AND p.id = w.id OFFSET 0) AS found"""
_LOCK = f"""
SELECT {_COLUMNS} FROM partitions p WHERE p.no = ANY (ARRAY(SELECT found.no FROM {FOUND}))
ORDER BY p.no FOR NO KEY UPDATE"""
_LOCK_NUMBERS = f"""
SELECT {_COLUMNS} FROM partitions p WHERE p.no = ANY (%s::bigint[])
ORDER BY p.workspace, p.no FOR NO KEY UPDATE"""
_MAKE = f"""
INSERT INTO partitions (workspace, kind, id)
SELECT workspace, kind, id FROM {_NAMED} ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING"""


@dataclass(slots=True)
class LockedPartition:
    """A partition whose row this transaction has locked."""

    no: int
    place: Partition
    next: int
    seq: int
    sql_search: int


def key(place: Partition) -> tuple[str, str, str]:
    return place.workspace, place.kind, place.id


def by_workspace(places: Iterable[Partition]) -> dict[str, list[Partition]]:
    """In order, so that all transactions lock in the same one."""
    found: dict[str, list[Partition]] = {}
    for place in sorted(set(places)):
        found.setdefault(place.workspace, []).append(place)
    return found


def lock(connection: Connection, places: Collection[Partition]) -> list[LockedPartition]:
    """Partitions of the workspace that the connection sees; those that are new are made."""
    names = [list(column) for column in zip(*map(key, places), strict=True)]
    found = _lock(connection, places, names)
    while len(found) < len(places):
        connection.execute(_MAKE, names)
        found = _lock(connection, places, names)
    return found


def _lock(
    connection: Connection, places: Collection[Partition], names: list[list[str]]
) -> list[LockedPartition]:
    rows, wanted = [_locked(*row) for row in connection.execute(_LOCK, names)], set(places)
    # One that was forgotten while we waited for its lock has lost its id.
    return [one for one in rows if one.place in wanted]


def lock_one(connection: Connection, place: Partition) -> int:
    """The number of a partition, made if it is new. Others who write to it wait."""
    return lock(connection, [place])[0].no


def lock_known(connection: Connection, place: Partition) -> int | None:
    """The number of a partition if there is one. Others who write to it wait."""
    found = _lock(connection, [place], [[name] for name in key(place)])
    return found[0].no if found else None


def lock_numbers(connection: Connection, numbers: Iterable[int]) -> list[LockedPartition]:
    """Those that exist and that the connection sees."""
    rows = connection.execute(_LOCK_NUMBERS, (sorted(set(numbers)),)).fetchall()
    return [_locked(*row) for row in rows]


def _locked(
    no: int, workspace: str, kind: str, id: str, following: int, seq: int, sql_search: int
) -> LockedPartition:
    place = Partition(workspace, kind, id)  # type: ignore[arg-type]
    return LockedPartition(no, place, following, seq, sql_search)


class PartitionWorkspaces:
    """Which workspace a partition's number belongs to. That never changes, so it is remembered."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[int, str] = {}

    def learn(self, no: int, workspace: str) -> None:
        if len(self._known) >= KNOWN_WORKSPACES:
            self._known.clear()
        self._known[no] = workspace

    def of(self, no: int) -> str:
        """Empty, which sees nothing, if there is no such partition."""
        known = self._known.get(no)
        if known is None:
            found = self._db.scalar(ALL, "SELECT workspace FROM partitions WHERE no = %s", no)
            if found is None:
                return ""
            known = str(found)
            self.learn(no, known)
        return known
