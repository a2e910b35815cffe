"""OpenAI-compatible proxy: any client gets memory by changing its `base_url`.

Recalled memory is added to the last user message, the request is forwarded to the upstream, its
response is relayed unchanged, and the turn is recorded once the response is complete.
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
from ...scope_headers import group_name_in, may_record, named_in, speaker_in
from ...types import Scope
from ..access_log import ServerMetrics
from ..auth import Caller, caller_of
from .chat import Chat, read_chat, to_json
from .docs import CHAT, EMBEDDINGS, MODEL, MODELS, RESPONSES
from .errors import error_response
from .memory import ProxyMemory, Recalled, TurnSource, no_recall
from .relay import OnComplete, Relay
from .responses import read_responses
from .upstream import Upstream, UpstreamError, to_upstream_error

P = ParamSpec("P")
T = TypeVar("T")
INLINE_BYTES = 1 << 18
RECALL_HEADER = b"x-taishi-memory"


class Proxy:
    """One per app: the upstream client and the memory around each chat."""

    def __init__(self, memory: Memory, metrics: ServerMetrics) -> None:
        self._memory = memory
        self._proxy_memory = ProxyMemory(memory, metrics)
        self._upstream = Upstream()

    async def chat(self, request: Request, path: str, read: Callable[[object], Chat | None]) -> Any:
        """With memory: recall before the upstream is called, record after it answered."""
        caller = await caller_of(request)
        may_keep = may_record(request.headers) and caller.may("write")
        raw = await _json_body(request)
        chat = read(await _in_thread_if_large(len(raw), _parse_object, raw))
        scope, recalled = _scope(caller, request, chat)
        on_complete: OnComplete | None = None
        if scope is not None and chat is not None:
            recalled = await self._proxy_memory.recall(scope, chat.user_text)
            if recalled.block:
                raw = await _in_thread_if_large(len(raw), chat.with_block, recalled.block)
            if may_keep:
                source = TurnSource(
                    speaker_in(request.headers), caller.turn_actor, group_name_in(request.headers)
                )
                on_complete = partial(self._proxy_memory.record, scope, chat, source)
        notes = [(RECALL_HEADER, recalled.note.encode("latin-1", "replace"))]
        return Relay(await self._send(request, path, raw), notes, on_complete)

    async def plain(self, request: Request, path: str) -> Response:
        """Forward and relay, without memory."""
        await caller_of(request)
        body = b""
        if request.method == "POST":
            body = await _json_body(request)
            await _in_thread_if_large(len(body), _parse_object, body)
        return Relay(await self._send(request, path, body), [])

    async def model(self, request: Request, name: str) -> Response:
        """One model, taken from the upstream's list: the caller's path is not forwarded, or
        `models/../files` would reach whatever the configured key can access."""
        await caller_of(request)
        answer = await self._send(request, "/models", b"")
        if not answer.is_success:
            return Relay(answer, [])
        try:
            listed = to_json(await answer.aread())
        except httpx.HTTPError as error:
            raise to_upstream_error(error) from error
        finally:
            await answer.aclose()
        models = listed.get("data") if isinstance(listed, dict) else None
        for model in models if isinstance(models, list) else ():
            if isinstance(model, dict) and model.get("id") == name:
                return Response(json.dumps(model), media_type="application/json")
        printable = name[:80].encode("ascii", "replace").decode()
        message = f"the model {printable!r} is not among the upstream's; see /openai/v1/models"
        raise UpstreamError(404, "model_not_found", message, "model")

    async def _send(self, request: Request, path: str, body: bytes) -> httpx.Response:
        settings, headers = self._memory.settings.proxy, request.headers.items()
        return await self._upstream.send(settings, request.method, path, headers, body)

    async def close(self) -> None:
        await asyncio.to_thread(self._proxy_memory.close)
        await self._upstream.close()


async def _in_thread_if_large(
    size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Process a small body inline and a large one in a thread, so that other chats are not
    blocked."""
    if size <= INLINE_BYTES:
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)


async def _json_body(request: Request) -> bytes:
    """Require a JSON content type: a web page cannot send it across origins without a preflight."""
    if "json" not in request.headers.get("content-type", "").lower():
        raise UpstreamError(415, "media_type", "send it as Content-Type: application/json")
    return await request.body()


def _parse_object(raw: bytes) -> dict[str, Any]:
    """Parse a body that must be a JSON object."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise UpstreamError(400, "invalid_json", "the body is not JSON") from None
    if not isinstance(body, dict):
        raise UpstreamError(400, "invalid_json", "the body must be a JSON object")
    return body


def _scope(caller: Caller, request: Request, chat: Chat | None) -> tuple[Scope | None, Recalled]:
    """The speaker's scope, or None and the reason. A scope that the key does not cover is an
    error."""
    if chat is None:
        return None, no_recall("no user message")
    if chat.is_housekeeping:
        return None, no_recall("a title, tags or summary that the client asks for itself")
    requested: dict[str, Any] = named_in(request.headers)
    requested["user"] = requested["user"] or chat.body.get("user")
    try:
        return caller.scope(**requested), no_recall("")
    except ScopeError:
        return None, no_recall("nobody is named; send X-Taishi-User or the field user")
    except InputError:
        return None, no_recall("the id cannot be used")


async def _with_openai_errors(work: Awaitable[Response]) -> Response:
    """Render our errors in the format that OpenAI clients expect."""
    try:
        return await work
    except UpstreamError as error:
        return error_response(error.status, error.code, str(error), param=error.param)


def _proxy(request: Request) -> Proxy:
    state = request.app.state
    if getattr(state, "proxy", None) is None:
        state.proxy = Proxy(state.memory, state.metrics)
    proxy: Proxy = state.proxy
    return proxy


@asynccontextmanager
async def _close_with_app(app: Any) -> AsyncIterator[None]:
    yield
    if getattr(app.state, "proxy", None) is not None:
        await app.state.proxy.close()


def proxy_router() -> APIRouter:
    """The routes under /openai/v1. Only what a chat needs: with a configured upstream key, any
    other upstream endpoint would be open to every key of ours."""
    router = APIRouter(prefix="/openai/v1", tags=["openai"], lifespan=_close_with_app)

    @router.post("/chat/completions", **CHAT)
    async def chat_completions(request: Request) -> Response:
        return await _with_openai_errors(
            _proxy(request).chat(request, "/chat/completions", read_chat)
        )

    @router.post("/responses", **RESPONSES)
    async def responses(request: Request) -> Response:
        return await _with_openai_errors(
            _proxy(request).chat(request, "/responses", read_responses)
        )

    @router.get("/models", **MODELS)
    async def models(request: Request) -> Response:
        return await _with_openai_errors(_proxy(request).plain(request, "/models"))

    @router.get("/models/{model:path}", **MODEL)
    async def model(request: Request, model: str) -> Response:
        return await _with_openai_errors(_proxy(request).model(request, model))

    @router.post("/embeddings", **EMBEDDINGS)
    async def embeddings(request: Request) -> Response:
        return await _with_openai_errors(_proxy(request).plain(request, "/embeddings"))

    return router
