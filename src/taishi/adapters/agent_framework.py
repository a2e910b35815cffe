"""Microsoft Agent Framework: what is remembered before a run, and the history of a session.

    agent = Agent(client, context_providers=[
        TaishiHistoryProvider(memory, Scope(user="ann")),
        TaishiContextProvider(memory, Scope(user="ann")),
    ])

`scope` may be a function of the session, for an agent that serves several users.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import Any

from ..async_memory import AsyncMemory
from ..errors import MissingExtraError
from ..memory import Memory
from ..types import Scope
from .agent_turns import AgentTurn, record_turn
from .quiet_calls import log, quietly, sync_memory
from .scope_ids import safe_id
from .speakers import checked_name_of, checked_scope_of, name_for

try:
    from agent_framework import AgentSession, ContextProvider, HistoryProvider, Message

    from .agent_framework_messages import from_wire, to_wire
except ImportError as error:
    raise MissingExtraError("taishi.adapters.agent_framework", "agent-framework") from error

USER = "user"
MESSAGES_AT_ONCE = 1000
ScopeChoice = Scope | Callable[[AgentSession], Scope | None]


class TaishiContextProvider(ContextProvider):
    """Before a run, what is known about its question, as a fenced message of the user; after it,
    the turn for the historian. If memory fails or is off, the run goes on without."""

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        scope: ScopeChoice,
        *,
        source_id: str = "taishi",
        max_tokens: int | None = None,
        learn: bool = True,
        sender_name: str | Callable[[AgentSession], str | None] | None = None,
    ) -> None:
        """`max_tokens`: how long the block may be. Without `learn` nothing is recorded.
        `sender_name`: how the person is called in what is, or a function of the session; a
        message's own `author_name` goes before it."""
        super().__init__(source_id)
        self._memory = sync_memory(memory)
        self._scope: ScopeChoice = checked_scope_of(scope, "a session")
        self._name = checked_name_of(sender_name, "a session")
        self._max_tokens = max_tokens
        self._learn = learn

    async def before_run(
        self, *, agent: Any, session: AgentSession, context: Any, state: dict[str, Any]
    ) -> None:
        said, scope = _said(context.input_messages), _scope_for(self._scope, session)
        if scope is None or not said:
            return
        work = partial(self._memory.context, scope, said, self._max_tokens)
        block = await quietly("recalling for a run", work, "")
        if block:
            context.extend_messages(self, [Message(USER, [block])])

    async def after_run(
        self, *, agent: Any, session: AgentSession, context: Any, state: dict[str, Any]
    ) -> None:
        said, scope = _said(context.input_messages), _scope_for(self._scope, session)
        if not self._learn or scope is None or not said or context.response is None:
            return
        speaker = next((one.author_name for one in context.input_messages if _is_said(one)), None)
        turn = AgentTurn(
            said,
            context.response.text,
            speaker=speaker or name_for(self._name, session),
            agent=getattr(agent, "name", None) or "assistant",
        )
        await quietly("recording a turn", partial(record_turn, self._memory, scope, turn), None)


class TaishiHistoryProvider(HistoryProvider):
    """The messages of a session as they were, secrets removed. If memory fails or is off, a
    session has no history."""

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        scope: ScopeChoice,
        *,
        source_id: str = "taishi-history",
        **options: Any,
    ) -> None:
        """`options` are those of HistoryProvider: `load_messages`, `store_outputs` …"""
        super().__init__(source_id, **options)
        self._memory = sync_memory(memory)
        self._scope: ScopeChoice = checked_scope_of(scope, "a session")
        self._session: ContextVar[AgentSession | None] = ContextVar(source_id, default=None)

    async def before_run(self, *, session: AgentSession, **arguments: Any) -> None:
        with self._in_session(session):
            await super().before_run(session=session, **arguments)

    async def after_run(self, *, session: AgentSession, **arguments: Any) -> None:
        with self._in_session(session):
            await super().after_run(session=session, **arguments)

    async def get_messages(
        self, session_id: str | None, *, state: dict[str, Any] | None = None, **_: Any
    ) -> list[Message]:
        scope = self._scope_of(session_id)
        if scope is None:
            return []
        work = partial(self._load, scope)
        return await quietly("loading a session's history", work, [])

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        scope = self._scope_of(session_id)
        if scope is None or not messages:
            return
        wires = [to_wire(one) for one in messages]
        await quietly("saving a session's history", partial(self._save, scope, wires), None)

    @contextmanager
    def _in_session(self, session: AgentSession) -> Iterator[None]:
        """The base class passes on a session's id only; whose session it is decides the scope."""
        token = self._session.set(session)
        try:
            yield
        finally:
            self._session.reset(token)

    def _scope_of(self, session_id: str | None) -> Scope | None:
        if not session_id:
            log.warning("a history needs a session id; this run has none")
            return None
        session = self._session.get()
        if session is None or session.session_id != session_id:
            session = AgentSession(session_id=session_id)
        return _scope_for(self._scope, session)

    def _load(self, scope: Scope) -> list[Message]:
        session, found, after = self._memory.session(scope), [], 0
        while page := session.history(after, MESSAGES_AT_ONCE):
            found += [from_wire(one.id, one.message) for one in page]
            after = page[-1].number
        return found

    def _save(self, scope: Scope, wires: Sequence[dict[str, Any]]) -> None:
        session = self._memory.session(scope)
        for start in range(0, len(wires), MESSAGES_AT_ONCE):
            session.append(wires[start : start + MESSAGES_AT_ONCE])


def _scope_for(choice: ScopeChoice, session: AgentSession) -> Scope | None:
    """The scope of a run, its session included. A function that fails leaves memory out: nobody
    is given another's by mistake."""
    try:
        scope = choice if isinstance(choice, Scope) else choice(session)
    except Exception as error:
        log.warning("no scope for a session, it has no memory: %s", type(error).__name__)
        return None
    if scope is None or scope.session:
        return scope
    return replace(scope, session=safe_id(session.session_id))


def _is_said(message: Message) -> bool:
    return message.role == USER and bool(message.text.strip())


def _said(messages: Sequence[Message]) -> str:
    return "\n".join(one.text for one in messages if _is_said(one))
