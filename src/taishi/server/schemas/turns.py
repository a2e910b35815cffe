"""Models for turns, considered turns, tool runs and sessions."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from .common import MAX_MESSAGES, Data, Id, RequestModel, ResponseModel, ScopedIn, ScopeQuery, Time


class MessageIn(RequestModel):
    """One message of the conversation."""

    text: str = Field(examples=["I moved to Oslo last week."])
    speaker: str | None = Field(default=None, description="The speaker's name.", examples=["Ann"])
    speaker_id: Id | None = Field(default=None, description="The speaker's user id.")
    time: Time | None = None
    id: Id | None = Field(default=None, description="The message's id, as the host knows it.")


class DetailsIn(ScopedIn):
    """What the historian needs to know about the situation."""

    messages: list[MessageIn] = Field(
        default_factory=list,
        max_length=MAX_MESSAGES,
        description="The latest messages; the newest are kept with the turn.",
    )
    request_id: Id | None = Field(
        default=None, description="The host's id of the request; generated if left out."
    )
    time: Time | None = Field(default=None, description="When the turn ended; now if left out.")
    sender_id: Id | None = Field(default=None, description="The user who said this.")
    sender_name: str | None = None
    group_name: str | None = None
    bot_name: str | None = None
    location: str | None = None
    metadata: Data = Field(
        default_factory=dict, description="Anything of your own, as JSON, for the event."
    )

    def details(self) -> Data:
        """The keyword arguments of the engine's verbs."""
        names = ("time", "sender_id", "sender_name", "group_name", "bot_name", "location")
        return {name: getattr(self, name) for name in (*names, "metadata")}

    def spoken(self) -> list[dict[str, Any]]:
        return [message.model_dump() for message in self.messages]


class TurnIn(DetailsIn):
    """A turn that ended: what was done, and what is new."""

    action_summary: str = Field(default="", description="What was done in this turn.")
    new_info: str | list[str] = Field(
        default="", description="What is new and worth keeping; empty if nothing is."
    )
    summary: str = Field(default="", description="The old name of action_summary, which wins.")
    force: bool = Field(default=False, description="Keep it even if it looks like nothing new.")
    wait: float = Field(
        default=0.0,
        ge=0,
        le=60,
        description="Answer only when the turn can be recalled; wait at most this many seconds.",
    )


class ConsiderIn(DetailsIn):
    """Messages of a host that has no `end` tool: is there anything to keep?"""


class TurnOut(ResponseModel):
    """The turn is on disk. Without an id there was nothing to keep."""

    id: str | None = Field(description="The id of the event that will be written.")
    kept: bool


class KnownTurnQuery(ScopeQuery):
    """Which request, and whose."""

    request_id: Id = Field(description="The host's id of the request, as it was sent.")


class KnownTurnOut(ResponseModel):
    id: str | None = Field(description="The turn's id; null: no turn was accepted under it.")


class ObservationIn(ScopedIn):
    """A tool that ran. Its result may be anything; a short, redacted preview is kept."""

    tool: str = Field(min_length=1, max_length=200, examples=["weather"])
    arguments: Any = None
    result: Any = None


class ObservationOut(ResponseModel):
    accepted: bool = True


class MessagesIn(ScopedIn):
    """Messages of a session, only for its summaries; `scope.session` names the session."""

    messages: list[MessageIn] = Field(
        min_length=1, max_length=MAX_MESSAGES, description="Oldest first."
    )

    def spoken(self) -> list[dict[str, Any]]:
        return [message.model_dump() for message in self.messages]


class MessagesOut(ResponseModel):
    added: int = Field(description="How many were new; a message with a known id is not.")


class SessionIn(ScopedIn):
    """A session that is over; `scope.session` names it."""

    learn: bool | None = Field(
        default=None,
        description="Whether appended messages go to the historian; left out: only if "
        "working.learn_every_rounds is set.",
    )


class SessionOut(ResponseModel):
    summarised: bool = Field(description="Whether there was anything to summarise.")
