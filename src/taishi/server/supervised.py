"""One worker process of `taishi serve --workers`: serves on the shared socket under a parent."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Mapping
from typing import Any

import uvicorn
from fastapi import FastAPI

from ..settings import ServerSettings
from .acceptor import Acceptor
from .fleet_metrics import FleetMetrics
from .run import config_of, stop_on_signal
from .worker_board import ConnectionCounts, WorkerPlace

ARRIVAL_SECONDS = 0.3  # between a connection and its first request


class ParentLink:
    """The worker's end of a socket to its parent: says when it is ready, and hears when the parent
    is gone."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control

    def say_ready(self, message: Mapping[str, Any]) -> None:
        self._control.sendall(json.dumps(message).encode() + b"\n")

    def when_gone(self, stop: Callable[[], None]) -> None:
        """A parent that was killed cannot forward a signal: the worker ends by itself."""

        def wait() -> None:
            try:
                while self._control.recv(1):
                    pass
            except OSError:
                pass
            stop()

        threading.Thread(target=wait, name="parent-link", daemon=True).start()


class WorkerServer(uvicorn.Server):
    """uvicorn with an accept loop that shares connections evenly with the other processes."""

    def __init__(
        self, config: uvicorn.Config, listener: socket.socket, place: WorkerPlace, app: FastAPI
    ) -> None:
        super().__init__(config)
        self._listener = listener
        self._place = place
        self._counts = ConnectionCounts(place.folder, place.slots)
        self._metrics: FleetMetrics = app.state.fleet_metrics
        self._acceptor: Acceptor | None = None
        self.when_ready: Callable[[], None] = lambda: None

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        async with self._metrics.answering():
            await super().serve(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=[])
        connections = self.server_state.connections
        self._acceptor = Acceptor(
            self._listener,
            self._protocol,
            lambda: len(connections),
            self._counts,
            self._place.slot,
        )
        self.servers.append(self._acceptor)  # type: ignore[arg-type]  # close and wait_closed
        self.when_ready()

    async def on_tick(self, counter: int) -> bool:
        if self._acceptor is not None:
            self._acceptor.publish()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Whoever has just connected sends the request now; uvicorn would hang up on it."""
        if self._acceptor is not None:
            self._acceptor.close()
            await asyncio.sleep(ARRIVAL_SECONDS)
        await super().shutdown(sockets)

    def _protocol(self) -> asyncio.Protocol:
        return self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )


def serve_supervised(
    app: FastAPI,
    listener: socket.socket,
    settings: ServerSettings,
    place: WorkerPlace,
    parent: ParentLink,
    message: Mapping[str, Any],
) -> None:
    """Serve until SIGTERM or until the parent is gone; then as `run.serve` ends."""
    server = WorkerServer(config_of(app, settings, place), listener, place, app)
    app.state.is_closing = lambda: server.should_exit

    def stop() -> None:
        server.should_exit = True

    server.when_ready = lambda: parent.say_ready(message)
    parent.when_gone(stop)
    with stop_on_signal(server):
        server.run(sockets=[])
