"""Routes for writing: turns, considered turns, tool runs, session messages, session end."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from ...memory import Memory
from ...types import Scope
from ..auth import Caller
from ..route import Engine, Once, Reader, RouteSpec, Writer, router
from ..schemas.turns import (
    ConsiderIn,
    DetailsIn,
    KnownTurnOut,
    KnownTurnQuery,
    MessagesIn,
    MessagesOut,
    ObservationIn,
    ObservationOut,
    SessionIn,
    SessionOut,
    TurnIn,
    TurnOut,
)


def turn_routes() -> APIRouter:
    return router(
        "turns",
        (
            RouteSpec("POST", "/turns", end_turn, "End a turn", status=202),
            RouteSpec(
                "POST", "/turns/consider", consider, "Was anything worth keeping?", status=202
            ),
            RouteSpec("GET", "/turns/known", known_turn, "Was a turn accepted?"),
            RouteSpec("POST", "/observations", observe, "Report a tool call", status=202),
            RouteSpec("POST", "/sessions/messages", add_messages, "Messages without a turn"),
            RouteSpec("POST", "/sessions/end", end_session, "End a session"),
        ),
    )


def end_turn(body: TurnIn, caller: Writer, memory: Engine, once: Once) -> TurnOut:
    """Once you get a response, it is on disk. The historian turns it into an event in the
    background; it can be found by keyword a moment later, with `wait` as soon as you get the
    response. With an `Idempotency-Key` it is stored once, however often you repeat the request,
    even if the server crashes in between.
    """
    scope, request_id, known_id = _begin(memory, caller, body, once)
    if known_id is not None:
        return TurnOut(id=known_id, kept=True)
    id = memory.end_turn(
        scope,
        body.action_summary,
        body.new_info,
        body.spoken(),
        body.force,
        summary=body.summary,
        request_id=request_id,
        wait=body.wait,
        actor=caller.turn_actor,
        door="rest",
        **body.details(),
    )
    return TurnOut(id=id, kept=id is not None)


def consider(body: ConsiderIn, caller: Writer, memory: Engine, once: Once) -> TurnOut:
    """For hosts without an `end` tool: send the latest messages. Whether there is anything to
    keep is decided in the background.
    """
    scope, request_id, known_id = _begin(memory, caller, body, once)
    if known_id is not None:
        return TurnOut(id=known_id, kept=True)
    id = memory.consider(
        scope,
        body.spoken(),
        request_id=request_id,
        actor=caller.turn_actor,
        door="rest",
        **body.details(),
    )
    return TurnOut(id=id, kept=id is not None)


def known_turn(
    query: Annotated[KnownTurnQuery, Query()], caller: Reader, memory: Engine
) -> KnownTurnOut:
    """The last turn that was accepted under a `request_id`, by any server of this memory, before or
    after a restart. If `consider` found nothing worth keeping, only the server that it was sent to
    knows.
    """
    return KnownTurnOut(id=memory.jobs.known_turn(query.of(caller), query.request_id))


def observe(body: ObservationIn, caller: Writer, memory: Engine, once: Once) -> ObservationOut:
    """Queued in memory; when the queue is full, the oldest is dropped."""
    memory.observe(body.scope.of(caller), body.tool, body.arguments, body.result)
    return ObservationOut()


def add_messages(body: MessagesIn, caller: Writer, memory: Engine, once: Once) -> MessagesOut:
    """Only for the session's next summary: no turn ends, no job is queued, nothing is learned."""
    return MessagesOut(added=memory.sessions.add_messages(body.scope.of(caller), body.spoken()))


def end_session(body: SessionIn, caller: Writer, memory: Engine, once: Once) -> SessionOut:
    """Summarises what was not summarised yet; this may take as long as the model does."""
    session = memory.session(body.scope.of(caller))
    return SessionOut(summarised=session.end(learn=body.learn))


def _begin(
    memory: Memory, caller: Caller, body: DetailsIn, once: str | None
) -> tuple[Scope, str | None, str | None]:
    """The scope, the request id, and the turn's own id if it was accepted before.

    An idempotency key becomes part of the request id, which the queue and the store remember; by
    the host's own part of it, `jobs.known_turn` finds it as well (domain/turn_ids.py).
    """
    scope = body.scope.of(caller)
    caller.allowed_speaker(scope, body.sender_id)
    if once is None:
        return scope, body.request_id, None
    request_id = f"{body.request_id}.{once}" if body.request_id else once
    return scope, request_id, memory.jobs.known_turn(scope, request_id)
