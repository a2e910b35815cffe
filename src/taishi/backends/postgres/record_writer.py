"""Applies a list of edits within one transaction, in a few statements whatever their number."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InputError, TakenError
from ...types import Edit, Partition, Record
from ..index_chunk_ranges import chunks_of_numbers
from ..record_rows import KEPT_CHANGES, PLACE_BITS, PRUNE_EVERY, written_at
from . import search_rows
from .change_feed import ANY
from .database import Connection, Database
from .partitions import LockedPartition, by_workspace, lock, lock_numbers
from .record_columns import EXTRA, INDEXED, RECORD_COLUMNS, index_values, record_values

_RECORD = (*RECORD_COLUMNS.split(", "), *EXTRA)
_INDEX = INDEXED.split(", ")
_PUT_RECORD = f"""
INSERT INTO records (number, partition, workspace, {", ".join(_RECORD)})
VALUES ({",".join(["%s"] * (len(_RECORD) + 3))})
ON CONFLICT (number) DO UPDATE SET
  {", ".join(f"{c} = excluded.{c}" for c in _RECORD if c not in ("id", "created"))}"""
_NEW_INDEX_ROW = f"""
INSERT INTO index_rows (number, workspace, revision, {INDEXED}, terms)
VALUES (%s, %s, 1, {",".join(["%s"] * (len(_INDEX) + 1))})"""
_CHANGED_INDEX_ROW = f"""
UPDATE index_rows SET revision = revision + 1,
  {", ".join(f"{c} = %s" for c in (*_INDEX, "terms"))}"""
_VOID_VECTOR = ", model = 0, code = NULL, passages = NULL"
_KNOWN = """
SELECT r.* FROM unnest(%s::bigint[], %s::text[]) AS w (partition, id)
CROSS JOIN LATERAL (SELECT number, partition, id, owner, kind, text FROM records
  WHERE partition = w.partition AND id = w.id OFFSET 0) AS r"""
_OWNED = """
SELECT r.* FROM unnest(%s::bigint[], %s::text[]) AS w (partition, owner)
CROSS JOIN LATERAL (SELECT number, partition, id, owner, kind, text FROM records
  WHERE partition = w.partition AND owner = w.owner OFFSET 0) AS r"""


@dataclass(slots=True)
class _Slot:
    """A record as it will be when the transaction ends."""

    number: int
    id: str
    owner: str | None
    kind: str
    stored_text: str | None  # None: it is not in the table yet
    record: Record | None = None  # what is to be written
    terms: bytes = b""

    @property
    def is_new_text(self) -> bool:
        """Whether its vector, if it has one, is of another text."""
        if self.stored_text is None:
            return True
        return self.record is not None and self.record.text != self.stored_text


class RecordWriter:
    """The edits of one transaction; the change count of each partition rises once.

    First `open` every partition that is written to, in one call. The numbers of changed partitions
    are added to `touched`, for Database.writing.
    """

    def __init__(
        self,
        connection: Connection,
        now: float,
        touched: set[int] | None = None,
        keeps_times: bool = False,
    ) -> None:
        """`keeps_times`: records come with the time when they were last changed (an import)."""
        self._keeps_times = keeps_times
        self._connection = connection
        self._now = now
        self._partitions: dict[Partition, LockedPartition] = {}
        self._by_no: dict[int, LockedPartition] = {}
        self._ids: dict[tuple[int, str], _Slot] = {}
        self._owners: dict[tuple[int, str], _Slot] = {}
        self._slots: dict[int, _Slot] = {}
        self._vectors: dict[int, tuple[int, bytes]] = {}
        self._removed: list[int] = []
        self._changed: dict[int, None] = {}
        self._touched = set() if touched is None else touched

    def open(self, edits: Sequence[Edit], others: Iterable[Partition] = ()) -> None:
        """Lock the partitions of these edits, and read what is stored under their ids. `others` are
        locked as well, for what else is written to them."""
        records = [edit.record for edit in edits if edit.record is not None]
        keys = [(one.place, one.id) for one in records]
        keys += [(e.place, e.id) for e in edits if e.place is not None and e.id is not None]
        owners = [(one.place, one.owner) for one in records if one.owner is not None]
        for workspace, places in by_workspace([*(place for place, _ in keys), *others]).items():
            Database.see(self._connection, workspace)
            self._take(lock(self._connection, places))
            for sql, wanted in ((_KNOWN, keys), (_OWNED, owners)):
                self._load(sql, [(p, id) for p, id in wanted if p.workspace == workspace])

    def open_numbers(self, numbers: Iterable[int]) -> None:
        """Lock the partitions of records that are known by number."""
        self._take(lock_numbers(self._connection, (number >> PLACE_BITS for number in numbers)))

    def _take(self, locked: Iterable[LockedPartition]) -> None:
        for one in locked:
            self._partitions[one.place] = self._by_no[one.no] = one

    def _load(self, sql: str, wanted: Collection[tuple[Partition, str]]) -> None:
        if not wanted:
            return
        named = {(self._partitions[place].no, id) for place, id in wanted}
        numbers, ids = [no for no, _ in named], [id for _, id in named]
        for number, no, *known in self._connection.execute(sql, (numbers, ids)):
            if number not in self._slots:
                self._keep(no, _Slot(number, *known))

    def _keep(self, no: int, slot: _Slot) -> None:
        self._slots[slot.number] = slot
        self._ids[no, slot.id] = slot
        if slot.owner is not None:
            self._owners[no, slot.owner] = slot

    def add(self, edit: Edit, terms: bytes) -> None:
        if edit.op == "remove":
            if edit.place is None or edit.id is None:
                raise InputError("a remove edit needs a place and an id")
            slot = self._ids.get((self._partitions[edit.place].no, edit.id))
            if slot is not None:
                self._drop(slot)
            return
        if edit.record is None:
            raise InputError(f"a {edit.op} edit needs a record")
        if edit.op == "unland":
            self._unland(edit.record)
            return
        self._write(edit.record, terms, replace=edit.op == "put")

    def _write(self, record: Record, terms: bytes, replace: bool) -> None:
        partition = self._partitions[record.place]
        # Where this record's job wrote before, whatever the id: a retry overwrites its own record.
        own = None if record.owner is None else self._owners.get((partition.no, record.owner))
        slot = own or self._ids.get((partition.no, record.id))
        if slot is None:
            number = self._next_number(partition)
            slot = _Slot(number, record.id, record.owner, record.kind, None)
            self._keep(partition.no, slot)
        elif not replace:
            return
        elif record.owner and own is None:
            raise TakenError(f"{record.id} was written by another job; take the next number")
        elif slot.owner is not None and record.owner is None:
            self._owners.pop((partition.no, slot.owner), None)
            slot.owner = None
        slot.record, slot.terms, slot.kind = record, terms, record.kind
        self.touch(slot.number)

    def _unland(self, record: Record) -> None:
        no = self._partitions[record.place].no
        slot = None if record.owner is None else self._owners.get((no, record.owner))
        if slot is not None and slot.kind == "turn":
            self._drop(slot)

    @staticmethod
    def _next_number(partition: LockedPartition) -> int:
        local = partition.next
        partition.next += 1
        return partition.no << PLACE_BITS | local

    def _drop(self, slot: _Slot) -> None:
        no = slot.number >> PLACE_BITS
        self._ids.pop((no, slot.id), None)
        if slot.owner is not None:
            self._owners.pop((no, slot.owner), None)
        slot.record = None
        if slot.stored_text is not None:
            self._removed.append(slot.number)
        self.touch(slot.number)

    def remove(self, number: int) -> None:
        self._removed.append(number)
        self.touch(number)

    def no_of(self, place: Partition) -> int:
        return self._partitions[place].no

    def is_owned(self, place: Partition, owner: str) -> bool:
        """Whether a job has its record, under whatever id."""
        return (self._partitions[place].no, owner) in self._owners

    def take_vectors(self, model: int, codes: Mapping[tuple[Partition, str], bytes]) -> None:
        """Vectors for records that have none, known by partition and id."""
        slots = {
            self._ids[self._partitions[place].no, id].number: code
            for (place, id), code in codes.items()
        }
        settled = [n for n in slots if not self._slots[n].is_new_text]
        rows = self._connection.execute(
            "SELECT number FROM index_rows WHERE number = ANY (%s::bigint[]) AND model != 0",
            (settled,),
        )
        have = {number for (number,) in rows}
        for number, code in slots.items():
            if number not in have:
                self._vectors[number] = (model, code)
                self.touch(number)

    def searched(self) -> set[int]:
        """The partitions among those that are open whose search rows are kept (search_rows.py)."""
        return {one.no for one in self._by_no.values() if one.sql_search}

    def touch(self, number: int) -> None:
        self._changed[number] = None

    def finish(self) -> int:
        """Write everything; how many records changed."""
        if self._changed:
            with self._connection.pipeline():
                groups: dict[str, list[int]] = {}
                for number in self._changed:
                    workspace = self._by_no[number >> PLACE_BITS].place.workspace
                    groups.setdefault(workspace, []).append(number)
                for workspace, numbers in groups.items():
                    Database.see(self._connection, workspace)
                    self._flush(workspace, numbers)
        return len(self._changed)

    def _flush(self, workspace: str, numbers: Sequence[int]) -> None:
        run = self._connection.execute
        gone = set(self._removed).intersection(numbers)
        if gone:
            for table in ("records", "index_rows", *search_rows.TABLES):
                run(f"DELETE FROM {table} WHERE number = ANY (%s::bigint[])", (list(gone),))
        slots = [slot for n in numbers if (slot := self._slots.get(n)) and slot.record]
        self._put(workspace, slots)
        self._put_vectors(workspace, [n for n in numbers if n in self._vectors])
        run(
            "DELETE FROM index_packs WHERE chunk = ANY (%s::bigint[])",
            (list(chunks_of_numbers(numbers)),),
        )
        self._log(workspace, numbers)

    def _put(self, workspace: str, slots: Sequence[_Slot]) -> None:
        records: list[tuple[Any, ...]] = []
        new: list[tuple[Any, ...]] = []
        same: list[tuple[Any, ...]] = []
        changed: list[tuple[Any, ...]] = []
        for slot in slots:
            assert slot.record is not None
            created = slot.record.created or self._now
            is_new = slot.stored_text is None
            updated = written_at(slot.record, self._now, is_new, self._keeps_times)
            values = record_values(slot.record, created, updated)
            records.append((slot.number, slot.number >> PLACE_BITS, workspace, *values))
            indexed: tuple[Any, ...] = (*index_values(slot.record), slot.terms)
            if is_new:
                new.append((slot.number, workspace, *indexed))
            else:  # only a new text voids the vector
                (changed if slot.is_new_text else same).append((*indexed, slot.number))
        with self._connection.cursor() as cursor:
            for sql, rows in (
                (_PUT_RECORD, records),
                (_NEW_INDEX_ROW, new),
                (f"{_CHANGED_INDEX_ROW} WHERE number = %s", same),
                (f"{_CHANGED_INDEX_ROW}{_VOID_VECTOR} WHERE number = %s", changed),
            ):
                if rows:
                    cursor.executemany(sql, rows)
        searched = self.searched()
        search_rows.put_terms(
            self._connection,
            workspace,
            [(s.number, s.terms) for s in slots if s.number >> PLACE_BITS in searched],
            voided=[row[-1] for row in changed],
        )

    def _put_vectors(self, workspace: str, numbers: Sequence[int]) -> None:
        if numbers:
            with self._connection.cursor() as cursor:
                cursor.executemany(
                    "UPDATE index_rows SET model = %s, code = %s WHERE number = %s",
                    [(*self._vectors[number], number) for number in numbers],
                )
            searched = self.searched()
            for number in numbers:
                if number >> PLACE_BITS in searched:
                    model, code = self._vectors[number]
                    search_rows.put_vectors(self._connection, model, [(number, workspace, code)])

    def _log(self, workspace: str, numbers: Sequence[int]) -> None:
        by_no: dict[int, list[int]] = {}
        for number in numbers:
            by_no.setdefault(number >> PLACE_BITS, []).append(number)
        for no, some in by_no.items():
            partition = self._by_no[no]
            partition.seq += 1
            self._connection.execute(
                "UPDATE partitions SET seq = %s, next = %s WHERE no = %s",
                (partition.seq, partition.next, no),
            )
            self._connection.execute(
                "INSERT INTO changes (partition, seq, number, workspace) "
                "SELECT %s, %s, unnest(%s::bigint[]), %s::text",
                (no, partition.seq, some, workspace),
            )
            # A partition's first change: it is new to every reader.
            self._touched |= {ANY, no} if partition.seq == 1 else {no}
            if partition.seq % PRUNE_EVERY == 0:
                self._prune(no, partition.seq - KEPT_CHANGES)

    def _prune(self, no: int, floor: int) -> None:
        if floor > 0:
            run = self._connection.execute
            run("DELETE FROM changes WHERE partition = %s AND seq <= %s", (no, floor))
            run("UPDATE partitions SET floor = %s WHERE no = %s", (floor, no))
