"""Runs the server: binds the socket, configures uvicorn, shuts down gracefully."""

from __future__ import annotations

import ipaddress
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from ..api_keys import Keys
from ..errors import ForbiddenError, StorageError, TaishiError
from ..settings import ServerSettings
from .http_protocol import ConnectionLimits, protocol_class

BACKLOG = 2048
KEEP_ALIVE_SECONDS = 75


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach that address."""
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def check_keys(host: str, keys: Keys) -> None:
    """Refuse to listen on a public address without keys. With unreadable keys the server starts,
    and answers 503 until they can be read."""
    try:
        is_open = not keys.set_up
    except TaishiError:
        return
    if is_open and not is_loopback(host):
        raise ForbiddenError(
            f"{host} can be reached from other machines and no key is set up: make one with "
            "`taishi keys create NAME`, or listen on 127.0.0.1"
        )


def listen(host: str, port: int) -> socket.socket:
    """A bound socket, so that its address is known before the server starts."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol given, asyncio turns Nagle's algorithm off; otherwise 40 ms per request.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host.strip("[]"), port))
        bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        raise StorageError(
            f"cannot listen on {host}:{port} ({error.strerror or error}); is another server "
            "there? Take another --port"
        ) from error
    return bound


def address_of(bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    app: FastAPI, bound: socket.socket, settings: ServerSettings, ready: Callable[[], None]
) -> None:
    """Serve until SIGTERM or Ctrl-C, then finish the requests in progress within
    `server.shutdown_seconds` and accept no new ones."""
    server = uvicorn.Server(config_of(app, settings))
    app.state.is_closing = lambda: server.should_exit  # streams end by themselves
    with _stop_on_signal(server):
        ready()
        server.run(sockets=[bound])


def config_of(app: FastAPI, settings: ServerSettings) -> uvicorn.Config:
    """Fixes everything that uvicorn would choose by what is installed: another parser would read
    requests differently, and a WebSocket would bypass authentication."""
    limits = ConnectionLimits.of(settings, app.state.metrics.refused.add)
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
def _stop_on_signal(server: uvicorn.Server) -> Iterator[None]:
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
