"""What the worker processes of one `taishi serve` share in memory: their open connections, and
token buckets for limits that hold for all of them together.

Both are small files in a temporary folder, mapped by every process.
"""

from __future__ import annotations

import hashlib
import math
import mmap
import os
import struct
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

NOT_ACCEPTING = 0x7FFFFFFF
_COUNT = struct.Struct("<i")
_BUCKET = struct.Struct("<Qdd")  # hash of the name, tokens, when they were counted
SETS = 2500
WAYS = 4  # names that share a place in the table; the least recently used one makes room


@dataclass(frozen=True, slots=True)
class WorkerPlace:
    """Which of the worker processes this one is, and the folder they share. There is a slot more
    than workers: for one that is to replace another, until that has ended."""

    slot: int
    workers: int
    folder: Path

    @property
    def slots(self) -> int:
        return self.workers + 1

    def share(self, limit: int) -> int:
        """This process's part of a limit that is divided."""
        return max(1, math.ceil(limit / self.workers))


class ConnectionCounts:
    """How many connections each worker has open, so that the one with the fewest takes the next."""

    def __init__(self, folder: Path, slots: int) -> None:
        self._slots = slots
        self._map = _mapped(folder / "connections", slots * _COUNT.size)

    def set(self, slot: int, count: int) -> None:
        _COUNT.pack_into(self._map, slot * _COUNT.size, count)

    def lowest_but(self, slot: int) -> int:
        """The smallest count of the other workers; NOT_ACCEPTING if none of them accepts."""
        counts = (
            _COUNT.unpack_from(self._map, n * _COUNT.size)[0]
            for n in range(self._slots)
            if n != slot
        )
        return min(counts, default=NOT_ACCEPTING)

    def close(self) -> None:
        self._map.close()


class SharedBuckets:
    """`per_minute` tokens for each name, and as many in one burst, counted over all processes: the
    same face as `rate_limit.TokenBuckets`. The monotonic clock is one for the whole machine."""

    def __init__(
        self, file: Path, per_minute: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._capacity = float(per_minute)
        self._per_second = per_minute / 60
        self._clock = clock
        self._map = _mapped(file, SETS * WAYS * _BUCKET.size)
        self._file = os.open(file, os.O_RDWR)
        weakref.finalize(self, os.close, self._file)

    def wait(self, name: str) -> int:
        """Whole seconds until a token is available; 0: now."""
        with self._slot(name) as (_, tokens):
            missing = 1 - tokens
        return math.ceil(missing / self._per_second) if missing > 0 else 0

    def take(self, name: str) -> None:
        """Take one token, if there is one."""
        with self._slot(name) as (offset, tokens):
            entry = _hash(name), max(0.0, tokens - 1), self._clock()
            _BUCKET.pack_into(self._map, offset, *entry)

    @contextmanager
    def _slot(self, name: str) -> Iterator[tuple[int, float]]:
        """The name's place in the table, locked, with the tokens it has now."""
        import fcntl

        key = _hash(name)
        start, size = (key % SETS) * WAYS * _BUCKET.size, WAYS * _BUCKET.size
        fcntl.lockf(self._file, fcntl.LOCK_EX, size, start)
        try:
            oldest, oldest_time = start, math.inf
            for offset in range(start, start + size, _BUCKET.size):
                known, tokens, updated = _BUCKET.unpack_from(self._map, offset)
                if known == key:
                    gained = max(0.0, self._clock() - updated) * self._per_second
                    yield offset, min(self._capacity, tokens + gained)
                    return
                if updated < oldest_time:
                    oldest, oldest_time = offset, updated
            yield oldest, self._capacity
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, size, start)


def _hash(name: str) -> int:
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little") | 1  # 0 is an empty place


def _mapped(file: Path, size: int) -> mmap.mmap:
    with file.open("a+b") as opened:
        if opened.seek(0, 2) < size:
            opened.truncate(size)
        return mmap.mmap(opened.fileno(), size)
