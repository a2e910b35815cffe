"""Routes for administration: forget, links, jobs, model costs, status, deletion log."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request

from ... import __version__
from ...errors import ForbiddenError, InputError
from ...memory import Memory
from ..auth import Caller
from ..forgotten_access import forget_access
from ..problems import not_found
from ..route import Engine, Once, Reader, RouteSpec, ServerAdmin, WorkspaceAdmin, Writer, router
from ..schemas.common import Done, ScopeQuery
from ..schemas.curate import (
    CheckOut,
    ForgetIn,
    JobOut,
    JobQuery,
    JobsOut,
    LedgerOut,
    LedgerQuery,
    LedgerRow,
    LinkIn,
    StatusOut,
    WhoOut,
)
from ..schemas.transfer import (
    DeletionOut,
    DeletionsOut,
    ForgottenIdsOut,
    ForgottenOut,
    OfferedIn,
    ProofOut,
    SimilarUsersOut,
)


def admin_routes() -> APIRouter:
    return router(
        "keeping",
        (
            RouteSpec("POST", "/forget", forget, "Forget"),
            RouteSpec("PUT", "/links", set_link, "Link a user's chats"),
            RouteSpec("GET", "/jobs", list_jobs, "List jobs"),
            RouteSpec("POST", "/jobs/{name}/retry", retry_job, "Retry a job", missing=True),
            RouteSpec("GET", "/ledger", ledger, "What models cost"),
            RouteSpec("GET", "/status", status, "Status"),
            RouteSpec("GET", "/deletions", deletions, "What was deleted"),
            RouteSpec("POST", "/deletions/forgotten", forgotten_ids, "Which ids were deleted"),
            RouteSpec("GET", "/deletions/similar-users", similar_users, "Similar user ids"),
            RouteSpec("GET", "/check", check, "Check the database"),
            RouteSpec("GET", "/whoami", whoami, "What this key may do"),
        ),
    )


def forget(
    request: Request, body: ForgetIn, caller: Writer, memory: Engine, once: Once
) -> ForgottenOut:
    """One memory, or all of a scope. `scope.user` alone forgets that person in the whole
    workspace: the private chat, what they said in groups, their jobs and profile, and the API
    keys that are bound to that person: whoever uses one is not let in any more. To
    forget what the workspace shares takes an admin key.
    """
    scope = body.scope.of(caller)
    if scope.shared:
        caller.need_workspace("admin")
    if body.id is not None:
        if body.prove:
            raise InputError("a proof covers a whole scope; leave id or prove out")
        return ForgottenOut(
            removed=memory.forget(scope, body.id, **caller.deletion_actor), proof=None
        )
    if scope.group is not None and scope.user is not None and body.scope.group is None:
        raise ForbiddenError(  # the key filled in the group, and all of it would go
            "this key is bound to a group: it cannot forget one person everywhere; to forget the "
            "whole group, send the group as scope and no user"
        )
    if body.prove:
        caller.need_server()
    words = memory.deletions.traces(scope) if body.prove else ()
    removed = memory.forget(scope, **caller.deletion_actor)
    access = forget_access(request.app.state.keys, scope.home)
    proof = ProofOut.of(memory.deletions.prove(scope, words)) if body.prove else None
    return ForgottenOut(removed=removed + access.total, keys=access.keys, proof=proof)


def deletions(
    caller: ServerAdmin, memory: Engine, limit: Annotated[int, Query(ge=1, le=1000)] = 100
) -> DeletionsOut:
    """The newest first: who, when, through which interface, what kind of scope, how many; never
    what was deleted. `scope` is a hash. A negative count means an import restored forgotten
    records.
    """
    return DeletionsOut(
        deletions=[DeletionOut.of(deletion) for deletion in memory.deletions.list(limit)]
    )


def forgotten_ids(body: OfferedIn, caller: Reader, memory: Engine) -> ForgottenIdsOut:
    """For a host that offers the same records again: which of these ids were deleted in this
    scope. If the whole scope was forgotten, every id up to that time counts as deleted.
    """
    found = memory.deletions.forgotten(body.scope.of(caller), body.ids)
    return ForgottenIdsOut(ids=sorted(found))


def similar_users(
    query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> SimilarUsersOut:
    """Users of the workspace whose id differs from this one only in what a host puts before a
    colon, and how many records each has: of `QQClient:10003` also `10003`. To forget one leaves
    the others. A key that is bound to a user, group or agent is told of none.
    """
    scope = query.of(caller)
    is_narrow = caller.key is not None and caller.key.is_narrow
    return SimilarUsersOut(users={} if is_narrow else memory.deletions.similar_users(scope))


def set_link(body: LinkIn, caller: Writer, memory: Engine) -> Done:
    """When on, this user's private chat and groups share their memories. Off by default."""
    scope = body.scope.of(caller)
    if caller.key is not None and caller.key.group:
        raise ForbiddenError(
            "a link gives access to the user's private chat; a group's key may not turn it on"
        )
    memory.set_link(scope, body.on)
    return Done()


def list_jobs(
    query: Annotated[JobQuery, Query()], caller: WorkspaceAdmin, memory: Engine
) -> JobsOut:
    """Jobs of the workspace that are waiting, running or failed, oldest first."""
    jobs = _jobs(memory, caller, query.workspace)
    selected = [job for job in jobs if not query.state or job["state"] in query.state]
    return JobsOut(jobs=[JobOut(**job) for job in selected[: query.limit]])


def retry_job(
    name: Annotated[str, Path(max_length=300)], caller: WorkspaceAdmin, memory: Engine, once: Once
) -> Done:
    """Requeues a failed job and resets its retry count."""
    failed_names = {job["name"] for job in _jobs(memory, caller, None) if job["state"] == "failed"}
    if name not in failed_names:
        raise not_found("no failed job has this name; list them with state=failed")
    memory.jobs.retry(name)
    return Done()


def ledger(
    query: Annotated[LedgerQuery, Query()], caller: ServerAdmin, memory: Engine
) -> LedgerOut:
    """Calls by day, task, model and mode, for the whole server."""
    return LedgerOut(rows=[LedgerRow(**row) for row in memory.jobs.ledger(query.since)])


def status(caller: Reader, memory: Engine) -> StatusOut:
    """What is stored, what is waiting, how fast; the numbers only for a key of the whole server."""
    values = memory.status()
    sees_everything = caller.may("admin") and caller.workspace is None
    return StatusOut(
        version=__version__,
        enabled=values["enabled"],
        embedder=values["embedder"],
        details=values if sees_everything else None,
    )


def check(caller: ServerAdmin, memory: Engine) -> CheckOut:
    """Reads the whole database; takes a while when it is large."""
    return CheckOut(result=memory.maintenance.check())


def whoami(caller: Reader) -> WhoOut:
    """Its rights and the scope it is bound to; nothing about other keys."""
    key = caller.key
    if key is None:
        return WhoOut(
            key=None, name=None, rights="admin", workspace=None, user=None, group=None, agent=None
        )
    return WhoOut(
        key=key.id,
        name=key.name,
        rights=key.rights,
        workspace=key.workspace,
        user=key.user,
        group=key.group,
        agent=key.agent,
    )


def _jobs(memory: Memory, caller: Caller, workspace: str | None) -> list[dict[str, Any]]:
    """A job whose file cannot be read belongs to nobody: only the server's owner sees it."""
    allowed = caller.allowed_workspace(workspace)
    return [
        job
        for job in memory.jobs.list()
        if allowed is None or (job["job"] or {}).get("workspace") == allowed
    ]
