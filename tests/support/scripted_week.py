"""A scripted week of group and private chats, the same for every host; its data is the JSON beside.

    for turn in TURNS: …                  # Monday to Thursday
    for question in QUESTIONS: …          # Friday; `asked_everywhere` also puts it to other chats
    check_block(question.chat, block, question.expects)

Koishi's tests read the same `scripted_week.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from taishi import Scope

_DATA: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
TIMEZONE: str = _DATA["timezone"]
BOT_ID: str = _DATA["bot"]["id"]
BOT_NAME: str = _DATA["bot"]["name"]


@dataclass(frozen=True)
class Chat:
    """A group, or the private chat of `user`. `markers` are words that were said only here."""

    key: str
    markers: tuple[str, ...]
    group: str | None = None
    user: str | None = None
    name: str = ""


@dataclass(frozen=True)
class Said:
    """A message to the bot, its reply, and what a model would end the turn with."""

    time: str
    chat: Chat
    user: str
    text: str
    reply: str = ""
    action_summary: str = ""
    new_info: str = ""
    expects: tuple[str, ...] = ()

    @property
    def user_name(self) -> str:
        return str(_DATA["people"][self.user]["name"])

    @property
    def epoch(self) -> float:
        return datetime.fromisoformat(self.time).timestamp()

    @property
    def scope(self) -> Scope:
        return Scope(user=self.user, group=self.chat.group)

    @property
    def message_id(self) -> int:
        return int(self.epoch)


CHATS = {
    key: Chat(key, tuple(one["markers"]), one.get("group"), one.get("user"), one.get("name", ""))
    for key, one in _DATA["chats"].items()
}


def _said(given: dict[str, Any]) -> Said:
    values = {**given, "chat": CHATS[given["chat"]], "expects": tuple(given.get("expects", ()))}
    return Said(**values)


TURNS = [_said(one) for one in _DATA["turns"]]
QUESTIONS = [_said(one) for one in _DATA["questions"]]


class Clock:
    """The time of the week that the story has reached."""

    def __init__(self) -> None:
        self.now = TURNS[0].epoch

    def __call__(self) -> float:
        return self.now


def asked_everywhere(question: Said) -> Iterator[Said]:
    """The same question in every other chat, by somebody who is in it."""
    for chat in CHATS.values():
        if chat != question.chat:
            yield replace(question, chat=chat, user=chat.user or question.user, expects=())


def check_block(chat: Chat, block: str, expects: Sequence[str]) -> None:
    """What was told here is there, and nothing that was told elsewhere (S2)."""
    missing = [word for word in expects if word not in block]
    assert not missing, f"{chat.key}: {missing} is not in\n{block}"
    strangers = [
        word for other in CHATS.values() if other != chat for word in other.markers if word in block
    ]
    assert not strangers, f"{chat.key}: {strangers} of another chat is in\n{block}"
