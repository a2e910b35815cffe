"""Models for records: one, many, a page of them, earlier versions, evidence."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from ...exported import Evidence, Page, Version
from ...language.redaction.redactor import redacted_kinds
from ...tools.still_told import Forgotten
from ...types import Record
from .common import (
    MAX_ITEMS,
    Data,
    Id,
    RequestModel,
    ResponseModel,
    ScopedIn,
    ScopeQuery,
    Source,
    Time,
    to_utc,
)

KindName = Literal[
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
]


class MemoryFields(RequestModel):
    """One thing to remember, word for word (secrets are removed)."""

    text: str = Field(min_length=1, examples=["Ann moved to Oslo."])
    kind: KindName = "fact"
    time: Time | None = Field(default=None, description="When it happened; now if left out.")
    speaker: str | None = Field(default=None, description="Who said it.")
    session: Id | None = None
    user: Id | None = Field(
        default=None, description="Whom it belongs to; the scope's user if left out."
    )
    source: Source | None = Field(default=None, description="Your own id; returned unchanged.")
    id: Id | None = Field(
        default=None, description="The id to store it under; a record with this id is replaced."
    )
    confidence: float = Field(default=1.0, ge=0, le=1)
    metadata: Data = Field(default_factory=dict, description="Anything of your own, as JSON.")
    expires: Time | None = Field(default=None, description="When to delete it; null: never.")

    def item(self, id: str | None = None) -> dict[str, Any]:
        """As the engine takes it; without an id of its own it gets `id`."""
        return {**self.model_dump(exclude={"scope"}), "id": self.id or id}


class MemoryIn(MemoryFields, ScopedIn):
    """A memory, and whose it is."""


class MemoryItem(MemoryFields):
    """One of many things to remember."""

    kind: KindName = "note"


class MemoriesIn(ScopedIn):
    """Many at once, in one transaction."""

    items: list[MemoryItem] = Field(
        min_length=1,
        max_length=MAX_ITEMS,
        description="Each with the fields of `POST /v1/memories` but `scope`; a `kind` that is "
        "left out is `note`.",
    )


class MemoryChange(ScopedIn):
    """What to correct; omitted fields are unchanged."""

    text: str | None = Field(default=None, min_length=1)
    time: Time | None = None
    speaker: str | None = None
    confidence: float | None = Field(default=None, ge=0, le=1)
    metadata: Data | None = None
    expires: Time | None = Field(
        default=None, description="When to delete it; an explicit null: never."
    )

    def changes(self) -> Data:
        """The keyword arguments of `records.update`."""
        unset = set() if "expires" in self.model_fields_set else {"expires"}
        return self.model_dump(exclude={"scope", *unset})


class MemoryQuery(ScopeQuery):
    """Which memories to list."""

    kinds: list[KindName] | None = Field(default=None, description="Only these kinds.")
    after: str | None = Field(
        default=None, max_length=64, description="`next` of the previous page."
    )
    limit: int = Field(default=100, ge=1, le=1000)


class IdOut(ResponseModel):
    id: str | None = Field(description="Null: memory is off there, and nothing was stored.")
    redacted: list[str] = Field(
        default_factory=list, description="Kinds of secrets that were removed before it was stored."
    )


class IdsOut(ResponseModel):
    ids: list[str] = Field(description="Empty: memory is off there, and nothing was stored.")
    redacted: dict[str, list[str]] = Field(
        default_factory=dict, description="By id, kinds of secrets that were removed."
    )


def redacted_in(record: Record) -> list[str]:
    return list(redacted_kinds(record.text, record.speaker, record.data))


class RecordOut(ResponseModel):
    """One record of a scope's partition."""

    id: str
    kind: str
    text: str
    time: datetime | None
    since: datetime | None = Field(description="When it began to be true, if that is known.")
    until: datetime | None = Field(description="When it ceased to be true.")
    created: datetime | None = Field(description="When it was stored.")
    updated: datetime | None = Field(description="When it was last changed.")
    expires: datetime | None = Field(description="When it is deleted; null: never.")
    user: str | None
    speaker: str | None
    session: str | None
    source: str | None
    state: str
    confidence: float
    redacted: list[str] = Field(description="Kinds of secrets that were removed from it.")
    metadata: Data

    @classmethod
    def of(cls, record: Record) -> RecordOut:
        return cls(
            id=record.id,
            kind=record.kind,
            text=record.text,
            time=to_utc(record.time),
            since=to_utc(record.since),
            until=to_utc(record.until),
            created=to_utc(record.created or None),
            updated=to_utc(record.updated or record.created or None),
            expires=to_utc(record.expires),
            redacted=redacted_in(record),
            user=record.user,
            speaker=record.speaker,
            session=record.session,
            source=record.source,
            state=record.state,
            confidence=record.confidence,
            metadata=dict(record.data),
        )


