"""The formats that can be imported, by the name that `--from` takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..errors import InputError
from . import (
    character_card,
    chatgpt,
    claude,
    discord,
    mem0,
    openai_jsonl,
    qq,
    sillytavern,
    telegram,
    wechat,
)
from .source import Source
from .values import Item, ReadOptions


@dataclass(frozen=True, slots=True)
class Format:
    """`members` are the files to look for in a zip. `by_day`: a chat goes on for years, so that a
    session is a day of it, and not all of it."""

    name: str
    read: Callable[[Source, ReadOptions], Iterator[Item]]
    members: tuple[str, ...]
    by_day: bool = False


_ALL = (
    Format("chatgpt", chatgpt.read, ("conversations.json", "conversations-*.json")),
    Format("claude", claude.read, ("conversations.json",)),
    Format("mem0", mem0.read, ("*.json",)),
    Format("sillytavern", sillytavern.read, ("*.jsonl",)),
    Format("character-card", character_card.read, ("*.png", "*.json")),
    Format("telegram", telegram.read, ("result.json",), by_day=True),
    Format("discord", discord.read, ("*.json",), by_day=True),
    Format("qq", qq.read, ("*.json", "*.jsonl", "*.txt"), by_day=True),
    Format("wechat", wechat.read, ("*.json", "*.csv"), by_day=True),
    Format("openai-jsonl", openai_jsonl.read, ("*.jsonl", "*.json")),
)
FORMATS: Mapping[str, Format] = MappingProxyType({one.name: one for one in _ALL})


def format_of(name: str) -> Format:
    found = FORMATS.get(name)
    if found is None:
        raise InputError(f"unknown format {name!r:.40}; use one of {', '.join(FORMATS)}")
    return found
