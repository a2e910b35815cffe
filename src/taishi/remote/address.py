"""The address of a server, checked before anything is sent to it."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..errors import InputError
from ..settings.addresses import SERVER_SCHEMES

KEY_VARIABLE = "TAISHI_API_KEY"
API = "/v1"


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where the API is, without a slash at its end."""

    url: str
    host: str
    is_encrypted: bool

    @property
    def is_local(self) -> bool:
        """On this machine: then no proxy of the environment is asked."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def parse_address(address: str) -> ServerAddress:
    """`https://host`, with a port and a path if need be; nothing else belongs into it."""
    shown = _without_secrets(address)
    try:
        parts = urlsplit(address.strip())
        port = parts.port
    except ValueError as error:
        raise InputError(f"{shown!r:.200} is not an address: {error}") from None
    if parts.scheme not in SERVER_SCHEMES or not parts.hostname:
        raise InputError(f"{shown!r:.200} is not the address of a server; use https://HOST[:PORT]")
    if parts.username is not None or parts.password is not None:
        raise InputError(
            "a key does not belong into an address, where logs would keep it: pass it as api_key, "
            f"or set {KEY_VARIABLE}"
        )
    if parts.query or parts.fragment:
        raise InputError(f"{shown!r:.200} has more than a host and a path; leave ? and # out")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place = host if port is None else f"{host}:{port}"
    path = parts.path.rstrip("/").removesuffix(API)
    return ServerAddress(f"{parts.scheme}://{place}{path}", parts.hostname, parts.scheme == "https")


def _without_secrets(address: str) -> str:
    """For an error: no user, no query, no fragment, as people put keys into all of them."""
    return re.sub(r"//[^/]*@", "//", re.split("[?#]", address, maxsplit=1)[0])


def key_of(given: str | None) -> str | None:
    """The key to send: the argument, else the environment's; None: a server without keys."""
    key = (os.environ.get(KEY_VARIABLE, "") if given is None else given).strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise InputError("the API key has characters that no key has; copy it again")
    return key or None
