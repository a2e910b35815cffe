"""What the engine asks of the parts it can be built from. Each port has one contract suite."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .exported import (
    ExportedCalls,
    ExportedLink,
    ExportedMessage,
    ExportedRecord,
    ExportedSession,
    ExportScope,
)
from .types import Edit, Job, Message, Partition, Profile, Record

Vector = NDArray[np.float32]


class Embedder(Protocol):
    """Text → unit vectors.

    `blocks` are the widths of the parts that a vector is made of. A text may leave its later
    blocks zero (an English text in a two-language space), and whoever stores or scans vectors
    may then skip them.
    """

    @property
    def name(self) -> str:
        """Stamped on every vector; another name means vectors that cannot be compared."""

    @property
    def blocks(self) -> tuple[int, ...]: ...

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        """One unit row per text, in order. Raises ModelError; never returns fewer rows."""

    def close(self) -> None: ...


@runtime_checkable
class Shareable(Protocol):
    """What an embedder has, too, that computes right here: who waits for a vector can help."""

    def help(self) -> bool:
        """Do a part of a question that is being embedded in another thread; whether there was
        one. It takes milliseconds, and asks neither a disk nor a network for anything."""


class Reranker(Protocol):
    """How well each text answers a query, by a model that reads both together (Q4)."""

    @property
    def name(self) -> str: ...

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score per text, in order, about 0 to 1; more is better. Raises ModelError."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Lease:
    """A job that is ours until `until` (epoch seconds)."""

    job: Job
    token: str
    attempt: int
    until: float


class Queue(Protocol):
    """A durable first-in, first-out queue with leases (W4, W5)."""

    def put(self, job: Job) -> str:
        """Durable when this returns. Raises QueueError, and then nothing was accepted."""

    def claim(self) -> Lease | None: ...

    def is_waiting(self) -> bool:
        """Whether a claim would probably find a job."""

    def extend(self, lease: Lease) -> Lease: ...

    def ack(self, lease: Lease) -> None:
        """Done: the job is gone. Safe to call twice."""

    def retry(self, lease: Lease, reason: str) -> bool:
        """Back to pending after a back-off; True. Out of tries: to failed; False."""

    def postpone(self, lease: Lease, seconds: float) -> None:
        """Back to pending for a while; not counted as a try, as it was no fault of the job's."""

    def recover(self) -> int:
        """Give back what was claimed by somebody whose lease ran out; how many."""

    def forget(self, predicate: Callable[[Job], bool]) -> int:
        """Remove jobs wherever they are; how many."""

    def counts(self) -> dict[str, int]: ...

    def oldest_age(self) -> float: ...

    def pending_jobs(self) -> Iterable[Job]:
        """Jobs not yet done, oldest first, without claiming them."""


@dataclass(frozen=True, slots=True)
class PartitionState:
    """A place as the index last saw it: its number in the store and its change count."""

    no: int
    seq: int


class IndexRow(NamedTuple):
    """What the in-memory index needs of one record; `terms`, `code` and `passages`, the vectors of
    a long text's passages, are packed.

    A tuple, because a cold index reads a hundred thousand of them before its first answer.
    """

    number: int
    revision: int
    kind: str
    state: str
    time: float | None
    since: float | None
    until: float | None
    user: str | None
    speaker: str | None
    session: str | None
    trust: float
    uses: int
    terms: bytes
    code: bytes | None
    passages: bytes | None = None


@dataclass(frozen=True, slots=True)
class IndexSnapshot:
    """All of a place at one change count: its packs by chunk, and the rows that are in none,
    by the chunk at which each run of them begins."""

    seq: int
    packs: Sequence[tuple[int, bytes]]
    rows: Mapping[int, Sequence[IndexRow]]


@dataclass(frozen=True, slots=True)
class Changes:
    """What happened in a place since some count; `gone` are numbers that were removed."""

    seq: int
    rows: Sequence[IndexRow]
    gone: Sequence[int]


@dataclass(frozen=True, slots=True)
class Unembedded:
    number: int
    revision: int
    text: str


@dataclass(frozen=True, slots=True)
class Embedded:
    number: int
    revision: int
    code: bytes
    passages: bytes | None = None


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

    def shelves(self, places: Sequence[Partition]) -> dict[Partition, PartitionState]: ...

    def mark(self, shelves: Collection[int]) -> Hashable | None:
        """Equal marks: nothing changed in these places meanwhile, nor in which places and links
        there are. Read from memory, at once. None: only the store itself can tell."""

    def trace(self) -> Hashable | None:
        """Equal traces: nobody wrote to the store meanwhile, not even a program that knows nothing
        of marks. As cheap as a look at a file's date. None: not known."""

    def shelf(self, no: int, model: str | None) -> IndexSnapshot: ...

    def unpacked(self, no: int, model: str | None, limit: int) -> tuple[int, list[int]]:
        """The place's change count, and some chunks that are full but not packed yet."""

    def chunk_rows(self, chunk: int, model: str | None) -> Sequence[IndexRow]: ...

    def put_packs(self, seq: int, model: str | None, packs: Sequence[tuple[int, bytes]]) -> int:
        """Keep packs of chunks that did not change since `seq`; how many. A write that touches
        one of its rows drops a pack."""

    def changes(self, no: int, since: int, model: str | None) -> Changes | None:
        """None: too long ago to tell, read the shelf anew."""

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


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model is made to call: the only form in which models answer us."""

    name: str
    description: str
    parameters: Mapping[str, Any]  # a JSON schema of type object


class ChatModel(Protocol):
    """A language model that answers with structured data."""

    def structured(
        self, task: str, messages: Sequence[Mapping[str, str]], tool: Tool
    ) -> dict[str, Any]:
        """The arguments of the tool, checked against its schema.

        `task` is one of settings' chat tasks and chooses the model. Raises ModelError with the
        model's own words; the caller may try again later.
        """

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a model, for the ledger (H5)."""

    task: str
    model: str
    ok: bool
    seconds: float
    prompt_tokens: int
    completion_tokens: int
    mode: str
    cost: float = 0.0
    error: str = ""


