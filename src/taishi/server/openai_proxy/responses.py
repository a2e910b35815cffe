"""A request of OpenAI's Responses API: the same as a chat, in other words.

`input` is a text or a list of items, of which some are messages; what comes back is a list of
items, or a stream of events, of which some carry words.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .chat import Answer, Chat, events, last_of_the_user, text_of, to_json

FAILED = ("failed", "cancelled")


@dataclass(frozen=True, slots=True)
class ResponsesChat(Chat):
    """`place` is where among the items of `input` the person spoke last."""

    @property
    def messages(self) -> Sequence[Any]:
        return _items(self.body.get("input"))

    @property
    def is_housekeeping(self) -> bool:
        instructions = text_of(self.body.get("instructions"))
        whole = [{"role": "system", "content": instructions}, *self.messages]
        return Chat({"messages": whole}, self.place + 1).is_housekeeping

    def with_block(self, block: str) -> bytes:
        """The request with the block at the head of that message: user role, never among the
        instructions (I1)."""
        given = self.body.get("input")
        items = self.with_head(block, "input_text")
        text = items[0]["content"] if isinstance(given, str) else items
        return json.dumps({**self.body, "input": text}).encode()

    def answer(self, raw: bytes, is_stream: bool) -> Answer:
        return _streamed(raw) if is_stream else _whole(to_json(raw))


def read_responses(body: object) -> ResponsesChat | None:
    """None: nothing in it that a person said."""
    if not isinstance(body, dict):
        return None
    place = last_of_the_user(_items(body.get("input")))
    return None if place is None else ResponsesChat(body, place)


def _items(given: object) -> list[Any]:
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return given if isinstance(given, list) else []


def _whole(body: Any) -> Answer:
    """A response; what cannot be read is no failure: the person spoke all the same."""
    if not isinstance(body, dict):
        return Answer("", True)
    if body.get("error") or body.get("status") in FAILED:
        return Answer("", False)
    output = body.get("output")
    items = [one for one in output if isinstance(one, dict)] if isinstance(output, list) else []
    said = [text_of(one.get("content")) for one in items if one.get("type") == "message"]
    return Answer("\n".join(text for text in said if text), True)


def _streamed(raw: bytes) -> Answer:
    words: list[str] = []
    for event in events(raw):
        if not isinstance(event, dict):
            continue
        kind = event.get("type")
        if event.get("error") or kind in ("error", "response.failed"):
            return Answer("", False)
        if kind == "response.output_text.delta" and isinstance(event.get("delta"), str):
            words.append(event["delta"])
    return Answer("".join(words), True)
