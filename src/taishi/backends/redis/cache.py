"""A cache in Redis or Valkey. While the server does not answer, it is empty and takes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import StorageError
from ...ports.shared_state import SharedStateError
from .link import RedisLink
from .sealing import Sealing

AT_ONCE = 500


class RedisCache:
    """Implements ports.Cache for one kind of values. `keys` are hashes, see `sealing`."""

    def __init__(self, link: RedisLink, sealing: Sealing, kind: str) -> None:
        self._link = link
        self._sealing = sealing
        self._kind = kind
        self._prefix = f"{sealing.prefix}{kind}:"
        link.before_use(self._clear)

    def get(self, key: str) -> bytes | None:
        name = self._sealing.name(self._kind, key)
        try:
            found: bytes | None = self._link.run(lambda client: client.get(name))
        except SharedStateError:
            return None
        return self._sealing.open(name, found)

    def put(self, key: str, value: bytes, ttl: float) -> None:
        if not ttl > 0:
            return self.delete(key)
        name = self._sealing.name(self._kind, key)
        sealed, milliseconds = self._sealing.seal(name, value), max(1, int(ttl * 1000))
        try:
            self._link.run(lambda client: client.set(name, sealed, px=milliseconds))
        except SharedStateError:
            if self._link.state != "ok":  # refused: then there is no room
                self._link.catch_up()  # an older value may be there

    def delete(self, key: str) -> None:
        name = self._sealing.name(self._kind, key)
        try:
            self._link.run(lambda client: client.unlink(name))
        except SharedStateError:
            self._link.catch_up()

    def keys(self) -> list[str]:
        """Raises StorageError if the server does not answer: then nobody knows what it holds."""
        try:
            names = self._link.run_patiently(lambda client: list(names_in(client, self._prefix)))
        except SharedStateError as error:
            raise unknown(self._link.address) from error
        return [name.removeprefix(self._prefix) for name in names]

    def clear(self) -> None:
        """At once, or when the server is back."""
        try:
            self._link.run(self._clear)
        except SharedStateError:
            self._link.catch_up()

    def _clear(self, client: Any) -> None:
        some: list[str] = []
        for name in names_in(client, self._prefix):
            some.append(name)
            if len(some) == AT_ONCE:
                client.unlink(*some)
                some.clear()
        if some:
            client.unlink(*some)


def names_in(client: Any, prefix: str) -> Iterator[str]:
    """Once each: a scan may repeat itself."""
    seen: set[bytes] = set()
    for name in client.scan_iter(match=f"{prefix}*", count=AT_ONCE):
        if name not in seen:
            seen.add(name)
            yield name.decode()


def unknown(address: str) -> StorageError:
    return StorageError(
        f"{address} does not answer, so what it holds is not known; check that it runs, and ask "
        "again"
    )
