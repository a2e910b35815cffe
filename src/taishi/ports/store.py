"""Port to the store of records.

`Store` is put together from parts, so that a service can ask for the one part it needs.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..types import Edit, HandedOut, Partition, Record
from .audit import Deletions, Refusals, Rescan
from .browse import Browse
from .erasure import ErasableStore
from .index_rows import (
    Changes,
    Embedded,
    IndexRow,
    IndexSnapshot,
    Moment,
    PartitionState,
    Unembedded,
)
from .note_receipts import NoteReceipts
from .sessions import Sessions
from .transfer import Transfer
from .working import WorkingStore

if TYPE_CHECKING:
    from .models import CallLedger


class Facts(Protocol):
    """Facts by subject, the newest first; reads only the rows it returns."""

    def of_category(
        self, place: Partition, subject: str, category: str, limit: int
    ) -> list[tuple[int, Record]]:
        """Facts in force about a subject in one category, with the numbers of the records."""

    def of_subject(
        self, place: Partition, subject: str, without: Collection[str], limit: int
    ) -> list[tuple[int, Record]]:
        """The same in every category except these."""

    def names_of(self, place: Partition, user: str, limit: int) -> list[str]:
        """The subjects of what a user said of himself: the names that he had then."""


class RecalledHashes(Protocol):
    """Hashes of the statements that recall returned, so that they do not come back as evidence."""

    def add(self, place: Partition, rows: Sequence[tuple[str, str]], most: int) -> None:
        """Rows of (key, hashed words). Beyond `most` in a partition the oldest are dropped."""

    def since(self, place: Partition, number: int) -> list[HandedOut]:
        """Rows after this number, in order."""

    def forget(self, workspace: str) -> None: ...


class IndexSource(Protocol):
    """What an in-memory index reads from the store, and how it learns that it is out of date."""

    def states(self, places: Sequence[Partition]) -> dict[Partition, PartitionState]:
        """Number and change count of those that exist."""

    def change_token(self, partitions: Collection[int]) -> Hashable | None:
        """Equal tokens: nothing changed in these partitions meanwhile, nor in which partitions and
        links there are. Read from shared memory, without a query. None: query the store."""

    def moment(self) -> Moment | None:
        """Read it before a query, for `silence`. None: this store does not follow changes, or not
        yet."""

    def silence(self, moment: Moment, partitions: Collection[int]) -> float | None:
        """How many seconds ago the store was last heard of, if nothing was erased in these
        partitions between the moment and then, whatever was added. None: something may have
        been. For as long as the store is away."""

    def file_fingerprint(self) -> Hashable | None:
        """Equal fingerprints: nobody wrote to the store meanwhile, not even a program that does not
        update the change counters. As cheap as a file's stat. None: not known."""

    def snapshot(self, no: int, model: str | None) -> IndexSnapshot:
        """A whole partition, by its number; vectors only if they are `model`'s."""

    def unpacked(self, no: int, model: str | None, limit: int) -> tuple[int, list[int]]:
        """A partition's change count, and some chunks of rows that are full but have no column
        batch yet."""

    def chunk_rows(self, chunk: int, model: str | None) -> Sequence[IndexRow]:
        """The rows of one chunk, in order."""

    def put_packs(self, seq: int, model: str | None, packs: Sequence[tuple[int, bytes]]) -> int:
        """Store the column batches of chunks that did not change since `seq`; how many. A write to
        one of its rows deletes a batch."""

    def changes(self, no: int, since: int, model: str | None) -> Changes | None:
        """What changed after the count `since`; None: too long ago to tell, take a snapshot."""


