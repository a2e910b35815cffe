"""The route class of /v1: who calls, what they sent, whether it was sent before; then one thread.

Handlers are plain functions, because the engine is. FastAPI would hand a plain function to a
thread and its answer's check to another; here it is one hand-over a request.
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

from ..memory import Memory
from .admission import current_admission
from .auth import Caller, caller_of
from .idempotency import HEADER, name_of
from .json_body import StrictRequest
from .languages import language_of
from .openapi import failures

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class ApiRoute(APIRoute):
    """The way into every route."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        if not inspect.iscoroutinefunction(endpoint):
            endpoint = _in_a_thread(endpoint)
        super().__init__(path, endpoint, **options)

    def get_route_handler(self) -> Handler:
        handle = self.paced(super().get_route_handler())
        takes_json = self.body_field is not None
        takes_key = any(one.call is _once for one in self.dependant.dependencies)

        async def enter(request: Request) -> Response:
            caller = await caller_of(request)
            if takes_json:
                strict = StrictRequest(request.scope, request.receive)
                await strict.load()
                request = strict
            name = name_of(request, caller.id) if takes_key else None
            if name is None:
                return await handle(request)
            request.state.once = name
            answer: Response = await request.app.state.repeats.once(name, request, handle)
            return answer

        return enter

    def paced(self, handle: Handler) -> Handler:
        """The work itself, when its turn has come: here, at once."""
        return handle


class SlowApiRoute(ApiRoute):
    """For what has a deadline: see `admission`. The body says how long its sender would wait."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, _within_deadline(endpoint), **options)

    def paced(self, handle: Handler) -> Handler:
        async def enter(request: Request) -> Response:
            current_admission.set(request.app.state.admission)
            return await handle(request)

        return enter


def _in_a_thread(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(endpoint)
    async def call(*args: Any, **values: Any) -> Any:
        work = partial(copy_context().run, endpoint, *args, **values)
        return await asyncio.get_running_loop().run_in_executor(None, work)

    return call


def _within_deadline(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """What was spent on waiting is not there for the work."""
    work = _in_a_thread(endpoint)

    @wraps(endpoint)
    async def call(*, body: Any, memory: Memory, **values: Any) -> Any:
        usual = memory.settings.query.recall_timeout
        seconds = usual if body.deadline is None else body.deadline
        async with current_admission.get().within(seconds) as left:
            hurried = body.model_copy(update={"deadline": left})
            return await work(body=hurried, memory=memory, **values)

    return call


class RouteSpec(NamedTuple):
    """One route: what it takes, what it does, its line in the description, how it may fail.

    The handler's docstring is the rest of its description.
    """

    method: str
    path: str
    handler: Callable[..., Any]
    summary: str
    status: int = 200
    missing: bool = False
    takes: str | None = None  # a body that is not JSON: its media type
    answer: type[Response] | None = None  # not a model: what it answers with


def router(tag: str, rows: Sequence[RouteSpec], door: type[ApiRoute] = ApiRoute) -> APIRouter:
    """A table of routes under /v1, each of them a door."""
    made = APIRouter(prefix="/v1", tags=[tag], route_class=door)
    for row in rows:
        made.add_api_route(
            row.path,
            row.handler,
            methods=[row.method],
            status_code=row.status,
            summary=row.summary,
            responses=failures(row.missing),
            openapi_extra={"x-needs": _needs(row.handler), **_raw_body(row.takes)},
            response_class=row.answer or made.default_response_class,
        )
    return made


def _needs(handler: Callable[..., Any]) -> str:
    """What the caller of a route must be allowed, from how its handler names the caller."""
    named = get_type_hints(handler, include_extras=True)["caller"]
    return NEEDS[named.__metadata__[0].dependency]


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


async def _keeper(caller: Annotated[Caller, Depends(caller_of)]) -> Caller:
    caller.need_workspace("admin")
    return caller


async def _owner(caller: Annotated[Caller, Depends(caller_of)]) -> Caller:
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
    """A name that is the same whenever this request is sent again, also after a crash."""
    return getattr(request.state, "once", None)


async def _language(request: Request) -> str:
    return language_of(request.headers)


Language = Annotated[str, Depends(_language)]  # of what the answer says to people
Engine = Annotated[Memory, Depends(memory_of)]
Reader = Annotated[Caller, Depends(_reader)]
Writer = Annotated[Caller, Depends(_writer)]
Admin = Annotated[Caller, Depends(_admin)]  # as far as the key reaches
Keeper = Annotated[Caller, Depends(_keeper)]  # looks after a workspace
Owner = Annotated[Caller, Depends(_owner)]  # looks after the server
Once = Annotated[str | None, Depends(_once)]
NEEDS = {
    _reader: "`read`",
    _writer: "`write`",
    _admin: "`admin`",
    _keeper: "`admin` of the workspace",
    _owner: "`admin` of the server",
}
