"""Routes for looking through a memory as a person does, and for looking after the server."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request

from ...api_keys import Keys
from ...errors import InputError, TaishiError
from ...memory import Memory
from ...settings import form_sections
from ...types import Scope
from ..auth import DEFAULT_WORKSPACE, Caller
from ..change_stream import change_stream, wants_stream
from ..health import not_ready_reasons
from ..problems import not_found
from ..record_preview import preview_of
from ..route import Engine, Once, Reader, RouteSpec, ServerAdmin, router
from ..schemas.activity import ActivityOut, ActivityQuery
from ..schemas.browse import (
    BrowseQuery,
    ChangesOut,
    KeyIn,
    KeyOut,
    KeysOut,
    MapOut,
    MapQuery,
    NewKeyOut,
    PartitionOut,
    PartitionsOut,
    QueueHealth,
    SettingOut,
    SettingsFormOut,
    SettingsSectionOut,
    SummaryOut,
)
from ..schemas.common import ScopeQuery, filters_of
from ..schemas.curate import WorkspaceQuery
from ..schemas.memories import PageOut

log = logging.getLogger("taishi.server")
PREPARE_SECONDS = 10.0
IN_NO_TEXT = "\x01"  # to be found by reading all of them


def browse_routes() -> APIRouter:
    return router(
        "looking",
        (
            RouteSpec("GET", "/browse", browse, "List memories, newest first"),
            RouteSpec("GET", "/map", meaning_map, "Memories as a map by meaning"),
            RouteSpec("GET", "/summary", summary, "A partition at a glance"),
            RouteSpec("GET", "/activity", activity, "Growth and latency over time"),
            RouteSpec("GET", "/changes", changes, "Change counters"),
            RouteSpec("GET", "/partitions", partitions, "Which chats, groups and agents there are"),
            RouteSpec("GET", "/settings/form", settings_form, "The settings as a form"),
            RouteSpec("GET", "/keys", list_keys, "List keys"),
            RouteSpec("POST", "/keys", create_key, "Create a key", 201),
            RouteSpec("POST", "/keys/{name}/revoke", revoke_key, "Revoke a key", missing=True),
        ),
    )


def browse(query: Annotated[BrowseQuery, Query()], caller: Reader, memory: Engine) -> PageOut:
    """The records of the scope's partition, newest first, a page at a time."""
    page = memory.records.newest(
        query.of(caller),
        query.kinds,
        query.states,
        query.person,
        query.tag,
        query.text,
        query.time_from,
        query.time_to,
        query.min_confidence,
        query.expired,
        query.after,
        query.limit,
        session=query.in_session,
        filters=filters_of(query.filters),
        order_by=query.order_by,
    )
    found = PageOut.of(page)
    if not query.preview:
        return found
    return PageOut(items=[preview_of(item) for item in found.items], next=found.next)


def meaning_map(query: Annotated[MapQuery, Query()], caller: Reader, memory: Engine) -> MapOut:
    """The newest records of the scope's partition on a plane: the first two principal components of
    their vectors. Empty without an embedder.
    """
    return MapOut.of(memory.records.map(query.of(caller), query.kinds, query.limit))


def summary(query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine) -> SummaryOut:
    """Counts of the scope's partition, its growth over 30 days, and what does not work."""
    scope = query.of(caller)
    status = memory.status(records=False)
    degraded = not_ready_reasons(memory)  # an error, if the database is away
    queue = QueueHealth(**status["queue"]) if _sees_everything(caller) else None
    if status["enabled"] and not status["embedder"]["on"]:
        degraded = {**degraded, "embedder": str(status["embedder"]["note"])}
    return SummaryOut.of(
        memory.records.digest(scope),
        enabled=memory.is_on(scope),
        read_only=status["read_only"],
        has_proxy=bool(memory.settings.proxy.upstream_url),
        max_body_mb=memory.settings.server.max_body_mb,
        timezone=str(memory.settings.zone()),
        queue=queue,
        degraded=degraded,
    )


def activity(
    query: Annotated[ActivityQuery, Query()], caller: Reader, memory: Engine
) -> ActivityOut:
    """New records of the scope's partition by kind and day; for a key of the whole server also how
    long recalls and turns took in this process, and the age of the queue, by the minute.
    """
    growth = memory.records.growth(query.of(caller), query.days)
    process = memory.maintenance.activity() if _sees_everything(caller) else None
    return ActivityOut.of(growth, process)


