"""Strands Agents: `TaishiMemoryStore` for a `MemoryManager`.

    store = TaishiMemoryStore(memory, Scope(user="ann"))
    agent = Agent(model=model, memory_manager=MemoryManager(stores=[store]))

A store has one scope, so an agent that serves several users has one store each. What is recalled
is put into the prompt by the manager; what was said goes to the historian after every invocation.
"""

from __future__ import annotations

import asyncio
import hashlib
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..async_memory import AsyncMemory
from ..errors import MissingExtraError
from ..memory import Memory
from ..tools import tool_schemas
from ..types import Hit, Scope
from .agent_turns import AgentTurn, record_turn
from .quiet_calls import quietly, sync_memory
from .speakers import checked_scope, name_for
from .tool_calls import call_tool, checked_names

try:
    from strands.memory import (
        AddMessagesContext,
        ExtractionConfig,
        InvocationTrigger,
        MemoryEntry,
        MemoryStore,
        SearchOptions,
    )
    from strands.tools.tools import PythonAgentTool
    from strands.types.content import Message
    from strands.types.tools import AgentTool, ToolResult, ToolSpec
except ImportError as error:
    raise MissingExtraError("taishi.adapters.strands", "strands") from error

USER = "user"
DESCRIPTION = "What earlier conversations said: facts, events and preferences."


class TaishiMemoryStore(MemoryStore):
    """A search that fails finds nothing. A write that fails raises: the manager logs it, tells the
    model or tries again, and the agent goes on."""

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        scope: Scope,
        *,
        name: str = "taishi",
        description: str = DESCRIPTION,
        max_search_results: int | None = None,
        writable: bool = True,
        extraction: ExtractionConfig | bool = True,
        tools: Sequence[str] = (),
        language: str = "en",
        sender_name: str | None = None,
    ) -> None:
        """`extraction`: when the historian is given what was said; True is after every invocation.
        `tools` names tools of `taishi.tools` to offer as well, described in `language`.
        `sender_name`: the name used for the person in stored memories; left out: the id."""
        self._memory = sync_memory(memory)
        self._scope = checked_scope(scope)
        self._name = name_for(sender_name, None)
        self.name = name
        self.description = description
        self.max_search_results = max_search_results
        self.writable = writable
        self.extraction = _extraction(extraction, writable)
        self._tools = [self._tool(one, language) for one in checked_names(tools)]
        self._run = uuid.uuid4().hex

    async def initialize(self) -> None:
        """The manager counts an agent's messages from 0, so each agent has an id of its own."""
        self._run = uuid.uuid4().hex

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        most = (options or {}).get("max_search_results") or self.max_search_results
        none: tuple[Hit, ...] = ()
        hits = await quietly("searching memory", lambda: self._hits(query, most), none)
        return [_entry(hit) for hit in hits]

    async def add(self, content: str, metadata: dict[str, Any] | None = None) -> str | None:
        """Keep one statement of the agent's, which counts for less than a person's word."""
        keep = partial(self._memory.remember, self._scope, metadata=metadata, actor="model")
        return await asyncio.to_thread(keep, content)

    async def add_messages(
        self, messages: list[Message], context: AddMessagesContext | None = None
    ) -> None:
        """Safe to repeat with the same sequence numbers."""
        numbers = context.sequence_numbers if context else None
        turns = list(_turns(messages, numbers or [None] * len(messages), self._run))
        await asyncio.to_thread(self._record, turns)

    def get_tools(self) -> list[AgentTool]:
        return list(self._tools)

    def _hits(self, query: str, most: int | None) -> tuple[Hit, ...]:
        return self._memory.recall(self._scope, query, top_k=most).hits

    def _record(self, turns: Sequence[AgentTurn]) -> None:
        for turn in turns:
            record_turn(self._memory, self._scope, replace(turn, speaker=self._name))

    def _tool(self, name: str, language: str) -> PythonAgentTool:
        (schema,) = tool_schemas("anthropic", language, [name])
        spec: ToolSpec = {
            "name": name,
            "description": schema["description"],
            "inputSchema": {"json": schema["input_schema"]},
        }

        def run(*given: Any, **_: Any) -> ToolResult:
            (tool_use,) = given
            answer = call_tool(self._memory, self._scope, name, tool_use["input"], language)
            return {
                "toolUseId": tool_use["toolUseId"],
                "status": "success" if answer.ok else "error",
                "content": [{"text": answer.text}],
            }

        return PythonAgentTool(name, spec, run)


def _extraction(given: ExtractionConfig | bool, writable: bool) -> ExtractionConfig | bool:
    if given is True:
        return ExtractionConfig(trigger=InvocationTrigger()) if writable else False
    return given


def _entry(hit: Hit) -> MemoryEntry:
    metadata = {
        "id": hit.id,
        "kind": hit.kind,
        "score": hit.score,
        "time": hit.time.isoformat() if hit.time else None,
        "speaker": hit.speaker,
    }
    return MemoryEntry(content=hit.excerpt, metadata=metadata)


def _turns(
    messages: Sequence[Message], numbers: Sequence[int | None], run: str
) -> Iterator[AgentTurn]:
    """Each thing the user said, with the answer to it."""
    turn: AgentTurn | None = None
    for message, number in zip(messages, numbers, strict=True):
        text = "\n".join(block["text"] for block in message["content"] if block.get("text"))
        if not text.strip():
            continue
        if message["role"] == USER:
            if turn:
                yield turn
            turn = AgentTurn(text, id=_turn_id(run, number, text))
        elif turn:
            turn = replace(turn, answer=f"{turn.answer}\n{text}".strip())
    if turn:
        yield turn


def _turn_id(run: str, number: int | None, text: str) -> str | None:
    """None without a number: then the same words may be said twice. The words are a part of it, as
    two agents with one store both count from 0."""
    if number is None:
        return None
    said = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"strands-{run}-{number}-{said[:16]}"
