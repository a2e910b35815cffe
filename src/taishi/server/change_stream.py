"""Server-sent events: tells a page that something changed, so that it reads again.

Only counters are sent, never what changed: a page asks for that with its own rights. The number
of streams and the life of each are bounded; a browser opens a new one when one ends.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping

from starlette.datastructures import State
from starlette.requests import Request
from starlette.responses import StreamingResponse

from .problems import Problem

MEDIA_TYPE = "text/event-stream"
MAX_STREAMS = 64
LOOK_SECONDS = 1.0
HEARTBEAT_SECONDS = 15.0
LIFE_SECONDS = 600.0
PREPARE_SECONDS = 0.2
RETRY = b"retry: 2000\n\n"  # how soon a browser asks again when a stream ended


def wants_stream(headers: Mapping[str, str]) -> bool:
    return headers.get("accept", "").partition(",")[0].strip().lower() == MEDIA_TYPE


def change_stream(
    request: Request, look: Callable[[], str], prepare: Callable[[], None]
) -> StreamingResponse:
    """A stream of what `look` says, whenever that differs from the last time. `prepare` is run
    once, as soon as the page has had the time to ask for what it shows first."""
    state = request.app.state
    if getattr(state, "streams", 0) >= MAX_STREAMS:
        raise Problem(
            503,
            "overloaded",
            "Too many pages are open",
            f"{MAX_STREAMS} pages already follow the changes; close some, or ask without a stream",
            {"Retry-After": "30"},
        )
    return StreamingResponse(
        _events(state, look, prepare),
        media_type=MEDIA_TYPE,
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _events(
    state: State, look: Callable[[], str], prepare: Callable[[], None]
) -> AsyncIterator[bytes]:
    is_closing: Callable[[], bool] = getattr(state, "is_closing", lambda: False)
    state.streams = getattr(state, "streams", 0) + 1
    try:
        yield RETRY
        last = await asyncio.to_thread(look)
        yield _event(last)
        await asyncio.sleep(PREPARE_SECONDS)
        await asyncio.to_thread(prepare)
        now = time.monotonic()
        said, ends = now, now + LIFE_SECONDS
        while now < ends and not is_closing():
            seen = await asyncio.to_thread(look)
            if seen != last:
                yield _event(seen)
                last, said = seen, now
            elif now - said >= HEARTBEAT_SECONDS:
                yield b": still here\n\n"
                said = now
            await asyncio.sleep(LOOK_SECONDS)
            now = time.monotonic()
    finally:
        state.streams -= 1


def _event(seen: str) -> bytes:
    return f"event: change\ndata: {seen}\n\n".encode()
