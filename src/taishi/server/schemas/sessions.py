"""Models for working memory: appended messages, what to send, scratchpads."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import ConfigDict, Field

from .common import MAX_MESSAGES, RequestModel, ResponseModel, ScopedIn, ScopeQuery, to_utc

MAX_HISTORY = 10_000
MAX_TOKENS = 100_000_000
WireMessage = dict[str, Any]


class AppendIn(ScopedIn):
    """Messages in the OpenAI chat format, in order; `scope.session` names the session."""

    messages: list[WireMessage] = Field(
        min_length=1,
        max_length=MAX_MESSAGES,
        description="Each with role and content, tool_calls or tool_call_id where they apply; "
        "Taishi also takes id, time, speaker and speaker_id.",
        examples=[[{"role": "user", "content": "Where did we stop?"}]],
    )


class AppendOut(ResponseModel):
    ids: list[str] = Field(description="Of the messages, in order; empty where memory is off.")


class WindowIn(ScopedIn):
    """How much fits into the model; `scope.session` names the session."""

    max_tokens: int | None = Field(
        default=None,
        ge=1,
        le=MAX_TOKENS,
        description="The model's max tokens, of which 70 % are used. Left out: the last messages.",
        examples=[8000],
    )


class WindowOut(ResponseModel):
    """What to send to a model, and what became of the rest."""

    messages: list[WireMessage]
    tokens: int
    budget: int | None
    level: Literal["none", "trim", "summarise", "extract"]
    summarised: int = Field(description="Messages that a summary replaces.")
    left_out: int = Field(description="Messages that are not represented at all.")
    shortened: list[str] = Field(description="The ids of messages that were cut.")


class HistoryQuery(ScopeQuery):
    after: int = Field(default=0, ge=0, description="Only messages after this number.")
    limit: int = Field(default=1000, ge=1, le=MAX_HISTORY)
    latest: bool = Field(default=False, description="Only the last messages; `after` is ignored.")


class SessionsQuery(ScopeQuery):
    limit: int = Field(default=100, ge=1, le=MAX_HISTORY)


class HistoryMessageOut(ResponseModel):
    """A message as it was appended, without secrets."""

    number: int
    id: str
    time: datetime | None
    message: WireMessage
    original: WireMessage | None = Field(None, description="What the host gave beside it.")

    @classmethod
    def of(cls, one: Any) -> HistoryMessageOut:
        own = {"number": one.number, "id": one.id, "original": one.original}
        return cls(time=to_utc(one.time), message=one.message, **own)


class HistoryOut(ResponseModel):
    messages: list[HistoryMessageOut]


class PopIn(ScopedIn):
    """`scope.session` says of which session."""


class PoppedOut(ResponseModel):
    message: HistoryMessageOut | None = Field(description="Null: the session has no messages.")


class SessionInfoOut(ResponseModel):
    session: str
    messages: int
    last_time: datetime | None


class SessionsOut(ResponseModel):
    sessions: list[SessionInfoOut] = Field(description="The most recent first.")


class ScratchpadDecisionIn(RequestModel):
    what: str
    why: str = ""


class ScratchpadIn(ScopedIn):
    """The fields to replace; null empties a field, omitted fields are unchanged."""

    model_config = ConfigDict(extra="forbid")
    current_goal: str | None = None
    sub_goals: list[str] | None = None
    completed: list[str] | None = None
    current_step: str | None = None
    decisions: list[ScratchpadDecisionIn] | None = None
    blockers: list[str] | None = None

    def fields(self) -> dict[str, Any]:
        return self.model_dump(exclude={"scope"}, include=self.model_fields_set - {"scope"})


class ScratchpadOut(ResponseModel):
    """What the session is working on; empty after 30 idle minutes."""

    current_goal: str
    sub_goals: list[str]
    completed: list[str]
    current_step: str
    decisions: list[dict[str, str]]
    blockers: list[str]


class ClearedOut(ResponseModel):
    removed: int = Field(description="How many messages.")
