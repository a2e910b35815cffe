"""Routes for facts and conflicts: list, approve, reject, correct."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from ...memory import Memory
from ...types import Scope
from ..problems import not_found
from ..route import Engine, Once, Reader, RouteSpec, Writer, router
from ..schemas.common import Done, ScopedIn, ScopeQuery
from ..schemas.curate import (
    ConflictOut,
    ConflictsOut,
    CorrectionIn,
    FactQuery,
    FactsOut,
    ResolveIn,
)
from ..schemas.memories import IdOut, RecordOut


def fact_routes() -> APIRouter:
    return router(
        "facts",
        (
            RouteSpec("GET", "/facts", list_facts, "List facts"),
            RouteSpec(
                "GET", "/facts/conflicts", list_fact_conflicts, "Facts that contradict each other"
            ),
            RouteSpec(
                "POST",
                "/facts/conflicts/resolve",
                resolve_fact_conflict,
                "Settle a contradiction",
                missing=True,
            ),
            RouteSpec(
                "POST", "/facts/{id:path}/approve", approve_fact, "Approve a fact", missing=True
            ),
            RouteSpec(
                "POST", "/facts/{id:path}/reject", reject_fact, "Reject a fact", missing=True
            ),
            RouteSpec(
                "POST",
                "/facts/{id:path}/correct",
                correct_fact,
                "Correct a fact",
                201,
                missing=True,
            ),
        ),
    )


def list_facts(query: Annotated[FactQuery, Query()], caller: Reader, memory: Engine) -> FactsOut:
    """The newest facts of the scope's partition."""
    records = memory.facts.list(query.of(caller), query.states, query.limit)
    return FactsOut(facts=[RecordOut.of(record) for record in records])


def list_fact_conflicts(
    query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> ConflictsOut:
    """Pairs that wait for a person's decision."""
    pairs = memory.facts.conflicts(query.of(caller))
    return ConflictsOut(
        conflicts=[
            ConflictOut(older=RecordOut.of(older), newer=RecordOut.of(newer))
            for older, newer in pairs
        ]
    )


def resolve_fact_conflict(body: ResolveIn, caller: Writer, memory: Engine, once: Once) -> Done:
    """One of the two holds; the other is not learned again."""
    scope = body.scope.of(caller)
    for id in (body.keep, body.drop):
        _check(memory, scope, id, "fact")
    memory.facts.resolve(scope, body.keep, body.drop, actor=caller.actor, door="rest")
    return Done()


def approve_fact(id: str, body: ScopedIn, caller: Writer, memory: Engine, once: Once) -> Done:
    """A person confirms it: from now on it is recalled."""
    scope = body.scope.of(caller)
    _check(memory, scope, id, "fact")
    memory.facts.approve(scope, id, actor=caller.actor, door="rest")
    return Done()


def reject_fact(id: str, body: ScopedIn, caller: Writer, memory: Engine, once: Once) -> Done:
    """A person says that it is wrong: it is not recalled, and not learned again."""
    scope = body.scope.of(caller)
    _check(memory, scope, id, "fact")
    memory.facts.reject(scope, id, actor=caller.actor, door="rest")
    return Done()


def correct_fact(id: str, body: CorrectionIn, caller: Writer, memory: Engine, once: Once) -> IdOut:
    """In a person's words. Answers with the new fact's id; the old one is kept as history and not
    learned again.
    """
    scope = body.scope.of(caller)
    _check(memory, scope, id, "fact")
    new = memory.facts.correct(scope, id, body.text, actor=caller.actor, door="rest")
    return IdOut(id=new)


def _check(memory: Memory, scope: Scope, id: str, kind: str) -> None:
    record = memory.records.get(scope, id)
    if record is None or record.kind != kind:
        raise not_found(f"there is no such {kind} in this scope's partition; list them first")
