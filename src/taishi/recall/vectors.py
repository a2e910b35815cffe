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
SPLIT_ROWS = 20_000
SCAN_THREADS = 2
MISSING = -2.0  # below any cosine: a row without a vector


def encode(vector: Floats, blocks: Sequence[int]) -> tuple[bytes, bytes]:
    """A vector as it is stored: (int8 code with its scale, full as float16)."""
    used = _used_width(vector, blocks)
    part = vector[:used]
    scale = np.float32(max(float(np.abs(part).max(initial=0.0)), 1e-9) / 127)
    code = np.round(part / scale).astype(np.int8)
    return scale.tobytes() + code.tobytes(), part.astype(np.float16).tobytes()


def decode_full(stored: Sequence[bytes], width: int) -> Floats:
    """Full vectors, a row each; what was left out at the end is zero."""
    out = np.zeros((len(stored), width), np.float32)
    for row, full in zip(out, stored, strict=True):
        part = np.frombuffer(full, np.float16)
        row[: len(part)] = part
    return out


def _used_width(vector: Floats, blocks: Sequence[int]) -> int:
    ends = np.cumsum(blocks)
    used = int(ends[0])
    for start, end in pairwise(ends):
        if vector[start:end].any():
            used = int(end)
    return used


def _scan(code: NDArray[np.int8], matrix: NDArray[np.int8]) -> Floats:
    """Dot products with every row; a large matrix is split, as the kernel lets others run."""
    threads = SCAN_THREADS if len(matrix) >= SPLIT_ROWS else 1
    dots: Floats = np.empty(len(matrix), np.float32)
    simsimd.cdist(code[None, :], matrix, metric="dot", threads=threads, out=dots[None, :])
    return dots


class Block:
    """One column of blocks: an int8 matrix that grows in place, and whose rows they are."""

    def __init__(self, width: int) -> None:
        self._matrix = np.zeros((0, width), np.int8)
        self._scales = np.zeros(0, np.float32)
        self._owners = np.zeros(0, np.int64)
        self._in_order = True  # slot n belongs to row n: no need to look owners up
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
        self._in_order = self._in_order and bool((owners == np.arange(self.size, end)).all())
        self.size = end  # last: a reader never sees a row that is half written

    def add_scores(self, query: Floats, scores: Floats) -> None:
        size = min(self.size, len(scores)) if self._in_order else self.size
        if not size or not query.any():
            return
        scale = float(np.abs(query).max()) / 127
        code = np.round(query / scale).astype(np.int8)
        dots = _scan(code, self._matrix[:size])
        dots *= self._scales[:size]
        dots *= np.float32(scale)
        if self._in_order:
            scores[:size] += dots
            return
        owners = self._owners[:size]
        inside = owners < len(scores)
        if not inside.all():  # appended while we read
            owners, dots = owners[inside], dots[inside]
        scores[owners] += dots

    def mark(self, scores: Floats) -> None:
        """Zero for every row that has a vector."""
        if self._in_order:
            scores[: self.size] = 0.0
        else:
            owners = self._owners[: self.size]
            scores[owners[owners < len(scores)]] = 0.0

    @property
    def nbytes(self) -> int:
        return self._matrix.nbytes + self._scales.nbytes + self._owners.nbytes


class Vectors:
    """The vectors of one place, by row. One writer at a time; readers need no lock."""

    def __init__(self, blocks: Sequence[int]) -> None:
        self._widths = tuple(blocks)
        self._blocks = [Block(width) for width in blocks]

    def extend(self, owners: Sequence[int], codes: Sequence[bytes]) -> None:
        """Block by block, so that rows stay in order within each."""
        rows = np.asarray(owners, np.int64)
        start = SCALE_BYTES
        for width, block in zip(self._widths, self._blocks, strict=True):
            end = start + width
            has = np.fromiter(map(len, codes), np.int64, len(codes)) >= end
            if not has.any():
                break
            if not has.all():
                rows, codes = rows[has], [code for code in codes if len(code) >= end]
            values = np.frombuffer(b"".join([code[start:end] for code in codes]), np.int8)
            scales = np.frombuffer(b"".join([code[:SCALE_BYTES] for code in codes]), np.float32)
            block.append(values.reshape(len(codes), width), scales, rows)
            start = end

    def score(self, query: Floats, rows: int) -> Floats:
        """Cosine of the query with each row; MISSING where a row has no vector."""
        scores = np.full(rows, MISSING, np.float32)
        self._blocks[0].mark(scores)
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
