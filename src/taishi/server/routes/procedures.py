"""Routes for procedures: list, use, review, share."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from ...memory import Memory
from ...types import Scope
from ..problems import not_found
from ..route import Engine, Once, Reader, RouteSpec, Writer, router
from ..schemas.common import ScopedIn, ScopeQuery
from ..schemas.curate import FeedbackIn, FeedbackOut
from ..schemas.memories import RecordOut
from ..schemas.shared import ProcedureQuery, ProceduresOut, ProposalOut, UseIn
from .shared import identity


def procedure_routes() -> APIRouter:
    return router(
        "procedures",
        (
            RouteSpec("GET", "/procedures", list_procedures, "List procedures"),
            RouteSpec("GET", "/procedures/review", review_procedures, "Procedures that fail"),
            RouteSpec("GET", "/procedures/{id:path}", get_procedure, "One procedure", missing=True),
            RouteSpec(
                "POST", "/procedures/{id:path}/used", use_procedure, "Record a use", missing=True
            ),
            RouteSpec(
                "POST",
                "/procedures/{id:path}/feedback",
                rate_procedure,
                "Rate a procedure",
                missing=True,
            ),
            RouteSpec(
                "POST",
                "/procedures/{id:path}/share",
                share_procedure,
                "Share a procedure",
                201,
                missing=True,
            ),
        ),
    )


def list_procedures(
    query: Annotated[ProcedureQuery, Query()], caller: Reader, memory: Engine
) -> ProceduresOut:
    """Those that the scope may use: its own, its agent's, and the approved shared ones."""
    found = memory.procedures.list(query.of(caller), query.limit)
    return ProceduresOut(procedures=[RecordOut.of(record) for record in found])


def review_procedures(
    query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> ProceduresOut:
    """At least three outcomes, of which fewer than half worked; the worst first."""
    found = memory.procedures.review(query.of(caller))
    return ProceduresOut(procedures=[RecordOut.of(record) for record in found])


def get_procedure(
    id: str, query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> RecordOut:
    """With its trigger, its steps and how it went, in `metadata`."""
    found = memory.procedures.get(query.of(caller), id)
    if found is None:
        raise _missing()
    return RecordOut.of(found)


def use_procedure(id: str, body: UseIn, caller: Writer, memory: Engine, once: Once) -> RecordOut:
    """Counts one more use and, with `worked`, an outcome."""
    scope = body.scope.of(caller)
    _check(memory, scope, id)
    return RecordOut.of(memory.procedures.used(scope, id, body.worked))


def rate_procedure(
    id: str, body: FeedbackIn, caller: Writer, memory: Engine, once: Once
) -> FeedbackOut:
    """Counts the outcome of a use; answers with the new success rate."""
    scope = body.scope.of(caller)
    _check(memory, scope, id)
    return FeedbackOut(success_rate=memory.procedures.feedback(scope, id, body.worked))


def share_procedure(
    id: str, body: ScopedIn, caller: Writer, memory: Engine, once: Once
) -> ProposalOut:
    """Proposed to shared memory, with its steps: others find it once it is approved."""
    scope = body.scope.of(caller)
    _check(memory, scope, id)
    who = identity(caller, memory, scope)
    return ProposalOut(id=memory.procedures.share(scope, id, door="rest", **who))


def _check(memory: Memory, scope: Scope, id: str) -> None:
    if memory.procedures.get(scope, id) is None:
        raise _missing()


def _missing() -> Exception:
    return not_found("there is no such procedure that this scope may use; list them first")
