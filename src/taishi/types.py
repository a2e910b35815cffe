"""The values that the layers pass to each other. All frozen; none knows where it is stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from .errors import InputError
from .scope import MAX_ID_CHARS as MAX_ID_CHARS
from .scope import MAX_RECORD_ID_CHARS as MAX_RECORD_ID_CHARS
from .scope import Partition as Partition
from .scope import PlaceKind as PlaceKind
from .scope import Scope as Scope
from .scope import VisiblePartition as VisiblePartition
from .scope import clean_id as clean_id

if TYPE_CHECKING:
    from .exported import BlockTokens, IntentDecision
    from .observe.stage_times import Stage

SCHEMA_VERSION = "final_v1"
ELLIPSIS = "…"

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
KINDS: tuple[str, ...] = get_args(Kind)


def known_names(
    given: Collection[str] | None, known: Collection[str], what: str
) -> Collection[str] | None:
    """Some of the `known` names, as a caller gave them; a text is one of them."""
    names = (given,) if isinstance(given, str) else given
    if names is not None and not isinstance(names, Collection):
        raise InputError(f"{what} must be a list of names, not {type(names).__name__}")
    if names is not None and (unknown := {one for one in names if one not in known}):
        shown = sorted(map(str, unknown))
        raise InputError(f"unknown {what} {shown}; use some of {', '.join(known)}")
    return names


def checked_kinds(kinds: Collection[str] | None) -> Collection[str] | None:
    return known_names(kinds, KINDS, "kinds")


Level = Literal["hybrid", "keyword", "profile-only", "empty"]
EMPTY: Mapping[str, Any] = MappingProxyType({})
MOST_USES = 1_000_000  # more is a host's own number, or a mistake
COUNTED_BY = {"fact": "evidence_count", "procedure": "usage_count"}  # the first time included


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
    """Everything the historian needs to know about a turn, captured when the turn ended (W2)."""

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
    recalled: tuple[str, ...] = ()  # what recall handed out there of late: not to be learned again
    job_id: str = ""
    redaction: int = 0
    actor: str = "host"  # or "model": then only what a message of a person says is a person's word
    metadata: Mapping[str, Any] = field(default_factory=dict)  # the caller's, for the event
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
    since: float | None = None  # when it became true, if known
    until: float | None = None  # when it stopped being true; None: it still is
    created: float = 0.0
    updated: float = field(default=0.0, compare=False)  # last written; 0: when it was created
    expires: float | None = None  # when it is to be deleted; None: never
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
    def ends(self) -> float | None:
        """When it stops being recalled, because it is no longer true or is to be deleted."""
        ends = [end for end in (self.until, self.expires) if end is not None]
        return min(ends, default=None)

    @property
    def trust(self) -> float:
        """How reliable it is, 0 to 1: its confidence, for a procedure times its success rate."""
        return trust_of(self.kind, self.confidence, self.data)

    @property
    def uses(self) -> int:
        """How often it was used after it was learned: said again, applied or needed again."""
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
    """One change to the store. A list of edits is applied completely or not at all.

    put: insert, or replace the record with the same place and id.
    land: insert, unless that id is there already (a raw turn never overwrites its event).
    unland: delete the raw turn of the record's job, if it is still one: an event stays.
    remove: delete the record and everything derived from it.
    """

    op: Literal["put", "land", "unland", "remove"]
    record: Record | None = None
    place: Partition | None = None
    id: str | None = None


class Passage(NamedTuple):
    """A part of a text: from the character `start` up to, but not including, `end`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The passage of `text`, with … where the text continues."""
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
    created: datetime | None = None
    updated: datetime | None = None
    expires: datetime | None = None
    redacted: tuple[str, ...] = ()  # kinds of secrets that were taken out of it

    @property
    def excerpt(self) -> str:
        """The part that matched, with … where the text continues; all of a short text."""
        return self.text if self.passage is None else self.passage.of(self.text)


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a record is among the hits or, if `dropped` is set, why it is not.

    `paths` is its rank on each search path that found it. `cosine` is its similarity in meaning,
    raised if the question names the speaker; `coverage` is the share of the question's words that
    it contains, and `around` the same including the messages before and after. `company` is the
    part of the score that comes from its session, `moment` the part for being close to a time that
    the question names. `trust_factor` reflects its confidence and how often it was used; `passage`
    is the part of a long text that matched. A record dropped before scoring has the score 0.
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
    """What recall found, and how: which search paths answered, at which level, how fast.

    With `explain=True`, also how each record was ranked, the weight of each path, and stage times.
    """

    hits: tuple[Hit, ...]
    level: Level
    paths: Mapping[str, str]
    took_ms: float
    explain: tuple[Explained, ...] = ()
    weights: Mapping[str, float] = field(default_factory=lambda: EMPTY)
    intent: IntentDecision | None = None  # None: nothing was searched
    stages: tuple[Stage, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.hits)

    @property
    def skipped(self) -> dict[str, str]:
        """The paths that did not answer: with any of these, no hits does not mean nothing known."""
        missed = ("late", "failed", "behind")
        return {path: said for path, said in self.paths.items() if said in missed}


@dataclass(frozen=True, slots=True)
class Brief:
    """A prompt block, and the recall behind it. `reason` says why there is no text: memory is
    "off", "nothing" was found (see also `recall.skipped`), or the "budget" is too small.
    """

    text: str
    recall: Recall
    reason: Literal["", "off", "nothing", "budget"] = ""
    tokens: BlockTokens | None = None  # with explain=True


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
    changed_by: str = ""  # who or what wrote this version, see `ports.PageRevision`; "": not known
