"""How one of several worker processes accepts connections from the socket they share.

A connection stays with its process for as long as the client keeps it open, so it matters who
takes it. asyncio's own server would accept all that wait in one go, up to its backlog: a burst of
clients would end up in one process. Here a process takes one at a time, and leaves it to the others
for a moment while one of them has fewer.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Callable

from .worker_board import NOT_ACCEPTING, ConnectionCounts

log = logging.getLogger("taishi.server")
YIELD_SECONDS = 0.005  # another process that has fewer may be busy: then we take it after all
PAUSE_SECONDS = 0.5  # no file descriptors are left
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Acceptor:
    """Accepts from a listening socket. Has the two methods that uvicorn calls of its servers."""

    def __init__(
        self,
        listener: socket.socket,
        protocol: Callable[[], asyncio.Protocol],
        count_open: Callable[[], int],
        counts: ConnectionCounts,
        slot: int,
    ) -> None:
        self._listener = listener
        self._protocol = protocol
        self._count_open = count_open
        self._counts = counts
        self._slot = slot
        self._loop = asyncio.get_running_loop()
        self._starting: set[asyncio.Task[None]] = set()  # accepted, not yet counted by uvicorn
        self._timer: asyncio.TimerHandle | None = None
        self._is_closed = False
        listener.setblocking(False)
        self.publish()
        self._loop.add_reader(listener.fileno(), self._on_connection)

    def publish(self) -> int:
        """Tell the other processes how many connections are open here; that number."""
        if self._is_closed:
            return NOT_ACCEPTING
        count = self._count_open() + len(self._starting)
        self._counts.set(self._slot, count)
        return count

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._counts.set(self._slot, NOT_ACCEPTING)
        self._loop.remove_reader(self._listener.fileno())
        if self._timer is not None:
            self._timer.cancel()

    async def wait_closed(self) -> None:
        await asyncio.gather(*self._starting, return_exceptions=True)

    def _on_connection(self) -> None:
        if self.publish() > self._counts.lowest_but(self._slot):
            self._pause(YIELD_SECONDS)
        else:
            self._accept()

    def _pause(self, seconds: float) -> None:
        self._loop.remove_reader(self._listener.fileno())
        self._timer = self._loop.call_later(seconds, self._resume)

    def _resume(self) -> None:
        self._loop.add_reader(self._listener.fileno(), self._on_connection)
        self._accept()

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another process was faster, or the client went away
        except OSError as error:
            if error.errno not in EXHAUSTED:
                raise
            log.error("no connection can be accepted: %s", error)
            self._pause(PAUSE_SECONDS)
            return
        connection.setblocking(False)
        task = self._loop.create_task(self._begin(connection))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)
        self.publish()

    async def _begin(self, connection: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._protocol, connection)
        except OSError as error:
            log.warning("a connection could not be taken over: %s", error)
            connection.close()
