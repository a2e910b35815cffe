"""Values that verbs return and exports carry: one for each line of an export, for what a long
piece of work did, and for what a person looks at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .types import Job, Partition, Record


@dataclass(frozen=True, slots=True)
class ExportedRecord:
    """A record with its vector: in a line as float32 numbers, little-endian; from and to a store
    as it keeps it."""

    record: Record
    vector: bytes | None = None
    stored: bytes | None = None


@dataclass(frozen=True, slots=True)
class ExportedMessage:
    """A message of a session. Older versions emptied the text once it was in a summary."""

    place: Partition
    session: str
    speaker: str | None
    speaker_id: str | None
    text: str
    time: float
    id: str | None
    summarised: bool
    role: str = ""  # of an appended message; its parts and tool calls are in `body`, as JSON
    body: str = ""
    learned: bool = False


@dataclass(frozen=True, slots=True)
class ExportedSession:
    place: Partition
    session: str
    last_summary: float | None
    summary: str
    scratchpad: str = ""  # JSON
    scratchpad_time: float | None = None


@dataclass(frozen=True, slots=True)
class ExportedLink:
    """A user who asked that their private chat and their groups know each other."""

    workspace: str
    user: str


@dataclass(frozen=True, slots=True)
class ExportedCalls:
    """A line of the ledger."""

    day: str
    task: str
    model: str
    mode: str
    calls: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    cost: float
    last_error: str


@dataclass(frozen=True, slots=True)
class ExportedProfile:
    """A page as its file holds it, front matter and all, and its snapshots, oldest first.

    `page` is None where only snapshots are left: a person took the file away.
    """

    workspace: str
    entity_type: str
    entity_id: str
    page: str | None
    snapshots: tuple[tuple[str, str], ...] = ()

    @property
    def place(self) -> Partition:
        kind = "private" if self.entity_type == "user" else "group"
        return Partition(self.workspace, kind, self.entity_id)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class ExportedJob:
    """A job that waits (`due`: not before) or was given up (`due`: when), with its queue id."""

    id: str
    failed: bool
    attempts: int
    due: float
    reason: str
    job: Job


@dataclass(frozen=True, slots=True)
class ExportedOriginal:
    """The file of a document."""

    place: Partition
    document: str
    data: bytes


Moved = (
    ExportedRecord
    | ExportedOriginal
    | ExportedMessage
    | ExportedSession
    | ExportedLink
    | ExportedCalls
    | ExportedProfile
    | ExportedJob
)


@dataclass(frozen=True, slots=True)
class ExportScope:
    """How much is meant: everything, one workspace, or one place of it."""

    workspace: str | None = None
    place: Partition | None = None

    def holds(self, place: Partition) -> bool:
        if self.place is not None:
            return place == self.place
        return self.workspace in (None, place.workspace)

    def __str__(self) -> str:
        if self.place is not None:
            return str(self.place)
        return f"the workspace {self.workspace}" if self.workspace else "everything"


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line of an export that was left out, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of the lines of an export, by type: `added`; `same`, as they were here already;
    `kept`, as something else is here under the same id; `replaced`; `forgotten`, as it was deleted
    here since; and which were bad."""

    added: Mapping[str, int]
    same: Mapping[str, int]
    kept: Mapping[str, int]
    replaced: Mapping[str, int]
    forgotten: Mapping[str, int]
    bad: tuple[BadLine, ...]
    dry_run: bool


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of the whole folder: where, how much, and what its database holds."""

    path: str
    files: int
    bytes: int
    jobs: int
    records: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FieldChange:
    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Change:
    """One learned record that a rebuild adds, changes or removes (`op`), and what differs."""

    op: str
    kind: str
    id: str
    text: str
    fields: tuple[FieldChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did, or with `dry_run` would do: events that were read again; learned records
    `added`, `changed` and `removed`, by kind; pages written; records whose index entries were made
    again; and the first of the changes."""

    events: int
    added: Mapping[str, int]
    changed: Mapping[str, int]
    removed: Mapping[str, int]
    pages: int
    indexed: int
    changes: tuple[Change, ...]
    dry_run: bool


