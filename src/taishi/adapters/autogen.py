"""AutoGen: `TaishiMemory` for the `memory` of an `AssistantAgent`.

    agent = AssistantAgent("cook", model_client, memory=[TaishiMemory(memory, Scope(user="ann"))])

AutoGen asks a memory before each answer and never after it, so a turn is what the user said.
"""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import Any

from ..async_memory import AsyncMemory
from ..errors import InputError, MissingExtraError
from ..memory import Memory
from ..types import Hit, Scope
from .agent_turns import AgentTurn, record_turn
from .quiet_calls import quietly, sync_memory
from .speakers import checked_scope, name_for

try:
    from autogen_core import CancellationToken
    from autogen_core.memory import Memory as AutoGenMemory
    from autogen_core.memory import (
        MemoryContent,
        MemoryMimeType,
        MemoryQueryResult,
        UpdateContextResult,
    )
    from autogen_core.model_context import ChatCompletionContext
    from autogen_core.models import UserMessage
except ImportError as error:
    raise MissingExtraError("taishi.adapters.autogen", "autogen") from error

SOURCE = "taishi"


class TaishiMemory(AutoGenMemory):
    """What is recalled is added to the context as a fenced message of the user. If memory fails or
    is off, nothing is; only `clear` raises, because a deletion that did not happen must be known.
    """

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        scope: Scope,
        *,
        max_tokens: int | None = None,
        learn: bool = True,
        sender_name: str | None = None,
    ) -> None:
        """`max_tokens`: how long the block may be. Without `learn` nothing is recorded.
        `sender_name`: how the person is called in what is; left out, by the id."""
        self._memory = sync_memory(memory)
        self._scope = checked_scope(scope)
        self._name = name_for(sender_name, None)
        self._max_tokens = max_tokens
        self._learn = learn

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        said = _last_said(await model_context.get_messages())
        if not said:
            return _updated([])
        work = partial(self._memory.context, self._scope, said, self._max_tokens)
        block = await quietly("recalling for a run", work, "")
        if self._learn:
            turn = partial(
                record_turn, self._memory, self._scope, AgentTurn(said, speaker=self._name)
            )
            await quietly("recording a turn", turn, None)
        if not block:
            return _updated([])
        await model_context.add_message(UserMessage(content=block, source=SOURCE))
        return _updated([MemoryContent(content=block, mime_type=MemoryMimeType.TEXT)])

    async def query(
        self,
        query: str | MemoryContent,
        cancellation_token: CancellationToken | None = None,
        **options: Any,
    ) -> MemoryQueryResult:
        """`options` are those of `Memory.recall`, such as `top_k` and `kinds`."""
        none: tuple[Hit, ...] = ()
        hits = await quietly("searching memory", lambda: self._hits(_text(query), options), none)
        return MemoryQueryResult(results=[_content(hit) for hit in hits])

    async def add(
        self, content: MemoryContent, cancellation_token: CancellationToken | None = None
    ) -> None:
        """Keep a text or JSON word for word. Pictures and bytes are an error."""
        keep = partial(self._memory.remember, self._scope, metadata=content.metadata)
        await quietly("adding a memory", partial(keep, _text(content)), None)

    async def clear(self) -> None:
        """Forget the whole scope: of a user, everything in the workspace."""
        await asyncio.to_thread(self._memory.forget, self._scope)

    async def close(self) -> None:
        """The memory is the host's, and is closed there: other agents may use it."""

    def _hits(self, query: str, options: dict[str, Any]) -> tuple[Hit, ...]:
        return self._memory.recall(self._scope, query, **options).hits


def _last_said(messages: Any) -> str:
    """What the user said last; a picture beside it is left out."""
    for one in reversed(messages):
        if isinstance(one, UserMessage) and one.source != SOURCE:
            given = [one.content] if isinstance(one.content, str) else one.content
            return "\n".join(part for part in given if isinstance(part, str)).strip()
    return ""


def _text(content: str | MemoryContent) -> str:
    value = content if isinstance(content, str) else content.content
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    raise InputError(f"a memory is text or JSON, not {type(value).__name__}")


def _content(hit: Hit) -> MemoryContent:
    time = hit.time.isoformat() if hit.time else None
    metadata = {"id": hit.id, "kind": hit.kind, "score": hit.score, "time": time}
    return MemoryContent(content=hit.excerpt, mime_type=MemoryMimeType.TEXT, metadata=metadata)


def _updated(contents: list[MemoryContent]) -> UpdateContextResult:
    return UpdateContextResult(memories=MemoryQueryResult(results=contents))
