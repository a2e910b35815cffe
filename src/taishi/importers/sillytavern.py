"""SillyTavern: a chat file, one JSON object a line; the first line is its header."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, tzinfo
from typing import Any

from ..errors import InputError
from .fields import digest, ident, name, obj, text
from .message_times import in_24, local, moment
from .source import Source
from .values import BadEntry, Conversation, ImportedMessage, Item, LeftOut, ReadOptions

_HUMANIZED = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s ?(?:(\d{1,3})ms)?"
)
_MERIDIEM = re.compile(r"([A-Za-z]+) (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2}) ?(am|pm)", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    talk: Conversation | None = None
    for number, line in enumerate(source.text().lines(), 1):
        place = f"line {number}"
        if line is None:
            yield BadEntry(place, "the line is too long")
            continue
        if not line.strip():
            continue
        entry = _parsed(line)
        if talk is None:
            talk = _header(entry, source.name)
            if "mes" not in entry:
                continue
        yield _message(talk, place, entry, options) if entry else BadEntry(place, "it is no JSON")


def _parsed(line: str) -> Mapping[str, Any]:
    try:
        return obj(json.loads(line, strict=False))
    except (ValueError, RecursionError):
        return {}


def _header(entry: Mapping[str, Any], file: str) -> Conversation:
    if not entry.keys() & {"chat_metadata", "user_name", "character_name", "mes"}:
        raise InputError(
            "line 1 is no header of a SillyTavern chat (user_name, character_name, chat_metadata); "
            "choose a .jsonl file of its folder `chats`"
        )
    character = name(entry.get("character_name"), entry.get("name")) or ""
    created = ident(entry.get("create_date"), entry.get("send_date"), file)
    known = ident(obj(entry.get("chat_metadata")).get("integrity"))
    return Conversation(known or digest(character, created), character)


def _message(
    talk: Conversation, place: str, entry: Mapping[str, Any], options: ReadOptions
) -> Item:
    extra = obj(entry.get("extra"))
    if not isinstance(entry.get("mes"), str):
        return BadEntry(place, "it has no mes")
    if entry.get("is_system") or extra.get("type") in ("narrator", "comment", "help"):
        return LeftOut(place, "system")
    said = text(entry["mes"])
    if not said.strip():
        return LeftOut(place, "empty")
    is_user = bool(entry.get("is_user"))
    return ImportedMessage(
        talk,
        place,
        said,
        None,
        sent(entry.get("send_date"), options.zone),
        name(entry.get("name")) or (None if is_user else talk.title),
        is_bot=not is_user,
        is_self=is_user,
    )


def sent(value: object, zone: tzinfo) -> float | None:
    """A `send_date` of any version: ISO or epoch, `2024-6-5 @14h 56m 50s 682ms` (UTC), or
    `June 19, 2023 2:20pm` (local)."""
    if isinstance(value, str):
        if found := _HUMANIZED.fullmatch(value.strip()):
            *parts, ms = found.groups()
            return local(*map(int, parts), int(ms or 0) * 1000, zone=UTC)
        if found := _MERIDIEM.fullmatch(value.strip()):
            month, day, year, hour, minute, half = found.groups()
            if (short := month[:3].lower()) not in _MONTHS:
                return None
            numbers = (int(year), _MONTHS.index(short) + 1, int(day))
            return local(*numbers, in_24(int(hour), half), int(minute), zone=zone)
    return moment(value, zone)
