"""ASGI middleware before every route: request id, size limit, Host and Origin checks, duplicate
headers."""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..api_keys import Keys
from ..errors import StorageError
from ..http_origins import is_trusted
from ..observe.log_lines import current_request
from ..observe.repeated_trouble import RepeatedTrouble
from ..scope_headers import HEADERS as SCOPE_HEADERS
from ..scope_headers import RECORD, SPEAKER
from .auth import keys_unreadable
from .key_attempts import address_of, current_address
from .problems import Problem, render

log = logging.getLogger("taishi.server")
HEADER = "X-Request-ID"
HEALTH = "/health/"  # answers even while the key file cannot be read
# Duplicates could be interpreted differently here and by a reverse proxy in front of us.
SINGLE_HEADERS = frozenset(
    name.lower().encode()
    for name in (
        "Authorization",
        "X-API-Key",
        "Host",
        "Origin",
        "Sec-Fetch-Site",
        "Content-Type",
        "Idempotency-Key",
        RECORD,
        SPEAKER,
        *SCOPE_HEADERS.values(),
    )
)
# If a proxy reads this request differently, everything after it on the connection is suspect.
CLOSE_CONNECTION = {"Connection": "close"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_VALID_ID = re.compile(r"[A-Za-z0-9._:\-]{1,128}")

_random = random.Random()  # request ids are not secret: no need for the system's random source


@dataclass(frozen=True, slots=True)
class Limits:
    """Maximum request sizes, with larger ones for some paths."""

    body: int = 8 << 20
    by_path: Mapping[str, int] = field(default_factory=dict)

    def for_path(self, path: str) -> int:
        return self.by_path.get(path, self.body)


class Middleware:
    """Plain ASGI middleware, so that streamed bodies are not buffered.

    `hosts`: the Host names that are accepted while no key is set up. This prevents DNS rebinding:
    a web page that somebody visits must not reach the memory on their machine under another name.
    """

    def __init__(
        self,
        app: ASGIApp,
        keys: Keys,
        limits: Limits,
        hosts: Collection[str] | None = None,
        origins: Collection[str] = (),
    ) -> None:
        self._app = app
        self._keys = keys
        self._limits = limits
        self._hosts = hosts
        self._origins = origins
        self._trouble = RepeatedTrouble(log)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        requested_id = headers.get(HEADER, "")
        request_id = (
            requested_id
            if _VALID_ID.fullmatch(requested_id)
            else f"{_random.getrandbits(128):032x}"
        )
        scope.setdefault("state", {})["request_id"] = request_id

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        request_token = current_request.set(request_id)
        address_token = current_address.set(address_of(scope.get("client")))
        try:
            max_bytes = self._limits.for_path(scope["path"])
            refusal = self._refusal(scope, headers, max_bytes)
            if refusal is not None:
                await render(refusal, HTTPConnection(scope))(scope, receive, send_with_id)
            else:
                await self._app(scope, _limit_body(max_bytes, receive), send_with_id)
        finally:
            current_address.reset(address_token)
            current_request.reset(request_token)

    def _refusal(self, scope: Scope, headers: Headers, max_bytes: int) -> Problem | None:
        duplicate = _duplicate_header(scope)
        if duplicate is not None:
            detail = f"{duplicate} is there more than once; send it once"
            return Problem(400, "header", "A header is there twice", detail, CLOSE_CONNECTION)
        if "content-length" in headers and "transfer-encoding" in headers:
            # `taishi serve` refuses it earlier; another ASGI server may not.
            detail = "both Content-Length and Transfer-Encoding are there; send one of them"
            return Problem(400, "framing", "This request cannot be read", detail, CLOSE_CONNECTION)
        try:
            needs_trusted_host = not self._keys.set_up and self._hosts is not None
        except StorageError as error:
            if scope["path"].startswith(HEALTH):
                return None
            self._trouble.met("nobody is let in: %s", error)
            return keys_unreadable(error)
        if needs_trusted_host and not is_trusted(headers, self._hosts or (), self._origins):
            return Problem(
                403,
                "host",
                "Not by this name",
                "without keys this server answers on this machine only; make a key with "
                "`taishi keys create`, or add the name to server.hosts",
            )
        if _CONTROL.search(scope["path"]):
            # The router would ignore a line break after a path, and match the route.
            detail = "the path holds a control character; leave it out"
            return Problem(400, "input", "Invalid request", detail)
        length = headers.get("content-length", "")
        if length.isdecimal() and (len(length) > 18 or int(length) > max_bytes):
            return Problem(413, "too-large", "Too large", _too_large(max_bytes))
        return None


def _duplicate_header(scope: Scope) -> str | None:
    """The name of a security-relevant header that occurs more than once."""
    seen: set[bytes] = set()
    for name, _ in scope["headers"]:
        if name in SINGLE_HEADERS:
            if name in seen:
                return str(name.decode("latin-1"))
            seen.add(name)
    return None


def _limit_body(max_bytes: int, receive: Receive) -> Receive:
    """Count the body while it arrives, for requests without a Content-Length."""
    received = 0

    async def counted() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > max_bytes:
            raise HTTPException(413, _too_large(max_bytes))
        return message

    return counted


def _too_large(max_bytes: int) -> str:
    return (
        f"a request may have {max_bytes >> 20} MB; send it in pieces, or raise server.max_body_mb"
    )
