"""MCP over stdin and stdout, for one client that starts this process."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from ..errors import TaishiError
from ..memory import Memory
from ..types import Scope
from .handlers import Handlers, McpCaller

log = logging.getLogger("taishi.mcp")
WARM_UP_SECONDS = 20.0


def serve_stdio(memory: Memory, caller: McpCaller, language: str = "en") -> None:
    """Serve one client on stdin and stdout until it disconnects. Logs go to stderr."""
    server = Handlers(memory, lambda _: caller, language, caller.name).server(caller.may_write)
    anyio.run(_serve_stdio, server, memory, caller.scope)


async def _serve_stdio(server: Any, memory: Memory, scope: Scope) -> None:
    _close_on_signal(memory)
    # Before `initialize` is answered: clients wait longer for that than for their first search.
    await anyio.to_thread.run_sync(_warm_up, memory, scope)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _warm_up(memory: Memory, scope: Scope) -> None:
    try:
        memory.warm_up(scope, WARM_UP_SECONDS)
    except TaishiError as error:
        log.warning("the first search may be late: %s", error)


def _close_on_signal(memory: Memory) -> None:
    """On SIGTERM and Ctrl-C finish the current job, close the memory and exit. A thread blocked on
    stdin cannot be cancelled, so the process exits without waiting for it."""

    def close_and_exit() -> None:
        memory.close()
        os._exit(0)

    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(
                number, threading.Thread(target=close_and_exit, daemon=True).start
            )
        except NotImplementedError:  # Windows: the client kills the process; jobs stay on disk
            log.debug("signal %s is left to the system", number)
