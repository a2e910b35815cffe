"""Applies a list of edits within one transaction."""

from __future__ import annotations

import apsw

from ...errors import InputError, TakenError
from ...types import Edit, Partition, Record
from ..record_rows import (
    FIELDS,
    INDEX_COLUMNS,
    KEPT_CHANGES,
    PLACE_BITS,
    PRUNE_EVERY,
    index_values,
    packed_data,
    written_at,
)
from . import index_chunks
from .change_counters import ANY

COLUMNS = ", ".join((*FIELDS, "data"))
_PUT_RECORD = f"""
INSERT INTO records (number, place, {COLUMNS}) VALUES ({",".join("?" * (len(FIELDS) + 3))})
ON CONFLICT (number) DO UPDATE SET
  {", ".join(f"{c} = excluded.{c}" for c in (*FIELDS, "data") if c not in ("id", "created"))}"""
# Run before _PUT_RECORD, as it compares with the old text: only a new text voids the vector.
_PUT_INDEX_ROW = f"""
INSERT INTO shelf (number, revision, {", ".join(INDEX_COLUMNS)}, terms)
VALUES (?, 1, {",".join("?" * len(INDEX_COLUMNS))}, ?)
ON CONFLICT (number) DO UPDATE SET revision = revision + 1,
  model = iif((SELECT text FROM records r WHERE r.number = shelf.number) = ?, model, 0),
  code = iif((SELECT text FROM records r WHERE r.number = shelf.number) = ?, code, NULL),
  passages = iif((SELECT text FROM records r WHERE r.number = shelf.number) = ?, passages, NULL),
  {", ".join(f"{c} = excluded.{c}" for c in (*INDEX_COLUMNS, "terms"))}"""


class TransactionWriter:
    """The edits of one transaction; the change count of each partition rises once.

    The numbers of changed partitions are added to `places`, for Database.writing.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        now: float,
        places: set[int] | None = None,
        keeps_times: bool = False,
    ) -> None:
        """`keeps_times`: records come with the time when they were last changed (an import)."""
        self._keeps_times = keeps_times
        self._connection = connection
        self._run = connection.execute
        self._now = now
        self._places: dict[Partition, int] = {}
        self._next: dict[int, int] = {}
        self._touched: dict[int, None] = {}
        self._changed = set() if places is None else places

    def add(self, edit: Edit, terms: bytes) -> None:
        if edit.op == "remove":
            if edit.place is None or edit.id is None:
                raise InputError("a remove edit needs a place and an id")
            number = self._number_of(self._place(edit.place), edit.id)
            if number is not None:
                self.remove(number)
            return
        if edit.record is None:
            raise InputError(f"a {edit.op} edit needs a record")
        if edit.op == "unland":
            self._unland(edit.record)
            return
        self._write(edit.record, terms, replace=edit.op == "put")

    def _write(self, record: Record, terms: bytes, replace: bool) -> None:
        place = self._place(record.place)
        number = self._own_number(place, record) or self._number_of(place, record.id)
        is_new = number is None
        if number is None:
            number = self._next_number(place)
        elif not replace:
            return
        elif record.owner and not self._own_number(place, record):
            raise TakenError(f"{record.id} was written by another job; take the next number")
        fields = {name: getattr(record, name) for name in FIELDS}
        fields["created"] = record.created or self._now
        fields["updated"] = written_at(record, self._now, is_new, self._keeps_times)
        indexed = index_values(record)
        self._run(_PUT_INDEX_ROW, (number, *indexed, terms, *[record.text] * 3))
        self._run(_PUT_RECORD, (number, place, *fields.values(), packed_data(record)))
        self.touch(number)

    def _unland(self, record: Record) -> None:
        number = self._own_number(self._place(record.place), record)
        kind = "SELECT kind FROM records WHERE number = ?"
        if number is not None and self._run(kind, (number,)).get == "turn":
            self.remove(number)

    def remove(self, number: int) -> None:
        for table in ("records", "shelf"):
            self._run(f"DELETE FROM {table} WHERE number = ?", (number,))
        self.touch(number)

    def touch(self, number: int) -> None:
        self._touched[number] = None

    def _place(self, place: Partition) -> int:
        if place not in self._places:
            key = (place.workspace, place.kind, place.id)
            # Select first: nearly always it exists, and an insert without effect costs more.
            known = "SELECT no, next FROM places WHERE workspace = ? AND kind = ? AND id = ?"
            new = "INSERT INTO places (workspace, kind, id) VALUES (?,?,?) RETURNING no, next"
            no, following = self._run(known, key).get or self._run(new, key).get
            self._places[place] = no
            self._next[no] = following
        return self._places[place]

    def _number_of(self, place: int, id: str) -> int | None:
        number: int | None = self._run(
            "SELECT number FROM records WHERE place = ? AND id = ?", (place, id)
        ).get
        return number

    def _own_number(self, place: int, record: Record) -> int | None:
        """Where this record's job wrote before, whatever the id: a retry overwrites its own
        record."""
        if record.owner is None:
            return None
        number: int | None = self._run(
            "SELECT number FROM records WHERE place = ? AND owner = ?", (place, record.owner)
        ).get
        return number

    def _next_number(self, place: int) -> int:
        local = self._next[place]
        self._next[place] = local + 1
        return place << PLACE_BITS | local

    def finish(self) -> int:
        index_chunks.drop(self._connection, self._touched)
        seqs: dict[int, int] = {}
        for number in self._touched:
            place = number >> PLACE_BITS
            if place not in seqs:
                seqs[place] = self._run(
                    "UPDATE places SET seq = seq + 1, next = coalesce(?, next) WHERE no = ? "
                    "RETURNING seq",
                    (self._next.get(place), place),
                ).get
            self._run("INSERT INTO changes VALUES (?,?,?)", (place, seqs[place], number))
        # A partition's first change: it is new to every reader.
        self._changed |= {ANY, *seqs} if 1 in seqs.values() else set(seqs)
        for place, seq in seqs.items():
            if seq % PRUNE_EVERY == 0:
                self._prune(place, seq - KEPT_CHANGES)
        return len(self._touched)

    def _prune(self, place: int, floor: int) -> None:
        if floor > 0:
            self._run("DELETE FROM changes WHERE place = ? AND seq <= ?", (place, floor))
            self._run("UPDATE places SET floor = ? WHERE no = ?", (floor, place))
