"""MCP server: memory tools and profile resources, over stdio and streamable HTTP (T2).

The caller's identity never comes from a call's arguments: over stdio it is fixed when the process
starts; over HTTP `caller_of` reads it from the headers of each request, and decides.
"""

from __future__ import annotations

from ..scope_headers import HEADERS, named_in
from .handlers import Handlers, McpCaller
from .http import HttpApp, scope_of, security_for, streamable_http_app
from .stdio import serve_stdio

__all__ = [
    "HEADERS",
    "Handlers",
    "HttpApp",
    "McpCaller",
    "named_in",
    "scope_of",
    "security_for",
    "serve_stdio",
    "streamable_http_app",
]
