"""Memory for MCP clients: tools and profile pages, over stdio and streamable HTTP (T2).

Who is asking is never the client's to say in a call: over stdio it is fixed when the process
starts; over HTTP `guest_of` reads it from the headers of each request, and decides.
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
