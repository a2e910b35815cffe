"""Writes exports of other programs, as large as wanted and always the same for one seed.

`write("telegram", path, 100_000)` streams the file, so that it may be larger than memory. Message
`n` of every format says the same (`said(n)`), at the same time (`at(n)`), in the same chat of
`PER_CHAT` messages; what differs is the format.
"""

from __future__ import annotations

import base64
import csv
import json
import struct
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import IO, Any

START = 1_600_000_000  # 2020-09-13
STEP = 97  # seconds
PER_CHAT = 50  # messages of a chat with an AI
LARGE = (
    "chatgpt",
    "claude",
    "telegram",
    "discord",
    "qq",
    "wechat",
    "sillytavern",
    "openai-jsonl",
)
ALL = (*LARGE, "mem0", "character-card")
SUFFIX = {"sillytavern": "jsonl", "openai-jsonl": "jsonl"}
ENGLISH = (
    "We moved the meeting to Thursday.",
    "The tent is in the attic 🏕️",
    'Line one.\nLine two, and a comma, and a "quote".',
    "Have you tried the noodle place near the station?",
    "My flight lands at 18:40.",
)
CHINESE = (
    "周末去爬山吗？",
    "帐篷在阁楼里，炉子在滑雪板后面。",
    "第一行\n第二行，带“引号”和逗号,",
    "我对花生过敏，别忘了。",
    "明早八点的高铁，D 座。",
)
PEOPLE = ("Ann", "Ben", "小鹿", "老王")


def said(number: int, seed: int = 7) -> str:
    chosen = Random(seed * 1_000_003 + number)
    return f"{chosen.choice(ENGLISH + CHINESE)} #{number}"


def at(number: int) -> int:
    return START + number * STEP


def speaker(number: int) -> str:
    return PEOPLE[number % len(PEOPLE)]


def iso(number: int) -> str:
    return datetime.fromtimestamp(at(number), UTC).isoformat()


def file_name(format: str) -> str:
    if format == "qq":
        return "group_7654321_20240102_030405.json"
    return f"{format}.{SUFFIX.get(format, 'json')}"


def write(format: str, folder: Path, count: int, seed: int = 7) -> Path:
    """The file of a format with so many messages."""
    path = folder / file_name(format)
    with path.open("w", encoding="utf-8", newline="") as out:
        WRITERS[format](out, count, seed)
    return path


def _array(out: IO[str], values: Iterator[Any]) -> None:
    out.write("[")
    for number, value in enumerate(values):
        out.write(",\n" if number else "\n")
        json.dump(value, out, ensure_ascii=False)
    out.write("]")


def _chats(count: int) -> Iterator[range]:
    for start in range(0, count, PER_CHAT):
        yield range(start, min(start + PER_CHAT, count))


def chatgpt(out: IO[str], count: int, seed: int) -> None:
    _array(out, (_chatgpt_chat(numbers, seed) for numbers in _chats(count)))


def _chatgpt_chat(numbers: range, seed: int) -> dict[str, Any]:
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None}}
    parent = "root"
    for number in numbers:
        id = f"n{number}"
        nodes[parent].setdefault("children", []).append(id)
        message = {
            "id": f"m{number}",
            "author": {"role": "assistant" if number % 2 else "user"},
            "create_time": at(number) + 0.25,
            "content": {"content_type": "text", "parts": [said(number, seed)]},
            "recipient": "all",
            "metadata": {},
        }
        nodes[id] = {"id": id, "message": message, "parent": parent, "children": []}
        parent = id
    title = f"Chat {numbers.start}"
    chat = {"conversation_id": f"c{numbers.start}", "title": title, "current_node": parent}
    return {**chat, "create_time": at(numbers.start), "mapping": nodes}


def claude(out: IO[str], count: int, seed: int) -> None:
    def chat(numbers: range) -> dict[str, Any]:
        messages = [
            {
                "uuid": f"m{number}",
                "sender": "assistant" if number % 2 else "human",
                "text": said(number, seed),
                "content": [{"type": "text", "text": said(number, seed)}],
                "created_at": iso(number),
                "attachments": [],
                "files": [],
            }
            for number in numbers
        ]
        known = {"uuid": f"c{numbers.start}", "name": f"Chat {numbers.start}"}
        return {**known, "created_at": iso(numbers.start), "chat_messages": messages}

    _array(out, map(chat, _chats(count)))


