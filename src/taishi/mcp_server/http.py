"""MCP over streamable HTTP: an ASGI app for one path of a larger server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Send
from starlette.types import Scope as AsgiScope

from ..errors import ForbiddenError, InputError, ScopeError, UnknownKeyError
from ..http_origins import is_trusted
from ..language.accept_language import language_of
from ..memory import Memory
from ..scope_headers import HEADERS, named_in
from ..types import Scope
from .handlers import Handlers, McpCaller
from .sdk import INVALID_REQUEST

CALLER_KEY = "taishi.mcp_caller"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
ANY_ADDRESS = ("0.0.0.0", "::", "[::]", "")
NO_SCOPE = {
    "en": "no scope: send the header {user} for a private chat, {group} (and {user}) for a group, "
    "or {agent} for an agent",
    "zh": "未指定作用域：请发送请求头 {user}（私聊）、{group}（群，可同时给出 {user}）"
    "或 {agent}（智能体）",
}
CallerOf = Callable[[Mapping[str, str]], Scope | McpCaller]


class HttpApp:
    """An ASGI app for one path, usually /mcp. Stateless: each request identifies its caller.

    Its background work must run while requests are served. Enter `run()` in the lifespan of the
    app that it is part of, and route the exact path to it (a Mount would redirect to `/mcp/`):

        mcp = streamable_http_app(memory, caller_of)

        @asynccontextmanager
        async def lifespan(app):
            async with mcp.run():
                yield

        app = Starlette(routes=[Route("/mcp", endpoint=mcp)], lifespan=lifespan)
    """

    def __init__(
        self,
        servers: Mapping[bool, Any],
        caller_of: CallerOf,
        security: TransportSecuritySettings,
        challenge: Callable[[], str] = lambda: "Bearer",
    ) -> None:
        """`servers`: for callers who may write, and for those who may not."""
        self._challenge = challenge
        self._servers = servers
        self._caller_of = caller_of
        self._security = security
        self._managers: dict[bool, StreamableHTTPSessionManager] = {}
        is_protected = security.enable_dns_rebinding_protection
        hosts = security.allowed_hosts if is_protected else []
        self._allowed_names = {host.removesuffix(":*") for host in hosts}

    @asynccontextmanager
    async def run(self, parent: object = None) -> AsyncIterator[None]:
        """Serve requests while this context is entered. `parent` is ignored: it lets `run` be used
        as a lifespan. May be entered again afterwards."""
        managers = {
            may_write: StreamableHTTPSessionManager(
                server, json_response=True, stateless=True, security_settings=self._security
            )
            for may_write, server in self._servers.items()
        }
        async with AsyncExitStack() as running:
            for manager in managers.values():
                await running.enter_async_context(manager.run())
            self._managers = managers
            try:
                yield
            finally:
                self._managers = {}

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError("this door serves HTTP only; run it with `run()` in a lifespan")
        managers, refusal = self._managers, self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
        elif not managers:
            message = "not running yet: enter run() in the lifespan of the app around it"
            await _error_response(503, message)(scope, receive, send)
        else:
            manager = managers[scope[CALLER_KEY].may_write]
            await manager.handle_request(scope, receive, send)

    def _refusal(self, scope: AsgiScope) -> JSONResponse | None:
        """The error response, or None once the caller is known and stored in the ASGI scope."""
        request = Request(scope)
        if self._allowed_names and not is_trusted(request.headers, self._allowed_names):
            return _error_response(403, "this server does not answer to that Host or Origin")
        if request.method != "POST":
            return _error_response(405, "POST one JSON-RPC message", {"Allow": "POST"})
        try:
            caller = self._caller_of(request.headers)
        except UnknownKeyError as error:
            return _error_response(401, str(error), {"WWW-Authenticate": self._challenge()})
        except ForbiddenError as error:
            return _error_response(403, str(error))
        except ScopeError as error:
            return _error_response(400, _scope_advice(error, request.headers))
        except InputError as error:
            return _error_response(400, str(error))
        scope[CALLER_KEY] = caller if isinstance(caller, McpCaller) else McpCaller(caller)
        return None


def streamable_http_app(
    memory: Memory,
    caller_of: CallerOf,
    *,
    host: str = "127.0.0.1",
    allowed_hosts: Sequence[str] = (),
    language: str = "en",
    challenge: Callable[[], str] = lambda: "Bearer",
) -> HttpApp:
    """The ASGI app for /mcp; see `HttpApp` for how to run it.

    `caller_of(headers)` identifies the caller, or raises: UnknownKeyError gives 401, ForbiddenError
    403, InputError 400. It gets every request's headers; `named_in` reads ours. `host` is the
    address the server binds, `allowed_hosts` the names it is reached by besides. `challenge` is the
    `WWW-Authenticate` of a 401.
    """
    handlers = Handlers(memory, _stored_caller, language)
    servers = {may_write: handlers.server(may_write) for may_write in (True, False)}
    return HttpApp(servers, caller_of, security_for(host, allowed_hosts), challenge)


def _scope_advice(error: ScopeError, headers: Mapping[str, str]) -> str:
    """Which headers to send, where they name nobody: the error itself speaks of Python."""
    named = named_in(headers)
    if named["user"] or named["group"] or named["agent"]:
        return str(error)
    return NO_SCOPE[language_of(headers)].format_map(HEADERS)


def _stored_caller(request: Any) -> McpCaller:
    caller = request.scope.get(CALLER_KEY) if isinstance(request, Request) else None
    if not isinstance(caller, McpCaller):
        raise ForbiddenError("this request did not come through the door")
    return caller


def scope_of(headers: Mapping[str, str]) -> Scope:
    """The scope named in the headers, for a server that trusts every client."""
    named = named_in(headers)
    return Scope(**{field: id for field, id in named.items() if id is not None})  # type: ignore[arg-type]


def security_for(host: str, allowed_hosts: Sequence[str] = ()) -> TransportSecuritySettings:
    """Which Host and Origin headers are accepted, against DNS rebinding. A server bound to every
    address may be reached by any name: give the names, or rely on keys, which a foreign web page
    does not have."""
    names = [_bracketed(name) for name in (host, *allowed_hosts) if name not in ANY_ADDRESS]
    if not names:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    if _bracketed(host) in (*LOOPBACK, *ANY_ADDRESS) or host.startswith("127."):
        names += LOOPBACK
    hosts = [variant for name in dict.fromkeys(names) for variant in (name, f"{name}:*")]
    origins = [
        f"{scheme}://{name_and_port}" for scheme in ("http", "https") for name_and_port in hosts
    ]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


def _bracketed(name: str) -> str:
    """An IPv6 address in the form of a Host header."""
    return f"[{name}]" if name.count(":") > 1 and not name.startswith("[") else name


def _error_response(
    status: int, message: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    error = {"code": INVALID_REQUEST, "message": message}
    body = {"jsonrpc": "2.0", "id": None, "error": error}
    return JSONResponse(body, status, headers=dict(headers or {}))
