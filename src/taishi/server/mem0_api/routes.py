"""The routes of mem0's platform (/v1, /v2, /v3) and of its open-source server (/memories, /search).

All are under /mem0; see `paths` for how mem0's clients get there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.responses import Response

from ...adapters.mem0.entities import Entities, UnknownMemoryError
from ...adapters.mem0.filters import parse
from ...adapters.mem0.operations import Caller as Mem0Caller
from ...adapters.mem0.operations import Operations
from ...adapters.mem0.prompts import PROMPTS, refuse_prompts
from ...errors import ForbiddenError
from ...scope_headers import named_in
from ...types import Scope
from ..auth import DEFAULT_WORKSPACE, Caller, caller_of
from ..forgotten_access import forget_access
from ..problems import not_found
from ..route import ApiRoute, Engine, Handler, Reader, SlowApiRoute, Writer
from .paths import PREFIX
from .schemas import (
    AddIn,
    BatchIn,
    EntityQuery,
    ListIn,
    PageQuery,
    SearchIn,
    UpdateIn,
)

ADD_SECONDS = 10.0  # a thread of the server waits that long for the historian
DEFAULT_TOP_K = 20
DEFAULT_THRESHOLD = 0.1
Result = dict[str, Any]


class Mem0Route(ApiRoute):
    """A memory that is not there is a 404, as mem0's clients expect."""

    def get_route_handler(self) -> Handler:
        return _with_not_found(super().get_route_handler())


class SlowMem0Route(SlowApiRoute):
    def get_route_handler(self) -> Handler:
        return _with_not_found(super().get_route_handler())


def _with_not_found(handle: Handler) -> Handler:
    async def handle_request(request: Request) -> Response:
        try:
            return await handle(request)
        except UnknownMemoryError as error:
            raise not_found(str(error)) from None

    return handle_request


async def _workspace(request: Request, caller: Annotated[Caller, Depends(caller_of)]) -> str:
    """The key's own; with a key for all of them, the one that X-Taishi-Workspace names."""
    return caller.allowed_workspace(named_in(request.headers)["workspace"]) or DEFAULT_WORKSPACE


async def _operations(
    request: Request,
    caller: Annotated[Caller, Depends(caller_of)],
    memory: Engine,
    workspace: Annotated[str, Depends(_workspace)],
) -> Operations:
    allowed = Mem0Caller(
        resolve=partial(_scope, caller, workspace=workspace),
        actor=caller.actor,
        turn_actor=caller.turn_actor,
        deletion={**caller.deletion_actor, "door": "mem0"},
        forgotten=lambda place: forget_access(request.app.state.keys, place).total,
    )
    return Operations(memory, allowed)


def _scope(caller: Caller, *, workspace: str, **named: Any) -> Scope:
    """Says in mem0's words whom a key is for; the key's holder may know it (see whoami)."""
    try:
        return caller.scope(workspace=workspace, **named)
    except ForbiddenError:
        for entity in ("user", "agent"):
            own = getattr(caller.key, entity, None)
            if own and named.get(entity) != own:
                raise ForbiddenError(
                    f"this key is for {entity} {own}: pass {entity}_id={own!r}"
                ) from None
        raise


Operating = Annotated[Operations, Depends(_operations)]
Workspace = Annotated[str, Depends(_workspace)]
MemoryId = Annotated[str, Path(max_length=4000)]


def mem0_router() -> APIRouter:
    """None of these is in our own description: mem0 has its own."""
    router = APIRouter(prefix=PREFIX, include_in_schema=False, route_class=Mem0Route)
    for method, path, handler in _ROUTES:
        slow = SlowMem0Route if handler is search else None
        router.add_api_route(path, handler, methods=[method], route_class_override=slow)
    return router


def ping(caller: Reader, workspace: Workspace) -> Result:
    return {"status": "ok", "org_id": "taishi", "project_id": workspace, "user_email": None}


def add(body: AddIn, caller: Writer, operations: Operating) -> Result:
    refuse_prompts({name: getattr(body, name) for name in PROMPTS})
    added = operations.add(
        body.messages,
        parse(body.all_filters).entities,
        metadata=body.metadata,
        timestamp=body.timestamp,
        expiration_date=body.expiration_date,
        infer=body.infer is not False,
        memory_type=body.memory_type,
        wait=ADD_SECONDS,
    )
    return {"results": added}


def list_page(
    body: ListIn, query: Annotated[PageQuery, Query()], caller: Reader, operations: Operating
) -> Result:
    asked = operations.query(_with_conditions(body), show_expired=bool(body.show_expired))
    items, count = operations.page(asked, query.page, query.page_size)
    is_last = query.page * query.page_size >= count
    return {
        "count": count,
        "next": None if is_last else _page_path(query.page + 1, query.page_size),
        "previous": None if query.page == 1 else _page_path(query.page - 1, query.page_size),
        "results": items,
    }


