"""A message in the OpenAI chat format, and how it is stored: its text, and the rest as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

ROLES = ("system", "user", "assistant", "tool")
IMAGE_DATA = "data:image/"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """`text` is all the text of it; `parts` are set where the content was a list of parts.
    `original` is the message in a format of the host's own, to be given back as it came."""

    role: str
    text: str
    parts: tuple[Mapping[str, Any], ...] | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    speaker: str | None = None
    speaker_id: str | None = None
    time: float = 0.0
    id: str = ""
    original: Mapping[str, Any] | None = None

    @property
    def call_ids(self) -> tuple[str, ...]:
        return tuple(str(call["id"]) for call in self.tool_calls)

    def wire(self) -> dict[str, Any]:
        """The message as a chat model takes it."""
        content: Any = self.text or (None if self.tool_calls else "")
        if self.parts is not None:
            content = [dict(part) for part in self.parts]
        shown: dict[str, Any] = {"role": self.role, "content": content}
        if self.name:
            shown["name"] = self.name
        if self.tool_calls:
            shown["tool_calls"] = [
                {**call, "function": dict(call["function"])} for call in self.tool_calls
            ]
        if self.tool_call_id is not None:
            shown["tool_call_id"] = self.tool_call_id
        return shown


def body_of(message: ChatMessage) -> str:
    """What is stored beside the text; "" if there is nothing."""
    body: dict[str, Any] = {}
    if message.parts is not None:
        body["parts"] = [dict(part) for part in message.parts]
    if message.tool_calls:
        body["tool_calls"] = [dict(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        body["tool_call_id"] = message.tool_call_id
    if message.name:
        body["name"] = message.name
    if message.original is not None:
        body["original"] = dict(message.original)
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")) if body else ""


def read_body(body: str) -> dict[str, Any]:
    """The fields of a message that its body holds."""
    values: dict[str, Any] = json.loads(body) if body else {}
    parts = values.get("parts")
    return {
        "parts": None if parts is None else tuple(parts),
        "tool_calls": tuple(values.get("tool_calls", ())),
        "tool_call_id": values.get("tool_call_id"),
        "name": values.get("name"),
        "original": values.get("original"),
    }


def texts_in(body: str) -> Iterator[str]:
    """Every text in a stored body; pictures are none."""
    if body:
        yield from _strings(json.loads(body))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if not value.startswith(IMAGE_DATA):
            yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def with_texts(body: str, change: Callable[[str], str]) -> str:
    """The body with every text changed, and still JSON. The arguments of a tool call are JSON in a
    text: they stay that, too."""
    if not body:
        return body
    old = json.loads(body)
    new = changed_texts(old, change)
    return body if new == old else json.dumps(new, ensure_ascii=False, separators=(",", ":"))


def changed_texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return value if value.startswith(IMAGE_DATA) else change(value)
    if isinstance(value, Mapping):
        return {
            key: _arguments(inner, change)
            if key == "arguments" and isinstance(inner, str)
            else changed_texts(inner, change)
            for key, inner in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [changed_texts(inner, change) for inner in value]
    return value


def _arguments(text: str, change: Callable[[str], str]) -> str:
    changed = change(text)
    if changed == text or not _is_json(text) or _is_json(changed):
        return changed
    return json.dumps({"arguments": changed}, ensure_ascii=False)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
