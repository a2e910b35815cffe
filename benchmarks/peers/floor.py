"""What no program can beat: reading the vectors' bytes once, and one fsync."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.measure import timed
from benchmarks.peers.fixture import WIDTH

PAGE = os.urandom(8192)
TIMES = 8
NEVER = b"\x80"  # -128, which no code is


class Floor:
    """The int8 codes of `size` vectors in memory, and a file to append to."""

    def __init__(self, size: int, folder: Path) -> None:
        codes = np.random.default_rng(7).integers(-127, 128, (size, WIDTH), dtype=np.int8)
        self._bytes = codes.tobytes()
        words = np.frombuffer(self._bytes, np.int64)
        self._readers: tuple[Callable[[], object], ...] = (
            lambda: self._bytes.find(NEVER),
            words.max,
        )
        self._file = (folder / "floor").open("ab", buffering=0)

    def read(self) -> list[float]:
        """One pass on one core, by whichever of two tight loops is the faster here."""
        runs = [[timed(reader) for _ in range(TIMES)] for reader in self._readers]
        return min(runs, key=statistics.median)

    def sync(self) -> list[float]:
        return [timed(self._append) for _ in range(TIMES)]

    def _append(self) -> None:
        self._file.write(PAGE)
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()
