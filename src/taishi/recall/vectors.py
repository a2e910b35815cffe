"""Exact nearest neighbours over the rows of one place.

Vectors are kept as int8 with one scale each and scanned whole by a SIMD kernel; the best are
rescored from full precision by the caller. A vector is a run of blocks (see ports.Embedder);
trailing blocks that are zero are neither stored nor scanned.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import simsimd
from numpy.typing import NDArray

from .columns import grown
from .deadline import Deadline, LateError

Floats = NDArray[np.float32]
SCALE_BYTES = 4
SPLIT_ROWS = 20_000
SCAN_THREADS = 2
STRETCH_ROWS = 131_072  # scanned at one go, some milliseconds; then the time is looked at
MISSING = -2.0  # below any cosine: a row without a vector


def encode(vector: Floats, blocks: Sequence[int]) -> tuple[bytes, bytes]:
    """A vector as it is stored: (int8 code with its scale, full as int16 with its scale).

    Sixteen bits in even steps are about fifteen times as exact here as those of a float16.
    """
    part = vector[: _used_width(vector, blocks)]
    return _quantised(part, np.int8), _quantised(part, np.int16)


def _quantised(part: Floats, dtype: type[np.signedinteger[Any]]) -> bytes:
    largest = max(float(np.abs(part).max(initial=0.0)), 1e-9)
    scale = np.float32(largest / np.iinfo(dtype).max)
    return scale.tobytes() + np.round(part / scale).astype(dtype).tobytes()


def decode_full(stored: Sequence[bytes], width: int) -> Floats:
    """Full vectors, a row each; what was left out at the end is zero."""
    rows = np.zeros((len(stored), width), np.float32)
    sizes = [len(full) for full in stored]
    for size in set(sizes):
        at = [number for number, other in enumerate(sizes) if other == size]
        used = (size - SCALE_BYTES) // 2
        joined = b"".join([stored[number] for number in at])
        parts = np.frombuffer(joined, np.dtype([("scale", "<f4"), ("code", "<i2", (used,))]))
        rows[at, :used] = parts["code"] * parts["scale"][:, None]
    return rows


def _used_width(vector: Floats, blocks: Sequence[int]) -> int:
    ends = np.cumsum(blocks)
    used = int(ends[0])
    for start, end in pairwise(ends):
        if vector[start:end].any():
            used = int(end)
    return used


def _scan(code: NDArray[np.int8], matrix: NDArray[np.int8], deadline: Deadline | None) -> Floats:
    """All dot products, or LateError: what words found is still an answer by then."""
    found = []
    for start in range(0, max(len(matrix), 1), STRETCH_ROWS):
        if deadline is not None and not deadline.left:
            raise LateError("vectors: there was no time to scan them all")
        found.append(_scan_stretch(code, matrix[start : start + STRETCH_ROWS]))
    return found[0] if len(found) == 1 else np.concatenate(found)


def _scan_stretch(code: NDArray[np.int8], matrix: NDArray[np.int8]) -> Floats:
    """Dot products with every row; a large matrix is split, as the kernel lets others run.

    Not with `out=`: simsimd 6.5 then gives away a reference to None that it does not own, and
    some ten thousand questions later Python 3.11 dies of it.
    """
    threads = SCAN_THREADS if len(matrix) >= SPLIT_ROWS else 1
    dots = simsimd.cdist(code[None, :], matrix, metric="dot", threads=threads, out_dtype="float32")
    found: Floats = np.asarray(dots)[0]
    return found


class Block:
    """One column of blocks: an int8 matrix that grows in place, and whose rows they are."""

    def __init__(self, width: int) -> None:
        self._matrix = np.zeros((0, width), np.int8)
        self._scales = np.zeros(0, np.float32)
        self._owners = np.zeros(0, np.int64)
        self._in_order = True  # slot n belongs to row n: no need to look owners up
        self.size = 0

    def append(
        self, codes: Sequence[NDArray[np.int8]], scales: Floats, owners: NDArray[np.int64]
    ) -> None:
        end = self.size + len(owners)
        if end > len(self._matrix):
            room = max(end, len(self._matrix) * 3 // 2)
            self._matrix = grown(self._matrix, room, self.size)
            self._scales = grown(self._scales, room, self.size)
            self._owners = grown(self._owners, room, self.size)
        if len(owners):
            np.concatenate(codes, out=self._matrix[self.size : end])
        self._scales[self.size : end] = scales
        self._owners[self.size : end] = owners
        self._in_order = self._in_order and bool((owners == np.arange(self.size, end)).all())
        self.size = end  # last: a reader never sees a row that is half written

    def scores(self, query: Floats, rows: int, deadline: Deadline | None) -> Floats | None:
        """The dot product with each row, if slot n belongs to row n and none is missing."""
        if not self._in_order or self.size < rows or not query.any():
            return None
        return self._dots(query, rows, deadline)

    def add_scores(self, query: Floats, scores: Floats, deadline: Deadline | None) -> None:
        size = min(self.size, len(scores)) if self._in_order else self.size
        if not size or not query.any():
            return
        dots = self._dots(query, size, deadline)
        if self._in_order:
            scores[:size] += dots
            return
        owners = self._owners[:size]
        inside = owners < len(scores)
        if not inside.all():  # appended while we read
            owners, dots = owners[inside], dots[inside]
        scores[owners] += dots

    def _dots(self, query: Floats, size: int, deadline: Deadline | None) -> Floats:
        scale = float(np.abs(query).max()) / 127
        code = np.round(query / scale).astype(np.int8)
        dots = _scan(code, self._matrix[:size], deadline)
        dots *= self._scales[:size]
        dots *= np.float32(scale)
        return dots

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

    @property
    def widths(self) -> tuple[int, ...]:
        return self._widths

    def extend(
        self, at: int, codes: Sequence[NDArray[np.int8]], scales: Floats, owners: NDArray[np.int64]
    ) -> None:
        """Append to one block, so that rows stay in order within each."""
        self._blocks[at].append(codes, scales, owners)

    def add(self, row: int, code: bytes) -> None:
        """The vector of one row, as it is stored."""
        scale = np.frombuffer(code, np.float32, 1)
        start = SCALE_BYTES
        for width, block in zip(self._widths, self._blocks, strict=True):
            if len(code) < start + width:
                break
            part = np.frombuffer(code, np.int8, width, start)[None, :]
            block.append([part], scale, np.array([row], np.int64))
            start += width

    def score(self, query: Floats, rows: int, deadline: Deadline | None = None) -> Floats:
        """Cosine of the query with each row; MISSING where a row has no vector."""
        first, *others = zip(self._widths, self._blocks, strict=True)
        start = first[0]
        scores = first[1].scores(query[:start], rows, deadline)
        if scores is None:
            scores = np.full(rows, MISSING, np.float32)
            first[1].mark(scores)
            first[1].add_scores(query[:start], scores, deadline)
        for width, block in others:
            block.add_scores(query[start : start + width], scores, deadline)
            start += width
        return scores

    @property
    def count(self) -> int:
        return self._blocks[0].size

    @property
    def nbytes(self) -> int:
        return sum(block.nbytes for block in self._blocks)
