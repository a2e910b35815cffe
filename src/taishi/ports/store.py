"""Port to the store of records."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Protocol

from ..types import Edit, Partition, Record
from .index_rows import Changes, Embedded, IndexRow, IndexSnapshot, PartitionState, Unembedded


class Facts(Protocol):
    """Facts by what they are about, the newest first; however many a place has, few are read."""

    def of_category(
        self, place: Partition, subject: str, category: str, limit: int
    ) -> list[tuple[int, Record]]:
        """What holds of a subject in one category, with the numbers of the records."""

    def of_subject(
        self, place: Partition, subject: str, without: Collection[str], limit: int
    ) -> list[tuple[int, Record]]:
        """The same in all categories but these."""


class Store(Protocol):
    """The truth. Everything else can be rebuilt from it."""

    @property
    def facts(self) -> Facts: ...

    def apply(self, edits: Sequence[Edit]) -> int:
        """All edits or none; how many records changed. Idempotent on (place, id)."""

    def get(self, place: Partition, id: str) -> Record | None: ...

    def fetch(self, numbers: Sequence[int], places: Collection[Partition]) -> dict[int, Record]:
        """Records by number, but only those that live in one of these places."""

    def last_end_seq(self, place: Partition, request_id: str) -> int:
        """The highest end_seq among the events of a request; 0 if there is none."""

    def scan(self, place: Partition, after: int = 0, limit: int = 1000) -> list[tuple[int, Record]]:
        """A place's records in the order they came, a page at a time."""

    def find(
        self,
        place: Partition,
        kinds: Collection[str],
        states: Collection[str] | None = None,
        limit: int = 1000,
        id_prefix: str = "",
    ) -> list[Record]:
        """The newest records of these kinds (and states) in a place; those whose ids begin so
        are found without looking at the others."""

    def places(self) -> list[tuple[Partition, int]]: ...

    def states(self, places: Sequence[Partition]) -> dict[Partition, PartitionState]: ...

    def change_token(self, partitions: Collection[int]) -> Hashable | None:
        """Equal tokens: nothing changed in these partitions meanwhile, nor in which partitions and
        links there are. Read from shared memory, without a query. None: query the store."""

    def file_fingerprint(self) -> Hashable | None:
        """Equal fingerprints: nobody wrote to the store meanwhile, not even a program that does not
        update the change counters. As cheap as a file's stat. None: not known."""

    def snapshot(self, no: int, model: str | None) -> IndexSnapshot: ...

    def unpacked(self, no: int, model: str | None, limit: int) -> tuple[int, list[int]]:
        """The place's change count, and some chunks that are full but not packed yet."""

    def chunk_rows(self, chunk: int, model: str | None) -> Sequence[IndexRow]: ...

    def put_packs(self, seq: int, model: str | None, packs: Sequence[tuple[int, bytes]]) -> int:
        """Keep packs of chunks that did not change since `seq`; how many. A write that touches
        one of its rows drops a pack."""

    def changes(self, no: int, since: int, model: str | None) -> Changes | None:
        """None: too long ago to tell, read a snapshot instead."""

    def adopt_model(self, name: str) -> int:
        """Name the model that embeds from now on; how many records wait for it."""

    def void_vectors(self) -> int:
        """Every record waits for its vector again; how many."""

    def unembedded(self, limit: int) -> list[Unembedded]: ...

    def put_vectors(self, model: str, vectors: Sequence[Embedded]) -> None: ...

    def set_link(self, workspace: str, user: str, on: bool) -> None: ...

    def linked(self, workspace: str, user: str) -> bool: ...

    def groups_of(self, workspace: str, user: str) -> list[Partition]: ...

    def forget_user(self, workspace: str, user: str, names: Collection[str] = ()) -> int:
        """All that is theirs in the workspace; where no id says who spoke, `names` do."""

    def forget_place(self, place: Partition) -> int: ...

    def forget_record(self, place: Partition, id: str) -> int: ...

    def counts(self) -> dict[str, int]: ...

    def check(self) -> str: ...

    def close(self) -> None: ...
