"""Runs the server: binds the socket, configures uvicorn, shuts down gracefully."""

from __future__ import annotations

import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import uvicorn
from fastapi import FastAPI

from ..api_keys import Keys
from ..errors import ForbiddenError, TaishiError
from ..settings import ServerSettings
from .http_protocol import ConnectionLimits, protocol_class
from .listener import BACKLOG, address_of, is_loopback, listen
from .worker_board import WorkerPlace

KEEP_ALIVE_SECONDS = 75
__all__ = ["address_of", "check_keys", "config_of", "listen", "serve"]


def check_keys(host: str, keys: Keys, create: str = "taishi keys create NAME") -> None:
    """Refuse to listen on a public address without keys. With unreadable keys the server starts,
    and answers 503 until they can be read; if there turn out to be none, a public address stays
    closed. `create` is the command that makes one."""
    is_public = not is_loopback(host)
    try:
        is_open = not keys.set_up
    except TaishiError:
        if is_public:
            keys.lock()
        return
    if is_open and is_public:
        raise ForbiddenError(
            f"{host} can be reached from other machines and no API key exists: create one with "
            f"`{create}`, or listen on 127.0.0.1"
        )


def serve(
    app: FastAPI,
    bound: socket.socket,
    settings: ServerSettings,
    ready: Callable[[], None],
    reload: Callable[[], None] = lambda: None,
) -> None:
    """Serve until SIGTERM or Ctrl-C, then finish the requests in progress within
    `server.shutdown_seconds` and accept no new ones. `reload` is called, on a thread, on SIGHUP."""
    server = uvicorn.Server(config_of(app, settings))
    app.state.is_closing = lambda: server.should_exit  # streams end by themselves
    with stop_on_signal(server), _reload_on_signal(reload):
        ready()
        server.run(sockets=[bound])


def config_of(
    app: FastAPI, settings: ServerSettings, place: WorkerPlace | None = None
) -> uvicorn.Config:
    """Fixes everything that uvicorn would choose by what is installed: another parser would read
    requests differently, and a WebSocket would bypass authentication."""
    limits = ConnectionLimits.of(settings, app.state.metrics.refused.add)
    if place is not None:
        limits = replace(limits, connections=place.share(limits.connections))
    return uvicorn.Config(
        app,
        http=protocol_class(limits),
        ws="none",
        log_config=None,
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=max(1, round(settings.shutdown_seconds)),
        backlog=BACKLOG,
    )


@contextmanager
def _reload_on_signal(reload: Callable[[], None]) -> Iterator[None]:
    """Without a handler SIGHUP would end the process in the middle of its jobs."""
    if sys.platform == "win32":
        yield
        return

    def begin(*_: object) -> None:
        threading.Thread(target=reload, name="taishi-reload", daemon=True).start()

    previous = signal.signal(signal.SIGHUP, begin)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, previous)


@contextmanager
def stop_on_signal(server: uvicorn.Server) -> Iterator[None]:
    """uvicorn re-raises the signal that stopped it, which would end the process before the memory
    is closed; these handlers only set its exit flag again."""

    def stop(*_: object) -> None:
        server.should_exit = True

    previous = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
