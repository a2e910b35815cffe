"""Port to a cache: values that can be computed again, kept for a while."""

from __future__ import annotations

from typing import Protocol

from .erasure import Clearable


class Cache(Clearable, Protocol):
    """Bytes under a key, each with a time to live. An entry may vanish at any time; for many
    threads."""

    def get(self, key: str) -> bytes | None:
        """None: never put, evicted or expired."""

    def put(self, key: str, value: bytes, ttl: float) -> None:
        """Keep it for `ttl` seconds at most. With 0 or less, what was under the key is dropped."""

    def delete(self, key: str) -> None:
        """Safe to repeat."""

    def keys(self) -> list[str]:
        """Of the entries that are alive: what a search for erased text has to look at."""
