"""Messages of Microsoft Agent Framework as messages of a session, and back without a loss.

What a chat message can express (text, a name) is stored as such, so that summaries of the session
can read it. Anything else (tool calls, pictures, reasoning) is stored as JSON beside its text.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import Any

from agent_framework import Message

from .quiet_calls import log
from .scope_ids import record_id

MARK = "agent_framework.Message"
ROLES = ("system", "user", "assistant", "tool")


def to_wire(message: Message) -> dict[str, Any]:
    id = _id_of(message)
    plain: dict[str, Any] = {"role": message.role, "content": message.text, "id": id}
    if message.author_name:
        plain["name"] = message.author_name
    if message.role in ROLES[:3] and _fields(from_wire(id, plain)) == _fields(message):
        return plain
    return {"id": id, **_with_json(message)}


def from_wire(id: str, wire: dict[str, Any]) -> Message:
    whole = _json_of(wire)
    if whole is not None:
        return Message.from_dict(whole)
    content = wire.get("content") or ""
    text = content if isinstance(content, str) else "\n".join(map(_part_text, content))
    given = id.partition(".")[2] or None
    return Message(wire["role"], [text], author_name=wire.get("name"), message_id=given)


def _id_of(message: Message) -> str:
    """A session stores an id once. Some models give one id to several messages, and most messages
    of users have none, so what is said is a part of it, or chance is."""
    if not message.message_id:
        return f"{uuid.uuid4().hex}."
    said = json.dumps(_fields(message), sort_keys=True, default=str).encode()
    return f"{hashlib.sha256(said).hexdigest()[:32]}.{record_id(message.message_id)}"


def _with_json(message: Message) -> dict[str, Any]:
    """The JSON is where a chat message has it least in the way: with an assistant's text as a tool
    call, else in the content itself."""
    whole = json.dumps(_fields(message), ensure_ascii=False, default=str)
    if message.role == "assistant":
        call = {"id": MARK, "type": "function", "function": {"name": MARK, "arguments": whole}}
        return {"role": "assistant", "content": message.text, "tool_calls": [call]}
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": MARK, "content": whole}
    role = message.role if message.role in ROLES else "user"
    parts = [message.text, f"{MARK} {whole}"]
    return {"role": role, "content": [{"type": "text", "text": one} for one in parts]}


def _json_of(wire: dict[str, Any]) -> dict[str, Any] | None:
    """None: a plain message, or one whose JSON can no longer be read."""
    content = wire.get("content")
    calls = wire.get("tool_calls") or ()
    if calls and calls[0]["id"] == MARK:
        text = calls[0]["function"]["arguments"]
    elif wire.get("tool_call_id") == MARK:
        text = str(content)
    elif isinstance(content, list) and _part_text(content[-1]).startswith(f"{MARK} "):
        text = _part_text(content[-1])[len(MARK) + 1 :]
    else:
        return None
    try:
        fields: dict[str, Any] = json.loads(text)
    except ValueError:
        log.warning("a stored message could not be read whole; its text is used")
        return None
    return fields


def _part_text(part: dict[str, Any]) -> str:
    return str(part.get("text") or "")


def _fields(message: Message) -> dict[str, Any]:
    fields: dict[str, Any] = message.to_dict()
    return fields
