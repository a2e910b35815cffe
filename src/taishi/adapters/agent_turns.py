"""What was said in an exchange with an agent or bot, handed to the historian: one rule for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError, TaishiError
from ..language.statements import statements
from ..memory import Memory
from ..times import TimeLike
from ..types import Message, Scope
from .quiet_calls import log


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """What a person said, and what the agent answered. `id` is the framework's own: a turn that is
    offered again under the same id counts once."""

    said: str
    answer: str = ""
    id: str | None = None
    time: TimeLike | None = None
    speaker: str | None = None
    agent: str = "assistant"


def record_messages(
    memory: Memory, scope: Scope, messages: Sequence[Message], *, bot_name: str, **details: Any
) -> str | None:
    """With a chat model, it decides what is worth keeping (W9); without one, every statement is
    stored, but no question or greeting. The bot's words are context and never evidence (H6).

    Waits for the disk alone. The job's id, or None if there is nothing to keep. `details` are those
    of `end_turn`: request_id, time, sender_id, sender_name, group_name.

        record_messages(memory, scope, [Message("I moved to Oslo", "Ann")], bot_name="Quill")
    """
    said = [one.text for one in messages if one.speaker != bot_name]
    if not any(text.strip() for text in said):
        return None
    if memory.settings.models.chat.for_task("decide").api_url:
        return memory.consider(scope, messages, bot_name=bot_name, **details)
    stated = [statement for text in said for statement in statements(text)]
    return memory.end_turn(scope, "", stated, messages, bot_name=bot_name, **details)


def record_turn(memory: Memory, scope: Scope, turn: AgentTurn) -> str | None:
    """The id of the turn; None if there was nothing to keep. A turn that cannot be taken, such as
    one of many megabytes, is logged and left out: offered again, it would be no better."""
    if not turn.said.strip() or not memory.is_on(scope):
        return None
    if turn.id is not None and (known := memory.jobs.known_turn(scope, turn.id)):
        return known
    name = turn.speaker or scope.user or "user"
    messages = [Message(turn.said, speaker=name, speaker_id=scope.user, id=turn.id, time=turn.time)]
    if turn.answer.strip():
        messages.append(Message(turn.answer, speaker=turn.agent))
    details = {"request_id": turn.id, "time": turn.time, "sender_name": name}
    try:
        return record_messages(memory, scope, messages, bot_name=turn.agent, **details)
    except InputError as error:
        log.warning("a turn was not taken: %s", type(error).__name__)
        return None


def record_quietly(memory: Memory, scope: Scope, turn: AgentTurn) -> str | None:
    """The same for a caller that has answered already: a memory that fails is logged."""
    try:
        return record_turn(memory, scope, turn)
    except TaishiError as error:
        log.error("a turn was not kept: %s", error)
        return None
