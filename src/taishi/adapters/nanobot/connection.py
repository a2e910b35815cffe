"""Taishi in a nanobot agent loop (0.3): the block in the prompt, turns and tool runs stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from ...errors import InputError
from ...memory import Memory
from ...types import Message, Scope
from ..agent_turns import record_messages
from .chats import Chat, ScopeOf, scope_of

BOT = "nanobot"
SOURCE = "taishi"
MEMORY_FILE = "MEMORY.md"
# Turns that no person began.
SKIPPED_CHANNELS = ("system",)


class NanobotMemory:
    """What nanobot calls: `context_provider` before the reply, `hook` around it.

    `connect` registers both. Where the loop is built by hand, pass `hook` as one of its
    `hook_factories` and `context_provider` to `register_runtime_context_provider`.
    """

    def __init__(
        self, memory: Memory, *, bot_name: str = BOT, scope_of: ScopeOf = scope_of
    ) -> None:
        self.memory = memory
        self.bot_name = bot_name
        self.agent = Scope(agent=bot_name)
        self._scope_of = scope_of
        self._read_memory_file: Callable[[], str] | None = None

    def connect(self, bot: Any) -> Callable[[], None]:
        """Register with a `Nanobot` or an `AgentLoop`; the answer takes it back.

        disconnect = NanobotMemory(memory).connect(bot)
        """
        loop = getattr(bot, "_loop", bot)
        register = getattr(loop, "register_runtime_context_provider", None)
        factories = getattr(loop, "_hook_factories", None)
        if register is None or not isinstance(factories, list):
            raise InputError(
                f"{type(bot).__name__} is no nanobot agent of version 0.3; with an earlier one use "
                "taishi.adapters.nanobot.MemoryStore"
            )
        self._read_memory_file = loop.context.memory.read_memory
        unregister = register(self.context_provider)
        factories.append(self.hook)

        def disconnect() -> None:
            unregister()
            if self.hook in factories:
                factories.remove(self.hook)

        return disconnect

    async def context_provider(self, request: Any) -> Any:
        """A runtime context block for a user's message; None if nothing is known."""
        from nanobot.runtime_context import RuntimeContextBlock

        scope, text = self._scope(request), request.original_user_text or ""
        if scope is None or not text.strip():
            return None
        block = await asyncio.to_thread(self.memory.context, scope, text)
        return RuntimeContextBlock(SOURCE, block) if block else None

    def hook(self, turn: Any) -> Any:
        """A hook for one turn, as nanobot's `hook_factories` make them."""
        from nanobot.agent.tools.context import current_request_context

        request = current_request_context()
        scope = None if request is None or turn.ephemeral else self._scope(request)
        return None if scope is None else _turn_hook(self, scope, request)

    async def store_turn(self, scope: Scope, asked: str, answer: str | None) -> None:
        """Store what the user said; what is worth keeping is decided in the background."""
        messages = [Message(asked, scope.user, speaker_id=scope.user)]
        if answer:
            messages.append(Message(answer, self.bot_name))
        details: dict[str, Any] = {"sender_id": scope.user, "bot_name": self.bot_name}
        await asyncio.to_thread(record_messages, self.memory, scope, messages, **details)

    async def mirror_memory_file(self) -> None:
        """Keep nanobot's MEMORY.md as the agent's note: it can be searched and has versions."""
        if self._read_memory_file is not None:
            await asyncio.to_thread(self._mirror, self._read_memory_file())

    def _mirror(self, text: str) -> None:
        note = self.memory.notes.read(self.agent, MEMORY_FILE)
        if text.strip() and (note is None or note.text != text):
            self.memory.notes.write(self.agent, MEMORY_FILE, text)

    def _scope(self, request: Any) -> Scope | None:
        """None for turns that no person began, such as those of the scheduler."""
        if request.channel in SKIPPED_CHANNELS:
            return None
        key = request.session_key or f"{request.channel}:{request.chat_id}"
        return self._scope_of(Chat(key, str(request.sender_id or "")))


def _turn_hook(memory: NanobotMemory, scope: Scope, request: Any) -> Any:
    from nanobot.agent.hook import AgentHook

    class TurnHook(AgentHook):
        async def after_execute_tool(
            self, context: Any, tool_call: Any, tool: Any, params: Any, result: Any
        ) -> None:
            memory.memory.observe(scope, tool_call.name, params, result)

        async def after_run(self, context: Any) -> None:
            await memory.store_turn(scope, request.original_user_text or "", context.final_content)
            await memory.mirror_memory_file()

    return TurnHook()
