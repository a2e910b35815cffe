"""QQ: JSON and TXT of QQ Chat Exporter, and the TXT that QQ's own message manager writes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import InputError
from . import qq_text
from .fields import ident, is_placeholder, items, name, obj, text, with_files
from .json_reader import JsonReader
from .message_times import moment
from .source import Source
from .text_stream import TextStream
from .values import BadEntry, Conversation, ImportedMessage, Item, LeftOut, ReadOptions

# The export does not say which chat it is; the name that QQ Chat Exporter gives its files does.
FILE = re.compile(r"(?:^|_)(?:group|friend|private)_(?:.*?_)?(u_[\w-]+?|\d{5,12})_\d{8}[_.]")
FORWARDED = "type_11"
CHUNK = Conversation("chunks", is_by_title=True)


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    stream = source.text()
    first = stream.peek()
    if first == "{" and source.name.lower().endswith(".jsonl"):
        yield from _chunk(stream, options)
    elif first == "{":
        yield from _Export(JsonReader(stream), source.name, options).items()
    elif first:
        yield from qq_text.read(stream, source.name, options)
    else:
        raise InputError("the file is empty; export the chat again")


def _chunk(stream: TextStream, options: ReadOptions) -> Iterator[Item]:
    """A file of a chunked export. Which chat it is of stands in the manifest beside it only."""
    for number, line in enumerate(stream.lines(), 1):
        if line is None or line.strip():
            yield _message(CHUNK, f"line {number}", _parsed(line), options, frozenset())


class _Export:
    def __init__(self, reader: JsonReader, file: str, options: ReadOptions) -> None:
        self._reader = reader
        self._file = file
        self._options = options

    def items(self) -> Iterator[Item]:
        reader, found = self._reader, False
        info: Mapping[str, Any] = {}
        for key in reader.members():
            if key == "chatInfo":
                info = obj(reader.value())
            elif key == "messages" and reader.peek() == "[":
                found = True
                yield from self._messages(info)
            elif key == "chunked":
                raise InputError(
                    "this is the manifest of a chunked export; import its files chunks/*.jsonl"
                )
            else:
                reader.skip()
        if not found:
            raise InputError(
                "this is no export of QQ Chat Exporter: it has no messages; choose another format"
            )

    def _messages(self, info: Mapping[str, Any]) -> Iterator[Item]:
        mine = frozenset(filter(None, (ident(info.get("selfUid")), ident(info.get("selfUin")))))
        talk = self._conversation(info)
        for number in self._reader.elements():
            raw = self._reader.value()
            yield _message(talk, f"message {number}", raw, self._options, mine)

    def _conversation(self, info: Mapping[str, Any]) -> Conversation:
        title = name(info.get("name")) or ""
        named = FILE.search(self._file)
        id = named[1] if named else title or self._file
        if info.get("type") == "group":
            return Conversation(id, title, "group", is_by_title=not named)
        return Conversation(id, title, peer=id, is_by_title=not named)


def _message(
    talk: Conversation, place: str, raw: object, options: ReadOptions, mine: frozenset[str]
) -> Item:
    message = obj(raw)
    sender, content = obj(message.get("sender")), obj(message.get("content"))
    if not sender or not content:
        return BadEntry(place, "it has no sender and content")
    if message.get("system"):
        return LeftOut(place, "system")
    if message.get("recalled"):
        return LeftOut(place, "deleted")
    said = with_files(text(content.get("text")), _files(content))
    if not said.strip() or is_placeholder(said):
        return LeftOut(place, "empty")
    uid, uin = ident(sender.get("uid")), ident(sender.get("uin"))
    return ImportedMessage(
        talk,
        place,
        said,
        ident(message.get("id"), message.get("seq")),
        moment(message.get("timestamp") or message.get("time"), options.zone),
        name(sender.get("groupCard"), sender.get("name"), sender.get("nickname")),
        uin or uid,
        is_self=bool({uid, uin} & mine),
        reply_to=_reply(content),
        forwarded_from="?" if message.get("type") == FORWARDED else None,
    )


def _files(content: Mapping[str, Any]) -> list[str]:
    """Names of files, unless the text names them already, as `[文件: …]`."""
    said = text(content.get("text"))
    names = [name(obj(one).get("filename")) for one in items(content.get("resources"))]
    return [one for one in names if one and one not in said]


def _reply(content: Mapping[str, Any]) -> str | None:
    for one in items(content.get("elements")):
        if obj(one).get("type") == "reply":
            data = obj(obj(one).get("data"))
            return ident(data.get("referencedMessageId"), data.get("messageId"))
    return None


def _parsed(line: str | None) -> object:
    try:
        return json.loads(line or "", strict=False)
    except (ValueError, RecursionError):
        return None
