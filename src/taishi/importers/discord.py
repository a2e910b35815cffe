"""Discord: the JSON files of DiscordChatExporter, one channel each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import InputError
from .fields import ident, items, name, obj, text, with_files
from .message_times import moment
from .source import Source
from .values import BadEntry, Conversation, ImportedMessage, Item, LeftOut, ReadOptions

SPOKEN = ("Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "0", "19", "20", "23")


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    reader = source.json()
    if reader.peek() != "{":
        raise InputError("this is no export of DiscordChatExporter; choose JSON as its format")
    guild: Mapping[str, Any] = {}
    channel: Mapping[str, Any] = {}
    found = False
    for key in reader.members():
        if key == "guild":
            guild = obj(reader.value())
        elif key == "channel":
            channel = obj(reader.value())
        elif key == "messages" and reader.peek() == "[":
            found = True
            talk = _conversation(guild, channel, source.name)
            for number in reader.elements():
                yield _message(talk, f"message {number}", reader.value(), options)
        else:
            reader.skip()
    if not found:
        raise InputError(
            "this is no export of DiscordChatExporter: it has no messages; choose another format"
        )


def _conversation(guild: Mapping[str, Any], channel: Mapping[str, Any], file: str) -> Conversation:
    id = ident(channel.get("id"), file) or file
    title = " / ".join(filter(None, (name(guild.get("name")), name(channel.get("name")))))
    if channel.get("type") == "DirectTextChat":
        return Conversation(id, name(channel.get("name")) or title, "private", peer=id)
    return Conversation(id, title, "group")


def _message(talk: Conversation, place: str, raw: object, options: ReadOptions) -> Item:
    message = obj(raw)
    author = obj(message.get("author"))
    if not author or "content" not in message:
        return BadEntry(place, "it has no author and content")
    if message.get("type") not in SPOKEN:
        return LeftOut(place, "system")
    forwarded = obj(message.get("forwardedMessage"))
    said = _said(message) or _said(forwarded)
    if not said.strip():
        return LeftOut(place, "empty")
    return ImportedMessage(
        talk,
        place,
        said,
        ident(message.get("id")),
        moment(message.get("timestamp"), options.zone),
        name(author.get("nickname"), author.get("name")),
        ident(author.get("id")),
        is_bot=author.get("isBot") is True,
        reply_to=_reply(message),
        forwarded_from="?" if forwarded else None,
    )


def _said(message: Mapping[str, Any]) -> str:
    files = [name(obj(one).get("fileName")) for one in items(message.get("attachments"))]
    files += [name(obj(one).get("name")) for one in items(message.get("stickers"))]
    said = text(message.get("content"))
    embeds = [obj(one) for one in items(message.get("embeds"))]
    if not said.strip():  # bots say it in embeds
        parts = [text(one.get(key)) for one in embeds for key in ("title", "description")]
        said = "\n".join(part for part in parts if part)
    return with_files(said, [one for one in files if one])


def _reply(message: Mapping[str, Any]) -> str | None:
    reference = obj(message.get("reference"))
    return None if reference.get("type") == "Forward" else ident(reference.get("messageId"))
