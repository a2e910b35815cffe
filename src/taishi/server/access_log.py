"""Access log: every request is counted, timed, logged in one line and, if tracing is on, traced."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..observe.metrics import QUICK, SLOW, Counter, Histogram
from ..observe.tracing import Tracing, tracing

log = logging.getLogger("taishi.http")
NO_ROUTE = "(none)"
UNFINISHED = 499  # the client disconnected, or the app failed before its response began
METHODS = frozenset("GET HEAD POST PUT PATCH DELETE OPTIONS".split())
_KEY_ID = re.compile(r"tsk_([0-9a-f]{12})_")


class ServerMetrics:
    """The HTTP server's own metrics, next to those of the memory."""

    def __init__(self) -> None:
        self.requests = Counter()  # by method, route and status
        self.seconds = Histogram(SLOW)  # by method and route
        self.in_flight = 0  # changed in the event loop only
        self.refused = Counter()  # by reason, before any route was reached
        self.proxy_recall = Histogram(QUICK)
        self.proxy_recalls = Counter()  # by the recall level, or off, late, failed
        self.proxy_turns = Counter()  # by outcome


class AccessLog:
    """Plain ASGI middleware, so that streamed bodies are not buffered."""

    def __init__(self, app: ASGIApp, metrics: ServerMetrics, tracing: Tracing) -> None:
        self._app = app
        self._metrics = metrics
        self._tracing = tracing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = UNFINISHED

        async def send_noting_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        headers = Headers(scope=scope)
        started = time.perf_counter()
        self._metrics.in_flight += 1
        try:
            with self._tracing.span("taishi.http", headers) as span:
                await self._app(scope, receive, send_noting_status)
                span.set(method=scope["method"], route=route_of(scope), status=status)
        finally:
            self._metrics.in_flight -= 1
            self._log_request(scope, headers, status, time.perf_counter() - started)

    def _log_request(self, scope: Scope, headers: Headers, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in METHODS else "other"
        route = route_of(scope)
        self._metrics.requests.add(method, route, str(status))
        self._metrics.seconds.observe(seconds, method, route)
        fields = {
            "method": method,
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "key": key_id(headers),
            "request_id": scope.get("state", {}).get("request_id"),
        }
        log.info("%s %s %d", method, route, status, extra=fields)


def route_of(scope: Scope) -> str:
    """The route's template, never the path: no ids in logs, and few label values."""
    path = getattr(scope.get("route"), "path", None)
    if path is not None:
        return str(path)
    mounted = scope.get("root_path", "")[len(scope.get("app_root_path", "")) :]
    return f"{mounted}/*" if mounted else NO_ROUTE


def key_id(headers: Mapping[str, str]) -> str | None:
    """The id of the key that was sent, valid or not: the public part of the secret."""
    for name in ("x-api-key", "authorization"):
        match = _KEY_ID.search(headers.get(name, ""))
        if match:
            return match[1]
    return None


def install_access_log(app: FastAPI) -> None:
    """Wrap the app as the outermost middleware, so that refused requests are logged as well."""
    settings = app.state.memory.settings
    app.state.metrics = ServerMetrics()
    app.add_middleware(AccessLog, metrics=app.state.metrics, tracing=tracing(settings.telemetry))
