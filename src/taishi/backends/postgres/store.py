"""The store of records on PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable

from ...types import Partition
from .browse import PostgresBrowse
from .database import ALL, Database
from .erasure import PostgresErasure
from .index_source import PostgresIndexSource
from .large_partition_rows import PostgresSearchRows
from .links import PostgresLinks
from .logs import PostgresDeletions, PostgresLedger, PostgresRecalledHashes, PostgresRefusals
from .note_receipts import PostgresNoteReceipts
from .partitions import PartitionWorkspaces
from .rebuild_index import reindex
from .records import PostgresFacts, PostgresRecords
from .rescan import PostgresRescan
from .schema_check import missing
from .sessions import PostgresSessions
from .transfer import PostgresTransfer
from .vectors import PostgresVectors
from .working import PostgresWorkingMemory

_LOST_INDEX = """
SELECT count(*) FROM records r FULL JOIN index_rows i USING (number)
WHERE r.number IS NULL OR i.number IS NULL"""
# Not those that are being built for large partitions: an invalid one is dropped and made again.
_BROKEN_INDEX = """
SELECT string_agg(indexrelid::regclass::text, ', ') FROM pg_index
WHERE NOT indisvalid AND NOT starts_with(indexrelid::regclass::text, 'large_')
  AND indrelid = ANY (SELECT oid FROM pg_class WHERE relrowsecurity)"""


class PostgresStore:
    """Implements ports.Store, for any number of threads, processes and machines at once."""

    def __init__(self, database: Database | str, clock: Callable[[], float] = time.time) -> None:
        self._owned = isinstance(database, str)
        self._db = db = Database(database) if isinstance(database, str) else database
        workspaces = PartitionWorkspaces(db)
        self.sessions = PostgresSessions(db, clock)
        self.working = PostgresWorkingMemory(db)
        self.ledger = PostgresLedger(db, clock)
        self.handed_out = PostgresRecalledHashes(db)
        self.note_receipts = PostgresNoteReceipts(db)
        self.facts = PostgresFacts(db)
        self.browse = PostgresBrowse(db)
        self.transfer = PostgresTransfer(db, clock)
        self.deletions = PostgresDeletions(db)
        self.erasure = PostgresErasure(db, clock)
        self.refusals = PostgresRefusals(db)
        self.rescan = PostgresRescan(db, clock)
        self.search_rows = PostgresSearchRows(db, workspaces)
        # What these parts do, the store does.
        records = PostgresRecords(db, clock)
        self.apply, self.get, self.fetch = records.apply, records.get, records.fetch
        self.last_end_seq, self.scan, self.find = records.last_end_seq, records.scan, records.find
        self.older, self.places, self.partitions = records.older, records.places, records.partitions
        self.expired = records.expired
        index = PostgresIndexSource(db, workspaces)
        self.states, self.changes, self.snapshot = index.states, index.changes, index.snapshot
        self.change_token, self.file_fingerprint = index.change_token, index.file_fingerprint
        self.moment, self.silence = index.moment, index.silence
        self.unpacked, self.chunk_rows = index.unpacked, index.chunk_rows
        self.put_packs = index.put_packs
        vectors = PostgresVectors(db, clock)
        self.adopt_model, self.void_vectors = vectors.adopt_model, vectors.void_vectors
        self.unembedded, self.put_vectors = vectors.unembedded, vectors.put_vectors
        links = PostgresLinks(db)
        self.set_link, self.linked, self.groups_of = links.set_link, links.linked, links.groups_of

    def reindex(self, place: Partition | None = None) -> int:
        return reindex(self._db, place)

    def counts(self) -> dict[str, int]:
        with self._db.reading(ALL) as connection:
            kinds = connection.execute("SELECT kind, count(*) FROM records GROUP BY kind")
            found: dict[str, int] = dict(kinds.fetchall())
        sql = "SELECT count(*) FROM index_rows WHERE model = 0"
        return {**found, "unembedded": int(self._db.scalar(ALL, sql))}

    def check(self) -> str:
        if lacking := missing(self._db):
            return lacking
        if lost := self._db.scalar(ALL, _LOST_INDEX):
            return f"{lost} records and index rows without each other; run: taishi rebuild"
        if broken := self._db.scalar(ALL, _BROKEN_INDEX):
            return f"indexes of the database are not valid; REINDEX {broken}"
        return "ok"

    def close(self) -> None:
        """Close the connections, unless they were passed in."""
        if self._owned:
            self._db.close()
