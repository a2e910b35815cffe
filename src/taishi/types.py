"""The values that the layers pass to each other. All frozen; none knows where it is stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .errors import InputError, ScopeError

if TYPE_CHECKING:
    from .exported import IntentDecision

SCHEMA_VERSION = "final_v1"
MAX_ID_CHARS = 256
MAX_RECORD_ID_CHARS = 320  # ours are made of a caller's: "summary:SESSION", "REQUEST:NUMBER"
ELLIPSIS = "…"
_NOT_IN_IDS = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")

Kind = Literal[
    "turn",  # a raw turn, until the historian's event takes its place
    "event",
    "fact",
    "procedure",
    "short_term",
    "profile",
    "observation",
    "summary",
    "note",
    "chunk",
    "document",  # the manifest of a document, with its summary
]
KINDS: tuple[str, ...] = (
    "turn",
    "event",
    "fact",
    "procedure",
    "short_term",
    "profile",
    "observation",
    "summary",
    "note",
    "chunk",
    "document",
)

Level = Literal["hybrid", "keyword", "profile-only", "empty"]
PlaceKind = Literal["private", "group", "agent", "workspace"]
EMPTY: Mapping[str, Any] = MappingProxyType({})
MOST_USES = 1_000_000  # more is a host's own number, or a mistake
COUNTED_BY = {"fact": "evidence_count", "procedure": "usage_count"}  # the first time included


def clean_id(value: object, what: str) -> str | None:
    """An id as it is stored: a string, or nothing. Numbers are accepted, as bots pass them."""
    if value is None:
        return None
    if type(value) is str and len(value) <= MAX_ID_CHARS and value.isalnum():
        return value  # as most are
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise InputError(f"{what} must be a string or an integer, not {type(value).__name__}")
    text = str(value)
    if not text.strip():
        return None
    most = MAX_RECORD_ID_CHARS if what == "id" else MAX_ID_CHARS
    if len(text) > most:
        raise InputError(f"{what} is {len(text)} characters long; at most {most} are kept")
    if _NOT_IN_IDS.search(text):
        raise InputError(f"{what} contains a control character; pass the id as the host gives it")
    return text


@dataclass(frozen=True, slots=True, order=True)
class Partition:
    """Where a record lives: exactly one of these (S1)."""

    workspace: str
    kind: PlaceKind
    id: str = ""

    def __hash__(self) -> int:
        return hash(self.id)  # asked for all the time, and nearly as good as all three

    def __str__(self) -> str:
        return f"{self.workspace}/{self.kind}:{self.id}" if self.id else f"{self.workspace}/shared"


@dataclass(frozen=True, slots=True)
class VisiblePartition:
    """One place a reader may look into; with `only_user`, at that user's records there."""

    place: Partition
    only_user: str | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """Who is speaking, and where. A group wins over a user, a user over an agent."""

    user: str | None = None
    group: str | None = None
    agent: str | None = None
    session: str | None = None
    workspace: str = "default"
    shared: bool = False

    def __post_init__(self) -> None:
        for name in ("user", "group", "agent", "session", "workspace"):
            given = getattr(self, name)
            cleaned = clean_id(given, name)
            if cleaned is not given:
                object.__setattr__(self, name, cleaned)
        if self.workspace is None:
            raise ScopeError("workspace is empty; leave it out to use 'default'")
        if not (self.user or self.group or self.agent or self.shared):
            raise ScopeError(
                "no scope: pass Scope(user=…) for a private chat, Scope(group=…, user=…) for a "
                "group, Scope(agent=…) for an agent, or Scope(shared=True) for the workspace"
            )
        if self.shared and (self.user or self.group or self.agent):
            raise ScopeError("shared=True is the whole workspace; leave user, group and agent out")

    @property
    def home(self) -> Partition:
        """The one place where this scope's writes land."""
        if self.shared:
            return Partition(self.workspace, "workspace")
        if self.group:
            return Partition(self.workspace, "group", self.group)
        if self.user:
            return Partition(self.workspace, "private", self.user)
        return Partition(self.workspace, "agent", self.agent or "")

    @property
    def commons(self) -> Partition:
        """The workspace's shared place, readable from every scope in it."""
        return Partition(self.workspace, "workspace")

    @property
    def request_type(self) -> str:
        return self.home.kind


class HandedOut(NamedTuple):
    """A text that recall handed out, as hashes (H6); `number` orders them."""

    number: int
    key: str
    told: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    text: str
    speaker: str | None = None
    time: datetime | str | float | None = None
    id: str | None = None
    speaker_id: str | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """All that the historian will need of a turn, taken when the turn ended (W2)."""

    request_id: str
    end_seq: int
    action_summary: str
    new_info: tuple[str, ...]
    timestamp_utc: str
    timestamp_local: str
    timezone: str
    epoch: float
    workspace: str
    request_type: str
    user_id: str | None = None
    group_id: str | None = None
    agent_id: str | None = None
    session_id: str | None = None
    sender_id: str | None = None
    sender_name: str | None = None
    group_name: str | None = None
    bot_name: str | None = None
    location: str | None = None
    message_ids: tuple[str, ...] = ()
    source_message: str = ""
    recent_messages: tuple[Mapping[str, Any], ...] = ()
    force: bool = False
    task: str = "turn"  # or "consider": decide first whether there is anything to keep
    recalled: tuple[str, ...] = ()  # what recall handed out there of late: not to be learned anew
    job_id: str = ""
    redaction: int = 0
    actor: str = "host"  # or "model": then only what a message of a person says is a person's word
    schema_version: str = SCHEMA_VERSION

    @property
    def event_id(self) -> str:
        return f"{self.request_id}:{self.end_seq}"

    @property
    def has_new_info(self) -> bool:
        return bool(self.new_info)

    @property
    def scope(self) -> Scope:
        return Scope(
            user=self.user_id,
            group=self.group_id,
            agent=self.agent_id,
            session=self.session_id,
            workspace=self.workspace,
            shared=self.request_type == "workspace",
        )


