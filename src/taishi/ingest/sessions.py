"""`memory.sessions`: the messages of a conversation, and its summary (W8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..domain.arguments import whole_number
from ..errors import InputError
from ..ports import SessionInfo, SessionMessage
from ..runtime import Runtime
from ..types import Message, Scope
from .background import BackgroundTasks
from .job_builder import JobBuilder
from .upkeep import Upkeep

MAX_NUMBER = 2**62
MAX_MESSAGES = 10_000
Messages = list[SessionMessage]
Infos = list[SessionInfo]  # inside the class, `list` is the verb


class SessionService:
    def __init__(
        self,
        runtime: Runtime,
        builder: JobBuilder,
        background: BackgroundTasks,
        upkeep: Upkeep,
    ) -> None:
        self._runtime = runtime
        self._builder = builder
        self._background = background
        self._upkeep = upkeep

    def add_messages(self, scope: Scope, messages: Sequence[Message | Mapping[str, Any]]) -> int:
        """Messages of a session, for its summaries alone: no turn ends and no job is queued.

        Durable when this returns; how many were new. A message with a known id counts once.
        """
        if not self._is_on(scope):
            return 0
        with self._runtime.recording_refusals(scope, "host", "python"):
            cleaned = self._builder.messages(messages)
        added = self._upkeep.buffer(scope, cleaned)
        self._background.wake_upkeep()
        return added

    def end(self, scope: Scope) -> bool:
        """A session is over: summarise what is not summarised yet. True if there was something."""
        if not self._is_on(scope):
            return False
        self._background.store_all_turns()
        return self._upkeep.summarise(scope.home, scope.session or "")

    def messages(self, scope: Scope, after: int = 0, limit: int = 1000) -> Messages:
        """The messages of a session in order, summarised or not; at most `limit` of those whose
        number is above `after`."""
        session = self._session(scope)
        whole_number(limit, "limit", MAX_MESSAGES)
        whole_number(after, "after", MAX_NUMBER, least=0)
        sessions = self._runtime.parts.store.sessions
        found = sessions.messages(scope.home, session, after, limit)
        return [replace(one, message=self._shown(one.message)) for one in found]

    def list(self, scope: Scope, limit: int = 100) -> Infos:
        """The sessions of a scope with appended messages, the most recent first."""
        self._runtime.check_scope(scope)
        whole_number(limit, "limit", MAX_MESSAGES)
        if not self._runtime.is_on(scope):
            return []
        return self._runtime.parts.store.working.sessions(scope.home, limit)

    def summary(self, scope: Scope) -> str:
        """What a session was about so far, in a paragraph; "" before its first summary.

        memory.sessions.summary(Scope(user="u7", session="s1"))
        """
        session = self._session(scope)
        stored = self._runtime.parts.store.sessions.session_summary(scope.home, session)
        return self._runtime.redactor.text(stored)

    def _shown(self, message: Message) -> Message:
        """Redaction rules may have learned more since it was stored (R1)."""
        return replace(message, text=self._runtime.redactor.text(message.text))

    def _is_on(self, scope: Scope) -> bool:
        self._session(scope)
        return self._runtime.is_on(scope)

    def _session(self, scope: Scope) -> str:
        self._runtime.check_scope(scope)
        if scope.session is None:
            raise InputError("which session? pass Scope(…, session=…)")
        return scope.session
