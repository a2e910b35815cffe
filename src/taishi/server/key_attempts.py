"""Wrong keys: slowed down for each address they come from.

A key cannot be guessed (256 random bits), but whoever tries costs time and fills the log. An
address that was wrong too often is answered without a look at its key, but for the keys that were
right from there before: behind one address there may be many people.
"""

from __future__ import annotations

import hashlib
import ipaddress
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar

from .rate_limit import Buckets, Clock, too_many

log = logging.getLogger("taishi.server")
MAX_REMEMBERED = 10_000
UNKNOWN_ADDRESS = "unknown"

# Where the request at hand came from, for every door that checks a key.
current_address: ContextVar[str] = ContextVar("taishi_address", default=UNKNOWN_ADDRESS)


def address_of(client: tuple[str, int] | None) -> str:
    """The address that stands for a client. One IPv6 line has 2**64 of them, so its network."""
    text = client[0] if client else UNKNOWN_ADDRESS
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return text[:64]
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped
        return str(inner or ipaddress.ip_network((address, 64), strict=False))
    return str(address)


class KeyAttempts:
    """`per_minute` wrong keys from one address, and as many in one burst; 0: no limit. Neither an
    address nor a key makes it grow: of both, those seen last are remembered, and of a key only a
    hash that is of no use elsewhere. For one event loop."""

    def __init__(
        self,
        per_minute: int,
        count: Callable[[str], None] = lambda reason: None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._is_on = per_minute > 0
        self._count = count
        self._failures = Buckets(per_minute, clock) if self._is_on else Buckets(1, clock)
        self._right: OrderedDict[bytes, None] = OrderedDict()
        self._salt = secrets.token_bytes(32)

    def check(self, address: str, secret: str) -> None:
        """A 429 if this address was wrong too often, and this key was never right from there."""
        wait = self._failures.wait(address) if self._is_on else 0
        if wait and self._mark(address, secret) not in self._right:
            self._count("failed_keys")
            what = "too many wrong keys came from this address"
            raise too_many(what, wait, "wrong-keys", "Too many wrong keys")

    def failed(self, address: str, secret: str) -> None:
        if not self._is_on:
            return
        self._right.pop(self._mark(address, secret), None)  # revoked or expired since
        self._failures.take(address)
        if self._failures.wait(address):
            log.warning("wrong keys keep coming from %s: it is slowed down", address)

    def passed(self, address: str, secret: str) -> None:
        if not self._is_on:
            return
        mark = self._mark(address, secret)
        self._right[mark] = None
        self._right.move_to_end(mark)
        if len(self._right) > MAX_REMEMBERED:
            self._right.popitem(last=False)

    def _mark(self, address: str, secret: str) -> bytes:
        text = f"{address}\0{secret}".encode("utf-8", "replace")
        return hashlib.blake2b(text, key=self._salt, digest_size=16).digest()
