"""Parses a request of OpenAI's Responses API, with the same interface as a chat.

`input` is a text or a list of items, of which some are messages; the response is a list of items,
or a stream of events, of which some carry text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .chat import Answer, Chat, last_user_index, sse_events, text_of, to_json

FAILED = ("failed", "cancelled")


@dataclass(frozen=True, slots=True)
class ResponsesChat(Chat):
    """`index` is the position of the last user message among the items of `input`."""

    @property
    def messages(self) -> Sequence[Any]:
        return _items(self.body.get("input"))

    @property
    def is_housekeeping(self) -> bool:
        instructions = text_of(self.body.get("instructions"))
        messages = [{"role": "system", "content": instructions}, *self.messages]
        return Chat({"messages": messages}, self.index + 1).is_housekeeping

    def with_block(self, block: str) -> bytes:
        """The request with the block prepended to the user message: never part of the
        instructions (I1)."""
        original = self.body.get("input")
        items = self.messages_with_block(block, "input_text")
        new_input = items[0]["content"] if isinstance(original, str) else items
        return json.dumps({**self.body, "input": new_input}).encode()

    def answer(self, raw: bytes, is_stream: bool) -> Answer:
        return _streamed(raw) if is_stream else _complete(to_json(raw))


def read_responses(body: object) -> ResponsesChat | None:
    """None: it has no user message."""
    if not isinstance(body, dict):
        return None
    index = last_user_index(_items(body.get("input")))
    return None if index is None else ResponsesChat(body, index)


def _items(input_value: object) -> list[Any]:
    if isinstance(input_value, str):
        return [{"role": "user", "content": input_value}]
    return input_value if isinstance(input_value, list) else []


def _complete(body: Any) -> Answer:
    """A complete response. One that cannot be parsed is no failure: the user message still
    counts."""
    if not isinstance(body, dict):
        return Answer("", True)
    if body.get("error") or body.get("status") in FAILED:
        return Answer("", False)
    output = body.get("output")
    items = [item for item in output if isinstance(item, dict)] if isinstance(output, list) else []
    texts = [text_of(item.get("content")) for item in items if item.get("type") == "message"]
    return Answer("\n".join(text for text in texts if text), True)


def _streamed(raw: bytes) -> Answer:
    parts: list[str] = []
    for event in sse_events(raw):
        if not isinstance(event, dict):
            continue
        kind = event.get("type")
        if event.get("error") or kind in ("error", "response.failed"):
            return Answer("", False)
        if kind == "response.output_text.delta" and isinstance(event.get("delta"), str):
            parts.append(event["delta"])
    return Answer("".join(parts), True)
