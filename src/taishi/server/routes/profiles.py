"""Routes for profiles of users and groups, and their revisions."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request

from ...errors import BusyError, ForbiddenError
from ...types import Scope
from ..auth import Caller
from ..problems import not_found
from ..route import Engine, Once, Reader, RouteSpec, Writer, router
from ..schemas.common import ScopeQuery
from ..schemas.curate import (
    DiffOut,
    DiffQuery,
    ProfileEdit,
    ProfileIn,
    ProfileOut,
    RevisionsOut,
    WorkspaceIn,
    WorkspaceQuery,
)
from ..sessions import door_of

EntityType = Literal["user", "group"]
EntityId = Annotated[str, Path(max_length=256, description="The user's or the group's id.")]
Revision = Annotated[str, Path(max_length=100, description="A revision's name.")]
PAGE = "/profiles/{entity_type}/{entity_id}"
PLACES = {"private": "user", "group": "group"}


def profile_routes() -> APIRouter:
    return router(
        "profiles",
        (
            RouteSpec("GET", PAGE, get_profile, "A profile", missing=True),
            RouteSpec("PUT", PAGE, set_profile, "Write a profile"),
            RouteSpec("PATCH", PAGE, edit_profile, "Edit a profile"),
            RouteSpec(
                "GET", f"{PAGE}/source", profile_source, "A profile as it is on disk", missing=True
            ),
            RouteSpec("GET", f"{PAGE}/revisions", profile_revisions, "A profile's revisions"),
            RouteSpec(
                "GET", f"{PAGE}/revisions/{{revision}}/diff", profile_diff, "What a profile changed"
            ),
            RouteSpec(
                "POST",
                f"{PAGE}/revisions/{{revision}}/rollback",
                roll_back_profile,
                "Restore a revision",
            ),
        ),
    )


def get_profile(
    entity_type: EntityType,
    entity_id: EntityId,
    query: Annotated[ScopeQuery, Query()],
    caller: Reader,
    memory: Engine,
) -> ProfileOut:
    """As the scope may see it: in a group, only what a user's page says for all to see. Without
    a scope, as the user or the group itself sees it.
    """
    has_scope = query.user or query.group or query.agent or query.shared
    is_bound = caller.key is not None and caller.key.is_narrow
    owner = (
        _owner_scope(caller, entity_type, entity_id, query.workspace)
        if not (has_scope or is_bound)
        else None
    )
    page = memory.get_profile(owner or query.of(caller), entity_type, entity_id)
    if page is None:
        raise not_found("there is no such profile, or this scope may see none of it")
    return ProfileOut.of(page)


def set_profile(
    request: Request,
    entity_type: EntityType,
    entity_id: EntityId,
    body: ProfileIn,
    caller: Writer,
    memory: Engine,
) -> ProfileOut:
    """The whole page; the old one is kept as a revision."""
    scope = _owner_scope(caller, entity_type, entity_id, body.workspace)
    who = {"actor": caller.actor, "door": door_of(request)}
    return ProfileOut.of(memory.profiles.set(scope, body.body, body.name, body.tags, **who))


def edit_profile(
    request: Request,
    entity_type: EntityType,
    entity_id: EntityId,
    body: ProfileEdit,
    caller: Writer,
    memory: Engine,
) -> ProfileOut:
    """A person's correction: what they removed from the body is not learned again. Read the page
    from `/source` first and send its `updated_at`, so that nobody's change is lost.
    """
    scope = _owner_scope(caller, entity_type, entity_id, body.workspace)
    profile = memory.profiles.source(scope)
    stored_time = profile.updated_at if profile else ""
    if body.updated_at is not None and body.updated_at != stored_time:
        raise BusyError(
            "the page was changed in the meantime; read it from /source and edit it again"
        )
    who = {"actor": caller.actor, "door": door_of(request)}
    return ProfileOut.of(memory.profiles.edit(scope, body.body, profile, **who))


def profile_source(
    entity_type: EntityType,
    entity_id: EntityId,
    query: Annotated[WorkspaceQuery, Query()],
    caller: Reader,
    memory: Engine,
) -> ProfileOut:
    """With the marks that say who may see which line; for editing."""
    page = memory.profiles.source(_owner_scope(caller, entity_type, entity_id, query.workspace))
    if page is None:
        raise not_found("there is no such profile")
    return ProfileOut.of(page)


def profile_revisions(
    entity_type: EntityType,
    entity_id: EntityId,
    query: Annotated[WorkspaceQuery, Query()],
    caller: Reader,
    memory: Engine,
) -> RevisionsOut:
    """Newest first."""
    scope = _owner_scope(caller, entity_type, entity_id, query.workspace)
    return RevisionsOut.of(memory.profiles.history(scope))


def profile_diff(
    entity_type: EntityType,
    entity_id: EntityId,
    revision: Revision,
    query: Annotated[DiffQuery, Query()],
    caller: Reader,
    memory: Engine,
) -> DiffOut:
    """From a revision to another, or to the page as it is now."""
    scope = _owner_scope(caller, entity_type, entity_id, query.workspace)
    return DiffOut(diff=memory.profiles.diff(scope, revision, query.to))


def roll_back_profile(
    request: Request,
    entity_type: EntityType,
    entity_id: EntityId,
    revision: Revision,
    caller: Writer,
    memory: Engine,
    once: Once,
    body: WorkspaceIn | None = None,
) -> ProfileOut:
    """On disk and in the index. What is there now becomes a revision."""
    workspace = body.workspace if body else None
    scope = _owner_scope(caller, entity_type, entity_id, workspace)
    who = {"actor": caller.actor, "door": door_of(request)}
    return ProfileOut.of(memory.profiles.rollback(scope, revision, **who))


def _owner_scope(caller: Caller, entity_type: str, entity_id: str, workspace: str | None) -> Scope:
    """The scope that owns a profile: only from there may it be read in full, or written."""
    if entity_type == "user":
        scope = caller.scope(user=entity_id, workspace=workspace)
    else:
        scope = caller.scope(group=entity_id, workspace=workspace)
    if (PLACES.get(scope.home.kind), scope.home.id) != (entity_type, entity_id):
        raise ForbiddenError(f"this key does not reach the page of this {entity_type}")
    return scope
