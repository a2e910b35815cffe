"""Port to the messages of sessions and their running summaries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..types import Message, Partition


@dataclass(frozen=True, slots=True)
class DueSession:
    """A session with enough new messages for a summary."""

    place: Partition
    session: str
    waiting: int
    last_summary: float | None
    summary: str


@dataclass(frozen=True, slots=True)
class WaitingMessage:
    """A message that is in no summary yet; `number` orders it and names it to `mark_summarised`."""

    number: int
    message: Message


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """A message of a session; `number` is its position, to read on from."""

    number: int
    message: Message
    is_summarised: bool


class Sessions(Protocol):
    """The messages of sessions, stored durably before and after their summary (W8)."""

    def add_messages(self, place: Partition, session: str, messages: Iterable[Message]) -> int:
        """Durable when this returns; how many were new. A message with a known id is not."""

    def due_sessions(self, now: float, interval: float, min_messages: int) -> Sequence[DueSession]:
        """Sessions with `min_messages` new ones and no summary for `interval` seconds."""

    def take_messages(self, place: Partition, session: str, limit: int) -> Sequence[WaitingMessage]:
        """The oldest messages that are in no summary, in order; unchanged by reading them."""

    def messages(
        self, place: Partition, session: str, after: int = 0, limit: int = 1000
    ) -> Sequence[SessionMessage]:
        """All messages of a session, summarised or not, in the order they were added; at most
        `limit` of those after the number `after`."""

    def session_summary(self, place: Partition, session: str) -> str:
        """The last summary; "" if there is none."""

    def mark_summarised(
        self, place: Partition, session: str, numbers: Sequence[int], summary: str, now: float
    ) -> None:
        """Store the summary that holds these messages."""

    def waiting_sessions(self, workspace: str, user: str) -> list[tuple[Partition, str]]:
        """Sessions with messages in no summary, in which this user spoke."""

    def forget_messages(
        self, place: Partition, session: str, ids: Sequence[str], texts: Sequence[str]
    ) -> int:
        """Remove messages by id or, as a host may give none, by their exact text; how many."""
