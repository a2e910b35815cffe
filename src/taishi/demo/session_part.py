"""The demo's chapter about working memory: a long talk in a small window, and a scratchpad."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from taishi import Memory
from taishi.language.text_edits import has_han

from .story import Story, Turn

MAX_TOKENS = 2000
TOOL_EVERY = 4
DRAIN_SECONDS = 60.0
DECIDED = ("Decision: ", "决定了：")
LOG = "\n".join(f"{hour:02d}:00 wind {hour * 7 % 11} m/s, clear" for hour in range(24)) * 3


@dataclass(frozen=True, slots=True)
class SessionPart:
    """One chat of the story as the messages of a session, and what was sent of it."""

    appended: int
    level: str
    sent: int
    tokens: int
    budget: int
    summarised: int
    shortened: int
    is_whole: bool  # the history came back word for word, but for keys
    summary: str
    task: str


def play_session(story: Story, memory: Memory) -> SessionPart:
    """A long chat, with a tool call every few turns; a model that takes 2,000 tokens."""
    chat = story.block.chat
    turns = [turn for turn in story.turns if turn.chat == chat]
    session = memory.session(replace(story.scope(chat, turns[-1].who), session="demo"))
    told = [message for number, turn in enumerate(turns) for message in _round(number, turn)]
    session.append(told)
    session.messages(MAX_TOKENS)
    memory.drain(DRAIN_SECONDS)
    window = session.messages(MAX_TOKENS)
    decided = next(turn for turn in turns if turn.said.startswith(DECIDED))
    why = "{}这样决定" if has_han(decided.said) else "{} said so"
    session.scratchpad.patch(
        current_goal=story.block.ask,
        decisions=[{"what": decided.said[:80].rstrip("。."), "why": why.format(decided.who)}],
    )
    task = memory.context(session.scope, story.block.ask, now=story.now)
    session.scratchpad.clear()
    heard = [one.message["role"] for one in session.history()]
    summaries = (one["content"] for one in window.messages if "===" in str(one["content"])[:3])
    return SessionPart(
        appended=len(told),
        level=window.level,
        sent=len(window.messages),
        tokens=window.tokens,
        budget=window.budget or 0,
        summarised=window.summarised,
        shortened=len(window.shortened),
        is_whole=heard == [message["role"] for message in told],
        summary=next(summaries, ""),
        task="\n".join(line for line in task.splitlines()[1:4]),
    )


def _round(number: int, turn: Turn) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [
        {"role": "user", "content": turn.said, "speaker": turn.who, "time": turn.at}
    ]
    if number % TOOL_EVERY == 0:
        function = {"name": "weather_log", "arguments": "{}"}
        call = {"id": f"call-{number}", "type": "function", "function": function}
        said.append({"role": "assistant", "content": None, "tool_calls": [call], "time": turn.at})
        said.append({"role": "tool", "tool_call_id": call["id"], "content": LOG, "time": turn.at})
    answer = turn.did or ("好的。" if has_han(turn.said) else "OK.")
    return [*said, {"role": "assistant", "content": answer, "time": turn.at}]
