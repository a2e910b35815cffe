"""Plays the rows of `tests/tables/corrections.*.jsonl`: what is said one after the other, by one
person in a private chat, and what that person's page says at the end.

`says` must be on the page, `never` must not. `soon`: only minutes lie between the statements, as
the second is about what was said just before; otherwise days do as well. `dated`: whether the fact
has a date of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from taishi import Memory, Scope, tools

TABLES = Path(__file__).parent.parent / "tables"
SPEAKERS = {"en": "Ann", "zh": "安然"}
_BEGIN = datetime(2026, 3, 18, 15, 0)


@dataclass(frozen=True, slots=True)
class Played:
    """What memory holds after a row."""

    page: str
    events: tuple[str, ...]
    dates: tuple[str, ...]

    def faults(self, row: Mapping[str, Any]) -> list[str]:
        found = [f"lacks {words!r}" for words in row["says"] if words not in self.page]
        found += [f"says {words!r}" for words in row["never"] if words in self.page]
        if row.get("dated") is False and any(self.dates):
            found.append(f"dated {self.dates}")
        return found


def rows(language: str) -> Iterator[dict[str, Any]]:
    path = TABLES / f"corrections.{language}.jsonl"
    yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def play(
    memory: Memory, language: str, gap: timedelta, table: list[dict[str, Any]], by_tool: bool
) -> dict[str, Played]:
    """Each row by a person of its own, all in one memory; `by_tool`: told by a model, which calls
    the tool `end` and hands over no messages."""
    for row in table:
        for number, said in enumerate(row["said"]):
            moment = (_BEGIN + number * gap).isoformat(sep=" ", timespec="minutes")
            scope = Scope(user=row["id"])
            turn: dict[str, Any] = {"sender_name": SPEAKERS[language], "time": moment}
            if by_tool:
                tools.dispatch(memory, "end", {"new_info": [said]}, scope, turn=turn)
            else:
                memory.end_turn(scope, new_info=said, **turn)
    memory.drain(300)
    return {row["id"]: _played(memory, row) for row in table}


def _played(memory: Memory, row: Mapping[str, Any]) -> Played:
    scope = Scope(user=row["id"])
    profile = memory.get_profile(scope, "user", row["id"])
    found = memory.search_events(scope, " ".join(row["said"]), top_k=10)
    held = [fact for fact in memory.facts.list(scope) if fact.state == "approved"]
    return Played(
        page="" if profile is None else profile.body,
        events=tuple(hit.text for hit in found.hits),
        dates=tuple(str(fact.data.get("valid_from") or "") for fact in held),
    )
