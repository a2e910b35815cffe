"""What an export carries: one value for each of its lines."""

from __future__ import annotations

from dataclasses import dataclass

from ..types import Job, Partition, Record


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
