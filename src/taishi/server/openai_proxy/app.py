"""The OpenAI-compatible door: any client gets memory by changing its `base_url`.

A chat is asked with what is remembered in its last user turn, goes on to the upstream, comes back
unchanged, and what was told in it is kept once it is over.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, ParamSpec, TypeVar

import httpx
from fastapi import APIRouter, Request
from starlette.responses import Response

from ...errors import InputError, ScopeError
from ...memory import Memory
from ...scope_headers import may_record, named_in, speaker_in
from ...types import Scope
from ..access_log import ServerMetrics
from ..auth import Caller, caller_of
from .chat import Chat, read_chat, to_json
from .docs import CHAT, EMBEDDINGS, MODEL, MODELS, RESPONSES
from .errors import error_response
from .memory import ProxyMemory, Recalled, Teller, off
from .relay import Relay, Told
from .responses import read_responses
from .upstream import Upstream, UpstreamError, translated

P = ParamSpec("P")
T = TypeVar("T")
SMALL_BYTES = 1 << 18
NOTE = b"x-taishi-memory"


class Proxy:
    """One for each app: its line to the upstream, and who looks after memory."""

    def __init__(self, memory: Memory, gauges: ServerMetrics) -> None:
        self._memory = memory
        self._attendant = ProxyMemory(memory, gauges)
        self._upstream = Upstream()

    async def chat(self, request: Request, path: str, read: Callable[[object], Chat | None]) -> Any:
        """With memory: recalled before the upstream is asked, recorded after it answered."""
        caller = await caller_of(request)
        may_keep = may_record(request.headers) and caller.may("write")
        raw = await _json_body(request)
        chat = read(await _aside(len(raw), _object, raw))
        scope, recalled = _scope(caller, request, chat)
        told: Told | None = None
        if scope is not None and chat is not None:
            recalled = await self._attendant.recall(scope, chat.said)
            if recalled.block:
                raw = await _aside(len(raw), chat.with_block, recalled.block)
            if may_keep:
                teller = Teller(speaker_in(request.headers), caller.teller)
                told = partial(self._attendant.record, scope, chat, teller)
        notes = [(NOTE, recalled.note.encode("latin-1", "replace"))]
        return Relay(await self._send(request, path, raw), notes, told)

    async def plain(self, request: Request, path: str) -> Response:
        """Passed on and back, without memory."""
        await caller_of(request)
        body = b""
        if request.method == "POST":
            body = await _json_body(request)
            await _aside(len(body), _object, body)
        return Relay(await self._send(request, path, body), [])

    async def model(self, request: Request, name: str) -> Response:
        """One model, out of the upstream's list: nothing of the caller's path goes upstream, or
        `models/../files` would reach whatever the configured key can."""
        await caller_of(request)
        answer = await self._send(request, "/models", b"")
        if not answer.is_success:
            return Relay(answer, [])
        try:
            listed = to_json(await answer.aread())
        except httpx.HTTPError as error:
            raise translated(error) from error
        finally:
            await answer.aclose()
        models = listed.get("data") if isinstance(listed, dict) else None
        for one in models if isinstance(models, list) else ():
            if isinstance(one, dict) and one.get("id") == name:
                return Response(json.dumps(one), media_type="application/json")
        shown = name[:80].encode("ascii", "replace").decode()
        message = f"the model {shown!r} is not among the upstream's; see /openai/v1/models"
        raise UpstreamError(404, "model_not_found", message, "model")

    async def _send(self, request: Request, path: str, body: bytes) -> httpx.Response:
        settings, headers = self._memory.settings.proxy, request.headers.items()
        return await self._upstream.send(settings, request.method, path, headers, body)

    async def close(self) -> None:
        await asyncio.to_thread(self._attendant.close)
        await self._upstream.close()


async def _aside(size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """A small body is read at once; a large one in a thread, as other chats wait meanwhile."""
    if size <= SMALL_BYTES:
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)


async def _json_body(request: Request) -> bytes:
    """Only what says that it is JSON: a web page cannot send that across origins unasked."""
    if "json" not in request.headers.get("content-type", "").lower():
        raise UpstreamError(415, "media_type", "send it as Content-Type: application/json")
    return await request.body()


def _object(raw: bytes) -> dict[str, Any]:
    """The JSON object of a body: anything else no upstream could answer."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise UpstreamError(400, "invalid_json", "the body is not JSON") from None
    if not isinstance(body, dict):
        raise UpstreamError(400, "invalid_json", "the body must be a JSON object")
    return body


def _scope(caller: Caller, request: Request, chat: Chat | None) -> tuple[Scope | None, Recalled]:
    """Who is speaking, or nobody and why. A key that does not reach there is an error."""
    if chat is None:
        return None, off("no user message")
    if chat.is_housekeeping:
        return None, off("a title, tags or summary that the client asks for itself")
    asked: dict[str, Any] = named_in(request.headers)
    asked["user"] = asked["user"] or chat.body.get("user")
    try:
        return caller.scope(**asked), off("")
    except ScopeError:
        return None, off("nobody is named; send X-Taishi-User or the field user")
    except InputError:
        return None, off("the id cannot be used")


async def _answered(work: Awaitable[Response]) -> Response:
    """Our own errors in the shape that OpenAI's clients read."""
    try:
        return await work
    except UpstreamError as error:
        return error_response(error.status, error.code, str(error), param=error.param)


def _proxy(request: Request) -> Proxy:
    state = request.app.state
    if getattr(state, "proxy", None) is None:
        state.proxy = Proxy(state.memory, state.gauges)
    found: Proxy = state.proxy
    return found


@asynccontextmanager
async def _until_the_end(app: Any) -> AsyncIterator[None]:
    yield
    if getattr(app.state, "proxy", None) is not None:
        await app.state.proxy.close()


def proxy_router() -> APIRouter:
    """The routes under /openai/v1. Only what a chat needs: with a configured key, everything else
    that the upstream can do would be open to every key of ours."""
    router = APIRouter(prefix="/openai/v1", tags=["openai"], lifespan=_until_the_end)

    @router.post("/chat/completions", **CHAT)
    async def chat_completions(request: Request) -> Response:
        return await _answered(_proxy(request).chat(request, "/chat/completions", read_chat))

    @router.post("/responses", **RESPONSES)
    async def responses(request: Request) -> Response:
        return await _answered(_proxy(request).chat(request, "/responses", read_responses))

    @router.get("/models", **MODELS)
    async def models(request: Request) -> Response:
        return await _answered(_proxy(request).plain(request, "/models"))

    @router.get("/models/{model:path}", **MODEL)
    async def model(request: Request, model: str) -> Response:
        return await _answered(_proxy(request).model(request, model))

    @router.post("/embeddings", **EMBEDDINGS)
    async def embeddings(request: Request) -> Response:
        return await _answered(_proxy(request).plain(request, "/embeddings"))

    return router
