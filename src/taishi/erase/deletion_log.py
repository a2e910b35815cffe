"""The record of deletions: who, when, by which door, how many; never what (O2)."""

from __future__ import annotations

from collections.abc import Sequence

from ..domain.deletion_marks import Marks
from ..runtime import Runtime
from ..types import Partition, Record

MAX_ACTOR_CHARS = 80


class DeletionLog:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._deletions = runtime.parts.store.deletions

    @property
    def marks(self) -> Marks:
        return Marks(self._deletions.key())

    def add(
        self,
        partition: Partition,
        what: str,
        removed: int,
        marks: Sequence[bytes],
        actor: str,
        door: str,
    ) -> None:
        label = self.marks.place(partition).hex()
        row = (
            self._runtime.clock(),
            actor[:MAX_ACTOR_CHARS],
            door,
            what,
            partition.kind,
            label,
            removed,
        )
        self._deletions.add(row, marks)

    def marks_of(self, records: Sequence[Record]) -> list[bytes]:
        marks = self.marks
        return [mark for record in records for mark in marks.of_deleted(record)]
