"""Port to working memory: the messages of a session as they were sent and received, what stands for
the older ones, and the session's scratchpad (M1–M3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from ..types import Message, Partition
from .chat_message import ChatMessage

MadeBy = Literal["model", "rules"]
CompressionLevel = Literal["none", "trim", "summarise", "extract"]
Given = Message | Mapping[str, Any]  # a message as a caller appends it


class StoredMessage(NamedTuple):
    """A message of a session; `number` orders it."""

    number: int
    message: ChatMessage


@dataclass(frozen=True, slots=True)
class Overview:
    """What a conversation was about so far."""

    summary: str = ""
    decisions: tuple[str, ...] = ()
    todos: tuple[str, ...] = ()
    agreements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Compression:
    """What stands for the messages from number `first` to `last`, and for all up to `last`, which
    are `count`."""

    first: int
    last: int
    count: int
    segment: str
    overview: Overview
    made_by: MadeBy
    time: float


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session with appended messages: how many, and when the last one was."""

    session: str
    messages: int
    last_time: float


@dataclass(frozen=True, slots=True)
class HistoryMessage:
    """A message as it was appended; `number` is its position, to read on from. `original` is what
    the host gave beside it, in a format of its own."""

    number: int
    id: str
    time: float
    message: dict[str, Any]
    original: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class MessageWindow:
    """What to send, and what became of the rest.

    `messages` are dicts for a chat model; `tokens` is what they count, `budget` what they may.
    `summarised` messages are represented by a summary; `left_out` are not represented at all.
    `shortened` are the ids of messages that were cut; `session.get(id)` has the whole.
    """

    messages: list[dict[str, Any]]
    tokens: int
    budget: int | None
    level: CompressionLevel
    summarised: int = 0
    left_out: int = 0
    shortened: tuple[str, ...] = ()


class WorkingStore(Protocol):
    """Durable when a verb returns. Messages have the order in which they were appended."""

    def append(
        self, place: Partition, session: str, messages: Sequence[ChatMessage], now: float
    ) -> int:
        """How many were new; one with a known id is not. The scratchpad, if there is one, is not
        idle at `now`."""

    def messages(
        self, place: Partition, session: str, after: int = 0, limit: int = 1000
    ) -> list[StoredMessage]:
        """In order; at most `limit` of those after the number `after`."""

    def latest(self, place: Partition, session: str, limit: int) -> list[StoredMessage]:
        """The last `limit`, in order."""

    def pop(self, place: Partition, session: str) -> StoredMessage | None:
        """Remove the last message, and what stands for it; None if there is none."""

    def latest_user_message(self, place: Partition, session: str) -> StoredMessage | None: ...

    def message(self, place: Partition, session: str, id: str) -> StoredMessage | None: ...

    def count(self, place: Partition, session: str) -> int: ...

    def sessions(self, place: Partition, limit: int = 100) -> list[SessionInfo]:
        """The sessions with appended messages, the most recent first."""

    def clear(self, place: Partition, session: str) -> int:
        """Remove the session's messages and all that was made of them; how many messages."""

    def compressions(self, place: Partition, session: str, limit: int) -> list[Compression]:
        """The last `limit`, in order."""

    def add_compression(self, place: Partition, session: str, made: Compression) -> bool:
        """False, and nothing stored, if messages that it was made of were deleted meanwhile: then
        what was made before is dropped, too, to be made again. One of a model's replaces one of
        the rules'."""

    def unlearned(self, place: Partition, session: str, limit: int) -> list[StoredMessage]:
        """What people and the assistant said that was not handed to the historian, in order."""

    def mark_learned(self, place: Partition, session: str, up_to: int) -> None: ...

    def scratchpad(self, place: Partition, session: str) -> tuple[Mapping[str, Any], float] | None:
        """Its fields, and when the session was last active; None if there is none."""

    def put_scratchpad(
        self, place: Partition, session: str, fields: Mapping[str, Any], now: float
    ) -> None:
        """Empty fields remove it."""

    def drop_scratchpads(self, before: float) -> int:
        """Remove those of sessions that were last active before that time; how many."""
