"""The store of records on SQLite."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Hashable, Sequence
from functools import partial
from pathlib import Path

from ...ports import (
    Changes,
    Embedded,
    IndexRow,
    IndexSnapshot,
    Moment,
    PartitionInfo,
    PartitionState,
    Unembedded,
)
from ...types import Edit, Partition, Record
from ..record_rows import FIELDS, PLACE_BITS, number_range, packed_terms, record_of
from .browse import SqliteBrowse
from .database import Database
from .deletions import SqliteDeletions
from .erasure import SqliteErasure
from .facts import SqliteFacts
from .index_source import SqliteIndexSource
from .ledger import SqliteLedger
from .note_receipts import SqliteNoteReceipts
from .older_records import expired_records, older_records
from .rebuild_index import reindex
from .recalled_hashes import SqliteRecalledHashes
from .refusals import SqliteRefusals
from .rescan import SqliteRescan
from .sessions import SqliteSessions
from .sql_batches import batches
from .transfer import SqliteTransfer
from .vectors import SqliteVectors
from .working import SqliteWorkingMemory
from .writer import COLUMNS, TransactionWriter

INDEXED_STATES: dict[tuple[str, ...], str] = {
    (state,): state for state in ("rejected", "superseded", "conflict")
}
FORGOTTEN = "substr(id, 1, 1) = char(1)"
# As it is on the page of a place's user or group, whose record is found by its id.
_NAME = """coalesce((SELECT CASE WHEN json_valid(r.data) THEN r.data ->> '$.name' END FROM records r
WHERE r.place = no AND r.kind = 'profile' AND r.id =
CASE places.kind WHEN 'private' THEN 'user:' WHEN 'group' THEN 'group:' END || places.id), '')"""

_OF_RECORD = ", ".join(f"r.{column}" for column in (*FIELDS, "data"))


class SqliteStore:
    """Implements ports.Store, for several threads and processes at once."""

    def __init__(
        self,
        path: Path,
        clock: Callable[[], float] = time.time,
        read_only: bool = False,
        full: bool = False,
    ) -> None:
        self.path = path
        self._db = Database(path, read_only=read_only, full=full)
        self._clock = clock
        self.read_only = self._db.read_only
        self.sessions = SqliteSessions(self._db, clock)
        self.working = SqliteWorkingMemory(self._db)
        self.ledger = SqliteLedger(self._db, clock)
        self.handed_out = SqliteRecalledHashes(self._db)
        self.note_receipts = SqliteNoteReceipts(self._db)
        self.facts = SqliteFacts(self._db)
        self.browse = SqliteBrowse(self._db)
        self._index = SqliteIndexSource(self._db)
        self._vectors = SqliteVectors(self._db, clock)
        self.transfer = SqliteTransfer(self._db, clock)
        self.deletions = SqliteDeletions(self._db)
        self.older = partial(older_records, self._db)
        self.expired = partial(expired_records, self._db)
        self.erasure = SqliteErasure(self._db, clock)
        self.refusals = SqliteRefusals(self._db)
        self.rescan = SqliteRescan(self._db, clock)

    def apply(self, edits: Sequence[Edit], erases: bool = True) -> int:
        # Tokenising is the slow part: do it before taking the write lock.
        packed = [packed_terms(e.record) if e.record else b"" for e in edits]
        places: set[int] = set()
        with self._db.writing(places) as connection:
            batch = TransactionWriter(connection, self._clock(), places)
            for edit, terms in zip(edits, packed, strict=True):
                batch.add(edit, terms)
            return batch.finish()

    def get(self, place: Partition, id: str) -> Record | None:
        with self._db.reading() as connection:
            rows = connection.execute(
                f"SELECT {COLUMNS} FROM records WHERE id = ? AND place = "
                "(SELECT no FROM places WHERE workspace = ? AND kind = ? AND id = ?)",
                (id, place.workspace, place.kind, place.id),
            ).fetchall()
        return record_of(place, rows[0]) if rows else None

    def fetch(self, numbers: Sequence[int], places: Collection[Partition]) -> dict[int, Record]:
        found: dict[int, Record] = {}
        known = {(place.workspace, place.kind, place.id): place for place in places}
        with self._db.reading() as connection:
            for marks, part in batches(numbers):
                for number, workspace, kind, id, *row in connection.execute(
                    f"SELECT number, workspace, p.kind, p.id, {_OF_RECORD} FROM records r "
                    f"JOIN places p ON no = place WHERE number IN ({marks})",
                    part,
                ):
                    place = known.get((workspace, kind, id))
                    if place is not None:
                        found[number] = record_of(place, row)
        return found

    def last_end_seq(self, place: Partition, request_id: str) -> int:
        prefix = f"{request_id}:"
        with self._db.reading() as connection:
            ids = connection.execute(
                "SELECT id FROM records WHERE id >= ? AND id < ? AND place = "
                "(SELECT no FROM places WHERE workspace = ? AND kind = ? AND id = ?)",
                (prefix, f"{request_id};", place.workspace, place.kind, place.id),
            ).fetchall()
        ends = (id[len(prefix) :].partition(":")[0] for (id,) in ids)
        return max((int(end) for end in ends if end.isdecimal()), default=0)

    def scan(self, place: Partition, after: int = 0, limit: int = 1000) -> list[tuple[int, Record]]:
        state = self.states([place]).get(place)
        if state is None:
            return []
        low, high = number_range(state.no)
        with self._db.reading() as connection:
            rows = connection.execute(
                f"SELECT number, {COLUMNS} FROM records WHERE number > ? AND number < ? "
                "ORDER BY number LIMIT ?",
                (max(low, after), high, limit),
            ).fetchall()
        return [(number, record_of(place, row)) for number, *row in rows]

    def find(
        self,
        place: Partition,
        kinds: Collection[str],
        states: Collection[str] | None = None,
        limit: int = 1000,
        id_prefix: str = "",
    ) -> list[Record]:
        state = self.states([place]).get(place)
        if state is None:
            return []
        within, bounds = "number > ? AND number < ?", list[int | str](number_range(state.no))
        if id_prefix:
            after = id_prefix[:-1] + chr(ord(id_prefix[-1]) + 1)
            within, bounds = "place = ? AND id >= ? AND id < ?", [state.no, id_prefix, after]
        elif states is not None and tuple(states) in INDEXED_STATES:
            within, bounds = f"place = ? AND state = '{INDEXED_STATES[tuple(states)]}'", [state.no]
        sql = f"SELECT {COLUMNS} FROM records WHERE {within} AND kind IN "
        sql += f"({','.join('?' * len(kinds))})"
        if states is not None:
            sql += f" AND state IN ({','.join('?' * len(states))})"
        with self._db.reading() as connection:
            rows = connection.execute(
                f"{sql} ORDER BY number DESC LIMIT ?",
                (*bounds, *kinds, *(states or ()), limit),
            ).fetchall()
        return [record_of(place, row) for row in rows]

    def places(self) -> list[tuple[Partition, int]]:
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT workspace, kind, id, (SELECT count(*) FROM records WHERE place = no) "
                f"FROM places WHERE NOT {FORGOTTEN} ORDER BY workspace, kind, id"
            ).fetchall()
        return [(Partition(workspace, kind, id), count) for workspace, kind, id, count in rows]

    def partitions(self, workspace: str) -> list[PartitionInfo]:
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT kind, id, (SELECT count(*) FROM records WHERE place = no), "
                f"(SELECT created FROM records WHERE number > no << {PLACE_BITS} "
                f"AND number < (no + 1) << {PLACE_BITS} ORDER BY number DESC LIMIT 1), {_NAME} "
                f"FROM places WHERE workspace = ? AND NOT {FORGOTTEN} AND ("
                "EXISTS (SELECT 1 FROM records WHERE place = no) OR "
                "EXISTS (SELECT 1 FROM messages WHERE place = no)) ORDER BY kind, id",
                (workspace,),
            ).fetchall()
        return [PartitionInfo(Partition(workspace, kind, id), *rest) for kind, id, *rest in rows]

    def states(self, places: Sequence[Partition]) -> dict[Partition, PartitionState]:
        return self._index.states(places)

    def change_token(self, partitions: Collection[int]) -> Hashable | None:
        return self._index.change_token(partitions)

    def moment(self) -> Moment | None:
        return self._index.moment()

    def silence(self, moment: Moment, partitions: Collection[int]) -> float | None:
        return self._index.silence(moment, partitions)

    def file_fingerprint(self) -> Hashable | None:
        return self._index.file_fingerprint()

    def snapshot(self, no: int, model: str | None) -> IndexSnapshot:
        return self._index.snapshot(no, model)

    def unpacked(self, no: int, model: str | None, limit: int) -> tuple[int, list[int]]:
        return self._index.unpacked(no, model, limit)

    def chunk_rows(self, chunk: int, model: str | None) -> Sequence[IndexRow]:
        return self._index.chunk_rows(chunk, model)

    def put_packs(self, seq: int, model: str | None, packs: Sequence[tuple[int, bytes]]) -> int:
        return self._index.put_packs(seq, model, packs)

    def changes(self, no: int, since: int, model: str | None) -> Changes | None:
        return self._index.changes(no, since, model)

    def adopt_model(self, name: str, code_size: int) -> int:
        return self._vectors.adopt_model(name, code_size)

    def void_vectors(self) -> int:
        return self._vectors.void_vectors()

    def unembedded(self, limit: int) -> list[Unembedded]:
        return self._vectors.unembedded(limit)

    def put_vectors(self, model: str, vectors: Sequence[Embedded]) -> None:
        self._vectors.put_vectors(model, vectors)

    def set_link(self, workspace: str, user: str, on: bool) -> None:
        with self._db.writing() as connection:
            connection.execute(
                "INSERT INTO links VALUES (?, ?) ON CONFLICT DO NOTHING"
                if on
                else "DELETE FROM links WHERE workspace = ? AND user = ?",
                (workspace, user),
            )

    def linked(self, workspace: str, user: str) -> bool:
        return bool(
            self._db.scalar("SELECT 1 FROM links WHERE workspace = ? AND user = ?", workspace, user)
        )

    def groups_of(self, workspace: str, user: str) -> list[Partition]:
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT id FROM places WHERE workspace = ? AND kind = 'group' AND no IN "
                "(SELECT place FROM records WHERE user = ?)",
                (workspace, user),
            ).fetchall()
        return [Partition(workspace, "group", id) for (id,) in rows]

    def reindex(self, place: Partition | None = None) -> int:
        return reindex(self._db, place)

    def counts(self) -> dict[str, int]:
        with self._db.reading() as connection:
            kinds = dict(connection.execute("SELECT kind, count(*) FROM records GROUP BY kind"))
            waiting = connection.execute("SELECT count(*) FROM shelf WHERE model = 0").get
        return {**kinds, "unembedded": waiting}

    def check(self) -> str:
        return self._db.integrity()

    def copy_to(self, target: Path) -> dict[str, int]:
        """Copy the database while it is in use; how many records of each kind the copy holds."""
        return self._db.copy_to(target, "SELECT kind, count(*) FROM records GROUP BY kind")

    def close(self) -> None:
        self._db.close()
