"""The listening socket: bound before the server starts, and shared by its worker processes."""

from __future__ import annotations

import errno
import ipaddress
import socket

from ..errors import StorageError

BACKLOG = 2048


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach that address."""
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return host.lower() == "localhost"


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
            f"cannot listen on {host}:{port} ({error.strerror or error}); {_advice(error, host)}"
        ) from error
    return bound


def _advice(error: OSError, host: str) -> str:
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return (
            f"this machine has no address {host}: choose another --host, such as 127.0.0.1, or "
            "0.0.0.0 for all of its addresses"
        )
    if error.errno == errno.EACCES:
        return "ports below 1024 need special rights: choose a higher --port"
    return "is another server running there? Choose another --port"


def inherited(descriptor: int) -> socket.socket:
    """The listening socket that a parent process bound."""
    with socket.socket(fileno=descriptor) as given:
        family = given.family
        given.detach()
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=descriptor)


def address_of(bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
