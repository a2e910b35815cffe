"""Encodes unit vectors as 16-bit fixed point: an upper and a lower byte per number, and a scale.

The upper bytes alone are an int8 vector, which is what a scan reads; both together are about
fifteen times as exact as a float16.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
SCALE_BYTES = 4
LARGEST = 127 * 256 + 127  # no upper byte is above 127, and no lower one
LOWER = np.float32(1 / 256)


def encode(vector: Floats) -> bytes:
    """A vector as it is stored: a scale, the upper bytes, the lower bytes."""
    scale = np.float32(max(float(np.abs(vector).max(initial=0.0)), 1e-9) / LARGEST)
    whole = np.rint(vector / scale).astype(np.int16)
    upper = (whole + 128) >> 8
    lower = whole - (upper << 8)
    coarse = np.float32(256) * scale
    return b"".join([coarse.tobytes(), *(p.astype(np.int8).tobytes() for p in (upper, lower))])


def decode(code: bytes) -> Floats:
    scale = np.frombuffer(code, np.float32, 1)
    upper, lower = np.frombuffer(code, np.int8, offset=SCALE_BYTES).reshape(2, -1)
    vector: Floats = (upper + lower * LOWER) * scale
    return vector


def code_size(dimensions: int) -> int:
    """The bytes of an encoded vector."""
    return SCALE_BYTES + 2 * dimensions


@dataclass(frozen=True, slots=True)
class Int8Planes:
    """Some vectors, as many as there are owners: the bytes of their numbers, and a scale."""

    owners: NDArray[np.integer]  # the row (or piece) of each, in ascending order
    upper: NDArray[np.int8]
    lower: NDArray[np.int8]
    scales: Floats  # of the upper bytes

    @staticmethod
    @cache
    def none(dimensions: int) -> Int8Planes:
        empty = np.zeros((0, dimensions), np.int8)
        return Int8Planes(np.zeros(0, np.int32), empty, empty, np.zeros(0, np.float32))

    @staticmethod
    def of(codes: Sequence[bytes | None], dimensions: int) -> Int8Planes:
        """The codes of the first rows; one of another width counts as none."""
        size = code_size(dimensions)
        there = [code is not None and len(code) == size for code in codes]
        if not any(there):  # as it is of what was written a moment ago
            return Int8Planes.none(dimensions)
        owners = np.flatnonzero(there).astype(np.int32)
        joined = b"".join([code for code in codes if code is not None and len(code) == size])
        table = np.frombuffer(joined, np.int8).reshape(len(owners), size)
        scales = table[:, :SCALE_BYTES].copy().view(np.float32)[:, 0]
        upper, lower = np.split(table[:, SCALE_BYTES:], 2, axis=1)
        return Int8Planes(owners, upper, lower, scales)
