"""WeChat: JSON and CSV of WeFlow, CSV of MemoTrace (留痕, WeChatMsg)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

from ..errors import InputError
from .fields import ident, is_placeholder, items, name, obj, text
from .json_reader import JsonReader
from .message_times import moment
from .source import Source
from .text_stream import TextStream
from .values import BadEntry, Conversation, ImportedMessage, Item, LeftOut, ReadOptions

SYSTEM = (10000, 10002)
PICTURES = (3, 43, 47)  # image, video, sticker
ROOM = "@chatroom"
MEMOTRACE = {"StrContent", "CreateTime", "IsSender"}
WECLONE = {"msg", "talker", "is_sender"}
_TITLE = re.compile(r"<title>(?:<!\[CDATA\[)?([^<\]]{1,2000})")
_STEM = re.compile(r"(?:_utf8)?\.\w+$")


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    stream = source.text()
    if stream.peek() == "{":
        yield from _json(JsonReader(stream), options)
    else:
        yield from _csv(stream, _STEM.sub("", source.name), options)


def _json(reader: JsonReader, options: ReadOptions) -> Iterator[Item]:
    session: Mapping[str, Any] = {}
    senders: dict[object, Mapping[str, Any]] = {}
    found = False
    for key in reader.members():
        if key == "session":
            session = obj(reader.value())
        elif key == "senders":
            senders = {one.get("senderID"): one for one in map(obj, items(reader.value()))}
        elif key == "messages" and reader.peek() == "[":
            found = True
            talk = _session(session)
            for number in reader.elements():
                message = obj(reader.value())
                sender = senders.get(message.get("senderID"), {})
                yield _message(talk, f"message {number}", message, sender, options)
        else:
            reader.skip()
    if not found:
        raise InputError("this is no export of WeFlow: it has no messages; choose JSON there")


def _session(session: Mapping[str, Any]) -> Conversation:
    id = ident(session.get("accountId"), session.get("wxid"), session.get("displayName"))
    title = name(session.get("displayName"), session.get("remark"), session.get("nickname")) or ""
    if session.get("type") == "群聊" or (id or "").endswith(ROOM):
        return Conversation(id or "wechat", title, "group")
    return Conversation(id or "wechat", title, peer=id)


def _message(
    talk: Conversation,
    place: str,
    message: Mapping[str, Any],
    sender: Mapping[str, Any],
    options: ReadOptions,
) -> Item:
    if "content" not in message or "createTime" not in message:
        return BadEntry(place, "it has no content and createTime")
    kind = message.get("localType")
    if kind in SYSTEM or message.get("type") == "系统消息":
        return LeftOut(place, "system")
    said = spoken(text(message.get("content")))
    if kind in PICTURES or not said.strip() or is_placeholder(said):
        return LeftOut(place, "empty")
    return ImportedMessage(
        talk,
        place,
        said,
        ident(message.get("platformMessageId")),
        moment(message.get("createTime"), options.zone),
        name(message.get("senderDisplayName"), sender.get("displayName")),
        ident(message.get("senderUsername"), sender.get("accountId"), sender.get("wxid")),
        is_self=message.get("isSend") in (1, True),
        reply_to=ident(message.get("replyToMessageId")),
    )


def _csv(stream: TextStream, chat: str, options: ReadOptions) -> Iterator[Item]:
    rows = _rows(stream)
    _, first = next(rows, (1, []))
    columns = [] if isinstance(first, BadEntry) else [one.strip() for one in first]
    if set(columns) >= MEMOTRACE:
        read_row = _memotrace
    elif set(columns) >= WECLONE:
        read_row = _weclone
    else:
        raise InputError(
            "this is no chat of WeFlow or MemoTrace: the first line has neither StrContent and "
            "CreateTime nor talker and msg"
        )
    for line, cells in rows:
        place = f"line {line}"
        if isinstance(cells, BadEntry):
            yield cells
        elif cells:
            yield read_row(chat, place, dict(zip(columns, cells, strict=False)), options)


def _rows(stream: TextStream) -> Iterator[tuple[int, Any]]:
    """Rows with the line that they end in; a row that cannot be read is passed over."""
    reader = csv.reader(one if one is not None else "\n" for one in stream.lines())
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield reader.line_num, BadEntry(f"line {reader.line_num}", f"no row of CSV ({error})")
        else:
            yield reader.line_num, row


def _memotrace(chat: str, place: str, row: Mapping[str, str], options: ReadOptions) -> Item:
    kind, when = row.get("Type", ""), row.get("CreateTime") or row.get("StrTime")
    if not when or "StrContent" not in row:
        return BadEntry(place, "cells are missing")
    if kind == str(SYSTEM[0]) or kind == str(SYSTEM[1]):
        return LeftOut(place, "system")
    said = spoken(row["StrContent"])
    if kind in map(str, PICTURES) or not said.strip() or is_placeholder(said):
        return LeftOut(place, "empty")
    sender = ident(row.get("Sender"))
    is_self = row.get("IsSender") == "1"
    talk = Conversation(chat, chat, peer=chat, is_by_title=True)
    if sender:
        talk = Conversation(chat, chat, "group", is_by_title=True)
    local = row.get("localId")
    return ImportedMessage(
        talk,
        place,
        said,
        f"{local}:{row.get('CreateTime')}" if local else None,
        moment(when, options.zone),
        name(row.get("Remark"), row.get("NickName"), None if is_self else chat),
        sender or (None if is_self else chat),
        is_self=is_self,
    )


def _weclone(chat: str, place: str, row: Mapping[str, str], options: ReadOptions) -> Item:
    if "msg" not in row or not row.get("CreateTime"):
        return BadEntry(place, "cells are missing")
    if "系统" in row.get("type_name", ""):
        return LeftOut(place, "system")
    said = spoken(row["msg"])
    if not said.strip() or is_placeholder(said):
        return LeftOut(place, "empty")
    room = ident(row.get("room_name"))
    talk = Conversation(chat, chat, peer=chat, is_by_title=True)
    if room and room.endswith(ROOM):
        talk = Conversation(room, chat, "group")
    return ImportedMessage(
        talk,
        place,
        said,
        ident(row.get("MsgSvrID")),
        moment(row["CreateTime"], options.zone),
        name(row.get("talker")),
        ident(row.get("talker")),
        is_self=row.get("is_sender") == "1",
    )


def spoken(content: str) -> str:
    """A shared link or file is XML there; its title is what one reads."""
    if not content.lstrip().startswith(("<?xml", "<msg>", "<appmsg")):
        return content
    found = _TITLE.search(content)
    return unescape(found[1]).strip() if found else ""
