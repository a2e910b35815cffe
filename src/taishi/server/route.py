"""The route class of /v1: authentication, strict JSON, idempotency; then the handler in one thread.

Handlers are plain functions, because the memory is synchronous. FastAPI would run a plain function
in one thread and validate its response in another; here one thread does both.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Sequence
from contextvars import copy_context
from functools import partial, wraps
from typing import Annotated, Any, NamedTuple, get_type_hints

from fastapi import APIRouter, Depends, Header
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from ..language.accept_language import language_of
from ..memory import Memory
from .admission import current_admission
from .auth import Caller, caller_of
from .idempotency import HEADER, entry_name
from .json_body import StrictRequest
from .openapi import failures

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class ApiRoute(APIRoute):
    """Authenticates, parses and deduplicates a request before its handler runs."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        if not inspect.iscoroutinefunction(endpoint):
            endpoint = _run_in_thread(endpoint)
        super().__init__(path, endpoint, **options)

    def get_route_handler(self) -> Handler:
        handle = self.with_admission(super().get_route_handler())
        takes_json = self.body_field is not None
        takes_key = any(dependency.call is _once for dependency in self.dependant.dependencies)

        async def handle_request(request: Request) -> Response:
            caller = await caller_of(request)
            if takes_json:
                strict = StrictRequest(request.scope, request.receive)
                await strict.load()
                request = strict
            name = entry_name(request, caller.id) if takes_key else None
            if name is None:
                return await handle(request)
            request.state.once = name
            answer: Response = await request.app.state.idempotency.once(name, request, handle)
            return answer

        return handle_request

    def with_admission(self, handle: Handler) -> Handler:
        """Hook for admission control; here the handler runs at once."""
        return handle


class SlowApiRoute(ApiRoute):
    """For handlers with a deadline, which the body may set: see `admission`."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, _within_deadline(endpoint), **options)

    def with_admission(self, handle: Handler) -> Handler:
        async def enter(request: Request) -> Response:
            current_admission.set(request.app.state.admission)
            return await handle(request)

        return enter


def _run_in_thread(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(endpoint)
    async def call(*args: Any, **values: Any) -> Any:
        work = partial(copy_context().run, endpoint, *args, **values)
        return await asyncio.get_running_loop().run_in_executor(None, work)

    return call


def _within_deadline(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """Time spent waiting for admission is subtracted from the handler's deadline."""
    work = _run_in_thread(endpoint)

    @wraps(endpoint)
    async def call(*, body: Any, memory: Memory, **values: Any) -> Any:
        default = memory.settings.query.recall_timeout
        seconds = default if body.deadline is None else body.deadline
        async with current_admission.get().within(seconds) as remaining:
            shortened = body.model_copy(update={"deadline": remaining})
            return await work(body=shortened, memory=memory, **values)

    return call


class RouteSpec(NamedTuple):
    """One route: method, path, handler, and what its OpenAPI description says.

    The handler's docstring is the rest of its description.
    """

    method: str
    path: str
    handler: Callable[..., Any]
    summary: str
    status: int = 200
    missing: bool = False
    takes: str | None = None  # the media type of a body that is not JSON
    answer: type[Response] | None = None  # for responses that are not a model


def router(
    tag: str, specs: Sequence[RouteSpec], route_class: type[ApiRoute] = ApiRoute
) -> APIRouter:
    """A router of /v1 from a table of routes."""
    api_router = APIRouter(prefix="/v1", tags=[tag], route_class=route_class)
    for spec in specs:
        api_router.add_api_route(
            spec.path,
            spec.handler,
            methods=[spec.method],
            status_code=spec.status,
            summary=spec.summary,
            responses=failures(spec.missing),
            openapi_extra={"x-needs": _needs(spec.handler), **_raw_body(spec.takes)},
            response_class=spec.answer or api_router.default_response_class,
        )
    return api_router


def _needs(handler: Callable[..., Any]) -> str:
    """The right that a route needs, from the annotation of its handler's `caller`."""
    annotation = get_type_hints(handler, include_extras=True)["caller"]
    return NEEDS[annotation.__metadata__[0].dependency]


def _raw_body(media_type: str | None) -> dict[str, Any]:
    if media_type is None:
        return {}
    content = {media_type: {"schema": {"type": "string"}}}
    return {"requestBody": {"required": True, "content": content}}


async def memory_of(request: Request) -> Memory:
    memory: Memory = request.app.state.memory
    return memory


async def _reader(caller: Annotated[Caller, Depends(caller_of)]) -> Caller:
    caller.need("read")
    return caller


async def _writer(caller: Annotated[Caller, Depends(caller_of)]) -> Caller:
    caller.need("write")
    return caller


async def _admin(caller: Annotated[Caller, Depends(caller_of)]) -> Caller:
    caller.need("admin")
    return caller


async def _workspace_admin(caller: Annotated[Caller, Depends(caller_of)]) -> Caller:
    caller.need_workspace("admin")
    return caller


async def _server_admin(caller: Annotated[Caller, Depends(caller_of)]) -> Caller:
    caller.need_server()
    return caller


async def _once(
    request: Request,
    key: Annotated[
        str | None,
        Header(
            alias=HEADER,
            description="Sent again with the same key and body, a request is done once and "
            "answered alike; with another body it is refused.",
            examples=["6f1e0c0e-5a7e-4d5e-9b8e-0f2f3f1d7c11"],
        ),
    ] = None,
) -> str | None:
    """A name that stays the same when this request is sent again, even after a crash."""
    return getattr(request.state, "once", None)


async def _language(request: Request) -> str:
    return language_of(request.headers)


Language = Annotated[str, Depends(_language)]  # of texts for people in the response
Engine = Annotated[Memory, Depends(memory_of)]
Reader = Annotated[Caller, Depends(_reader)]
Writer = Annotated[Caller, Depends(_writer)]
Admin = Annotated[Caller, Depends(_admin)]  # within the key's scope
WorkspaceAdmin = Annotated[Caller, Depends(_workspace_admin)]  # administers a workspace
ServerAdmin = Annotated[Caller, Depends(_server_admin)]  # administers the server
Once = Annotated[str | None, Depends(_once)]
NEEDS = {
    _reader: "`read`",
    _writer: "`write`",
    _admin: "`admin`",
    _workspace_admin: "`admin` of the workspace",
    _server_admin: "`admin` of the server",
}
