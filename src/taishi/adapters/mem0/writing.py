"""What mem0's `add` stores: with `infer` what the historian makes of it, else each message as it
is."""

from __future__ import annotations

import time as clocks
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ...errors import ForbiddenError
from ...memory import Memory
from ...times import TimeLike
from ...types import EMPTY, Record, Scope
from ..agent_turns import record_messages
from .entities import LABELS, Entities
from .messages import ASSISTANT, Said

DOOR = "mem0"
KIND = "note"  # can be updated, keeps its versions, and any key may write it
IDENTITY = ("user_id", "agent_id", "run_id", "app_id", "actor_id")
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 0.25
MOST_FACTS = 100  # of one turn


@dataclass(frozen=True, slots=True)
class Addition:
    """One call of `add`, checked."""

    scope: Scope
    entities: Entities
    said: Sequence[Said]
    metadata: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    time: TimeLike | None = None
    expires: datetime | None = None
    memory_type: str | None = None

    def data(self, one: Said | None = None) -> dict[str, Any]:
        """A record's data. mem0's part has a name of its own, as ours are not a caller's to set."""
        labels: dict[str, Any] = dict(self.entities.labels)
        if one is not None:
            labels["role"] = one.role
            labels |= {"actor_id": one.name} if one.name else {}
        if self.memory_type:
            labels["memory_type"] = self.memory_type
        given = {key: value for key, value in self.metadata.items() if key not in IDENTITY}
        return {LABELS: labels | ({"metadata": given} if given else {})}

    @property
    def is_labelled(self) -> bool:
        return self.data() != {LABELS: {}}


def add_verbatim(memory: Memory, addition: Addition, actor: str) -> list[Record]:
    """A record for each message."""
    user = addition.scope.user
    items = [
        {
            "text": one.text,
            "kind": KIND,
            "time": addition.time,
            "speaker": one.message(user).speaker,
            "metadata": addition.data(one),
            "expires": addition.expires,
        }
        for one in addition.said
    ]
    ids = memory.remember_many(addition.scope, items, actor=actor, door=DOOR)
    return [one for id in ids if (one := memory.records.get(addition.scope, id)) is not None]


def add_turn(memory: Memory, addition: Addition, actor: str, wait: float) -> list[Record]:
    """The event and the facts that the historian made of a conversation; none if there was nothing
    worth keeping. If it takes longer than `wait` seconds, the turn that its event will replace."""
    scope, said = addition.scope, addition.said
    speaker = next((one for one in reversed(said) if one.role != ASSISTANT), said[-1])
    event_id = record_messages(
        memory,
        scope,
        [one.message(scope.user) for one in said],
        bot_name=ASSISTANT,
        time=addition.time,
        sender_id=scope.user,
        sender_name=speaker.name or scope.user,
        metadata=addition.data() if addition.is_labelled else None,
        actor=actor,
        door=DOOR,
    )
    if event_id is None:
        return []
    _wait_until_read(memory, scope, event_id, wait)
    event = memory.records.get(scope, event_id)
    learned = memory.records.newest(
        scope,
        ("fact",),
        ("approved",),
        limit=MOST_FACTS,
        filters={"metadata.sources": {"contains": event_id}},
    )
    return [*learned.records, *([event] if event is not None else [])]


def _wait_until_read(memory: Memory, scope: Scope, event_id: str, wait: float) -> None:
    """Until the historian is done with a turn, or that time is over."""
    end, pause = clocks.monotonic() + wait, FIRST_PAUSE
    while True:
        record = memory.records.get(scope, event_id)
        if record is not None and record.kind != "turn":
            return
        if pause >= LONGEST_PAUSE and not _is_open(memory, event_id, is_stored=record is not None):
            return  # nothing was worth keeping, or it was given up
        if clocks.monotonic() >= end:
            return
        clocks.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def _is_open(memory: Memory, event_id: str, is_stored: bool) -> bool:
    """Whether the turn waits for the historian. Where a key may not see the queue, its raw turn
    tells: that is stored at once, and goes if nothing was worth keeping."""
    try:
        jobs = memory.jobs.list()
    except ForbiddenError:
        return is_stored
    return any(job["event_id"] == event_id and job["state"] != "failed" for job in jobs)