class Ledger(Protocol):
    def add(self, call: Call) -> None: ...


class DueSession(Protocol):
    @property
    def place(self) -> Partition: ...
    @property
    def session(self) -> str: ...


class WaitingMessage(Protocol):
    @property
    def number(self) -> int: ...
    @property
    def message(self) -> Message: ...


class Sessions(Protocol):
    """Messages that wait, durably, for their session's next summary (W8)."""

    def add_messages(self, place: Partition, session: str, messages: Iterable[Message]) -> int: ...

    def due_sessions(
        self, now: float, interval: float, min_messages: int
    ) -> Sequence[DueSession]: ...

    def take_messages(
        self, place: Partition, session: str, limit: int
    ) -> Sequence[WaitingMessage]: ...

    def session_summary(self, place: Partition, session: str) -> str: ...

    def mark_summarised(
        self, place: Partition, session: str, numbers: Sequence[int], summary: str, now: float
    ) -> None: ...


Row = ExportedRecord | ExportedMessage | ExportedSession | ExportedLink | ExportedCalls
# What became of something that came in: new here, here already just so, here in another form and
# left as it is, here in another form and overwritten.
Outcome = Literal["added", "same", "kept", "replaced", "forgotten"]


class TransferSnapshot(Protocol):
    """A store at one moment, whatever is written to it meanwhile."""

    def counts(self) -> dict[str, int]: ...
    def records(self) -> Iterable[ExportedRecord]: ...
    def messages(self) -> Iterable[ExportedMessage]: ...
    def sessions(self) -> Iterable[ExportedSession]: ...
    def links(self) -> Iterable[ExportedLink]: ...
    def ledger(self) -> Iterable[ExportedCalls]: ...


class Transfer(Protocol):
    """All that a store holds, on its way to another one (O2)."""

    def look(
        self, extent: ExportScope, model: str | None = None
    ) -> AbstractContextManager[TransferSnapshot]:
        """With `model`, records come with the vectors that it made."""

    def take_in(
        self, rows: Sequence[Row], *, overwrite: bool, model: str | None, dry: bool = False
    ) -> list[Outcome]:
        """All of these rows or none. Vectors are taken as `model`'s; None: they are left out."""


class Locks(Protocol):
    """Named locks across threads and processes; `hold` waits, then raises BusyError."""

    def hold(self, name: str, timeout: float = 60.0) -> AbstractContextManager[None]: ...


class ProfileStore(Protocol):
    """Pages that a person can read and edit (P1, P3)."""

    def read(self, workspace: str, entity_type: str, entity_id: str) -> Profile | None: ...

    def is_whole(self, workspace: str, entity_type: str, entity_id: str) -> bool:
        """Whether the page's text is certain; a damaged one says nothing about the facts."""

    def write(self, profile: Profile, since: tuple[int, ...] | None = None) -> Profile:
        """Snapshot what is there, then replace it; the profile as written.

        With `since`, an edit made after that stamp is not overwritten: BusyError.
        """

    def revisions(self, workspace: str, entity_type: str, entity_id: str) -> tuple[str, ...]:
        """Names of the snapshots, newest first."""

    def diff(
        self, workspace: str, entity_type: str, entity_id: str, revision: str, to: str | None = None
    ) -> str:
        """From a snapshot to another, or to the page as it is now."""

    def rollback(
        self, workspace: str, entity_type: str, entity_id: str, revision: str
    ) -> Profile: ...

    def read_revision(
        self, workspace: str, entity_type: str, entity_id: str, revision: str
    ) -> Profile: ...

    def amend(self, profile: Profile, revision: str | None = None) -> None:
        """Put the page or a snapshot right in its place; nothing of the old one is kept."""

    def delete(self, workspace: str, entity_type: str, entity_id: str) -> bool:
        """Remove the page and its history. True if there was one."""

    def stamp(self, workspace: str, entity_type: str, entity_id: str) -> tuple[int, ...]:
        """Differs after any edit; () where there is none."""

    def locked(
        self, workspace: str, entity_type: str, entity_id: str
    ) -> AbstractContextManager[None]: ...


class TextCache(Protocol):
    """Something in memory that keeps people's words for a while: `forget` has to reach it."""

    def cached_texts(self) -> Iterable[str]:
        """The texts that could be read out of it; for the proof that they are gone."""
        ...

    def clear_text(self) -> None: ...
