"""A cache in this process before one that several processes share."""

from __future__ import annotations

from collections.abc import Callable

from ..ports import Cache

NEAR_SECONDS = 300.0  # how long the near cache keeps what was found in the far one


class TwoLevelCache:
    """Implements ports.Cache."""

    def __init__(
        self,
        near: Cache,
        far: Cache,
        near_seconds: float = NEAR_SECONDS,
        looked_up: Callable[[str], None] = lambda result: None,
    ) -> None:
        """`looked_up` is told of every look into the far one: hit or miss."""
        self.near = near
        self._far = far
        self._near_seconds = near_seconds
        self._looked_up = looked_up

    def get(self, key: str) -> bytes | None:
        found = self.near.get(key)
        if found is not None:
            return found
        found = self._far.get(key)
        self._looked_up("miss" if found is None else "hit")
        if found is not None:
            self.near.put(key, found, self._near_seconds)
        return found

    def put(self, key: str, value: bytes, ttl: float) -> None:
        self.near.put(key, value, ttl)
        self._far.put(key, value, ttl)

    def delete(self, key: str) -> None:
        self.near.delete(key)
        self._far.delete(key)

    def keys(self) -> list[str]:
        return [*self.near.keys(), *self._far.keys()]

    def clear(self) -> None:
        self.near.clear()
        self._far.clear()
