"""The story as values. It is told in story.toml, so that it can be read as a story."""

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
    """What only one chat knows, questions that go straight for it, and words that betray it."""

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

    def heard(self, number: int, most: int) -> tuple[Turn, ...]:
        """The latest turns of a turn's chat, itself the last: what its messages were."""
        chat = self.turns[number].chat
        return tuple(turn for turn in self.turns[: number + 1] if turn.chat == chat)[-most:]

    def members(self, chat: Chat) -> tuple[str, ...]:
        return tuple(dict.fromkeys(turn.who for turn in self.turns if turn.chat == chat))

    def scopes(self) -> dict[str, Scope]:
        """Every door of the story: each member of each group, and each person in private."""
        doors = {
            f"{who} @ {chat.name}": self.scope(chat, who)
            for chat in self.chats
            if chat.group
            for who in self.members(chat)
        }
        for who, user in self.people.items():
            doors[f"{who} @ private"] = Scope(user=user)
        return doors


def load_story() -> Story:
    file = resources.files(__package__) / "story.toml"
    told = tomllib.loads(file.read_text(encoding="utf-8"))
    chats = {item["key"]: _chat(item) for item in told["chat"]}
    keys = tuple(key.replace(" ", "") for key in told["keys_pasted"])
    turns = [
        Turn(chats[item["key"]], **{**turn, "said": turn["said"].format(*keys)})
        for item in told["chat"]
        for turn in item["turns"]
    ]

    def placed(item: Mapping[str, Any]) -> dict[str, Any]:
        return {**item, "chat": chats[item["chat"]]}

    return Story(
        timezone=told["timezone"],
        now=told["now"],
        keys_pasted=keys,
        witness=told["witness"],
        people=told["people"],
        chats=tuple(chats.values()),
        turns=tuple(sorted(turns, key=lambda turn: turn.at)),
        questions=tuple(Question(**placed(item)) for item in told["questions"]),
        block=Question(**placed(told["block"])),
        secrets=tuple(
            Secret(chats[s["chat"]], s["who"], tuple(s["asks"]), tuple(s["traces"]))
            for s in told["secrets"]
        ),
    )


def _chat(item: Mapping[str, Any]) -> Chat:
    return Chat(item["key"], item["bot"], item.get("group"), item.get("name", ""))
