"""Models for shared memory and procedures."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ...exported import AuditEntry
from .common import Id, ResponseModel, ScopedIn, ScopeQuery
from .curate import ConflictOut, FactState
from .memories import RecordOut

SharedType = Literal[
    "project_context", "decision_record", "convention", "known_issue", "user_preference"
]
ListedType = Literal[
    "project_context",
    "decision_record",
    "convention",
    "known_issue",
    "user_preference",
    "procedure",
]
REASON = Field(default="", max_length=2000, description="Why, for the audit.")


class ProposalIn(ScopedIn):
    """A statement for everybody in the workspace. The scope says who proposes it."""

    text: str = Field(min_length=1, examples=["Commit messages are in English."])
    type: SharedType = "project_context"
    topic: str = Field(
        default="",
        max_length=200,
        description="What it is about: two entries of a type with one topic and different words "
        "contradict each other.",
    )
    confidence: float | None = Field(default=None, ge=0, le=1)


class DecisionIn(ScopedIn):
    reason: str = REASON


class ReplacementIn(ScopedIn):
    text: str = Field(min_length=1)
    confidence: float | None = Field(default=None, ge=0, le=1)
    reason: str = REASON


class SharedResolveIn(ScopedIn):
    keep: Id = Field(description="The entry that holds.")
    drop: Id = Field(description="The one that does not.")
    both: bool = Field(default=False, description="They do not contradict: both hold.")
    reason: str = REASON


class SharedQuery(ScopeQuery):
    states: list[FactState] | None = Field(default=None, description="Only in these states.")
    types: list[ListedType] | None = Field(default=None, description="Only of these types.")
    limit: int = Field(default=100, ge=1, le=1000)


class ProposalOut(ResponseModel):
    id: str | None = Field(description="The entry's id; null where memory is off.")


class StateOut(ResponseModel):
    state: str = Field(description='"approved"; "conflict" if an approved entry stands against it.')


class EntriesOut(ResponseModel):
    """Newest first. A type, a topic and the creator are in `metadata.shared`."""

    entries: list[RecordOut]


class SharedConflictsOut(ResponseModel):
    conflicts: list[ConflictOut]


class ActOut(ResponseModel):
    """One act on an entry."""

    at: str
    did: str
    by: str
    role: str
    door: str
    reason: str

    @classmethod
    def of(cls, act: AuditEntry) -> ActOut:
        return cls(**{name: getattr(act, name) for name in cls.model_fields})


class AuditOut(ResponseModel):
    """Oldest first."""

    audit: list[ActOut]


class ProcedureQuery(ScopeQuery):
    limit: int = Field(default=100, ge=1, le=1000)


class ProceduresOut(ResponseModel):
    """Name, trigger, steps, uses and success rate are in each one's `metadata`."""

    procedures: list[RecordOut]


class UseIn(ScopedIn):
    worked: bool | None = Field(default=None, description="Whether it worked, if known.")
