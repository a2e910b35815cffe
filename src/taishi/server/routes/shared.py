"""Routes for shared memory: propose, decide, list, audit."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from ...errors import ForbiddenError
from ...memory import Memory
from ...types import Scope
from ..auth import Caller
from ..problems import not_found
from ..route import Engine, Once, Reader, RouteSpec, Writer, router
from ..schemas.common import Done, ScopeQuery
from ..schemas.curate import ConflictOut
from ..schemas.memories import IdOut, RecordOut
from ..schemas.shared import (
    ActOut,
    AuditOut,
    DecisionIn,
    EntriesOut,
    ProposalIn,
    ProposalOut,
    ReplacementIn,
    SharedConflictsOut,
    SharedQuery,
    SharedResolveIn,
    StateOut,
)


def shared_routes() -> APIRouter:
    return router(
        "shared",
        (
            RouteSpec("POST", "/shared", propose_shared, "Propose to shared memory", 201),
            RouteSpec("GET", "/shared", list_shared, "List shared memory"),
            RouteSpec(
                "GET",
                "/shared/conflicts",
                list_shared_conflicts,
                "Entries that contradict each other",
            ),
            RouteSpec(
                "POST",
                "/shared/conflicts/resolve",
                resolve_shared_conflict,
                "Settle a contradiction",
                missing=True,
            ),
            RouteSpec(
                "POST",
                "/shared/{id:path}/approve",
                approve_shared,
                "Approve an entry",
                missing=True,
            ),
            RouteSpec(
                "POST", "/shared/{id:path}/reject", reject_shared, "Reject an entry", missing=True
            ),
            RouteSpec(
                "POST",
                "/shared/{id:path}/supersede",
                supersede_shared,
                "Replace an entry",
                201,
                missing=True,
            ),
            RouteSpec(
                "GET", "/shared/{id:path}/audit", shared_audit, "An entry's audit log", missing=True
            ),
        ),
    )


def identity(caller: Caller, memory: Memory, scope: Scope) -> dict[str, Any]:
    """Keyword arguments that say who acts. A key for one user, group or agent speaks for that one
    and not as a person of the workspace; only a key that is bound to an agent is that agent where
    it is a coordinator."""
    key = caller.key
    if key is None:
        return {"actor": caller.actor, "actor_id": ""}
    if key.is_narrow:
        return {"actor": "model", "actor_id": key.id}
    listed = [name.strip() for name in memory.settings.shared.coordinators.split(",")]
    if caller.actor == "model" and f"agent:{scope.agent}" in listed:
        raise ForbiddenError("that agent is a coordinator; use a key that is bound to it")
    return {"actor": caller.actor, "actor_id": key.id}


def propose_shared(body: ProposalIn, caller: Writer, memory: Engine, once: Once) -> ProposalOut:
    """It is recalled once a coordinator approves it. Safe to repeat: it stays one entry."""
    scope = body.scope.of(caller)
    id = memory.shared.propose(
        scope,
        body.text,
        body.type,
        topic=body.topic,
        confidence=body.confidence,
        door="rest",
        **identity(caller, memory, scope),
    )
    return ProposalOut(id=id)


def list_shared(
    query: Annotated[SharedQuery, Query()], caller: Reader, memory: Engine
) -> EntriesOut:
    """A coordinator gets all entries; others get the approved ones and what this scope proposed."""
    scope = query.of(caller)
    who = identity(caller, memory, scope)
    records = memory.shared.list(scope, query.states, query.types, query.limit, **who)
    return EntriesOut(entries=[RecordOut.of(record) for record in records])


def list_shared_conflicts(
    query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> SharedConflictsOut:
    """Pairs that wait for a coordinator."""
    scope = query.of(caller)
    pairs = memory.shared.conflicts(scope, **identity(caller, memory, scope))
    return SharedConflictsOut(
        conflicts=[
            ConflictOut(older=RecordOut.of(older), newer=RecordOut.of(newer))
            for older, newer in pairs
        ]
    )


def resolve_shared_conflict(
    body: SharedResolveIn, caller: Writer, memory: Engine, once: Once
) -> Done:
    """For a coordinator: one of the two holds, or both do."""
    scope = body.scope.of(caller)
    who = identity(caller, memory, scope)
    for id in (body.keep, body.drop):
        _check(memory, scope, id)
    memory.shared.resolve(
        scope, body.keep, body.drop, both=body.both, reason=body.reason, door="rest", **who
    )
    return Done()


def approve_shared(
    id: str, body: DecisionIn, caller: Writer, memory: Engine, once: Once
) -> StateOut:
    """For a coordinator: from now on it is recalled in the whole workspace."""
    scope = body.scope.of(caller)
    who = identity(caller, memory, scope)
    _check(memory, scope, id)
    state = memory.shared.approve(scope, id, reason=body.reason, door="rest", **who)
    return StateOut(state=state)


def reject_shared(id: str, body: DecisionIn, caller: Writer, memory: Engine, once: Once) -> Done:
    """For a coordinator, or whoever proposed it."""
    scope = body.scope.of(caller)
    who = identity(caller, memory, scope)
    _check(memory, scope, id)
    memory.shared.reject(scope, id, reason=body.reason, door="rest", **who)
    return Done()


def supersede_shared(
    id: str, body: ReplacementIn, caller: Writer, memory: Engine, once: Once
) -> IdOut:
    """Takes effect immediately for a coordinator; its creator needs approval. Answers with the new
    entry's id."""
    scope = body.scope.of(caller)
    who = identity(caller, memory, scope)
    _check(memory, scope, id)
    new = memory.shared.supersede(
        scope,
        id,
        body.text,
        confidence=body.confidence,
        reason=body.reason,
        door="rest",
        **who,
    )
    return IdOut(id=new)


def shared_audit(
    id: str, query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> AuditOut:
    """What was done to an entry: who did it, when, through which interface, and why."""
    scope = query.of(caller)
    who = identity(caller, memory, scope)
    if not any(entry.id == id for entry in memory.shared.list(scope, limit=10_000, **who)):
        raise _missing()
    return AuditOut(audit=[ActOut.of(act) for act in memory.shared.audit(scope, id, **who)])


def _check(memory: Memory, scope: Scope, id: str) -> None:
    commons = Scope(shared=True, workspace=scope.workspace)
    record = memory.records.get(commons, id)
    if record is None or "shared" not in record.data:
        raise _missing()


def _missing() -> Exception:
    return not_found("there is no such entry in this workspace's shared memory; list them first")
