"""Plays the rows of `tests/tables/contradictions.*.jsonl`: what several people say one after the
other, and what the prompt block says at the end.

A turn is [hours, who, words] or [hours, who, words, what the bot said before]; "end:Ann" is a model
that calls the tool `end` for Ann and hands over no messages. One speaker is in a private chat,
several are in a group. `asks` is the question of the one who spoke last, or of `who`.

`holds`: in a line of the block that holds. `gone`: in no line that holds, on no page and in no
approved fact. `disputed`: in a line that is marked as disputed; without it no line may be.
`as_said`: the last event is marked as not resolved. `fresh`: written after the rules, and not used
to change them. `limit`: a known limit; the row fails today.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from taishi import Memory, Scope, tools

TABLES = Path(__file__).parent.parent / "tables"
LANGUAGES = ("en", "zh")
BOT = {"en": "Mochi", "zh": "小墨"}
_BEGIN = datetime(2026, 3, 18, 15, 0)
_ENDED = re.compile(
    r"\((?:since|no longer|until|denied)|（(?:后更正|后来|后撤回|已不再|至|本人否认)|；本人否认"
)
DISPUTED = re.compile(r"\(disputed|（有争议")


@dataclass(frozen=True, slots=True)
class Played:
    """What memory holds after a row, and what it tells a model."""

    block: str
    page: str
    facts: tuple[str, ...]
    last_is_absolute: bool

    def faults(self, row: Mapping[str, Any]) -> list[str]:
        lines = self.block.splitlines()
        current = "\n".join(line for line in lines if not _ENDED.search(line))
        disputed = "\n".join(line for line in lines if DISPUTED.search(line))
        known = "\n".join((current, self.page, *self.facts))
        found = [f"lacks {words!r}" for words in row.get("holds", ()) if words not in current]
        found += [f"says {words!r}" for words in row.get("gone", ()) if words in known]
        marked = row.get("disputed", ())
        found += [f"does not dispute {words!r}" for words in marked if words not in disputed]
        if disputed and not marked:
            found.append(f"disputes {disputed!r}")
        if row.get("as_said") and self.last_is_absolute:
            found.append("the last event is not marked")
        return found


def rows(language: str) -> Iterator[dict[str, Any]]:
    path = TABLES / f"contradictions.{language}.jsonl"
    yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def play(memory: Memory, language: str, table: Sequence[Mapping[str, Any]]) -> dict[str, Played]:
    """Each row in a chat of its own, all in one memory."""
    for row in table:
        for turn in row["turns"]:
            _say(memory, language, row, *turn)
    memory.drain(300)
    return {row["id"]: _played(memory, row) for row in table}


def _say(
    memory: Memory, language: str, row: Mapping[str, Any], hours: float, who: str, said: str,
    bot: str = "",
) -> None:  # fmt: skip
    name, scope = who.removeprefix("end:"), _scope(row, who)
    turn: dict[str, Any] = {"sender_name": name, "time": _moment(hours), "bot_name": BOT[language]}
    if who.startswith("end:"):
        tools.dispatch(memory, "end", {"new_info": [said]}, scope, turn=turn)
        return
    before = [{"text": bot, "speaker": BOT[language]}] if bot else []
    own = {"text": said, "speaker": name, "speaker_id": scope.user}
    memory.end_turn(scope, new_info=said, messages=[*before, own], **turn)


def _scope(row: Mapping[str, Any], who: str) -> Scope:
    names = list(dict.fromkeys(turn[1].removeprefix("end:") for turn in row["turns"]))
    user = f"{row['id']}-{names.index(who.removeprefix('end:'))}"
    return Scope(user=user, group=row["id"]) if len(names) > 1 else Scope(user=user)


def _moment(hours: float) -> str:
    return (_BEGIN + timedelta(hours=hours)).isoformat(sep=" ", timespec="minutes")


def _played(memory: Memory, row: Mapping[str, Any]) -> Played:
    last = row["turns"][-1]
    scope = _scope(row, row.get("who", last[1]))
    pages = [memory.get_profile(scope, "user", str(scope.user))]
    if scope.group:
        pages.append(memory.get_profile(scope, "group", scope.group))
    (event, *_) = memory.records.newest(scope, ["event"]).records
    return Played(
        block=memory.context(scope, row["asks"], now=_moment(last[0] + 24), max_tokens=2000),
        page="\n".join(page.body for page in pages if page is not None),
        facts=tuple(one.text for one in memory.facts.list(scope) if one.state == "approved"),
        last_is_absolute=event.data["is_absolute"] is True,
    )
