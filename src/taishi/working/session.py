"""`Session`: the working memory of one session, as `memory.session(scope)` gives it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..domain.scratchpad import EMPTY, Scratchpad
from ..ports.working import Given, HistoryMessage, MessageWindow
from ..types import Scope

if TYPE_CHECKING:
    from ..language.token_bound import Counter
    from .service import WorkingMemory


class SessionScratchpad:
    """What an agent is at in this session (M3). Gone after `working.scratchpad_idle_minutes`
    without a patch or an appended message."""

    def __init__(self, scope: Scope, working: WorkingMemory) -> None:
        self._scope = scope
        self._working = working

    def get(self) -> Scratchpad:
        """Empty (false) if there is none."""
        return self._working.scratchpads.get(self._scope) if self._is_on() else EMPTY

    def patch(self, **fields: Any) -> Scratchpad:
        """Replace these fields, keep the others; None empties a field.

        session.scratchpad.patch(current_step="write tests", blockers=None)
        """
        return self._working.scratchpads.patch(self._scope, fields) if self._is_on() else EMPTY

    def clear(self) -> bool:
        """Whether there was anything."""
        return self._is_on() and self._working.scratchpads.clear(self._scope)

    def _is_on(self) -> bool:
        return self._working.is_on(self._scope)


class Session:
    """The messages of one session as a chat model takes them, stored in order (M1, M2)."""

    def __init__(self, scope: Scope, working: WorkingMemory) -> None:
        self.scope = scope
        self._working = working
        self.scratchpad = SessionScratchpad(scope, working)

    def append(self, messages: Given | Iterable[Given], *, door: str = "python") -> list[str]:
        """Store one or several messages in the OpenAI chat format; returns their ids.

        On disk when this returns; waits for no model. A message with a known `id` counts once. A
        host with a format of its own may add the `original`, which `history` returns.

            session.append({"role": "user", "content": "Where did we stop?"})
        """
        return self._working.append(self.scope, messages, door)

    def messages(
        self, max_tokens: int | None = None, count_tokens: Counter | None = None
    ) -> MessageWindow:
        """What to send to a model with a window of `max_tokens`: within 70 % of that, compressed as
        far as needed. Without `max_tokens`: the last 50 messages.

            reply = client.chat(messages=session.messages(max_tokens=8000).messages)
        """
        return self._working.messages(self.scope, max_tokens, count_tokens)

    def history(self, after: int = 0, limit: int = 1000) -> list[HistoryMessage]:
        """The messages as they were appended, in order; those after the number `after`."""
        return self._working.history(self.scope, after, limit)

    def latest(self, limit: int = 50) -> list[HistoryMessage]:
        """The last messages as they were appended, the oldest of them first."""
        return self._working.latest(self.scope, limit)

    def pop(self) -> HistoryMessage | None:
        """Delete the last message and return it; None if there is none. What was learned from it
        stays."""
        return self._working.pop(self.scope)

    def get(self, id: str) -> HistoryMessage | None:
        """One whole message by its id, even if the window has a shortened form of it."""
        return self._working.get(self.scope, id)

    def end(self, *, learn: bool | None = None) -> bool:
        """End the session: update its summary, remove its scratchpad. With
        `learn`, what was said and not yet learned goes to the historian; by default if
        `working.learn_every_rounds` is set. True if there was something to summarise."""
        return self._working.end(self.scope, learn)

    def clear(self) -> int:
        """Delete the session's messages, summary and scratchpad; how many messages. What was
        learned from them stays: `memory.forget` removes that."""
        return self._working.clear(self.scope)
