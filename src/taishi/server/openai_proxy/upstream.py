"""The upstream HTTP client: one connection pool, and which headers are passed in each direction."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import httpx

from ...api_keys import PREFIX
from ...settings import ProxySettings

MAX_CONNECTIONS = 256
MAX_IDLE_CONNECTIONS = 64
IDLE_SECONDS = 60.0

# Hop-by-hop headers are never forwarded (RFC 9110 7.6.1).
HOP_BY_HOP = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer"
    " transfer-encoding upgrade".split()
)
# Ours, or only meaningful for the client's own connection.
NOT_FORWARDED = HOP_BY_HOP | frozenset(
    "host content-length accept-encoding authorization cookie expect x-api-key".split()
)
NOT_RETURNED = HOP_BY_HOP | frozenset("date server set-cookie".split())
UPSTREAM_ID = b"x-upstream-request-id"
OWN_PREFIX = "x-taishi-"

Headers = Iterable[tuple[str, str]]


class UpstreamError(Exception):
    """The upstream could not be reached, or failed midway."""

    def __init__(self, status: int, code: str, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param


class Upstream:
    """The client is created with the first request, in the event loop that serves it."""

    def __init__(self) -> None:
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(
        self, settings: ProxySettings, method: str, path: str, headers: Headers, body: bytes
    ) -> httpx.Response:
        """The response with its body unread; the caller reads and closes it."""
        if not settings.upstream_url:
            raise UpstreamError(
                503, "no_upstream", "no upstream is set up: set proxy.upstream_url and restart"
            )
        request = self._http_client().build_request(
            method,
            settings.upstream_url.rstrip("/") + path,
            headers=request_headers(headers, settings.api_key),
            content=body or None,
            timeout=httpx.Timeout(settings.timeout_seconds, connect=settings.connect_seconds),
        )
        try:
            return await self._http_client().send(request, stream=True)
        except httpx.HTTPError as error:
            raise to_upstream_error(error) from error

    def _http_client(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            limits = httpx.Limits(
                max_connections=MAX_CONNECTIONS,
                max_keepalive_connections=MAX_IDLE_CONNECTIONS,
                keepalive_expiry=IDLE_SECONDS,
            )
            self._client = httpx.AsyncClient(limits=limits)
            self._loop = loop
        return self._client

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()


def to_upstream_error(error: httpx.HTTPError) -> UpstreamError:
    """A client error as an upstream error, without URLs or headers in its text."""
    kind = type(error).__name__
    if isinstance(error, httpx.TimeoutException):
        message = f"the upstream did not answer in time ({kind}); try again"
        return UpstreamError(504, "upstream_timeout", message)
    message = f"the upstream cannot be reached ({kind}); look at proxy.upstream_url, or try again"
    return UpstreamError(502, "upstream_down", message)


def request_headers(headers: Headers, api_key: str) -> list[tuple[str, str]]:
    """The headers to forward: the client's without ours, and with the upstream's key.

    No compression: chunks must arrive as they are written, and be readable here.
    """
    received = [(name.lower(), value) for name, value in headers]
    connection_headers = {
        token for name, value in received if name == "connection" for token in _tokens(value)
    }
    headers_out = [
        (name, value)
        for name, value in received
        if name not in NOT_FORWARDED | connection_headers and not name.startswith(OWN_PREFIX)
    ]
    headers_out.append(("accept-encoding", "identity"))
    if api_key:
        headers_out.append(("authorization", f"Bearer {api_key}"))
    else:
        # A Taishi key must not leak to the upstream.
        headers_out += [
            (n, v) for n, v in received if n == "authorization" and not is_taishi_key(v)
        ]
    return headers_out


def is_taishi_key(authorization: str) -> bool:
    return authorization.rpartition(" ")[2].startswith(f"{PREFIX}_")


def response_headers(response: httpx.Response) -> list[tuple[bytes, bytes]]:
    """The headers to return. The upstream's request id is renamed, as ours is sent as well."""
    connection_headers = set(_tokens(response.headers.get("connection", "")))
    return [
        (UPSTREAM_ID if name.lower() == b"x-request-id" else name.lower(), value)
        for name, value in response.headers.raw
        if name.decode("latin-1").lower() not in NOT_RETURNED | connection_headers
    ]


def _tokens(value: str) -> list[str]:
    return [token.strip().lower() for token in value.split(",")]
