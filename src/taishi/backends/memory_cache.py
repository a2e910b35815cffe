"""A cache in this process's memory, bounded in bytes and entries."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

MAX_BYTES = 64 << 20
MAX_ENTRIES = 100_000


class MemoryCache:
    """Implements ports.Cache. When it is full, the entry that was used longest ago is evicted."""

    def __init__(
        self,
        max_bytes: int = MAX_BYTES,
        max_entries: int = MAX_ENTRIES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_bytes = max_bytes
        self._max_entries = max_entries
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, tuple[float, bytes]] = OrderedDict()
        self._bytes = 0

    def get(self, key: str) -> bytes | None:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            expires, value = entry
            if self._clock() >= expires:
                self._drop(key)
                return None
            self._entries.move_to_end(key)
            return value

    def put(self, key: str, value: bytes, ttl: float) -> None:
        with self._lock:
            self._drop(key)
            # One that is too large would evict everything else and then itself.
            if not ttl > 0 or _size(key, value) > self._max_bytes:
                return
            self._entries[key] = (self._clock() + ttl, value)
            self._bytes += _size(key, value)
            while self._bytes > self._max_bytes or len(self._entries) > self._max_entries:
                self._drop(next(iter(self._entries)))

    def delete(self, key: str) -> None:
        with self._lock:
            self._drop(key)

    def keys(self) -> list[str]:
        with self._lock:
            now = self._clock()
            return [key for key, (expires, _) in self._entries.items() if now < expires]

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self._bytes = 0

    def _drop(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._bytes -= _size(key, entry[1])


def _size(key: str, value: bytes) -> int:
    return len(key) + len(value)
