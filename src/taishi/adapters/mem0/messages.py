"""The `messages` of mem0's `add`: a text, a message, or a list of them in OpenAI's form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import InputError
from ...types import Message

ASSISTANT = "assistant"
USER = "user"
MAX_MESSAGES = 1000
_NOT_SAID = ("system", "developer", "tool", "function")  # instructions, and what tools returned


@dataclass(frozen=True, slots=True)
class Said:
    """One message that somebody said."""

    role: str
    text: str
    name: str | None = None

    def message(self, user: str | None) -> Message:
        if self.role == ASSISTANT:
            return Message(self.text, ASSISTANT)
        name = self.name or user or USER
        # A person of that name is no assistant: what they say counts.
        return Message(self.text, USER if name == ASSISTANT else name, speaker_id=user)


def read_messages(given: object) -> list[Said]:
    """What people and the assistant said; other messages, and images, are left out."""
    if isinstance(given, str):
        given = {"role": USER, "content": given}
    if isinstance(given, Mapping):
        given = [given]
    if not isinstance(given, (list, tuple)):
        raise InputError("messages must be a text, a message, or a list of messages")
    if len(given) > MAX_MESSAGES:
        raise InputError(f"at most {MAX_MESSAGES} messages are taken at once")
    read = (_read(one) for one in given)
    return [one for one in read if one is not None and one.text.strip()]


def _read(given: Any) -> Said | None:
    if not isinstance(given, Mapping):
        raise InputError("each message must be an object with role and content")
    role, name = given.get("role", USER), given.get("name")
    if not isinstance(role, str) or not isinstance(name, (str, type(None))):
        raise InputError("role and name of a message must be text")
    if role in _NOT_SAID:
        return None
    return Said(ASSISTANT if role == ASSISTANT else USER, _text(given.get("content")), name)


def _text(content: object) -> str:
    """A content may come in parts, of which only texts are kept."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, (list, tuple)):
        raise InputError("the content of a message must be text, or a list of parts")
    texts = (part.get("text") for part in content if isinstance(part, Mapping))
    return "\n".join(text for text in texts if isinstance(text, str))
