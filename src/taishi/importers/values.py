"""What every reader gives: messages of conversations, and entries that it left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any, Literal

from ..types import EMPTY

ChatKind = Literal["private", "group", "agent"]
# Why an entry that is in order is not imported. Anything else is an error of the file.
Reason = Literal["system", "deleted", "empty", "hidden", "tool"]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A chat of an export. `owner` is the id of the person in whose memory it belongs, if the
    export says so; `peer` is the other side of a private chat. `is_by_title`: the export has no id
    of the chat, so its title, or the file's name, stands for it."""

    id: str
    title: str = ""
    kind: ChatKind = "private"
    owner: str | None = None
    peer: str | None = None
    is_by_title: bool = False


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """One message. `place` says where in the file it is, for people. Without an `id` one is made
    of its content; without a `time` it has none, as the time of the import would be wrong."""

    conversation: Conversation
    place: str
    text: str
    id: str | None = None
    time: float | None = None
    speaker: str | None = None
    speaker_id: str | None = None
    is_bot: bool = False
    is_self: bool = False  # written by the person whose export it is
    kind: str = "note"
    reply_to: str | None = None
    forwarded_from: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An entry that is no message to remember, as there are in every export."""

    place: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class BadEntry:
    """An entry that cannot be read: where it is, and what is wrong with it."""

    place: str
    reason: str


Item = ImportedMessage | LeftOut | BadEntry


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """`zone` is for times that say none; `self_name` is how the user is called in the file."""

    zone: tzinfo
    self_name: str = ""
