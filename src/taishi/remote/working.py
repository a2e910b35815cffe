"""`memory.session(scope)` over a server: what its verbs ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..domain import arguments
from ..domain.scratchpad import Scratchpad
from ..errors import InputError
from ..ports import SessionInfo
from ..ports.working import Given, HistoryMessage, MessageWindow
from ..types import Message, Scope
from .answers import AddedCount, History, HistoryAnswer, Popped, Sessions, Summarised, Window
from .noun import Noun, refuse, unsupported
from .server import LONG_SECONDS, Route, Server, sendable_time
from .wire import Done, Ids, Removed
from .writes import wire_messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..language.token_bound import Counter

MAX_NUMBER = 2**62
NO_WINDOW = {"messages": [], "tokens": 0, "budget": None, "level": "none"}
NO_WINDOW |= {"summarised": 0, "left_out": 0, "shortened": []}
PAD = "/sessions/scratchpad"
APPEND = Route("POST", "/sessions/append", Ids, once=True, off={"ids": []})
WINDOW = Route("POST", "/sessions/window", Window, repeatable=True, off=NO_WINDOW)
POP = Route("POST", "/sessions/pop", Popped, once=True, off={"message": None})
HISTORY = Route("GET", "/sessions/history", History, off={"messages": []})
MESSAGE = Route("GET", "/sessions/history/{}", HistoryAnswer)
END = Route("POST", "/sessions/end", Summarised, once=True, off={"summarised": False})
CLEAR = Route("DELETE", "/sessions", Removed, off={"removed": 0})
GET_PAD = Route("GET", PAD, Scratchpad, off={})
PATCH_PAD = Route("PATCH", PAD, Scratchpad, repeatable=True, off={})
CLEAR_PAD = Route("DELETE", PAD, Done, off={})
ADD_MESSAGES = Route("POST", "/sessions/messages", AddedCount, once=True, off={"added": 0})
LIST = Route("GET", "/sessions", Sessions, off={"sessions": []})
Infos = list[SessionInfo]  # inside the class, `list` is the verb


class RemoteWorking(Noun):
    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self.scratchpads = RemoteScratchpads(server)

    def check(self, scope: Scope) -> None:
        self._server.check(scope)
        if scope.session is None:
            raise InputError("which session? pass Scope(…, session=…)")

    def is_on(self, scope: Scope) -> bool:
        """The server decides by itself: where memory is off, it keeps and finds nothing."""
        self.check(scope)
        return not self._server.off_reason

    def append(self, scope: Scope, given: Given | Iterable[Given], door: str) -> list[str]:
        wire = [_as_wire(one) for one in arguments.chat_messages(given)]
        return self._server.call(APPEND, scope, messages=wire).ids if wire else []

    def messages(
        self, scope: Scope, max_tokens: int | None, count_tokens: Counter | None
    ) -> MessageWindow:
        if count_tokens is not None:
            refuse("count_tokens", "the server counts: set query.tokenizer there")
        return self._server.call(WINDOW, scope, max_tokens=max_tokens).window()

    def history(self, scope: Scope, after: int, limit: int) -> list[HistoryMessage]:
        found = self._server.call(
            HISTORY,
            scope,
            after=arguments.whole_number(after, "after", 2**62, least=0),
            limit=limit,
        )
        return [one.value() for one in found.messages]

    def latest(self, scope: Scope, limit: int) -> list[HistoryMessage]:
        found = self._server.call(HISTORY, scope, limit=limit, latest=True)
        return [one.value() for one in found.messages]

    def pop(self, scope: Scope) -> HistoryMessage | None:
        removed = self._server.call(POP, scope).message
        return None if removed is None else removed.value()

    learn = unsupported("session.learn")

    def get(self, scope: Scope, id: str) -> HistoryMessage | None:
        if self._server.is_off(scope):
            return None
        found = self._server.find(MESSAGE, scope, id)
        return None if found is None else found.value()

    def end(self, scope: Scope, learn: bool | None) -> bool:
        return self._server.call(END, scope, seconds=LONG_SECONDS, learn=learn).summarised

    def clear(self, scope: Scope) -> int:
        return self._server.call(CLEAR, scope).removed


class RemoteScratchpads(Noun):
    def get(self, scope: Scope) -> Scratchpad:
        return self._server.call(GET_PAD, scope)

    def patch(self, scope: Scope, fields: Mapping[str, Any]) -> Scratchpad:
        """None empties a field, so it is sent."""
        return self._server.call(PATCH_PAD, scope, body=fields)

    def clear(self, scope: Scope) -> bool:
        had_any = bool(self.get(scope))
        self._server.call(CLEAR_PAD, scope)
        return had_any


class RemoteSessions(Noun):
    def add_messages(self, scope: Scope, messages: Sequence[Message | Mapping[str, Any]]) -> int:
        wire = wire_messages(messages)
        return self._server.call(ADD_MESSAGES, scope, messages=wire).added if wire else 0

    def end(self, scope: Scope) -> bool:
        return self._server.call(END, scope, seconds=LONG_SECONDS).summarised

    messages = unsupported("sessions.messages", "memory.session(scope).history() reads a session")

    def list(self, scope: Scope, limit: int = 100) -> Infos:
        return [one.info() for one in self._server.call(LIST, scope, limit=limit).sessions]

    summary = unsupported("sessions.summary")


def _as_wire(given: Given) -> dict[str, Any]:
    if isinstance(given, Message):
        fields: dict[str, Any] = {"role": "user", "content": given.text, "speaker": given.speaker}
        fields |= {"speaker_id": given.speaker_id, "id": given.id, "time": given.time}
        given = {name: value for name, value in fields.items() if value is not None}
    time = sendable_time(given.get("time"))
    return {**given, **({"time": time} if time is not None else {})}