@dataclass(frozen=True, slots=True)
class Rescanned:
    """What a rescan by newer redaction rules looked at and changed: records; other texts
    (messages, summaries of sessions, errors of models); pages and their snapshots; jobs. `left`
    are pages that could not be read, and why."""

    looked: int
    records: int
    texts: int
    pages: int
    jobs: int
    left: tuple[str, ...] = ()

    @property
    def changed(self) -> int:
        return self.records + self.texts + self.pages + self.jobs


@dataclass(frozen=True, slots=True)
class Remnant:
    """Something of a forgotten person that is still there: where, and what."""

    place: str
    what: str


@dataclass(frozen=True, slots=True)
class ErasureProof:
    """What was looked at after a `forget`, and what was found; true if that is nothing.

    `elsewhere` are the same words in what other people said or wrote, which is theirs and stays.
    """

    places: tuple[str, ...]
    files: int
    bytes: int
    phrases: int
    found: tuple[Remnant, ...]
    elsewhere: tuple[Remnant, ...] = ()

    def __bool__(self) -> bool:
        return not self.found


@dataclass(frozen=True, slots=True)
class Deletion:
    """One deletion. `what` is "scope", "record", "derived" (withdrawn, as its source was deleted),
    "copy" (of what was deleted, in another workspace), "rebuild" (not borne out by the events),
    "rescan" (texts from which newer redaction rules took something), or "import" (one that brought
    things back)."""

    time: float
    actor: str
    door: str
    what: str
    kind: str
    scope: str
    removed: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """One write that was not let in. `reason` is "too_long", "rejected" or "authority"."""

    time: float
    actor: str
    door: str
    reason: str
    kind: str
    scope: str


NOT_EVIDENCE = ("missing", "page")


@dataclass(frozen=True, slots=True)
class Source:
    """One piece of evidence.

    `kind` is "event" or "turn" (a record), "message" (what somebody said in a turn), "person"
    (somebody wrote it or decided it by hand), "model" (a model wrote it with a tool), "host" (the
    program kept it word for word), "tool" (a tool ran), "missing" (a record that is not there any
    more), or "page" (it stands on the page and no fact says it). `text` is empty where this scope
    may not see it.
    """

    kind: str
    id: str = ""
    text: str = ""
    time: float | None = None
    who: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A claim and what it rests on; of a page, one claim for each line."""

    id: str
    kind: str
    text: str
    sources: tuple[Source, ...]
    claims: tuple[Evidence, ...] = ()

    @property
    def is_orphan(self) -> bool:
        """Whether it, or a line of it, rests on nothing that is there."""
        if self.kind == "profile":
            return any(one.is_orphan for one in self.claims)
        return all(one.kind in NOT_EVIDENCE for one in self.sources)


@dataclass(frozen=True, slots=True)
class Page:
    """Some records, oldest first. `next` gives the following ones; None: there are no more.

    A page may be shorter than asked for, even empty, and still have a `next`.
    """

    records: tuple[Record, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """What a record said, and until when. The one that holds has no `until`."""

    id: str
    text: str
    state: str
    until: float | None = None


@dataclass(frozen=True, slots=True)
class MapPoint:
    """A record and where it lies by meaning, each from -1 to 1."""

    record: Record
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class BlockTokens:
    """What a prompt block costs, as the counter of its budget counts. `sections` and the `frame`
    (fence, and what the whole counts more or less than its parts) add up to `total`."""

    total: int
    limit: int
    frame: int
    sections: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MeaningMap:
    """Records by meaning; near ones say similar things. `without` have no vector (yet)."""

    points: tuple[MapPoint, ...] = ()
    without: int = 0


@dataclass(frozen=True, slots=True)
class PageFault:
    """Something wrong with the file of a page; `kind` is one of those that `doctor` explains."""

    file: str
    line: int
    kind: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class IntentDecision:
    """What a question was taken for (Q5), by "rules" or a "model": the factor of each kind that it
    favours, and all that it asks for: kinds, "working", "scratchpad", "shared"."""

    name: str
    by: str
    favours: Mapping[str, float]
    asks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One act on an entry of shared memory. `by` is `person`, `host`, `agent:ID` or, for a chat
    without an agent, `chat:` and a hash; `role` is agent, coordinator, person or host."""

    at: str
    did: str
    by: str
    role: str
    door: str
    reason: str
