"""Models for administration: profiles, facts, jobs, model costs, status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal

from pydantic import ConfigDict, Field

from ...ports import PageRevision
from ...types import Profile
from .common import Data, Id, RequestModel, ResponseModel, ScopedIn, ScopeQuery
from .memories import RecordOut

FactState = Literal["candidate", "approved", "rejected", "superseded", "conflict"]
JobState = Literal["pending", "processing", "failed"]


class ProfileIn(RequestModel):
    """A whole new page. The old one is kept as a revision."""

    body: str = Field(examples=["- lives in Oslo"])
    name: str = ""
    tags: list[str] = Field(default_factory=list, max_length=100)
    workspace: Id | None = None


class ProfileEdit(RequestModel):
    """A person's new body. What they took out is not learned again."""

    body: str
    updated_at: str | None = Field(
        default=None,
        description="`updated_at` of the page that was edited. If the page has changed since, "
        "nothing is written and the answer is 409.",
    )
    workspace: Id | None = None


class ProfileOut(ResponseModel):
    entity_type: str
    entity_id: str
    name: str
    tags: list[str]
    body: str
    updated_at: str
    source_event_id: str
    workspace: str
    changed_by: str = Field(description="Who or what wrote it, as in the list of revisions.")

    @classmethod
    def of(cls, page: Profile) -> ProfileOut:
        return cls(
            **{name: getattr(page, name) for name in cls.model_fields if name != "tags"},
            tags=list(page.tags),
        )


class WorkspaceQuery(RequestModel):
    workspace: Id | None = Field(default=None, description="The workspace; the key's if left out.")


class WorkspaceIn(RequestModel):
    workspace: Id | None = Field(default=None, description="The workspace; the key's if left out.")


class DiffQuery(WorkspaceQuery):
    to: str | None = Field(
        default=None, max_length=100, description="Another revision; the present page if left out."
    )


class RevisionOut(ResponseModel):
    """A revision, and who or what wrote it."""

    name: str
    updated_at: str
    changed_by: str = Field(
        description="historian (for the event), correction, rebuild, file (edited on disk), or who "
        "and where: person:cli, host:rest, rollback:page. Empty: not known."
    )
    source_event_id: str


class RevisionsOut(ResponseModel):
    """The page's revisions, newest first: their names, and each with who wrote it."""

    revisions: list[str]
    history: list[RevisionOut]

    @classmethod
    def of(cls, history: Sequence[PageRevision]) -> RevisionsOut:
        return cls(
            revisions=[one.name for one in history],
            history=[RevisionOut(**asdict(one)) for one in history],
        )


class DiffOut(ResponseModel):
    diff: str


class FactQuery(ScopeQuery):
    states: list[FactState] | None = Field(default=None, description="Only in these states.")
    limit: int = Field(default=100, ge=1, le=1000)


class FactsOut(ResponseModel):
    """Newest first."""

    facts: list[RecordOut]


class CorrectionIn(ScopedIn):
    text: str = Field(min_length=1, examples=["Ann lives in Bergen."])


class ConflictOut(ResponseModel):
    older: RecordOut
    newer: RecordOut


class ConflictsOut(ResponseModel):
    conflicts: list[ConflictOut]


class ResolveIn(ScopedIn):
    keep: Id = Field(description="The fact that holds.")
    drop: Id = Field(description="The one that does not; it is not learned again.")


class FeedbackIn(ScopedIn):
    worked: bool


class FeedbackOut(ResponseModel):
    success_rate: float


class JobQuery(RequestModel):
    """Which jobs to list."""

    model_config = ConfigDict(strict=False)

    state: list[JobState] | None = None
    limit: int = Field(default=100, ge=1, le=1000)
    workspace: Id | None = Field(
        default=None, description="Only this workspace's; the key's if left out."
    )


class JobOut(ResponseModel):
    """A job that is waiting, running or failed."""

    name: str
    state: str
    event_id: str
    attempts: int
    reason: str
    job: Data | None = Field(description="The whole job; null if its file cannot be read.")


class JobsOut(ResponseModel):
    jobs: list[JobOut]


class LedgerRow(ResponseModel):
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


class LedgerQuery(RequestModel):
    since: str | None = Field(
        default=None, max_length=64, description="Not before this day; ISO 8601."
    )


class LedgerOut(ResponseModel):
    """Calls to models by day (UTC), task, model and mode."""

    rows: list[LedgerRow]


class LinkIn(ScopedIn):
    """Let this user's private chat and groups share their memories."""

    on: bool


class ForgetIn(ScopedIn):
    """Without an id, all of it: a user in the whole workspace, or a group, or an agent."""

    id: Id | None = None
    prove: bool = Field(
        default=False,
        description="Then search every byte of the data folder for what they said. This reads "
        "every workspace, so it needs an admin key for all of them.",
    )


class WhoOut(ResponseModel):
    """What the request's key may do."""

    key: str | None = Field(description="The key's id; null: no keys are set up.")
    name: str | None
    rights: str
    workspace: str | None = Field(description="Null: every workspace.")
    user: str | None
    group: str | None
    agent: str | None


class StatusOut(ResponseModel):
    """What is stored, what is waiting, how fast. The numbers are for the server's admin."""

    version: str
    enabled: bool
    embedder: Data
    details: Data | None = Field(description="Everything; only for a key of the whole server.")


class CheckOut(ResponseModel):
    result: str = Field(description='"ok", or what is wrong with the database file.')
