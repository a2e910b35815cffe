"""Answers of the API as values: what is decoded is checked, times become epoch seconds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

import msgspec

from ..exported import BlockTokens, Evidence, IntentDecision, Page, Source, Version
from ..observe.stage_times import Stage
from ..times import to_datetime, to_epoch
from ..types import Brief, Explained, Hit, Level, Partition, Recall, Record

T = TypeVar("T")
Data = dict[str, Any]
HISTORY = ("event", "turn", "summary")  # shown with what became of it


class Epoch(float):
    """Seconds since 1970, in the API an ISO time."""


def _hook(kind: type, value: Any) -> Any:
    if kind is not Epoch:
        raise NotImplementedError
    if not isinstance(value, str):
        raise ValueError("a time is expected")
    return Epoch(to_epoch(value, UTC))


def decode(body: bytes, kind: type[T]) -> T:
    return msgspec.json.decode(body, type=kind, dec_hook=_hook)


def from_json(value: Data, kind: type[T]) -> T:
    """The same from what was decoded already."""
    return msgspec.convert(value, type=kind, dec_hook=_hook)


class Who(msgspec.Struct):
    """What the key may do."""

    key: str | None = None
    rights: str = "admin"
    workspace: str | None = None
    user: str | None = None
    group: str | None = None
    agent: str | None = None

    @property
    def is_narrow(self) -> bool:
        return bool(self.user or self.group or self.agent)


class Id(msgspec.Struct):
    id: str | None


class Ids(msgspec.Struct):
    ids: list[str]


class Users(msgspec.Struct):
    users: dict[str, int]


class Done(msgspec.Struct):
    pass


class Removed(msgspec.Struct):
    removed: int


class Warmed(msgspec.Struct):
    warm: bool


class RecordAnswer(msgspec.Struct):
    id: str
    kind: str
    text: str
    time: Epoch | None
    since: Epoch | None
    until: Epoch | None
    created: Epoch | None
    user: str | None
    speaker: str | None
    session: str | None
    source: str | None
    state: str
    confidence: float
    metadata: Data
    updated: Epoch | None = None
    expires: Epoch | None = None
    redacted: tuple[str, ...] = ()

    def record(self, home: Partition) -> Record:
        """Shared entries lie in the workspace's own place, whoever lists them."""
        place = Partition(home.workspace, "workspace") if "shared" in self.metadata else home
        return Record(
            id=self.id,
            place=place,
            kind=self.kind,
            text=self.text,
            time=self.time,
            since=self.since,
            until=self.until,
            created=self.created or 0.0,
            updated=self.updated or 0.0,
            expires=self.expires,
            user=self.user,
            speaker=self.speaker,
            session=self.session,
            source=self.source,
            state=self.state,
            confidence=self.confidence,
            data=self.metadata,
        )

    def hit(self, home: Partition) -> Hit:
        """As `Memory.get` gives it."""
        own: Data = {"user": self.user, "session": self.session, "state": self.state}
        own |= {"confidence": self.confidence, "place": str(home)}
        return Hit(
            self.id,
            self.text + self._note(),
            1.0,
            self.kind,
            _moment(self.time),
            self.speaker,
            self.source,
            {**self.metadata, **own},
            created=_moment(self.created),
            updated=_moment(self.updated),
            expires=_moment(self.expires),
            redacted=self.redacted,
        )

    def _note(self) -> str:
        """What became of what was said, as `HitBuilder` adds it."""
        if self.kind not in HISTORY or not self.metadata.get("corrections"):
            return ""
        from ..domain import corrections  # a client that never needs it does not load it
        from ..language.analyzer import has_cjk

        told = corrections.statements_of(self.metadata, self.text)
        return corrections.note(self.metadata, has_cjk(self.text), told)


def _moment(epoch: float | None) -> datetime | None:
    return None if epoch is None else to_datetime(epoch, UTC)


class PageAnswer(msgspec.Struct):
    items: list[RecordAnswer]
    next: str | None

    def page(self, home: Partition) -> Page:
        return Page(tuple(item.record(home) for item in self.items), self.next)


class Facts(msgspec.Struct):
    facts: list[RecordAnswer]


class Procedures(msgspec.Struct):
    procedures: list[RecordAnswer]


class Entries(msgspec.Struct):
    entries: list[RecordAnswer]


class Conflict(msgspec.Struct):
    older: RecordAnswer
    newer: RecordAnswer


class Conflicts(msgspec.Struct):
    conflicts: list[Conflict]

    def pairs(self, home: Partition) -> list[tuple[Record, Record]]:
        return [(one.older.record(home), one.newer.record(home)) for one in self.conflicts]


class RecallAnswer(msgspec.Struct):
    level: Level
    paths: dict[str, str]
    took_ms: float
    hits: list[Hit] = []
    explain: list[Explained] = []
    weights: dict[str, float] = {}
    intent: IntentDecision | None = None
    stages: list[Stage] = []

    def recall(self) -> Recall:
        return Recall(
            tuple(self.hits),
            self.level,
            self.paths,
            self.took_ms,
            tuple(self.explain),
            self.weights,
            self.intent,
            tuple(self.stages),
        )


class ContextAnswer(RecallAnswer, kw_only=True):
    block: str
    reason: Literal["off", "nothing", "budget"] | None = None
    tokens: BlockTokens | None = None

    def brief(self) -> Brief:
        return Brief(self.block, self.recall(), self.reason or "", self.tokens)


class Related(msgspec.Struct):
    related: list[Hit]


class VersionAnswer(msgspec.Struct):
    id: str
    text: str
    state: str
    until: Epoch | None


class Versions(msgspec.Struct):
    versions: list[VersionAnswer]

    def values(self) -> tuple[Version, ...]:
        return tuple(Version(one.id, one.text, one.state, one.until) for one in self.versions)


class SourceAnswer(msgspec.Struct):
    kind: str
    id: str
    text: str
    time: Epoch | None
    who: str | None


class ClaimAnswer(msgspec.Struct):
    text: str
    sources: list[SourceAnswer]
    facts: list[str] = []

    def evidence(self) -> Evidence:
        return Evidence(",".join(self.facts), "line", self.text, _sources(self.sources))


class EvidenceAnswer(msgspec.Struct):
    id: str
    kind: str
    text: str
    sources: list[SourceAnswer]
    claims: list[ClaimAnswer] = []

    def evidence(self) -> Evidence:
        claims = tuple(claim.evidence() for claim in self.claims)
        return Evidence(self.id, self.kind, self.text, _sources(self.sources), claims)


def _sources(found: list[SourceAnswer]) -> tuple[Source, ...]:
    return tuple(Source(one.kind, one.id, one.text, one.time, one.who) for one in found)
