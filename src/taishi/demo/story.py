"""The demo's story as values; it is written in story.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from taishi import Scope


@dataclass(frozen=True, slots=True)
class Turn:
    chat: Chat
    at: str
    who: str
    said: str
    did: str = ""
    show: bool = False
    model: bool = False


@dataclass(frozen=True, slots=True)
class Chat:
    key: str
    bot: str
    group: str | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    chat: Chat
    who: str
    ask: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret of one chat, direct questions for it, and words that reveal it."""

    chat: Chat
    who: str
    asks: tuple[str, ...]
    traces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Story:
    timezone: str
    now: str
    keys_pasted: tuple[str, ...]
    witness: str
    people: Mapping[str, str]
    chats: tuple[Chat, ...]
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    block: Question
    secrets: tuple[Secret, ...]

    def scope(self, chat: Chat, who: str) -> Scope:
        return Scope(group=chat.group, user=self.people[who])

    def recent_turns(self, number: int, most: int) -> tuple[Turn, ...]:
        """The latest turns of the same chat, ending with this one."""
        chat = self.turns[number].chat
        return tuple(turn for turn in self.turns[: number + 1] if turn.chat == chat)[-most:]

    def members(self, chat: Chat) -> tuple[str, ...]:
        return tuple(dict.fromkeys(turn.who for turn in self.turns if turn.chat == chat))

    def scopes(self) -> dict[str, Scope]:
        """Every scope of the story: each member of each group, and each person in private."""
        scopes_by_name = {
            f"{who} @ {chat.name}": self.scope(chat, who)
            for chat in self.chats
            if chat.group
            for who in self.members(chat)
        }
        for who, user in self.people.items():
            scopes_by_name[f"{who} @ private"] = Scope(user=user)
        return scopes_by_name


def load_story(language: str = "en") -> Story:
    file = resources.files(__package__) / "story.toml"
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    chats = {item["key"]: _chat(item) for item in data["chat"]}
    keys = tuple(key.replace(" ", "") for key in data["keys_pasted"])
    turns = [
        Turn(chats[item["key"]], **{**turn, "said": turn["said"].format(*keys)})
        for item in data["chat"]
        for turn in item["turns"]
    ]

    def with_chat(item: Mapping[str, Any]) -> dict[str, Any]:
        return {**item, "chat": chats[item["chat"]]}

    return Story(
        timezone=data["timezone"],
        now=data["now"],
        keys_pasted=keys,
        witness=data["witness"],
        people=data["people"],
        chats=tuple(chats.values()),
        turns=tuple(sorted(turns, key=lambda turn: turn.at)),
        questions=tuple(Question(**with_chat(item)) for item in data["questions"]),
        block=Question(**with_chat(data["block"][language])),
        secrets=tuple(
            Secret(chats[s["chat"]], s["who"], tuple(s["asks"]), tuple(s["traces"]))
            for s in data["secrets"]
        ),
    )


def _chat(item: Mapping[str, Any]) -> Chat:
    return Chat(item["key"], item["bot"], item.get("group"), item.get("name", ""))
