"""The route of an app that is served at one path, such as /mcp."""

from __future__ import annotations

import re

from starlette.routing import Match, Route
from starlette.types import ASGIApp, Scope


class MountedRoute(Route):
    """Serves the path with and without a slash at its end: people paste both, and a client of MCP
    does not follow a redirect with its key. The route is noted for the access log, which FastAPI
    does for its own routes only."""

    def __init__(self, path: str, app: ASGIApp) -> None:
        super().__init__(path, app, include_in_schema=False)
        self.path_regex = re.compile(f"^{re.escape(path)}/?$")

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, found = super().matches(scope)
        return match, {**found, "route": self} if match is not Match.NONE else found
