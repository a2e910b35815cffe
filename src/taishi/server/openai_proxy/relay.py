"""Relays an upstream response to the client chunk by chunk, unchanged.

Once it is complete, however it ended, a callback gets the captured body.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import httpx
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .errors import error_body
from .upstream import response_headers, to_upstream_error

MAX_CAPTURED_BYTES = 8 << 20
EVENTS = "text/event-stream"

OnComplete = Callable[
    [bytes, bool], None
]  # gets the response body, and whether it is an event stream


@dataclass
class _Captured:
    """The body relayed so far; of a very long response, its beginning."""

    body: bytearray
    failed: bool = False

    def add(self, chunk: bytes) -> None:
        if len(self.body) < MAX_CAPTURED_BYTES:
            self.body += chunk


class Relay(Response):
    """Relays a response. `on_complete` is called if the upstream succeeded, even if the client
    disconnected before the end."""

    def __init__(
        self,
        response: httpx.Response,
        headers: list[tuple[bytes, bytes]],
        on_complete: OnComplete | None = None,
    ) -> None:
        super().__init__(None, response.status_code)
        self.raw_headers = [*response_headers(response), *headers]
        self._response = response
        self._on_complete = on_complete

    @property
    def _is_stream(self) -> bool:
        return str(self._response.headers.get("content-type", "")).startswith(EVENTS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        captured = _Captured(bytearray())
        relaying = asyncio.ensure_future(self._relay(captured, send))
        disconnect = asyncio.ensure_future(_wait_for_disconnect(receive))
        try:
            await asyncio.wait({relaying, disconnect}, return_when=asyncio.FIRST_COMPLETED)
            if relaying.done():
                relaying.result()
        finally:
            relaying.cancel()
            disconnect.cancel()
            self._report(captured)
            await asyncio.gather(relaying, disconnect, return_exceptions=True)
            await self._response.aclose()

    async def _relay(self, captured: _Captured, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code}
        await send({**start, "headers": self.raw_headers})
        try:
            async for chunk in self._response.aiter_raw():
                captured.add(chunk)
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        except httpx.HTTPError as error:
            captured.failed = True
            if not self._is_stream:
                raise  # a truncated response must not look complete
            failure = to_upstream_error(error)
            line = b"data: " + error_body(failure.status, failure.code, str(failure)) + b"\n\n"
            await send({"type": "http.response.body", "body": line, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _report(self, captured: _Captured) -> None:
        if self._on_complete is not None and self._response.is_success and not captured.failed:
            self._on_complete(bytes(captured.body), self._is_stream)


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
