"""Character Card V1, V2 and V3, as JSON or in a PNG: what the card says of an agent, and its book.

Each part of the card and each entry of the book becomes a record of its own, so that an agent
recalls what a chat is about and not the whole card.
"""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import InputError
from .fields import digest, ident, items, name, obj, text
from .message_times import moment
from .source import Source
from .values import BadEntry, Conversation, ImportedMessage, Item, LeftOut, ReadOptions

PNG = b"\x89PNG\r\n\x1a\n"
MAX_BYTES = 64 << 20
KEYWORDS = ("ccv3", "chara")  # a card that has both is V3, with a copy for older programs
SPECS = ("chara_card_v2", "chara_card_v3")
PARTS = (
    "description",
    "personality",
    "scenario",
    "system_prompt",
    "post_history_instructions",
    "first_mes",
    "mes_example",
    "creator_notes",
)
_MACRO = re.compile(r"\{\{(char|user)\}\}|<(BOT|USER)>", re.IGNORECASE)


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    data = source.whole(MAX_BYTES)
    card = _from_png(data) if data.startswith(PNG) else _parsed(data)
    inner = obj(card.get("data")) if card.get("spec") in SPECS else card
    called = name(inner.get("name"))
    if called is None or not (inner.keys() & {"description", "personality", "first_mes"}):
        raise InputError(
            "this is no character card: it has no name and description; choose another format"
        )
    nick = name(inner.get("nickname")) or called
    talk = Conversation(digest(called, text(inner.get("creator"))), called, "agent", owner=called)
    yield from _Card(talk, inner, nick, options).items()


class _Card:
    def __init__(
        self, talk: Conversation, data: Mapping[str, Any], nick: str, options: ReadOptions
    ) -> None:
        self._talk = talk
        self._data = data
        self._names = {"char": nick, "bot": nick, "user": options.self_name or "the user"}
        dated = data.get("modification_date") or data.get("creation_date")
        self._time = moment(dated, options.zone)

    def items(self) -> Iterator[Item]:
        for part in PARTS:
            if said := text(self._data.get(part)).strip():
                yield self._record(part, said)
        for number, said in enumerate(items(self._data.get("alternate_greetings")), 1):
            if isinstance(said, str) and said.strip():
                yield self._record(f"alternate_greetings {number}", said)
        for number, raw in enumerate(_entries(self._data.get("character_book")), 1):
            yield self._entry(number, raw)

    def _entry(self, number: int, raw: object) -> Item:
        place, entry = f"book entry {number}", obj(raw)
        if not isinstance(entry.get("content"), str):
            return BadEntry(place, "it has no content")
        if entry.get("enabled") is False or not entry["content"].strip():
            return LeftOut(place, "hidden" if entry["content"].strip() else "empty")
        keys = [one for one in items(entry.get("keys")) if isinstance(one, str)]
        title = name(entry.get("name"), entry.get("comment"), ", ".join(keys))
        id = f"book:{ident(entry.get('id')) or number}"
        said = f"{title}: {entry['content']}" if title else entry["content"]
        return self._record(id, said, place, {"keys": keys} if keys else {})

    def _record(
        self, part: str, said: str, place: str = "", metadata: Mapping[str, Any] | None = None
    ) -> ImportedMessage:
        filled = _MACRO.sub(lambda found: self._names[(found[1] or found[2]).lower()], said)
        kept = {"part": part, **(metadata or {})}
        return ImportedMessage(
            self._talk, place or part, filled, part, self._time, self._talk.title, metadata=kept
        )


def _entries(book: object) -> list[Any]:
    """A list in a card; an object by number in SillyTavern's own world files."""
    found = obj(book).get("entries")
    return list(found.values()) if isinstance(found, Mapping) else items(found)


def _parsed(data: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(data.decode("utf-8-sig"), strict=False)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is no character card in JSON or PNG ({error})") from error
    return obj(found)


def _from_png(data: bytes) -> Mapping[str, Any]:
    found = dict(_texts(data))
    for keyword in KEYWORDS:
        if keyword in found:
            try:
                return _parsed(base64.b64decode(found[keyword], validate=False))
            except ValueError as error:
                raise InputError(f"the card in this picture is damaged ({error})") from error
    raise InputError("this picture holds no character card (no text chunk chara or ccv3)")


def _texts(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The text chunks of a PNG; one that is cut off ends it."""
    at = len(PNG)
    while at + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if kind in (b"tEXt", b"iTXt", b"zTXt") and b"\0" in body:
            keyword, rest = body.split(b"\0", 1)
            yield keyword.decode("latin-1"), _content(kind, rest)
        at += size + 12


def _content(kind: bytes, rest: bytes) -> bytes:
    is_packed = kind == b"zTXt" or (kind == b"iTXt" and rest[:1] == b"\x01")
    if kind == b"zTXt":
        rest = rest[1:]
    elif kind == b"iTXt":
        rest = rest[2:].split(b"\0", 2)[-1]
    if not is_packed:
        return rest
    try:
        return zlib.decompressobj().decompress(rest, MAX_BYTES)
    except zlib.error as error:
        raise InputError(f"the card in this picture is damaged ({error})") from error
