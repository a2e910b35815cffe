"""Listening: where, for whom, and how it ends."""

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
    """Whether nobody but this machine can reach that address."""
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def check_keys(host: str, keys: Keys) -> None:
    """Nobody listens to the world without keys. With keys that cannot be read it does: everybody
    is answered with 503 until they can."""
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
    """A socket that is bound already, so that its address can be told before it is served."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, or asyncio would leave Nagle's algorithm on: 40 ms a request.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host.strip("[]"), port))
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        raise StorageError(
            f"cannot listen on {host}:{port} ({error.strerror or error}); is another server "
            "there? Take another --port"
        ) from error
    return made


def address_of(made: socket.socket) -> str:
    host, port = made.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    app: FastAPI, made: socket.socket, settings: ServerSettings, ready: Callable[[], None]
) -> None:
    """Serve until SIGTERM or Ctrl-C: then no new request is taken, and those at hand are
    finished, within `server.shutdown_seconds`."""
    server = uvicorn.Server(config_of(app, settings))
    with _ending(server):
        ready()
        server.run(sockets=[made])


def config_of(app: FastAPI, settings: ServerSettings) -> uvicorn.Config:
    """Everything that depends on what else is installed is fixed here: another parser would read
    requests in another way, and a WebSocket would come in beside the door."""
    limits = ConnectionLimits.of(settings, app.state.gauges.refused.add)
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
def _ending(server: uvicorn.Server) -> Iterator[None]:
    """uvicorn raises the signal that ended it once more, which would end us before the memory is
    closed; here it only says again what is known."""

    def told(*_: object) -> None:
        server.should_exit = True

    before = {number: signal.signal(number, told) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
