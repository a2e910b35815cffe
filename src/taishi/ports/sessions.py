"""Port to the messages of sessions and their running summaries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ..types import Message, Partition


class DueSession(Protocol):
    @property
    def place(self) -> Partition: ...
    @property
    def session(self) -> str: ...


class WaitingMessage(Protocol):
    @property
    def number(self) -> int: ...
    @property
    def message(self) -> Message: ...


class Sessions(Protocol):
    """Messages that wait, durably, for their session's next summary (W8)."""

    def add_messages(self, place: Partition, session: str, messages: Iterable[Message]) -> int: ...

    def due_sessions(
        self, now: float, interval: float, min_messages: int
    ) -> Sequence[DueSession]: ...

    def take_messages(
        self, place: Partition, session: str, limit: int
    ) -> Sequence[WaitingMessage]: ...

    def session_summary(self, place: Partition, session: str) -> str: ...

    def mark_summarised(
        self, place: Partition, session: str, numbers: Sequence[int], summary: str, now: float
    ) -> None: ...
