"""Hands a conversation to the historian, turn by turn and in order, and waits for its work."""

from __future__ import annotations

import threading
import time
from typing import Any

from ...errors import ModelDownError, StorageError
from ...memory import Memory
from ...types import Scope
from ..cases import Corpus
from .conversation import EndedTurn, scope_of, turns

POLL_SECONDS = 0.1
DRAIN_SECONDS = 600.0


def ingest(memory: Memory, corpus: Corpus, patience: float, stop: threading.Event) -> int:
    """How many turns there are. Turns that an earlier, killed run handed in are not repeated."""
    scope = scope_of(corpus)
    if not memory.is_on(scope):
        raise StorageError("memory is off (memory.enabled, memory.only_scopes); turn it on")
    count = 0
    for turn in turns(corpus):
        count += 1
        if memory.jobs.known_turn(scope, turn.id) is None:
            memory.end_turn(scope, **_arguments(turn, scope))
    memory.start_worker()
    _wait(memory, patience, stop)
    memory.stop_worker()
    if not stop.is_set():
        memory.drain(DRAIN_SECONDS)  # what is left to be embedded
    return count


def failed_turns(memory: Memory) -> int:
    """Turns that the historian gave up on; they can be recalled as they were said."""
    return sum(job["state"] == "failed" for job in memory.jobs.list())


def _arguments(turn: EndedTurn, scope: Scope) -> dict[str, Any]:
    return {
        "action_summary": turn.done,
        "new_info": turn.said,
        "messages": turn.messages,
        "request_id": turn.id,
        "time": turn.time,
        "sender_id": turn.speaker if scope.group else None,
        "sender_name": turn.speaker,
        "bot_name": turn.bot,
    }


def _wait(memory: Memory, patience: float, stop: threading.Event) -> None:
    """Until no job waits. Raises ModelDownError when calls fail and nothing was worked for
    `patience` seconds; a model that is merely slow is waited for."""
    waiting, since, failed = _waiting(memory), time.monotonic(), _failed_calls(memory)
    while waiting and not stop.wait(POLL_SECONDS):
        left = _waiting(memory)
        if left < waiting:
            waiting, since, failed = left, time.monotonic(), _failed_calls(memory)
        elif time.monotonic() - since > patience and _failed_calls(memory) > failed:
            raise ModelDownError(
                f"the historian's model makes no progress: {left} turns wait "
                f"({_last_error(memory)})"
            )


def _waiting(memory: Memory) -> int:
    queue = memory.status(records=False)["queue"]
    return int(queue["pending"] + queue["processing"])


def _last_error(memory: Memory) -> str:
    errors = [row["last_error"] for row in memory.jobs.ledger() if row["last_error"]]
    return str(errors[0]) if errors else "no error is known"


def _failed_calls(memory: Memory) -> int:
    return sum(row["failed"] for row in memory.jobs.ledger())
