"""Exact nearest neighbours over the rows of one place.

Vectors are kept as int8 with one scale each and scanned whole by a SIMD kernel; the best are
rescored from full precision by the caller. A vector is a run of blocks (see ports.Embedder);
trailing blocks that are zero are neither stored nor scanned.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import simsimd
from numpy.typing import NDArray

from .columns import grown

Floats = NDArray[np.float32]
SCALE_BYTES = 4
MISSING = -2.0  # below any cosine: a row without a vector


def encode(vector: Floats, blocks: Sequence[int]) -> tuple[bytes, bytes]:
    """A vector as it is stored: (int8 code with its scale, full as float16)."""
    used = _used_width(vector, blocks)
    part = vector[:used]
    scale = np.float32(max(float(np.abs(part).max(initial=0.0)), 1e-9) / 127)
    code = np.round(part / scale).astype(np.int8)
    return scale.tobytes() + code.tobytes(), part.astype(np.float16).tobytes()


def decode_full(full: bytes, width: int) -> Floats:
    out = np.zeros(width, np.float32)
    part = np.frombuffer(full, np.float16)
    out[: len(part)] = part
    return out


def _used_width(vector: Floats, blocks: Sequence[int]) -> int:
    ends = np.cumsum(blocks)
    used = int(ends[0])
    for start, end in pairwise(ends):
        if vector[start:end].any():
            used = int(end)
    return used


class Block:
    """One column of blocks: an int8 matrix that grows in place, and whose rows they are."""

    def __init__(self, width: int) -> None:
        self._matrix = np.zeros((0, width), np.int8)
        self._scales = np.zeros(0, np.float32)
        self._owners = np.zeros(0, np.int64)
        self.size = 0

    def append(self, codes: NDArray[np.int8], scales: Floats, owners: NDArray[np.int64]) -> None:
        end = self.size + len(codes)
        if end > len(self._matrix):
            room = max(end, len(self._matrix) * 3 // 2)
            self._matrix = grown(self._matrix, room, self.size)
            self._scales = grown(self._scales, room, self.size)
            self._owners = grown(self._owners, room, self.size)
        self._matrix[self.size : end] = codes
        self._scales[self.size : end] = scales
        self._owners[self.size : end] = owners
        self.size = end  # last: a reader never sees a row that is half written

    def add_scores(self, query: Floats, scores: Floats) -> None:
        size = self.size
        if not size or not query.any():
            return
        scale = float(np.abs(query).max()) / 127
        code = np.round(query / scale).astype(np.int8)
        dots = np.asarray(simsimd.dot(code[None, :], self._matrix[:size]), np.float32)
        dots *= self._scales[:size] * np.float32(scale)
        owners = self._owners[:size]
        inside = owners < len(scores)
        if not inside.all():  # appended while we read
            owners, dots = owners[inside], dots[inside]
        scores[owners] += dots

    def owners(self) -> NDArray[np.int64]:
        return self._owners[: self.size]

    @property
    def nbytes(self) -> int:
        return self._matrix.nbytes + self._scales.nbytes + self._owners.nbytes


class Vectors:
    """The vectors of one place, by row. One writer at a time; readers need no lock."""

    def __init__(self, blocks: Sequence[int]) -> None:
        self._widths = tuple(blocks)
        self._blocks = [Block(width) for width in blocks]

    def extend(self, rows: Sequence[int], codes: Sequence[bytes]) -> None:
        for stops in {len(code) for code in codes}:
            same = [i for i, code in enumerate(codes) if len(code) == stops]
            joined = np.frombuffer(b"".join(codes[i] for i in same), np.uint8)
            table = joined.reshape(len(same), stops)
            scales = table[:, :SCALE_BYTES].copy().view(np.float32).ravel()
            values = table[:, SCALE_BYTES:].view(np.int8)
            owners = np.asarray([rows[i] for i in same], np.int64)
            start = 0
            for width, block in zip(self._widths, self._blocks, strict=True):
                if start >= values.shape[1]:
                    break
                block.append(values[:, start : start + width], scales, owners)
                start += width

    def score(self, query: Floats, rows: int) -> Floats:
        """Cosine of the query with each row; MISSING where a row has no vector."""
        scores = np.full(rows, MISSING, np.float32)
        first = self._blocks[0].owners()
        scores[first[first < rows]] = 0.0
        start = 0
        for width, block in zip(self._widths, self._blocks, strict=True):
            block.add_scores(query[start : start + width], scores)
            start += width
        return scores

    @property
    def count(self) -> int:
        return self._blocks[0].size

    @property
    def nbytes(self) -> int:
        return sum(block.nbytes for block in self._blocks)
