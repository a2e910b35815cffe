"""Taishi for LlamaIndex: a memory block, to be put beside the chat history.

block = TaishiMemoryBlock(memory=memory, scope=Scope(user="ann"))
chat = Memory.from_defaults(session_id="s1", memory_blocks=[block], insert_method="user")
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..errors import MissingExtraError
from ..types import Scope
from .agent_turns import AgentTurn, record_quietly
from .quiet_calls import block_for, sync_memory
from .speakers import checked_scope

try:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.memory import BaseMemoryBlock
except ImportError as error:
    raise MissingExtraError("taishi.adapters.llama_index", "llama-index") from error


class TaishiMemoryBlock(BaseMemoryBlock[str]):
    """What Taishi knows for the user's last message. Messages that it is given, as by a chat
    history that grew too long, are turns for the historian; safe to repeat.

    `sender_name` is the name used for the person in stored memories; left out: the id. With
    `priority` 0 the block is never cut; with another it is made again within what is left.
    """

    name: str = "taishi"
    description: str | None = "What is known from earlier conversations."
    memory: Any
    scope: Scope
    max_tokens: int | None = None
    sender_name: str | None = None

    def __init__(self, **given: Any) -> None:
        sync_memory(given.get("memory"))  # type: ignore[arg-type]
        checked_scope(given.get("scope"))
        super().__init__(**given)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        asked = [one for one in messages or () if one.role == MessageRole.USER]
        if not asked:
            return ""
        said = asked[-1].content or ""
        scope = _in_session(self.scope, block_kwargs.get("session_id"))
        options = {"max_tokens": self.max_tokens}
        return await asyncio.to_thread(block_for, sync_memory(self.memory), scope, said, **options)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        await asyncio.to_thread(self._record, messages)

    def _record(self, messages: Sequence[ChatMessage]) -> None:
        memory = sync_memory(self.memory)
        for asked, answer in _rounds(messages):
            session = asked.additional_kwargs.get("session_id")
            scope = _in_session(self.scope, session)
            said = asked.content or ""
            id = _turn_id(scope.session or "", said)
            record_quietly(memory, scope, AgentTurn(said, answer, id, speaker=self.sender_name))


def _rounds(messages: Sequence[ChatMessage]) -> list[tuple[ChatMessage, str]]:
    """Each message of the user's with what the assistant said last before the next one."""
    rounds: list[tuple[ChatMessage, str]] = []
    for one in messages:
        if one.role == MessageRole.USER:
            rounds.append((one, ""))
        elif one.role == MessageRole.ASSISTANT and rounds and one.content:
            rounds[-1] = (rounds[-1][0], one.content)
    return rounds


def _in_session(scope: Scope, session: str | None) -> Scope:
    return scope if session is None or scope.session else replace(scope, session=session)


def _turn_id(session: str, said: str) -> str:
    """The same for the same words of a session, however often they are handed over."""
    words = f"{session}\x1f{said}".encode("utf-8", "replace")
    return f"llama-index-{hashlib.sha256(words).hexdigest()[:24]}"
