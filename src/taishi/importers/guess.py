"""Guesses of what program a file is, from its first bytes; for whoever forgot to say it."""

from __future__ import annotations

import codecs
import re

HEAD_BYTES = 16_384
_ZIP, _PNG = b"PK\x03\x04", b"\x89PNG"
_QQ_TEXT = re.compile(
    r"^(?:\[QQChatExporter|消息分组:|消息对象:|"
    r"\d{4}-\d{1,2}-\d{1,2} \d{1,2}:\d{2}:\d{2}(?: [AP]M)? +"
    r"[^\n]{0,80}[(<][^()<>\s]{3,80}[)>]\s*$)",
    re.MULTILINE,
)
# Of JSON: what each has in its first kilobytes, and the others have not. The first match counts.
_KEYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("qq", ("chatInfo",)),
    ("discord", ("guild", "channel")),
    ("wechat", ("weflow",)),
    ("wechat", ("senderUsername",)),
    ("claude", ("chat_messages",)),
    ("chatgpt", ("mapping",)),
    ("sillytavern", ("chat_metadata",)),
    ("sillytavern", ("user_name", "character_name")),
    ("character-card", ("first_mes",)),
    ("telegram", ("date_unixtime",)),
    ("telegram", ("personal_information",)),
    ("mem0", ("memory", "user_id")),
    ("mem0", ("memory", "agent_id")),
    ("openai-jsonl", ("role", "content")),
)


def guessed_formats(head: bytes) -> tuple[str, ...]:
    """Names that `--from` takes; none if it is our own export, or nothing that we know."""
    if head.startswith(_PNG):
        return ("character-card",)
    if head.startswith(_ZIP):
        return ("chatgpt", "claude")
    text = _text(head[:HEAD_BYTES]).lstrip()
    if text.startswith(("{", "[")) and not text.startswith("[QQChatExporter"):
        found = (name for name, keys in _KEYS if all(f'"{key}"' in text for key in keys))
        name = next(found, "")
        return (name,) if name and '"taishi-export"' not in text else ()
    first = text.partition("\n")[0]
    if "StrContent" in first or {"talker", "msg"} <= set(first.strip().split(",")):
        return ("wechat",)
    return ("qq",) if _QQ_TEXT.search(text) else ()


def _text(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "ignore")
    try:
        return codecs.getincrementaldecoder("utf-8-sig")().decode(head)  # the end may be cut
    except UnicodeDecodeError:
        return head.decode("gb18030", "ignore")
