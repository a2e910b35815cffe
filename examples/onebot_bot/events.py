"""OneBot v11: message events in, `send_*_msg` actions out."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from taishi.adapters.undefined import IncomingMessage

LAST_EPOCH = 253_402_300_799  # of the year 9999; a time in milliseconds is above it
CQ_CODE = re.compile(r"\[CQ:(\w+)((?:,[^,\[\]]*)*)\]")


@dataclass(frozen=True)
class MessageEvent:
    """A message, and whether it wants an answer: in a group only if it names the bot."""

    message: IncomingMessage
    is_to_bot: bool

    def reply(self, text: str) -> dict[str, Any]:
        """The action that sends `text` to the chat the message came from."""
        group = self.message.group_id
        if group is None:
            target = {"user_id": _number(self.message.user_id)}
            return {"action": "send_private_msg", "params": {**target, "message": text}}
        return {
            "action": "send_group_msg",
            "params": {"group_id": _number(group), "message": text},
        }


def read_event(event: object) -> MessageEvent | None:
    """None for what is no message: heartbeats, notices, answers to actions, anonymous posts."""
    if not isinstance(event, Mapping) or event.get("post_type") != "message":
        return None
    user, kind = event.get("user_id"), event.get("message_type")
    group = event.get("group_id") if kind == "group" else None
    if user is None or kind not in ("group", "private") or (kind == "group" and group is None):
        return None
    if event.get("sub_type") == "anonymous":
        return None  # one id for many people: nobody's memory
    segments = list(_segments(event.get("message", "")))
    text = "".join(str(data.get("text", "")) for type, data in segments if type == "text").strip()
    named = {str(data.get("qq")) for type, data in segments if type == "at"}
    sender = event.get("sender")
    details = sender if isinstance(sender, Mapping) else {}
    message = IncomingMessage(
        user_id=user,
        user_name=str(details.get("card") or details.get("nickname") or ""),
        text=text,
        group_id=group,
        group_name=str(event.get("group_name") or ""),
        message_id=event.get("message_id"),
        time=_epoch(event.get("time")),
    )
    return MessageEvent(message, group is None or str(event.get("self_id")) in named)


def _segments(message: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The parts of a message, whichever of its two forms the server sends."""
    if isinstance(message, str):
        yield from _from_cq_codes(message)
        return
    for part in message if isinstance(message, list) else ():
        data = part.get("data") if isinstance(part, Mapping) else None
        if isinstance(data, Mapping):
            yield str(part.get("type")), data


def _from_cq_codes(text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    start = 0
    for code in CQ_CODE.finditer(text):
        yield "text", {"text": html.unescape(text[start : code.start()])}
        pairs = (pair.partition("=") for pair in code[2].split(",") if pair)
        yield code[1], {key: html.unescape(value) for key, _, value in pairs}
        start = code.end()
    yield "text", {"text": html.unescape(text[start:])}


def _epoch(time: object) -> float | None:
    """When it was sent, of which a server may say nothing, or nonsense: then it is now."""
    if isinstance(time, bool) or not isinstance(time, (int, float)):
        return None
    return time if 0 < time < LAST_EPOCH else None


def _number(id: str | int) -> str | int:
    return int(id) if str(id).isdecimal() else id
