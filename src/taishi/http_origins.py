"""By which name a server was called, and which web page asks: parsed, never matched by a prefix.

`127.0.0.1:80.evil.example` begins like our address and is a stranger's, and so is
`http://localhost:80@evil.example`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

_HOST = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9_.-]{0,252}))(?::(\d{1,5}))?")
_PORTS = {"http": 80, "https": 443}
# What a browser says of a request from a page of ours, or typed by a person. `same-site` is another
# port of this machine, and so another program.
_OWN_SITE = ("same-origin", "none")
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})


@dataclass(frozen=True, slots=True)
class Address:
    """A name and a port; without one, whatever the scheme has."""

    name: str
    port: int | None


def parsed_host(header: str) -> Address | None:
    """What a Host header names; None if it names nothing that can be told."""
    found = _HOST.fullmatch(header.strip().lower())
    if found is None or (found[2] and int(found[2]) > 65535):
        return None
    return Address(found[1], int(found[2]) if found[2] else None)


def parsed_origin(header: str) -> tuple[str, Address] | None:
    """The scheme and the address of an Origin header; None for `null` and whatever is no origin."""
    scheme, sign, rest = header.strip().lower().partition("://")
    address = parsed_host(rest) if sign and scheme in _PORTS else None
    return None if address is None else (scheme, address)


def is_trusted(
    headers: Mapping[str, str], names: Collection[str], origins: Collection[str] = ()
) -> bool:
    """Whether a request came by one of our names, and from no foreign web page.

    Without keys nothing else keeps a page that somebody visits from asking: it may give our
    address another name, or send requests to it. A page of our own has our name and our port.
    """
    host = parsed_host(headers.get("host", ""))
    known = LOOPBACK | {name.lower() for name in names}
    if host is None or host.name not in known:
        return False
    origin = headers.get("origin")
    if origin is not None and origin in origins:
        return True
    if headers.get("sec-fetch-site", "none").strip().lower() not in _OWN_SITE:
        return False
    return origin is None or _is_own(origin, host, known)


def is_same_origin(headers: Mapping[str, str]) -> bool:
    """Whether a browser's request came from a page of the very address that it asks: the same name
    and the same port. What a browser does not say is not held against the request."""
    host = parsed_host(headers.get("host", ""))
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if host is None or (site is not None and site.strip().lower() != "same-origin"):
        return False
    return origin is None or _is_own(origin, host, {host.name})


def _is_own(origin: str, host: Address, known: Collection[str]) -> bool:
    found = parsed_origin(origin)
    if found is None or found[1].name not in known:
        return False
    scheme, address = found
    default = _PORTS[scheme]
    return (address.port or default) == (host.port or default)
