"""Throttles wrong API keys per client address.

A key cannot be guessed (256 random bits), but trying costs time and fills the log. An address with
too many wrong keys is refused without checking its key, except for keys that were accepted from
there before: many people may share one address.
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

from .fleet import Fleet
from .rate_limit import Buckets, Clock, TokenBuckets, too_many_requests

log = logging.getLogger("taishi.server")
MAX_REMEMBERED = 10_000
UNKNOWN_ADDRESS = "unknown"

# The client address of the current request, for every endpoint that checks a key.
current_address: ContextVar[str] = ContextVar("taishi_address", default=UNKNOWN_ADDRESS)


def address_of(client: tuple[str, int] | None) -> str:
    """The address to throttle. An IPv6 client has 2**64 of them, so its /64 network counts."""
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
    """Allows `per_minute` wrong keys per address, and as many in one burst; 0: no limit. Memory is
    bounded: only the most recent addresses and keys are remembered, keys as salted hashes. For one
    event loop."""

    def __init__(
        self,
        per_minute: int,
        count: Callable[[str], None] = lambda reason: None,
        clock: Clock = time.monotonic,
        failures: Buckets | None = None,
    ) -> None:
        self._per_minute = per_minute
        self._is_on = per_minute > 0
        self._count = count
        self._failures = failures or TokenBuckets(per_minute if self._is_on else 1, clock)
        self._accepted: OrderedDict[bytes, None] = OrderedDict()
        self._salt = secrets.token_bytes(32)

    def check(self, address: str, secret: str) -> None:
        """Raise a 429 if this address sent too many wrong keys and this key was never accepted."""
        wait = self._failures.wait(address) if self._is_on else 0
        if wait and not self.is_accepted(address, secret):
            self._refuse(wait)

    async def check_in_fleet(self, address: str, secret: str, fleet: Fleet) -> None:
        """The same for wrong keys that were sent to other servers."""
        if self._is_on and not self.is_accepted(address, secret):
            self._refuse(await fleet.wrong_keys_wait(address, secret, self._per_minute))

    async def failed_in_fleet(self, address: str, secret: str, fleet: Fleet) -> None:
        await fleet.wrong_key(address, secret, self._per_minute)

    async def passed_in_fleet(self, address: str, secret: str, fleet: Fleet) -> None:
        await fleet.right_key(address, secret, self._per_minute)

    def is_accepted(self, address: str, secret: str) -> bool:
        """Whether this key was accepted from this address by this server."""
        return self._fingerprint(address, secret) in self._accepted

    def _refuse(self, wait: int) -> None:
        if wait:
            self._count("failed_keys")
            what = "too many wrong keys came from this address"
            raise too_many_requests(what, wait, "wrong-keys", "Too many wrong keys")

    def failed(self, address: str, secret: str) -> None:
        if not self._is_on:
            return
        self._accepted.pop(self._fingerprint(address, secret), None)  # revoked or expired since
        self._failures.take(address)
        if self._failures.wait(address):
            log.warning("wrong keys keep coming from %s: it is slowed down", address)

    def passed(self, address: str, secret: str) -> None:
        if not self._is_on:
            return
        fingerprint = self._fingerprint(address, secret)
        self._accepted[fingerprint] = None
        self._accepted.move_to_end(fingerprint)
        if len(self._accepted) > MAX_REMEMBERED:
            self._accepted.popitem(last=False)

    def _fingerprint(self, address: str, secret: str) -> bytes:
        text = f"{address}\0{secret}".encode("utf-8", "replace")
        return hashlib.blake2b(text, key=self._salt, digest_size=16).digest()