async def changes(
    request: Request, query: Annotated[ScopeQuery, Query()], caller: Reader, memory: Engine
) -> ChangesOut:
    """Counters that change with every write. With `Accept: text/event-stream`, streams one event
    immediately and one after every change, for up to ten minutes.
    """
    scope = query.of(caller)
    sees_jobs = _sees_everything(caller)
    count = partial(_counters, memory, scope, sees_jobs)
    if not wants_stream(request.headers):
        return await asyncio.to_thread(count)
    prepare = partial(_prepare_searches, memory, scope)
    stream: Any = change_stream(request, lambda: count().model_dump_json(), prepare)
    return stream  # type: ignore[no-any-return]  # passed through by the framework as it is


def partitions(
    query: Annotated[WorkspaceQuery, Query()], caller: Reader, memory: Engine
) -> PartitionsOut:
    """Those of a workspace that have records; a key for one of them sees only that one."""
    workspace = caller.allowed_workspace(query.workspace) or DEFAULT_WORKSPACE
    found = memory.partitions(workspace)
    if caller.key is not None and caller.key.is_narrow:
        home = caller.scope(workspace=workspace).home
        found = [info for info in found if info.partition == home]
    return PartitionsOut(workspace=workspace, partitions=[PartitionOut.of(info) for info in found])


def settings_form(caller: ServerAdmin, memory: Engine) -> SettingsFormOut:
    """Every setting with its value, limits and meaning in both languages."""
    settings = memory.settings
    return SettingsFormOut(
        file=str(settings.origin.file) if settings.origin.file else None,
        sections=[
            SettingsSectionOut(
                key=section.key,
                en=section.en,
                zh=section.zh,
                fields=[SettingOut(**field) for field in section.fields],
            )
            for section in form_sections(settings)
        ],
    )


def list_keys(request: Request, caller: ServerAdmin) -> KeysOut:
    """Every key, revoked ones too, oldest first. Secrets are not stored."""
    keys: Keys = request.app.state.keys
    return KeysOut(keys=[KeyOut.of(key) for key in keys.list()])


def create_key(request: Request, body: KeyIn, caller: ServerAdmin) -> NewKeyOut:
    """As soon as one key exists, every request needs a key. The secret is shown only once. The
    first key has to be an admin key for every workspace, or nobody could make another here.
    """
    keys: Keys = request.app.state.keys
    is_owner = body.rights == "admin" and body.workspace is None
    is_narrow = body.user or body.group or body.agent
    if not keys.set_up and (not is_owner or is_narrow):
        raise InputError(
            "once a key exists, every request needs one: create the first one with the right "
            "admin for every workspace, then create the others"
        )
    key, secret = keys.create(**body.model_dump())
    return NewKeyOut(key=KeyOut.of(key), secret=secret)


def revoke_key(
    request: Request, name: Annotated[str, Path(max_length=100)], caller: ServerAdmin, once: Once
) -> KeyOut:
    """Revokes the key and ends its sessions immediately. It stays on the list."""
    keys: Keys = request.app.state.keys
    if name not in {key.id for key in keys.list()}:
        raise not_found("there is no key with this id; list them first")
    if caller.key is not None and caller.key.id == name:
        raise InputError("this is the key you are using; revoke it with another one")
    return KeyOut.of(keys.revoke(name))


def _sees_everything(caller: Caller) -> bool:
    is_narrow = caller.key is not None and caller.key.is_narrow
    return caller.may("admin") and caller.workspace is None and not is_narrow


def _prepare_searches(memory: Memory, scope: Scope) -> None:
    """Who follows a place looks at it, and may search it next: read what a search needs."""
    try:
        if memory.is_on(scope):
            memory.records.newest(scope, text=IN_NO_TEXT, limit=1)
            memory.warm_up(scope, PREPARE_SECONDS)
    except TaishiError as error:
        log.warning("the first search may take longer: %s", error)


def _counters(memory: Memory, scope: Scope, sees_jobs: bool) -> ChangesOut:
    queue = memory.status(records=False)["queue"] if sees_jobs else {}
    shared = 0
    if not scope.shared:  # what every scope of the workspace may read
        shared = memory.records.change_count(Scope(shared=True, workspace=scope.workspace))
    return ChangesOut(
        records=memory.records.change_count(scope),
        shared=shared,
        jobs=queue.get("pending", 0) + queue.get("processing", 0),
        failed=queue.get("failed", 0),
    )