def telegram(out: IO[str], count: int, seed: int) -> None:
    out.write('{"about": "x", "personal_information": {"user_id": 1001}, "chats": {"list": [\n')
    halves = (("personal_chat", "Ben", 2002), ("private_supergroup", "Camping", 3003))
    for part, (kind, title, id) in enumerate(halves):
        numbers = range(part * (count // 2), count if part else count // 2)
        known = json.dumps({"name": title, "type": kind, "id": id}, ensure_ascii=False)
        out.write(("," if part else "") + known[:-1] + ', "messages": ')
        _array(out, (_telegram_message(number, seed) for number in numbers))
        out.write("}")
    out.write("]}}")


def _telegram_message(number: int, seed: int) -> dict[str, Any]:
    first, *rest = said(number, seed).split(" ")
    entities: Any = [first, {"type": "bold", "text": " " + " ".join(rest)}]
    return {
        "id": number + 1,
        "type": "message",
        "date": datetime.fromtimestamp(at(number), UTC).strftime("%Y-%m-%dT%H:%M:%S"),
        "date_unixtime": str(at(number)),
        "from": speaker(number),
        "from_id": f"user{1001 + number % len(PEOPLE)}",
        "text": entities if number % 3 == 0 else said(number, seed),
        "text_entities": [],
    }


def discord(out: IO[str], count: int, seed: int) -> None:
    head = {
        "guild": {"id": "1", "name": "Club"},
        "channel": {"id": "424242", "type": "GuildTextChat", "name": "general"},
        "dateRange": {"after": None, "before": None},
    }
    out.write(json.dumps(head)[:-1] + ', "messages": ')
    _array(out, (_discord_message(number, seed) for number in range(count)))
    out.write(f', "messageCount": {count}}}')


def _discord_message(number: int, seed: int) -> dict[str, Any]:
    author = {"id": f"9{number % len(PEOPLE)}", "name": speaker(number).lower()}
    return {
        "id": str(10**18 + number),
        "type": "Default",
        "timestamp": iso(number),
        "timestampEdited": None,
        "content": said(number, seed),
        "author": {**author, "nickname": speaker(number), "isBot": False},
        "attachments": [],
        "embeds": [],
        "stickers": [],
        "reactions": [],
        "mentions": [],
    }


def qq(out: IO[str], count: int, seed: int) -> None:
    head = {
        "metadata": {"name": "QQChatExporter V5", "version": "5.0.0"},
        "chatInfo": {"name": "登山群", "type": "group", "selfUid": "u_me", "selfUin": "10001"},
        "statistics": {"totalMessages": count},
    }
    out.write(json.dumps(head, ensure_ascii=False)[:-1] + ', "messages": ')
    _array(out, (_qq_message(number, seed) for number in range(count)))
    out.write(', "avatars": {"10001": "' + "QUJD" * 1000 + '"}}')


def _qq_message(number: int, seed: int) -> dict[str, Any]:
    who = number % len(PEOPLE)
    return {
        "id": str(7_000_000_000_000_000_000 + number),
        "seq": str(number),
        "timestamp": at(number) * 1000,
        "time": "2020-09-13 12:26:40",
        "sender": {"uid": f"u_{who}", "uin": str(10001 + who), "name": speaker(number)},
        "type": "type_1",
        "content": {"text": said(number, seed), "html": "", "elements": [], "resources": []},
        "recalled": False,
        "system": False,
    }


def wechat(out: IO[str], count: int, seed: int) -> None:
    head = {
        "weflow": {"version": "1.0"},
        "session": {"accountId": "55@chatroom", "displayName": "家人", "type": "群聊"},
    }
    out.write(json.dumps(head, ensure_ascii=False)[:-1] + ', "messages": ')
    _array(out, (_wechat_message(number, seed) for number in range(count)))
    out.write("}")


def _wechat_message(number: int, seed: int) -> dict[str, Any]:
    who = number % len(PEOPLE)
    return {
        "localId": number + 1,
        "createTime": at(number),
        "formattedTime": "2020-09-13 12:26:40",
        "type": "文本消息",
        "localType": 1,
        "content": said(number, seed),
        "isSend": int(who == 0),
        "senderUsername": f"wxid_{who}",
        "senderDisplayName": speaker(number),
        "platformMessageId": str(3_000_000_000 + number),
    }


def wechat_csv(out: IO[str], count: int, seed: int) -> None:
    """As MemoTrace writes a group."""
    columns = ("localId", "TalkerId", "Type", "SubType", "IsSender", "CreateTime", "Status")
    table = csv.writer(out)
    table.writerow((*columns, "StrContent", "StrTime", "Remark", "NickName", "Sender"))
    for number in range(count):
        who = number % len(PEOPLE)
        head = (number + 1, 5, 1, 0, int(who == 0), at(number), 2)
        name = speaker(number)
        table.writerow((*head, said(number, seed), "2020-09-13", name, name, f"wxid_{who}"))


def qq_txt(out: IO[str], count: int, seed: int) -> None:
    """As QQ's own message manager writes a group."""
    rule = "=" * 64
    out.write("消息记录（此消息记录为文本格式，不支持重新导入）\r\n\r\n")
    out.write(f"{rule}\r\n消息分组:我的QQ群\r\n{rule}\r\n消息对象:登山群\r\n{rule}\r\n\r\n")
    for number in range(count):
        when = datetime.fromtimestamp(at(number), UTC).strftime("%Y-%m-%d %H:%M:%S")
        uin = 10001 + number % len(PEOPLE)
        text = said(number, seed).replace("\n", "\r\n")
        out.write(f"{when} {speaker(number)}({uin})\r\n{text}\r\n\r\n")


def sillytavern(out: IO[str], count: int, seed: int) -> None:
    head = {"user_name": "Ann", "character_name": "Aria", "create_date": "2020-9-13@12h26m40s"}
    out.write(json.dumps({**head, "chat_metadata": {}}) + "\n")
    for number in range(count):
        is_user = number % 2 == 0
        line = {
            "name": "Ann" if is_user else "Aria",
            "is_user": is_user,
            "is_system": False,
            "send_date": iso(number),
            "mes": said(number, seed),
            "extra": {},
        }
        out.write(json.dumps(line, ensure_ascii=False) + "\n")


def openai_jsonl(out: IO[str], count: int, seed: int) -> None:
    for numbers in _chats(count):
        messages = [
            {
                "role": "assistant" if number % 2 else "user",
                "content": said(number, seed),
                "created_at": at(number),
            }
            for number in numbers
        ]
        chat = {"conversation_id": f"c{numbers.start}", "messages": messages}
        out.write(json.dumps(chat, ensure_ascii=False) + "\n")


def mem0(out: IO[str], count: int, seed: int) -> None:
    out.write('{"results": ')
    _array(out, (_memory(number, seed) for number in range(count)))
    out.write("}")


def _memory(number: int, seed: int) -> dict[str, Any]:
    return {
        "id": f"mem-{number}",
        "memory": said(number, seed),
        "user_id": speaker(number).lower(),
        "metadata": {"topic": "trips"},
        "created_at": iso(number),
        "updated_at": None,
    }


def character_card(out: IO[str], count: int, seed: int) -> None:
    json.dump(card(count, seed), out, ensure_ascii=False)


def card(entries: int, seed: int = 7, spec: str = "chara_card_v2") -> dict[str, Any]:
    """A card whose book has so many entries."""
    book = [
        {"keys": [f"key{number}", speaker(number)], "content": said(number, seed), "enabled": True}
        for number in range(entries)
    ]
    data = {
        "name": "Aria",
        "description": "{{char}} is a lighthouse keeper who likes {{user}}.",
        "personality": "calm, curious",
        "scenario": "",
        "first_mes": "The lamp is lit, {{user}}.",
        "mes_example": "",
        "creator": "us",
        "character_book": {"entries": book},
    }
    return {"spec": spec, "spec_version": spec[-1] + ".0", "data": data}


def png(chunks: dict[str, object], kind: bytes = b"tEXt") -> bytes:
    """A picture of one dot with cards in its text chunks."""
    body = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    for keyword, value in chunks.items():
        packed = base64.b64encode(json.dumps(value).encode())
        middle = b"\0\0\0\0" if kind == b"iTXt" else b""
        if kind == b"zTXt":
            middle, packed = b"\0", zlib.compress(packed)
        body += _chunk(kind, keyword.encode() + b"\0" + middle + packed)
    return body + _chunk(b"IDAT", zlib.compress(b"\0\0")) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


Writer = Callable[[IO[str], int, int], None]
WRITERS: dict[str, Writer] = {
    "chatgpt": chatgpt,
    "claude": claude,
    "telegram": telegram,
    "discord": discord,
    "qq": qq,
    "wechat": wechat,
    "sillytavern": sillytavern,
    "openai-jsonl": openai_jsonl,
    "mem0": mem0,
    "character-card": character_card,
}
