"""Every request is counted, timed and told of in one line; and, if wanted, traced."""

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
UNFINISHED = 499  # the client went away, or the app broke before it began to answer
METHODS = frozenset("GET HEAD POST PUT PATCH DELETE OPTIONS".split())
_KEY_ID = re.compile(r"tsk_([0-9a-f]{12})_")


class ServerMetrics:
    """What a server counts beside its engine."""

    def __init__(self) -> None:
        self.requests = Counter()  # by method, route and status
        self.seconds = Histogram(SLOW)  # by method and route
        self.in_flight = 0  # changed in the event loop only
        self.refused = Counter()  # by why, without a route having been asked
        self.proxy_recall = Histogram(QUICK)
        self.proxy_recalls = Counter()  # by the level that answered, or why none did
        self.proxy_turns = Counter()  # by what became of them


class AccessLog:
    """Plain ASGI, so that streams pass through it as they are."""

    def __init__(self, app: ASGIApp, gauges: ServerMetrics, tracing: Tracing) -> None:
        self._app = app
        self._gauges = gauges
        self._tracing = tracing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = UNFINISHED

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        headers = Headers(scope=scope)
        begun = time.perf_counter()
        self._gauges.in_flight += 1
        try:
            with self._tracing.span("taishi.http", headers) as span:
                await self._app(scope, receive, noted)
                span.set(method=scope["method"], route=route_of(scope), status=status)
        finally:
            self._gauges.in_flight -= 1
            self._tell(scope, headers, status, time.perf_counter() - begun)

    def _tell(self, scope: Scope, headers: Headers, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in METHODS else "other"
        route = route_of(scope)
        self._gauges.requests.add(method, route, str(status))
        self._gauges.seconds.observe(seconds, method, route)
        told = {
            "method": method,
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "key": key_id(headers),
            "request_id": scope.get("state", {}).get("request_id"),
        }
        log.info("%s %s %d", method, route, status, extra=told)


def route_of(scope: Scope) -> str:
    """The route's template, never the path: it has no ids in it, and there are few of them."""
    path = getattr(scope.get("route"), "path", None)
    if path is not None:
        return str(path)
    mounted = scope.get("root_path", "")[len(scope.get("app_root_path", "")) :]
    return f"{mounted}/*" if mounted else NO_ROUTE


def key_id(headers: Mapping[str, str]) -> str | None:
    """Which key was shown, good or not. The id is the part of a secret that is no secret."""
    for name in ("x-api-key", "authorization"):
        found = _KEY_ID.search(headers.get(name, ""))
        if found:
            return found[1]
    return None


def watch(app: FastAPI) -> None:
    """Put a watch around the app: outside everything else, so that refusals are seen, too."""
    settings = app.state.memory.settings
    app.state.gauges = ServerMetrics()
    app.add_middleware(AccessLog, gauges=app.state.gauges, tracing=tracing(settings.telemetry))
