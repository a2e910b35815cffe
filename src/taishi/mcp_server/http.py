"""Many clients over streamable HTTP: an ASGI app for one path of a larger server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as mcp
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Send
from starlette.types import Scope as AsgiScope

from ..errors import ForbiddenError, InputError, ScopeError, UnknownKeyError
from ..http_origins import is_trusted
from ..memory import Memory
from ..scope_headers import HEADERS, named_in
from ..types import Scope
from .handlers import Context, Handlers, McpCaller

GUEST = "taishi.guest"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
ANY_ADDRESS = ("0.0.0.0", "::", "[::]", "")
GuestOf = Callable[[Mapping[str, str]], Scope | McpCaller]


class HttpApp:
    """An ASGI app for one path, usually /mcp. It holds no sessions: each request says who asks.

    Its background work must run while requests are served. Enter `run()` in the lifespan of the
    app that it is part of, and route the exact path to it (a Mount would redirect to `/mcp/`):

        door = streamable_http_app(memory, guest_of)

        @asynccontextmanager
        async def lifespan(app):
            async with door.run():
                yield

        app = Starlette(routes=[Route("/mcp", endpoint=door)], lifespan=lifespan)
    """

    def __init__(
        self, server: Server[Any], guest_of: GuestOf, security: TransportSecuritySettings
    ) -> None:
        self._server = server
        self._guest_of = guest_of
        self._security = security
        self._manager: StreamableHTTPSessionManager | None = None
        guarded = security.enable_dns_rebinding_protection
        hosts = security.allowed_hosts if guarded else []
        self._names = {one.removesuffix(":*") for one in hosts}

    @asynccontextmanager
    async def run(self, parent: object = None) -> AsyncIterator[None]:
        """While this is entered, requests are served. `parent` is ignored: with it, `run` is
        itself a lifespan. May be entered again after it was left."""
        manager = StreamableHTTPSessionManager(
            self._server, json_response=True, stateless=True, security_settings=self._security
        )
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError("this door serves HTTP only; run it with `run()` in a lifespan")
        manager, refusal = self._manager, self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
        elif manager is None:
            message = "not running yet: enter run() in the lifespan of the app around it"
            await _refused(503, message)(scope, receive, send)
        else:
            await manager.handle_request(scope, receive, send)

    def _refusal(self, scope: AsgiScope) -> JSONResponse | None:
        """None: the guest is known, and noted in the request."""
        request = Request(scope)
        if self._names and not is_trusted(request.headers, self._names):
            return _refused(403, "this server does not answer to that Host or Origin")
        if request.method != "POST":
            return _refused(405, "POST one JSON-RPC message", {"Allow": "POST"})
        try:
            guest = self._guest_of(request.headers)
        except UnknownKeyError as error:
            return _refused(401, str(error), {"WWW-Authenticate": "Bearer"})
        except ForbiddenError as error:
            return _refused(403, str(error))
        except ScopeError as error:
            return _refused(400, f"{error}. In headers: {', '.join(HEADERS.values())}")
        except InputError as error:
            return _refused(400, str(error))
        scope[GUEST] = guest if isinstance(guest, McpCaller) else McpCaller(guest)
        return None


def streamable_http_app(
    memory: Memory,
    guest_of: GuestOf,
    *,
    host: str = "127.0.0.1",
    allowed_hosts: Sequence[str] = (),
    language: str = "en",
) -> HttpApp:
    """The ASGI app for /mcp; see `HttpDoor` for how to run it.

    `guest_of(headers)` says who is asking, or raises: UnknownKeyError gives 401, ForbiddenError
    403, InputError 400. It gets every request's headers; `named_in` reads ours. `host` is the
    address the server binds, `allowed_hosts` the names it is reached by besides.
    """
    door = Handlers(memory, _noted_guest, language)
    return HttpApp(door.server(), guest_of, security_for(host, allowed_hosts))


def _noted_guest(context: Context) -> McpCaller:
    request = context.request
    guest = request.scope.get(GUEST) if isinstance(request, Request) else None
    if not isinstance(guest, McpCaller):
        raise ForbiddenError("this request did not come through the door")
    return guest


def scope_of(headers: Mapping[str, str]) -> Scope:
    """The scope that the headers name, for a server that trusts whoever reaches it."""
    named = named_in(headers)
    return Scope(**{what: id for what, id in named.items() if id is not None})  # type: ignore[arg-type]


def security_for(host: str, allowed_hosts: Sequence[str] = ()) -> TransportSecuritySettings:
    """Which Host and Origin headers are taken, so that no web page can reach in by a name of its
    own (DNS rebinding). Bound to every address, any name may be right: give the names, or rely
    on keys, which a stranger's page does not have."""
    names = [_bracketed(name) for name in (host, *allowed_hosts) if name not in ANY_ADDRESS]
    if not names:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    if _bracketed(host) in (*LOOPBACK, *ANY_ADDRESS) or host.startswith("127."):
        names += LOOPBACK
    hosts = [form for name in dict.fromkeys(names) for form in (name, f"{name}:*")]
    origins = [f"{scheme}://{one}" for scheme in ("http", "https") for one in hosts]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


def _bracketed(name: str) -> str:
    """An IPv6 address as it stands in a Host header."""
    return f"[{name}]" if name.count(":") > 1 and not name.startswith("[") else name


def _refused(status: int, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    error = {"code": mcp.INVALID_REQUEST, "message": message}
    body = {"jsonrpc": "2.0", "id": None, "error": error}
    return JSONResponse(body, status, headers=dict(headers or {}))