class VectorTable(Protocol):
    """The vectors of records, of one model at a time."""

    def adopt_model(self, name: str, code_size: int) -> int:
        """Name the model that embeds from now on, and the bytes of a vector that it made; how many
        records have none. Vectors of another model are dropped, and so are those of another size
        if a look at a few rows finds any."""

    def void_vectors(self) -> int:
        """Drop every vector; how many records are to be embedded again."""

    def unembedded(self, limit: int) -> list[Unembedded]: ...

    def put_vectors(self, model: str, vectors: Sequence[Embedded]) -> None:
        """A vector of a revision that is no longer current is ignored."""


class Links(Protocol):
    """Users who let their private chat and their groups know each other (S2)."""

    def set_link(self, workspace: str, user: str, on: bool) -> None: ...

    def linked(self, workspace: str, user: str) -> bool: ...

    def groups_of(self, workspace: str, user: str) -> list[Partition]:
        """The groups in which this user has records."""


@dataclass(frozen=True, slots=True)
class PartitionInfo:
    """How many records a partition has, when the newest was stored (epoch seconds; None if it has
    only messages), and the name on the page of its user or group, if there is one."""

    partition: Partition
    records: int
    last_time: float | None
    name: str = ""


class Records(Protocol):
    """Records by id, by number, and by kind."""

    def apply(self, edits: Sequence[Edit], erases: bool = True) -> int:
        """All edits or none; how many records changed. Idempotent on (place, id). `erases` False:
        nothing goes that anybody may have wanted gone, so a reader whom the store is away from may
        show what he has."""

    def get(self, place: Partition, id: str) -> Record | None: ...

    def fetch(self, numbers: Sequence[int], places: Collection[Partition]) -> dict[int, Record]:
        """Records by number, but only those that live in one of these places."""

    def last_end_seq(self, place: Partition, request_id: str) -> int:
        """The highest end_seq among the events of a request; 0 if there is none."""

    def scan(self, place: Partition, after: int = 0, limit: int = 1000) -> list[tuple[int, Record]]:
        """A partition's records in the order they came, a page at a time."""

    def find(
        self,
        place: Partition,
        kinds: Collection[str],
        states: Collection[str] | None = None,
        limit: int = 1000,
        id_prefix: str = "",
    ) -> list[Record]:
        """The newest records of these kinds (and states) in a partition; with `id_prefix`, those
        whose ids begin so, found through an index."""

    def older(self, place: Partition, kind: str, before: float, limit: int) -> list[Record]:
        """The oldest records of a kind whose time is before a moment."""

    def expired(self, now: float, limit: int) -> list[tuple[Partition, str]]:
        """Records of any partition that are to be deleted by now, by partition and id. Short-term
        memories are not among them: their lives are renewed (domain/short_term.py)."""

    def places(self) -> list[tuple[Partition, int]]:
        """Every partition of every workspace, with the number of its records."""

    def partitions(self, workspace: str) -> list[PartitionInfo]:
        """The partitions of a workspace that hold records or messages, by kind and id."""


class Store(Records, IndexSource, VectorTable, Links, Protocol):
    """The source of truth: everything else can be rebuilt from it."""

    @property
    def facts(self) -> Facts: ...

    @property
    def browse(self) -> Browse: ...

    @property
    def sessions(self) -> Sessions: ...

    @property
    def working(self) -> WorkingStore: ...

    @property
    def ledger(self) -> CallLedger: ...

    @property
    def handed_out(self) -> RecalledHashes: ...

    @property
    def note_receipts(self) -> NoteReceipts: ...

    @property
    def transfer(self) -> Transfer: ...

    @property
    def deletions(self) -> Deletions: ...

    @property
    def refusals(self) -> Refusals: ...

    @property
    def rescan(self) -> Rescan: ...

    @property
    def erasure(self) -> ErasableStore: ...

    def reindex(self, place: Partition | None = None) -> int:
        """Rebuild the index rows of one partition, or of all, from the records; how many."""

    def counts(self) -> dict[str, int]:
        """Records by kind, and `unembedded`."""

    def check(self) -> str:
        """ "ok", or what is wrong with the stored data."""

    def close(self) -> None: ...