@dataclass(frozen=True, slots=True)
class Record:
    """Anything that can be recalled. `id` is unique within its place."""

    id: str
    place: Partition
    kind: str
    text: str
    time: float | None = None
    since: float | None = None  # when it began to be true, if that is known
    until: float | None = None  # when it ceased to be true; open while it is
    created: float = 0.0
    user: str | None = None
    speaker: str | None = None
    session: str | None = None
    source: str | None = None
    state: str = "approved"
    confidence: float = 1.0
    owner: str | None = None  # the job that wrote it; another job may not write over it
    redaction: int = 0  # the Redactor.stamp that has read this text; 0: none has
    data: Mapping[str, Any] = field(default_factory=lambda: EMPTY)

    @property
    def trust(self) -> float:
        """How far to rely on it, 0 to 1: its confidence; of a procedure, how often it worked."""
        return trust_of(self.kind, self.confidence, self.data)

    @property
    def uses(self) -> int:
        """How often it was of use after it was learned: said again, applied, needed once more."""
        return uses_of(self.kind, self.data)


# By kind, as a host's own data may have anything under these names.
def trust_of(kind: str, confidence: float, data: Mapping[str, Any]) -> float:
    worked = data.get("success_rate") if kind == "procedure" else None
    is_share = isinstance(worked, (int, float)) and 0 <= worked <= 1
    return confidence * worked if worked is not None and is_share else confidence


def uses_of(kind: str, data: Mapping[str, Any]) -> int:
    if kind == "short_term":
        sessions = data.get("visited_sessions")
        return len(sessions) if isinstance(sessions, list) else 0
    name = COUNTED_BY.get(kind)
    count = data.get(name) if name else None
    return min(max(count - 1, 0), MOST_USES) if type(count) is int else 0


@dataclass(frozen=True, slots=True)
class Edit:
    """One change to the store. A list of them is applied whole or not at all.

    put: insert, or replace the record with the same place and id.
    land: insert, unless that id is there already (a raw turn never overwrites its event).
    remove: delete the record and everything derived from it.
    """

    op: Literal["put", "land", "remove"]
    record: Record | None = None
    place: Partition | None = None
    id: str | None = None


class Passage(NamedTuple):
    """From which character to which (not included)."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """As it is shown: with a mark where the text goes on."""
        before = ELLIPSIS if self.start > 0 else ""
        after = ELLIPSIS if self.end < len(text) else ""
        return f"{before}{text[self.start : self.end].strip()}{after}"


@dataclass(frozen=True, slots=True)
class Hit:
    """One recalled record."""

    id: str
    text: str
    score: float
    kind: str
    time: datetime | None
    speaker: str | None
    source: str | None
    metadata: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    passage: Passage | None = None  # of a long text: the part that matched (Q9)

    @property
    def excerpt(self) -> str:
        """The part that matched, with … where the text goes on; a short text whole."""
        return self.text if self.passage is None else self.passage.of(self.text)


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a record is among the hits or, if `dropped` says so, is not.

    `paths` holds its rank on each path that found it. `cosine` is its likeness by meaning, raised
    when the question names who spoke; `coverage` the share of the question's words that it has,
    and `around` the same with the messages before and after; `company` is the part of the score
    that its session gives it, `moment` the part for having been told near a time that the question
    names; `trust_factor` is for how sure it is and how often it was of use; `passage` is the part
    of a long text that matched. The score of a record that was dropped before it was scored is 0.
    """

    id: str
    score: float
    paths: Mapping[str, int]
    cosine: float
    coverage: float
    around: float
    age_factor: float
    kind_factor: float
    dropped: str | None
    text: str = ""
    company: float = 0.0
    moment: float = 0.0
    trust_factor: float = 1.0
    passage: Passage | None = None

    @property
    def excerpt(self) -> str:
        return self.text if self.passage is None else self.passage.of(self.text)


@dataclass(frozen=True, slots=True)
class Recall:
    """What recall found, and how: which paths answered, at which level, how fast.

    Asked to explain itself, it adds what was weighed, and the weight of each path.
    """

    hits: tuple[Hit, ...]
    level: Level
    paths: Mapping[str, str]
    took_ms: float
    explain: tuple[Explained, ...] = ()
    weights: Mapping[str, float] = field(default_factory=lambda: EMPTY)
    intent: IntentDecision | None = None  # None: nothing was searched

    def __bool__(self) -> bool:
        return bool(self.hits)

    @property
    def skipped(self) -> dict[str, str]:
        """The paths that were late or failed: without them, no hits does not mean nothing known."""
        return {path: said for path, said in self.paths.items() if said in ("late", "failed")}


@dataclass(frozen=True, slots=True)
class Brief:
    """A prompt block, and the recall it was made from.

    `reason` says why there is no text: memory is "off", "nothing" is known for the question (or
    answered in time: `recall.skipped`), or the "budget" holds none of what is known.
    """

    text: str
    recall: Recall
    reason: Literal["", "off", "nothing", "budget"] = ""


@dataclass(frozen=True, slots=True)
class Profile:
    """A page about one user or one group."""

    entity_type: Literal["user", "group"]
    entity_id: str
    name: str = ""
    tags: tuple[str, ...] = ()
    body: str = ""
    updated_at: str = ""
    source_event_id: str = ""
    workspace: str = "default"