def list_newest(
    query: Annotated[EntityQuery, Query()],
    caller: Reader,
    operations: Operating,
    top_k: Annotated[int, Query(ge=0, le=1000)] = DEFAULT_TOP_K,
) -> Result:
    return {"results": operations.newest(operations.query(query.named), top_k)}


def search(*, body: SearchIn, caller: Reader, operations: Operating, memory: Engine) -> Result:
    limit = body.limit if body.top_k is None else body.top_k
    found = operations.search(
        body.query,
        operations.query(_with_conditions(body), show_expired=bool(body.show_expired)),
        top_k=DEFAULT_TOP_K if limit is None else limit,
        threshold=DEFAULT_THRESHOLD if body.threshold is None else body.threshold,
        explain=bool(body.explain),
        now=body.reference_date,
        deadline=body.deadline or 0.0,
    )
    if body.fields:
        wanted = {"id", "memory", *body.fields}
        found = [{key: one[key] for key in one if key in wanted} for one in found]
    return {"results": found}


def get(memory_id: MemoryId, caller: Reader, operations: Operating) -> Result:
    return operations.get(memory_id)


def history(memory_id: MemoryId, caller: Reader, operations: Operating) -> list[Result]:
    return operations.history(memory_id)


def update(memory_id: MemoryId, body: UpdateIn, caller: Writer, operations: Operating) -> Result:
    return operations.update(memory_id, **body.changes)


def delete(memory_id: MemoryId, caller: Writer, operations: Operating) -> Result:
    operations.delete(memory_id)
    return {"message": "Memory deleted successfully!"}


def delete_all(
    query: Annotated[EntityQuery, Query()], caller: Writer, operations: Operating
) -> Result:
    operations.delete_all(Entities.of(query.named))
    return {"message": "Memories deleted successfully!"}


def entities(caller: Reader, operations: Operating, workspace: Workspace) -> Result:
    """Those of a workspace; a key for one of them sees only that one."""
    is_narrow = caller.key is not None and caller.key.is_narrow
    only = caller.scope(workspace=workspace) if is_narrow else None
    items = operations.entities(workspace, only)
    return {"count": len(items), "next": None, "previous": None, "results": items}


def delete_entity(entity: str, name: str, caller: Writer, operations: Operating) -> Result:
    operations.delete_entity(entity, name)
    return {"message": "Entity deleted successfully!"}


def update_batch(body: BatchIn, caller: Writer, operations: Operating) -> Result:
    """Every memory has to be there before the first is changed."""
    for one in body.memories:
        operations.get(one.memory_id)
    for one in body.memories:
        operations.update(one.memory_id, **one.changes)
    return {"message": f"Successfully updated {len(body.memories)} memories"}


def delete_batch(body: BatchIn, caller: Writer, operations: Operating) -> Result:
    """Every memory has to be there before the first is deleted; two ids may stand for one."""
    ids = list(dict.fromkeys(operations.get(one.memory_id)["id"] for one in body.memories))
    for id in ids:
        operations.delete(id)
    return {"message": f"Successfully deleted {len(ids)} memories"}


def _with_conditions(body: ListIn | SearchIn) -> dict[str, Any]:
    """The filters, with what mem0's clients may ask beside them."""
    conditions: list[dict[str, Any]] = []
    if body.categories:
        conditions.append({"categories": {"in": body.categories}})
    if isinstance(body, SearchIn) and body.metadata:
        conditions.append({"metadata": body.metadata})
    if isinstance(body, ListIn):
        ends = {"gte": body.start_date, "lte": body.end_date}
        times = {operation: time for operation, time in ends.items() if time is not None}
        conditions += [{"created_at": times}] if times else []
    filters = body.all_filters
    if not conditions:
        return filters
    return {"AND": [*([filters] if filters else []), *conditions]}


def _page_path(page: int, size: int) -> str:
    return f"/v3/memories/?page={page}&page_size={size}"


_ROUTES: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("GET", "/v1/ping/", ping),
    ("POST", "/v3/memories/add/", add),
    ("POST", "/v3/memories/search/", search),
    ("POST", "/v3/memories/", list_page),
    ("DELETE", "/v1/memories/", delete_all),
    ("GET", "/v1/memories/{memory_id}/history/", history),
    ("GET", "/v1/memories/{memory_id}/", get),
    ("PUT", "/v1/memories/{memory_id}/", update),
    ("DELETE", "/v1/memories/{memory_id}/", delete),
    ("GET", "/v1/entities/", entities),
    ("DELETE", "/v2/entities/{entity}/{name}/", delete_entity),
    ("PUT", "/v1/batch/", update_batch),
    ("DELETE", "/v1/batch/", delete_batch),
    ("POST", "/memories", add),
    ("GET", "/memories", list_newest),
    ("DELETE", "/memories", delete_all),
    ("GET", "/memories/{memory_id}/history", history),
    ("GET", "/memories/{memory_id}", get),
    ("PUT", "/memories/{memory_id}", update),
    ("DELETE", "/memories/{memory_id}", delete),
    ("POST", "/search", search),
)
