"""An upstream's answer on its way to the client: every piece as it comes, unchanged.

Once it is over, however it ended, whoever waits for it is told what was said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import httpx
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .errors import error_body
from .upstream import returned, translated

MAX_KEPT_BYTES = 8 << 20
EVENTS = "text/event-stream"

Told = Callable[[bytes, bool], None]  # what came back, and whether it is a stream of events


@dataclass
class _Passed:
    """What went by so far; of a very long answer, the beginning."""

    kept: bytearray
    failed: bool = False

    def add(self, chunk: bytes) -> None:
        if len(self.kept) < MAX_KEPT_BYTES:
            self.kept += chunk


class Relay(Response):
    """Passes an answer on. `told` hears of it if the upstream answered well, even if the client
    went away before the end."""

    def __init__(
        self, response: httpx.Response, headers: list[tuple[bytes, bytes]], told: Told | None = None
    ) -> None:
        super().__init__(None, response.status_code)
        self.raw_headers = [*returned(response), *headers]
        self._response = response
        self._told = told

    @property
    def _is_stream(self) -> bool:
        return str(self._response.headers.get("content-type", "")).startswith(EVENTS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        passed = _Passed(bytearray())
        passing = asyncio.ensure_future(self._pass_on(passed, send))
        leaving = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait({passing, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if passing.done():
                passing.result()
        finally:
            passing.cancel()
            leaving.cancel()
            self._tell(passed)
            await asyncio.gather(passing, leaving, return_exceptions=True)
            await self._response.aclose()

    async def _pass_on(self, passed: _Passed, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code}
        await send({**start, "headers": self.raw_headers})
        try:
            async for chunk in self._response.aiter_raw():
                passed.add(chunk)
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        except httpx.HTTPError as error:
            passed.failed = True
            if not self._is_stream:
                raise  # a whole answer that lacks its end must not look whole
            told = translated(error)
            line = b"data: " + error_body(told.status, told.code, str(told)) + b"\n\n"
            await send({"type": "http.response.body", "body": line, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _tell(self, passed: _Passed) -> None:
        if self._told is not None and self._response.is_success and not passed.failed:
            self._told(bytes(passed.kept), self._is_stream)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
