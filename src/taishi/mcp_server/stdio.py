"""One client on stdin and stdout, as desktop programs start it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from typing import Any

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server

from ..errors import TaishiError
from ..memory import Memory
from ..types import Scope
from .handlers import Handlers, McpCaller

log = logging.getLogger("taishi.mcp")
WARM_UP_SECONDS = 20.0


def serve_stdio(memory: Memory, guest: McpCaller, language: str = "en") -> None:
    """Serve one client on stdin and stdout until it hangs up. Logs go to stderr."""
    anyio.run(
        _serve_stdio, Handlers(memory, lambda _: guest, language).server(), memory, guest.scope
    )


async def _serve_stdio(server: Server[Any], memory: Memory, scope: Scope) -> None:
    _leave_when_told(memory)
    # Before `initialize` is answered: a client waits longer for that than for its first search.
    await anyio.to_thread.run_sync(_warm_up, memory, scope)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _warm_up(memory: Memory, scope: Scope) -> None:
    try:
        memory.warm_up(scope, WARM_UP_SECONDS)
    except TaishiError as error:
        log.warning("the first search may be late: %s", error)


def _leave_when_told(memory: Memory) -> None:
    """SIGTERM and Ctrl-C: finish the job at hand, close, go. A thread that waits for stdin cannot
    be called back, so the process ends without it."""

    def leave() -> None:
        memory.close()
        os._exit(0)

    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(number, threading.Thread(target=leave, daemon=True).start)
        except NotImplementedError:  # Windows: the client ends the process, jobs wait durably
            log.debug("signal %s is left to the system", number)
