"""What every request goes through before it reaches a route: its id, its size, whom it is for,
where it came from."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..api_keys import Keys
from ..errors import StorageError
from ..http_origins import is_trusted
from ..scope_headers import HEADERS as WHO_HEADERS
from ..scope_headers import RECORD, SPEAKER
from .auth import unreadable
from .key_attempts import address_of, current_address
from .problems import Problem, render

HEADER = "X-Request-ID"
HEALTH = "/health/"  # answers also while nobody can be let in
# Two of them could be read in two ways: by us, and by whoever stands in front of us.
ONCE_ONLY = frozenset(
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
        *WHO_HEADERS.values(),
    )
)
# What was read in one way here may be in another in front of us, and so all that is behind it.
HANG_UP = {"Connection": "close"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SANE_ID = re.compile(r"[A-Za-z0-9._:\-]{1,128}")

_ids = random.Random()  # a name for the log, no secret: the system need not be asked for each
# The id of the request at hand, for whoever writes a log line.
current_request: ContextVar[str] = ContextVar("taishi_request", default="")


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a request may be; some paths take more than others."""

    body: int = 8 << 20
    by_path: Mapping[str, int] = field(default_factory=dict)

    def of(self, path: str) -> int:
        return self.by_path.get(path, self.body)


class Middleware:
    """Plain ASGI, so that streams pass through it as they are.

    `hosts`: while no key is set up, the names by which the server may be called. A web page that
    somebody visits must not reach a memory on their machine by giving it another name.
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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get(HEADER, "")
        request_id = given if _SANE_ID.fullmatch(given) else f"{_ids.getrandbits(128):032x}"
        scope.setdefault("state", {})["request_id"] = request_id

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        mark = current_request.set(request_id)
        where = current_address.set(address_of(scope.get("client")))
        try:
            most = self._limits.of(scope["path"])
            refusal = self._refusal(scope, headers, most)
            if refusal is not None:
                await render(refusal, HTTPConnection(scope))(scope, receive, answer)
            else:
                await self._app(scope, _at_most(most, receive), answer)
        finally:
            current_address.reset(where)
            current_request.reset(mark)

    def _refusal(self, scope: Scope, headers: Headers, most: int) -> Problem | None:
        twice = _sent_twice(scope)
        if twice is not None:
            detail = f"{twice} is there more than once; send it once"
            return Problem(400, "header", "A header is there twice", detail, HANG_UP)
        if "content-length" in headers and "transfer-encoding" in headers:
            # `taishi serve` refuses it before that; under another server this is the last chance.
            detail = "both Content-Length and Transfer-Encoding are there; send one of them"
            return Problem(400, "framing", "This request cannot be read", detail, HANG_UP)
        try:
            guarded = not self._keys.set_up and self._hosts is not None
        except StorageError as error:
            return None if scope["path"].startswith(HEALTH) else unreadable(error)
        if guarded and not is_trusted(headers, self._hosts or (), self._origins):
            return Problem(
                403,
                "host",
                "Not by this name",
                "without keys this server answers on this machine only; make a key with "
                "`taishi keys create`, or add the name to server.hosts",
            )
        if _CONTROL.search(scope["path"]):
            # The router takes a line end behind a path for nothing, and finds the route.
            detail = "the path holds a control character; leave it out"
            return Problem(400, "input", "This cannot be used", detail)
        length = headers.get("content-length", "")
        if length.isdecimal() and (len(length) > 18 or int(length) > most):
            return Problem(413, "too-large", "Too large", _too_large(most))
        return None


def _sent_twice(scope: Scope) -> str | None:
    """The name of a header that decides who asks for what, and is there more than once."""
    seen: set[bytes] = set()
    for name, _ in scope["headers"]:
        if name in ONCE_ONLY:
            if name in seen:
                return str(name.decode("latin-1"))
            seen.add(name)
    return None


def _at_most(most: int, receive: Receive) -> Receive:
    """A body that does not say its length is counted while it comes."""
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise HTTPException(413, _too_large(most))
        return message

    return counted


def _too_large(most: int) -> str:
    return f"a request may have {most >> 20} MB; send it in pieces, or raise server.max_body_mb"