class PageOut(ResponseModel):
    """A page, oldest first. Pass `next` as `after`; null: this is the last page.

    A page may be shorter than asked for, even empty, and still have a `next`.
    """

    items: list[RecordOut]
    next: str | None

    @classmethod
    def of(cls, page: Page) -> PageOut:
        return cls(items=[RecordOut.of(record) for record in page.records], next=page.next)


class SourceOut(ResponseModel):
    """One piece of evidence."""

    kind: str = Field(
        description="event, turn, message, person, model, host, tool; missing: it was deleted; "
        "page: it is on the page, and no fact says it."
    )
    id: str
    text: str = Field(description="Empty where this scope may not see it.")
    time: datetime | None
    who: str | None


class ClaimOut(ResponseModel):
    """A line of a page, and what it rests on."""

    facts: list[str] = Field(description="Ids of the facts that it says.")
    text: str
    sources: list[SourceOut]

    @classmethod
    def of(cls, claim: Evidence) -> ClaimOut:
        return cls(
            facts=[id for id in claim.id.split(",") if id], text=claim.text, sources=_sources(claim)
        )


class EvidenceOut(ResponseModel):
    """What a memory rests on."""

    id: str
    kind: str
    text: str
    sources: list[SourceOut]
    claims: list[ClaimOut] = Field(description="Of a page: its lines.")
    is_orphan: bool = Field(description="It, or a line of it, has no evidence left.")

    @classmethod
    def of(cls, evidence: Evidence) -> EvidenceOut:
        return cls(
            id=evidence.id,
            kind=evidence.kind,
            text=evidence.text,
            sources=_sources(evidence),
            claims=[ClaimOut.of(claim) for claim in evidence.claims],
            is_orphan=evidence.is_orphan,
        )


def _sources(evidence: Evidence) -> list[SourceOut]:
    return [
        SourceOut(
            kind=source.kind,
            id=source.id,
            text=source.text,
            time=to_utc(source.time),
            who=source.who,
        )
        for source in evidence.sources
    ]


class VersionOut(ResponseModel):
    id: str
    text: str
    state: str
    until: datetime | None = Field(description="Until when this was its text; null: it still is.")

    @classmethod
    def of(cls, version: Version) -> VersionOut:
        until = to_utc(version.until)
        return cls(id=version.id, text=version.text, state=version.state, until=until)


class VersionsOut(ResponseModel):
    """Newest first."""

    versions: list[VersionOut]


class RemovedOut(ResponseModel):
    removed: int = Field(description="How many records, jobs and pages were removed.")
    went: list[str] = Field(
        default=[],
        description="Ids that were removed with it: events that said nothing else, earlier "
        "versions of a fact, and what was learned from an event alone.",
    )
    changed: list[str] = Field(
        default=[], description="Ids of events that stay, without what was forgotten."
    )
    still_told_by: list[str] = Field(
        default=[],
        description="Ids of records that still say the same, or may, and of versions that stay.",
    )

    @classmethod
    def of(cls, done: Forgotten) -> RemovedOut:
        lists = {
            "went": done.went,
            "changed": done.changed,
            "still_told_by": (*done.left, *done.close),
        }
        return cls(
            removed=done.count, **{name: [one.id for one in some] for name, some in lists.items()}
        )
