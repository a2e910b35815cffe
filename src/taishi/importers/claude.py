"""Claude: `conversations.json` of the data export (`chat_messages`), or the zip with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .fields import ident, items, name, obj, text, with_files
from .message_times import moment
from .source import Source
from .values import BadEntry, Conversation, ImportedMessage, Item, LeftOut, ReadOptions

BOT = "Claude"


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    reader = source.json()
    for number in reader.elements():
        chat = reader.value()
        if not isinstance(chat, Mapping) or not isinstance(chat.get("chat_messages"), list):
            yield BadEntry(f"conversation {number}", "it has no chat_messages")
            continue
        id = ident(chat.get("uuid"), chat.get("created_at"))
        if id is None:
            yield BadEntry(f"conversation {number}", "it has no uuid")
            continue
        talk = Conversation(id, name(chat.get("name")) or "")
        for count, message in enumerate(chat["chat_messages"], 1):
            yield _message(talk, f"conversation {number}, message {count}", message, options)


def _message(talk: Conversation, place: str, raw: object, options: ReadOptions) -> Item:
    message = obj(raw)
    sender = message.get("sender")
    if sender not in ("human", "assistant"):
        return BadEntry(place, f"unknown sender {sender!r:.40}")
    said = _said(message)
    if not said.strip():
        return LeftOut(place, "empty")
    is_bot = sender == "assistant"
    return ImportedMessage(
        talk,
        place,
        said,
        ident(message.get("uuid")),
        moment(message.get("created_at"), options.zone),
        BOT if is_bot else options.self_name or None,
        is_bot=is_bot,
        is_self=not is_bot,
    )


def _said(message: Mapping[str, Any]) -> str:
    """The text blocks, without thoughts and tool calls; older exports have `text` alone. What an
    attachment says comes along, as the user gave it to be read."""
    blocks = [obj(one) for one in items(message.get("content"))]
    spoken = [text(one.get("text")) for one in blocks if one.get("type") == "text"]
    said = "\n".join(part for part in spoken if part) or text(message.get("text"))
    attached = [obj(one) for one in items(message.get("attachments"))]
    pasted = [found for one in attached if (found := text(one.get("extracted_content")))]
    files = [*attached, *(obj(one) for one in items(message.get("files")))]
    names = [called for one in files if (called := name(one.get("file_name")))]
    return "\n".join([with_files(said, names), *pasted])
