"""Items of OpenAI's Responses API as messages of a session, and back.

A session keeps messages in the chat format, which is what summaries and the historian read. An item
that has more to it than a chat message is kept beside it, as its original.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Item = Mapping[str, Any]
ROLES = ("user", "assistant", "system")
TEXT_PARTS = ("input_text", "output_text", "text", "refusal", "summary_text")


def message_of(item: Item) -> dict[str, Any]:
    """What a session stores for an item."""
    message = _call(item) or _result(item) or _said(item)
    return message if message == item else {**message, "original": dict(item)}


def item_of(message: Mapping[str, Any], original: Mapping[str, Any] | None) -> dict[str, Any]:
    """The item that a stored message stands for."""
    return dict(message if original is None else original)


def text_of(content: object) -> str:
    """The text of a content: itself, or that of its text parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    parts = (part for part in content if isinstance(part, Mapping))
    said = (part.get("text") or part.get("refusal") for part in parts if _is_text(part))
    return "\n".join(one for one in said if isinstance(one, str))


def last_user_text(items: Sequence[Any]) -> str:
    """What the user said last; "" if nobody did."""
    for item in reversed(items):
        if isinstance(item, Mapping) and item.get("role") == "user":
            return text_of(item.get("content"))
    return ""


def _is_text(part: Mapping[str, Any]) -> bool:
    return part.get("type") in TEXT_PARTS


def _said(item: Item) -> dict[str, Any]:
    """Of an item that nobody said, such as a model's reasoning, the text is empty."""
    role = str(item.get("role") or "assistant")
    shown = role if role in ROLES else "system" if role == "developer" else "assistant"
    return {"role": shown, "content": text_of(item.get("content")) if "role" in item else ""}


def _call(item: Item) -> dict[str, Any] | None:
    id, name = item.get("call_id"), item.get("name")
    if item.get("type") != "function_call" or not (_is_id(id) and isinstance(name, str) and name):
        return None
    arguments = item.get("arguments")
    function = {"name": name, "arguments": arguments if isinstance(arguments, str) else ""}
    call = {"id": id, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _result(item: Item) -> dict[str, Any] | None:
    id, output = item.get("call_id"), item.get("output")
    if item.get("type") != "function_call_output" or not _is_id(id):
        return None
    is_listed = isinstance(output, (str, list, tuple))
    text = text_of(output) if is_listed else json.dumps(output, ensure_ascii=False, default=str)
    return {"role": "tool", "content": text, "tool_call_id": id}


def _is_id(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 256 and value.isprintable()
