"""Events and memory entries of Google ADK, as what Taishi remembers and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from typing import Any, TypeVar

from google.adk.events import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from ..errors import TimeError
from ..times import to_epoch
from ..types import Hit
from .adk_search import USER
from .agent_turns import AgentTurn
from .scope_ids import record_id

CUSTOM = "custom_metadata"
Custom = Mapping[str, object] | None
T = TypeVar("T", str, float)


@dataclass(frozen=True, slots=True)
class SpokenEvent:
    """An event with text. Without an id of its own it is known by who said what, and when."""

    id: str
    author: str
    text: str
    time: float | None

    def item(self, custom: Custom) -> dict[str, Any]:
        """As `remember_many` takes it."""
        return {
            "id": self.id,
            "text": self.text,
            "speaker": self.author,
            "time": self.time,
            "metadata": _metadata(custom),
        }


def spoken(events: Iterable[Event]) -> list[SpokenEvent]:
    """What was said in these events: no tool calls, no thoughts, no pieces of a stream."""
    return [
        _spoken(event, text)
        for event in events
        if not event.partial and (text := text_of(event.content)).strip()
    ]


def _spoken(event: Event, text: str) -> SpokenEvent:
    author = event.author or USER
    told = f"{author}\x1f{event.timestamp}\x1f{text}".encode("utf-8", "surrogatepass")
    id = record_id(event.id or hashlib.sha256(told).hexdigest()[:32])
    return SpokenEvent(id, author, text, _readable_time(event.timestamp))


def turns_of(events: Sequence[SpokenEvent]) -> Iterator[AgentTurn]:
    """Each thing a user said, with what the agents answered to it."""
    turn: AgentTurn | None = None
    for one in events:
        if one.author == USER:
            if turn:
                yield turn
            turn = AgentTurn(one.text, id=one.id, time=one.time)
        elif turn:
            answer = f"{turn.answer}\n{one.text}".strip()
            turn = replace(turn, answer=answer, agent=one.author)
    if turn:
        yield turn


def text_of(content: types.Content | None) -> str:
    parts = (content.parts if content else None) or ()
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def item_of(entry: MemoryEntry, custom: Custom) -> dict[str, Any]:
    """A memory that the host states itself, as `remember_many` takes it."""
    return {
        "id": record_id(entry.id) if entry.id else None,
        "kind": "fact",
        "text": text_of(entry.content),
        "speaker": entry.author,
        "time": _readable_time(entry.timestamp or ""),
        "metadata": _metadata({**(custom or {}), **entry.custom_metadata}),
    }


def entry_of(hit: Hit) -> MemoryEntry:
    role = USER if hit.speaker in (None, USER) else "model"
    custom = hit.metadata.get(CUSTOM)
    return MemoryEntry(
        id=hit.id,
        content=types.Content(role=role, parts=[types.Part(text=hit.text)]),
        author=hit.speaker,
        timestamp=hit.time.isoformat() if hit.time else None,
        custom_metadata=dict(custom) if isinstance(custom, Mapping) else {},
    )


def _metadata(custom: Custom) -> dict[str, Any] | None:
    """Any value may be in it: what is not JSON is kept as its text."""
    return {CUSTOM: json.loads(json.dumps(dict(custom), default=str))} if custom else None


def _readable_time(time: T) -> T | None:
    """A time that cannot be read must not cost the memory."""
    try:
        to_epoch(time, UTC)
    except TimeError:
        return None
    return time
