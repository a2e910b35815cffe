"""The line to the upstream: one pool of connections, and which headers go which way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import httpx

from ...api_keys import PREFIX
from ...settings import ProxySettings

MOST_CONNECTIONS = 256
KEPT_CONNECTIONS = 64
KEPT_SECONDS = 60.0

# Between two neighbours on the line, never passed on (RFC 9110 7.6.1).
HOP_BY_HOP = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer"
    " transfer-encoding upgrade".split()
)
# Ours, or the business of whoever is at the other end of this very line.
NOT_FORWARDED = HOP_BY_HOP | frozenset(
    "host content-length accept-encoding authorization cookie expect x-api-key".split()
)
NOT_RETURNED = HOP_BY_HOP | frozenset("date server set-cookie".split())
UPSTREAM_ID = b"x-upstream-request-id"
OWN_PREFIX = "x-taishi-"

Headers = Iterable[tuple[str, str]]


class UpstreamError(Exception):
    """The upstream could not be asked, or stopped in the middle."""

    def __init__(self, status: int, code: str, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param


class Upstream:
    """The connections are made with the first request, in the loop that serves it."""

    def __init__(self) -> None:
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(
        self, settings: ProxySettings, method: str, path: str, headers: Headers, body: bytes
    ) -> httpx.Response:
        """The answer's head; its body is still to be read, and the answer to be closed."""
        if not settings.upstream_url:
            raise UpstreamError(
                503, "no_upstream", "no upstream is set up: set proxy.upstream_url and restart"
            )
        request = self._line().build_request(
            method,
            settings.upstream_url.rstrip("/") + path,
            headers=forwarded(headers, settings.api_key),
            content=body or None,
            timeout=httpx.Timeout(settings.timeout_seconds, connect=settings.connect_seconds),
        )
        try:
            return await self._line().send(request, stream=True)
        except httpx.HTTPError as error:
            raise translated(error) from error

    def _line(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            limits = httpx.Limits(
                max_connections=MOST_CONNECTIONS,
                max_keepalive_connections=KEPT_CONNECTIONS,
                keepalive_expiry=KEPT_SECONDS,
            )
            self._client = httpx.AsyncClient(limits=limits)
            self._loop = loop
        return self._client

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()


def translated(error: httpx.HTTPError) -> UpstreamError:
    """What went wrong, without an address or a header in it."""
    kind = type(error).__name__
    if isinstance(error, httpx.TimeoutException):
        message = f"the upstream did not answer in time ({kind}); try again"
        return UpstreamError(504, "upstream_timeout", message)
    message = f"the upstream cannot be reached ({kind}); look at proxy.upstream_url, or try again"
    return UpstreamError(502, "upstream_down", message)


def forwarded(headers: Headers, api_key: str) -> list[tuple[str, str]]:
    """The client's headers without what is ours, and with the key that the upstream wants.

    Compression is not asked for: pieces must arrive as they are written, and be readable here.
    """
    given = [(name.lower(), value) for name, value in headers]
    named = {token for name, value in given if name == "connection" for token in _tokens(value)}
    kept = [
        (name, value)
        for name, value in given
        if name not in NOT_FORWARDED | named and not name.startswith(OWN_PREFIX)
    ]
    kept.append(("accept-encoding", "identity"))
    if api_key:
        kept.append(("authorization", f"Bearer {api_key}"))
    else:
        # A secret of ours opens our door; nobody else may see it.
        kept += [(n, v) for n, v in given if n == "authorization" and not is_ours(v)]
    return kept


def is_ours(authorization: str) -> bool:
    return authorization.rpartition(" ")[2].startswith(f"{PREFIX}_")


def returned(response: httpx.Response) -> list[tuple[bytes, bytes]]:
    """Every answer of ours carries our own request id, so the upstream's goes by another name."""
    named = set(_tokens(response.headers.get("connection", "")))
    return [
        (UPSTREAM_ID if name.lower() == b"x-request-id" else name.lower(), value)
        for name, value in response.headers.raw
        if name.decode("latin-1").lower() not in NOT_RETURNED | named
    ]


def _tokens(value: str) -> list[str]:
    return [token.strip().lower() for token in value.split(",")]
