"""Where mem0's API is. Its paths (/v1/memories/ID/ …) look like ours, so it lives under a prefix;
its clients, which know of none, are told by the scheme of their key: `Authorization: Token …`.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

PREFIX = "/mem0"
VERSIONS = ("/v1/", "/v2/", "/v3/")
AUTHORIZATION = b"authorization"


def is_mem0_path(path: str) -> bool:
    return path.startswith(f"{PREFIX}/")


class Mem0Paths:
    """ASGI middleware, before all others: gives requests of mem0's clients the prefix, and their
    key the scheme that we know. On all other paths `Token` stays unknown."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _has_token(scope):
            scope = _translated(scope)
        await self._app(scope, receive, send)


def _has_token(scope: Scope) -> bool:
    return any(_is_token(name, value) for name, value in scope["headers"])


def _is_token(name: bytes, value: bytes) -> bool:
    return name == AUTHORIZATION and value[:6].lower() == b"token "


def _translated(scope: Scope) -> Scope:
    path, raw = scope["path"], scope.get("raw_path") or scope["path"].encode()
    if path.startswith(VERSIONS):
        path, raw = PREFIX + path, PREFIX.encode() + raw
    if not is_mem0_path(path):
        return scope
    headers = [
        (name, b"Bearer " + value[6:] if _is_token(name, value) else value)
        for name, value in scope["headers"]
    ]
    return {**scope, "path": path, "raw_path": raw, "headers": headers}
