"""Messages in the OpenAI chat format: a chat (`{"messages": […]}`) or one message a line, or a
JSON array of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .fields import digest, ident, items, name, obj, text
from .json_reader import JsonReader
from .message_times import moment
from .source import Source
from .text_stream import TextStream
from .values import BadEntry, Conversation, ImportedMessage, Item, LeftOut, ReadOptions

TIMES = ("time", "timestamp", "created_at", "create_time", "created", "date")
CHATS = ("conversation_id", "session_id", "thread_id", "chat_id", "conversation", "session")


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    stream = source.text()
    entries = _elements(JsonReader(stream)) if stream.peek() == "[" else _lines(stream)
    for place, raw in entries:
        entry = obj(raw)
        if isinstance(entry.get("messages"), list):
            yield from _chat(place, entry, options)
        elif "role" in entry:
            id = ident(*map(entry.get, CHATS), source.name) or source.name
            yield _message(Conversation(id, name(entry.get("title")) or ""), place, entry, options)
        else:
            yield BadEntry(place, 'it has neither "messages" nor "role" and "content"')


def _elements(reader: JsonReader) -> Iterator[tuple[str, object]]:
    for number in reader.elements():
        yield f"element {number}", reader.value()


def _lines(stream: TextStream) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(stream.lines(), 1):
        if line is None or line.strip():
            yield f"line {number}", _parsed(line)


def _parsed(line: str | None) -> object:
    try:
        return json.loads(line or "", strict=False)
    except (ValueError, RecursionError):
        return None


def _chat(place: str, entry: Mapping[str, Any], options: ReadOptions) -> Iterator[Item]:
    id = ident(*map(entry.get, CHATS), entry.get("id"))
    if id is None:  # the content is all that tells it from others
        id = digest(json.dumps(entry["messages"], sort_keys=True))
    talk = Conversation(id, name(entry.get("title")) or "")
    for number, raw in enumerate(entry["messages"], 1):
        message = {"id": number, **obj(raw)}
        yield _message(talk, f"{place}, message {number}", message, options, entry)


def _message(
    talk: Conversation,
    place: str,
    message: Mapping[str, Any],
    options: ReadOptions,
    chat: Mapping[str, Any] | None = None,
) -> Item:
    role = message.get("role")
    if role in ("system", "developer"):
        return LeftOut(place, "system")
    if role in ("tool", "function"):
        return LeftOut(place, "tool")
    if role not in ("user", "assistant"):
        return BadEntry(place, f"unknown role {role!r:.40}")
    said = _said(message.get("content"))
    if not said.strip():
        return LeftOut(place, "tool" if message.get("tool_calls") else "empty")
    when = [source.get(key) for source in (message, chat or {}) for key in TIMES]
    is_bot = role == "assistant"
    return ImportedMessage(
        talk,
        place,
        said,
        ident(message.get("id"), message.get("message_id")),
        next((at for one in when if (at := moment(one, options.zone)) is not None), None),
        name(message.get("name"), message.get("speaker"), "" if is_bot else options.self_name)
        or ("assistant" if is_bot else None),
        ident(message.get("user"), message.get("speaker_id")),
        is_bot=is_bot,
        is_self=not is_bot,
    )


def _said(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = (text(obj(part).get("text")) for part in items(content))
    return "\n".join(part for part in parts if part)
