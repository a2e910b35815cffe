"""Parses a chat request in OpenAI's format: what the user said last, where the memory block goes,
and what the response said.

Pure functions. Any input may arrive, and unexpected input is not an error here: what cannot be
parsed is forwarded as it came, for the upstream to judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...context_block.block import without_blocks
from ...language.statements import statements as statements
from .housekeeping import is_housekeeping


@dataclass(frozen=True, slots=True)
class Chat:
    """A request with a user message; `index` is its position among the messages."""

    body: Mapping[str, Any]
    index: int

    @property
    def messages(self) -> Sequence[Any]:
        messages: Sequence[Any] = self.body["messages"]
        return messages

    @property
    def is_housekeeping(self) -> bool:
        """Whether the client sent it for its own purposes: a title, tags, a summary."""
        return is_housekeeping(
            [
                {"role": str(message["role"]), "text": text_of(message.get("content"))}
                for message in self.messages
                if isinstance(message, dict) and message.get("role")
            ]
        )

    @property
    def user_text(self) -> str:
        """What the user said last, without a memory block from an earlier request."""
        text = without_blocks(text_of(self.messages[self.index].get("content")))
        return strip_template(text).strip()

    @property
    def name(self) -> str | None:
        """The user's name, if the client sends one."""
        name = self.messages[self.index].get("name")
        return name if isinstance(name, str) else None

    @property
    def previous_answer(self) -> str:
        """The assistant's message just before: a "yes" answers something."""
        previous = self.messages[self.index - 1] if self.index else {}
        is_assistant = isinstance(previous, dict) and previous.get("role") == "assistant"
        return text_of(previous.get("content")) if is_assistant else ""

    @property
    def is_new_turn(self) -> bool:
        """Whether the user message is new: after a tool result or on a retry it was seen before."""
        return self.index == len(self.messages) - 1

    def with_block(self, block: str) -> bytes:
        """The request with the block prepended to the user message: never the system role (I1)."""
        return json.dumps(
            {**self.body, "messages": self.messages_with_block(block, "text")}
        ).encode()

    def messages_with_block(self, block: str, part_type: str) -> list[Any]:
        """The messages, with the block prepended to the last user message."""
        messages = list(self.messages)
        message = dict(messages[self.index])
        content = message.get("content")
        if isinstance(content, list):
            message["content"] = [{"type": part_type, "text": block}, *content]
        else:
            message["content"] = f"{block}\n\n{content or ''}"
        messages[self.index] = message
        return messages

    def answer(self, raw: bytes, is_stream: bool) -> Answer:
        """Parse the upstream's response."""
        return read_answer(raw, is_stream)


def read_chat(body: object) -> Chat | None:
    """None: not a chat request that we understand."""
    messages = body.get("messages") if isinstance(body, dict) else None
    index = last_user_index(messages)
    return Chat(body, index) if isinstance(body, dict) and index is not None else None


def last_user_index(messages: object) -> int | None:
    """The index of the last user message; None if there is none or the list is malformed."""
    if not isinstance(messages, list):
        return None
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if not isinstance(message, dict):
            return None
        if message.get("role") == "user":
            return index
    return None


def text_of(content: object) -> str:
    """The text of a message's content: a string, or parts of which some are text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return "\n".join(part for part in parts if isinstance(part, str))


def strip_template(text: str) -> str:
    """The user's own text, where the client wrapped it in a template with documents (Open WebUI's
    retrieval): neither the template nor the documents are theirs."""
    if not text.lstrip().startswith("### Task"):
        return text
    _, marker, query = text.rpartition("<user_query>")
    if marker:
        return query.partition("</user_query>")[0]
    _, marker_end, rest = text.rpartition("</context>")
    return rest if marker_end else text


@dataclass(frozen=True, slots=True)
class Answer:
    """The response's text, and whether it is an answer rather than an error."""

    text: str
    ok: bool


def read_answer(raw: bytes, is_stream: bool) -> Answer:
    """Parse a chat completion, whole or streamed; of a truncated stream, the part that arrived."""
    chunks, field = (sse_events(raw), "delta") if is_stream else (iter([to_json(raw)]), "message")
    parts: list[str] = []
    for chunk in chunks:
        if not isinstance(chunk, dict):
            continue  # truncated or unknown format: the user message still counts
        if chunk.get("error"):
            return Answer("", False)
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and choice.get("index", 0) == 0:
                message = choice.get(field)
                parts.append(text_of(message.get("content")) if isinstance(message, dict) else "")
    return Answer("".join(parts), True)


def sse_events(raw: bytes) -> Iterator[Any]:
    for line in raw.splitlines():
        if line.startswith(b"data:"):
            data = line[5:].strip()
            # The last event of a truncated stream is incomplete.
            if data != b"[DONE]" and (event := to_json(data)) is not None:
                yield event


def to_json(raw: bytes) -> Any:
    """None for invalid JSON."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None
