"""Telegram Desktop: `result.json`, of one chat or of the whole account."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError
from .fields import ident, items, name, obj, text, with_files
from .json_reader import JsonReader
from .message_times import moment
from .source import Source
from .values import BadEntry, Conversation, ImportedMessage, Item, LeftOut, ReadOptions

PRIVATE = ("personal_chat", "bot_chat", "saved_messages", "replies", "verification_codes")
KNOWN = ("name", "type", "id")


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    export = _Export(source.json(), options)
    yield from export.items()
    if not export.has_messages:
        raise InputError(
            "this is no Telegram export: it has neither messages nor chats. In Telegram Desktop, "
            "choose Export, and JSON as the format"
        )


@dataclass
class _Export:
    reader: JsonReader
    options: ReadOptions
    account: str | None = None
    has_messages: bool = False
    chats: int = field(default=0)

    def items(self) -> Iterator[Item]:
        """The root is a chat, or has `chats` and `left_chats` with a list of them."""
        reader, info = self.reader, {}
        for key in reader.members():
            if key in KNOWN:
                info[key] = reader.value()
            elif key == "personal_information":
                self.account = ident(obj(reader.value()).get("user_id"))
            elif key == "messages":
                yield from self._messages(info)
            elif key in ("chats", "left_chats") and reader.peek() == "{":
                yield from self._lists()
            else:
                reader.skip()

    def _lists(self) -> Iterator[Item]:
        for key in self.reader.members():
            if key != "list":
                self.reader.skip()
                continue
            for _ in self.reader.elements():
                yield from self._chat()

    def _chat(self) -> Iterator[Item]:
        info: dict[str, Any] = {}
        for key in self.reader.members():
            if key == "messages":
                yield from self._messages(info)
            elif key in KNOWN:
                info[key] = self.reader.value()
            else:
                self.reader.skip()

    def _messages(self, info: Mapping[str, Any]) -> Iterator[Item]:
        self.has_messages = True
        self.chats += 1
        talk = _conversation(info, self.chats)
        label = talk.title or talk.id
        for number in self.reader.elements():
            place = f"chat {label}, message {number}"
            yield self._message(talk, place, obj(self.reader.value()))

    def _message(self, talk: Conversation, place: str, message: Mapping[str, Any]) -> Item:
        if message.get("type") == "service":
            return LeftOut(place, "system")
        if message.get("type") != "message":
            return BadEntry(place, "it has no type message or service")
        said = with_files(plain(message.get("text")), _files(message))
        if not said.strip():
            return LeftOut(place, "empty")
        sender = _sender(message)
        when = message.get("date_unixtime") or message.get("date")
        return ImportedMessage(
            talk,
            place,
            said,
            ident(message.get("id")),
            moment(when, self.options.zone),
            name(message.get("from")),
            sender,
            is_self=self.account is not None and sender == self.account,
            reply_to=ident(message.get("reply_to_message_id")),
            forwarded_from=_forwarded(message),
        )


def _conversation(info: Mapping[str, Any], number: int) -> Conversation:
    id = ident(info.get("id")) or str(number)
    title = name(info.get("name")) or ""
    if info.get("type") == "saved_messages":
        return Conversation(id, title or "Saved Messages")
    if info.get("type") in PRIVATE:
        return Conversation(id, title, "private", peer=id)
    return Conversation(id, title, "group")


def _sender(message: Mapping[str, Any]) -> str | None:
    """`user123`, `channel456` in newer exports, a number in older ones."""
    given = ident(message.get("from_id"))
    return given.removeprefix("user") if given else None


def _forwarded(message: Mapping[str, Any]) -> str | None:
    if "forwarded_from" not in message:
        return None
    return name(message["forwarded_from"]) or "?"


def plain(value: object) -> str:
    """A text, which is a list of texts and entities where there are links, mentions or bold."""
    if isinstance(value, str):
        return value
    return "".join(
        part if isinstance(part, str) else text(obj(part).get("text")) for part in items(value)
    )


def _files(message: Mapping[str, Any]) -> list[str]:
    """Names of files, the emoji of a sticker, a poll with its answers."""
    found = [name(message.get("file_name"))]
    if message.get("media_type") == "sticker":
        found = [name(message.get("sticker_emoji"))]
    poll = obj(message.get("poll"))
    if poll:
        answers = [text(obj(one).get("text")) for one in items(poll.get("answers"))]
        found.append(name(f"{plain(poll.get('question'))} {' / '.join(answers)}"))
    contact = obj(message.get("contact_information"))
    found.append(name(f"{text(contact.get('first_name'))} {text(contact.get('last_name'))}"))
    found.append(name(message.get("place_name")))
    return [one for one in found if one]
