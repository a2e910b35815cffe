"""Routes for working memory: append messages, get what to send, read back, the scratchpad."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query

from ..problems import not_found
from ..route import Engine, Once, Reader, RouteSpec, Writer, router
from ..schemas.common import Done, ScopeQuery, to_utc
from ..schemas.sessions import (
    AppendIn,
    AppendOut,
    ClearedOut,
    HistoryMessageOut,
    HistoryOut,
    HistoryQuery,
    PopIn,
    PoppedOut,
    ScratchpadIn,
    ScratchpadOut,
    SessionInfoOut,
    SessionsOut,
    SessionsQuery,
    WindowIn,
    WindowOut,
)

PAD = "/sessions/scratchpad"


def session_routes() -> APIRouter:
    return router(
        "sessions",
        (
            RouteSpec("GET", "/sessions", list_sessions, "Sessions with messages"),
            RouteSpec("DELETE", "/sessions", clear_session, "Delete a session's messages"),
            RouteSpec("POST", "/sessions/append", append_messages, "Append messages to a session"),
            RouteSpec("POST", "/sessions/pop", pop_message, "Take the last message back"),
            RouteSpec("POST", "/sessions/window", session_window, "What to send to a model"),
            RouteSpec(
                "GET", "/sessions/history", session_history, "The messages as they were appended"
            ),
            RouteSpec(
                "GET",
                "/sessions/history/{id:path}",
                session_message,
                "One message, whole",
                missing=True,
            ),
            RouteSpec("GET", PAD, get_scratchpad, "The session's scratchpad"),
            RouteSpec("PATCH", PAD, patch_scratchpad, "Change fields of the scratchpad"),
            RouteSpec("DELETE", PAD, clear_scratchpad, "Empty the scratchpad"),
        ),
    )


def append_messages(body: AppendIn, caller: Writer, memory: Engine, once: Once) -> AppendOut:
    """Once you get a response, they are on disk; no model is waited for. A message whose id is
    stored already is not stored again."""
    scope = body.scope.of(caller)
    for one in body.messages:
        caller.allowed_speaker(scope, one.get("speaker_id"))
    messages = body.messages
    if once is not None:
        messages = [{"id": f"{once}-{n}", **one} for n, one in enumerate(messages)]
    return AppendOut(ids=memory.session(scope).append(messages, door="rest"))


def pop_message(body: PopIn, caller: Writer, memory: Engine, once: Once) -> PoppedOut:
    """It is deleted and returned; null if there is none. What was learned from it stays."""
    found = memory.session(body.scope.of(caller)).pop()
    return PoppedOut(message=None if found is None else HistoryMessageOut.of(found))


def session_window(body: WindowIn, caller: Reader, memory: Engine) -> WindowOut:
    """The session's latest messages within 70 % of `max_tokens`, compressed as far as they have
    to be; tool calls and their results are never split."""
    found = memory.session(body.scope.of(caller)).messages(body.max_tokens)
    return WindowOut(**{**_values(found), "shortened": list(found.shortened)})


def _values(found: Any) -> dict[str, Any]:
    names = ("messages", "tokens", "budget", "level", "summarised", "left_out")
    return {name: getattr(found, name) for name in names}


def session_history(
    query: Annotated[HistoryQuery, Query()], caller: Reader, memory: Engine
) -> HistoryOut:
    """In order; go on with `after`, the number of the last one."""
    session = memory.session(query.of(caller))
    found = (
        session.latest(query.limit) if query.latest else session.history(query.after, query.limit)
    )
    return HistoryOut(messages=[HistoryMessageOut.of(one) for one in found])


def session_message(
    id: str, query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> HistoryMessageOut:
    """The whole of a message that was shortened to fit."""
    found = memory.session(query.of(caller)).get(id)
    if found is None:
        raise not_found(f"no message {id[:80]!r} in this session")
    return HistoryMessageOut.of(found)


def list_sessions(
    query: Annotated[SessionsQuery, Query()], caller: Reader, memory: Engine
) -> SessionsOut:
    """The sessions of the scope that messages were appended to."""
    found = memory.sessions.list(query.of(caller), query.limit)
    return SessionsOut(
        sessions=[
            SessionInfoOut(
                session=one.session, messages=one.messages, last_time=to_utc(one.last_time)
            )
            for one in found
        ]
    )


def clear_session(
    query: Annotated[ScopeQuery, Query()], caller: Writer, memory: Engine
) -> ClearedOut:
    """Its messages, summary and scratchpad. What was learned from them stays."""
    return ClearedOut(removed=memory.session(query.of(caller)).clear())


def get_scratchpad(
    query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> ScratchpadOut:
    """What the session is working on."""
    return _scratchpad(memory.session(query.of(caller)).scratchpad.get())


def patch_scratchpad(body: ScratchpadIn, caller: Writer, memory: Engine) -> ScratchpadOut:
    """Fields that are left out stay as they are."""
    pad = memory.session(body.scope.of(caller)).scratchpad
    return _scratchpad(pad.patch(**body.fields()))


def clear_scratchpad(query: Annotated[ScopeQuery, Query()], caller: Writer, memory: Engine) -> Done:
    """All of its fields."""
    memory.session(query.of(caller)).scratchpad.clear()
    return Done()


def _scratchpad(pad: Any) -> ScratchpadOut:
    values = asdict(pad)
    lists = {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
    return ScratchpadOut(**{**values, **lists})
