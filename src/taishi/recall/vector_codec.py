"""Encodes unit vectors as 16-bit fixed point: an upper and a lower byte per number, and a scale.

The upper bytes alone are an int8 vector, which is what a scan reads; both together are about
fifteen times as exact as a float16. A vector is a run of blocks (see ports.Embedder); trailing
blocks that are zero are not stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
SCALE_BYTES = 4
LARGEST = 127 * 256 + 127  # no upper byte is above 127, and no lower one
LOWER = np.float32(1 / 256)


def encode(vector: Floats, blocks: Sequence[int]) -> bytes:
    """A vector as it is stored: a scale, the upper bytes, the lower bytes.

    Sixteen bits in even steps are about fifteen times as exact here as those of a float16.
    """
    part = vector[: _used_width(vector, blocks)]
    scale = np.float32(max(float(np.abs(part).max(initial=0.0)), 1e-9) / LARGEST)
    whole = np.rint(part / scale).astype(np.int16)
    upper = (whole + 128) >> 8
    lower = whole - (upper << 8)
    coarse = np.float32(256) * scale
    return b"".join([coarse.tobytes(), *(p.astype(np.int8).tobytes() for p in (upper, lower))])


def decode(code: bytes, width: int) -> Floats:
    """The vector that was stored; what was left out at the end is zero."""
    scale = np.frombuffer(code, np.float32, 1)
    upper, lower = np.frombuffer(code, np.int8, offset=SCALE_BYTES).reshape(2, -1)
    vector = np.zeros(width, np.float32)
    vector[: len(upper)] = (upper + lower * LOWER) * scale
    return vector


def _used_width(vector: Floats, blocks: Sequence[int]) -> int:
    ends = np.cumsum(blocks)
    used = int(ends[0])
    for start, end in pairwise(ends):
        if vector[start:end].any():
            used = int(end)
    return used


@dataclass(frozen=True, slots=True)
class Int8Planes:
    """Some vectors of one block: the bytes of their numbers, a row each, and a scale."""

    upper: NDArray[np.int8]
    lower: NDArray[np.int8]
    scales: Floats  # of the upper bytes

    @staticmethod
    @cache
    def none(width: int) -> Int8Planes:
        empty = np.zeros((0, width), np.int8)
        return Int8Planes(empty, empty, np.zeros(0, np.float32))
