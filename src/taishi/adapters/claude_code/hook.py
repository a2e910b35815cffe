"""What each event of a session does: recall before a prompt, keep what was said after it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InputError
from ...types import Scope
from .hook_input import HookInput
from .memories import HookMemory
from .positions import Position, Positions, answer_hash
from .transcript import MAX_TEXT_CHARS, Said, read_new
from .turns import turns_of

log = logging.getLogger("taishi.hook")
MAX_QUERY_CHARS = 4000


@dataclass(frozen=True, slots=True)
class Hook:
    """Everything that an event needs besides its own JSON."""

    memory: HookMemory
    positions: Positions
    scope: Scope
    max_tokens: int = 800

    def handle(self, event: HookInput, seconds: float) -> dict[str, Any] | None:
        """What goes to stdout; None: nothing does."""
        if event.event == "SessionStart":
            self.positions.remove_old()
            newest = self.memory.context(self.scope, "", self.max_tokens, seconds)
            return _output(event.event, newest)
        if event.event == "UserPromptSubmit":
            return None if event.asks_nothing else self._recalled(event, seconds)
        self.record(event)
        return None

    def _recalled(self, event: HookInput, seconds: float) -> dict[str, Any] | None:
        query = event.prompt[:MAX_QUERY_CHARS]
        text = self.memory.context(self.scope, query, self.max_tokens, seconds)
        return _output(event.event, text)

    def record(self, event: HookInput) -> int:
        """Keep what was said since the last time; how many turns. The position moves when all are
        durable: what is interrupted is read again, and what was kept is recognised."""
        if event.transcript is None:
            raise InputError("the hook's input names no transcript; nothing was kept")
        with self.positions.held(event.transcript) as path:
            before = self.positions.load(path)
            messages, offset = read_new(event.transcript, before.offset)
            messages = _without_known_answer(messages, before)
            messages, answer = _with_last_answer(messages, event.last_answer)
            turns = turns_of(messages, event.session)
            for turn in turns:
                if turn.leaves_nothing:
                    continue
                try:
                    self.memory.end_turn(self.scope, turn)
                except InputError as error:  # it would be refused the next time as well
                    log.warning("a turn was not kept: %s", error)
            if offset != before.offset or answer:
                self.positions.save(path, Position(offset, answer))
        return len(turns)


def _output(name: str, text: str) -> dict[str, Any] | None:
    if not text:
        return None
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}


def _without_known_answer(messages: list[Said], before: Position) -> list[Said]:
    """The line of an answer that was kept already may have come since."""
    is_known = bool(messages and before.answer) and messages[0].role == "assistant"
    return messages[1:] if is_known and answer_hash(messages[0].text) == before.answer else messages


def _with_last_answer(messages: Sequence[Said], text: str) -> tuple[list[Said], str]:
    """The messages with the answer that the event names, if its line is not in the file yet, and
    the hash of it if it was added."""
    answer = text.strip()[:MAX_TEXT_CHARS]
    last = messages[-1] if messages else None
    is_there = last is not None and last.role == "assistant" and last.text in answer
    if last is None or not answer or is_there:
        return list(messages), ""
    return [*messages, Said("assistant", answer)], answer_hash(answer)
