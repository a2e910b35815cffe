"""An int8 matrix of one block of vectors: scanned by a SIMD kernel, rescored from 16 bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import simsimd
from numpy.typing import NDArray

from .binary_prefilter import BinaryPrefilter
from .columns import grown
from .deadline import Deadline, LateError
from .vector_codec import LOWER, Floats, Int8Planes

SPLIT_ROWS = 20_000
SCAN_THREADS = 2
STRETCH_ROWS = 131_072  # scanned at a time, some milliseconds; then the deadline is checked
EVERY = slice(None)
MISSING = -2.0  # below any cosine: a row without a vector


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


def _coded(query: Floats) -> tuple[float, NDArray[np.int8]]:
    scale = float(np.abs(query).max()) / 127
    return scale, np.round(query / scale).astype(np.int8)


class VectorSegment:
    """One column of blocks: an int8 matrix that grows in place, and whose rows they are."""

    def __init__(self, width: int) -> None:
        self._matrix = np.zeros((0, width), np.int8)
        self._lower = np.zeros((0, width), np.int8)
        self._scales = np.zeros(0, np.float32)
        self._owners = np.zeros(0, np.int64)
        self._in_order = True  # slot n belongs to row n: no need to look owners up
        self._slots = np.zeros(0, np.int32)  # of each row; below 0: it has none
        self._signs: BinaryPrefilter | None = None
        self.size = 0

    def append(self, parts: Sequence[Int8Planes], owners: NDArray[np.int64]) -> None:
        end = self.size + len(owners)
        if end > len(self._matrix):
            room = max(end, len(self._matrix) * 3 // 2)
            self._matrix = grown(self._matrix, room, self.size)
            self._lower = grown(self._lower, room, self.size)
            self._scales = grown(self._scales, room, self.size)
            self._owners = grown(self._owners, room, self.size)
        if len(owners):
            np.concatenate([part.upper for part in parts], out=self._matrix[self.size : end])
            np.concatenate([part.lower for part in parts], out=self._lower[self.size : end])
            np.concatenate([part.scales for part in parts], out=self._scales[self.size : end])
        self._owners[self.size : end] = owners
        self._in_order = self._in_order and bool((owners == np.arange(self.size, end)).all())
        self._note_slots(owners, end)
        if self._signs is not None:
            self._signs.follow(self._matrix[:end], self._scales[:end])
        self.size = end  # last: a reader never sees a row that is half written

    def _note_slots(self, owners: NDArray[np.int64], end: int) -> None:
        last = int(owners.max(initial=-1)) + 1
        if last > len(self._slots):
            used = len(self._slots)
            self._slots = grown(self._slots, max(last, used * 3 // 2), used)
            self._slots[used:] = -1
        self._slots[owners] = np.arange(self.size, end)

    def has(self, row: int) -> bool:
        return row < len(self._slots) and bool(self._slots[row] >= 0)

    def keep_signs(self) -> None:
        """From now on a first look is possible."""
        if self._signs is None:
            signs = BinaryPrefilter(self._matrix.shape[1])
            signs.follow(self._matrix[: self.size], self._scales[: self.size])
            self._signs = signs

    def estimates(self, query: Floats, rows: int) -> Floats:
        """About the dot product with each row; MISSING where a row has no vector here."""
        signs = self._signs
        assert signs is not None
        size = min(signs.size, self.size)
        if self._in_order and size >= rows:
            return signs.dots(query, rows)
        found = np.full(rows, MISSING, np.float32)
        owners, inside = self._inside(size, rows)
        found[owners] = signs.dots(query, size)[inside]
        return found

    def add_estimates(self, query: Floats, estimates: Floats) -> None:
        signs = self._signs
        if signs is not None and query.any():
            size = min(signs.size, self.size)
            owners, inside = self._inside(size, len(estimates))
            estimates[owners] += signs.dots(query, size)[inside]

    def _inside(self, size: int, rows: int) -> tuple[NDArray[np.int64], NDArray[Any] | slice]:
        """Whose the first slots are, without rows that were appended while we read."""
        owners = self._owners[:size]
        inside = owners < rows
        return (owners, EVERY) if inside.all() else (owners[inside], inside)

    def add_exact(self, query: Floats, rows: NDArray[np.int64], scores: Floats) -> None:
        """The dot product with some rows; nothing for one that has no vector here."""
        if not query.any():
            return
        at, slots = self._find(rows)
        if len(slots):
            scale, code = _coded(query)
            dots = _scan_stretch(code, self._matrix[slots])
            dots *= self._scales[slots]
            dots *= np.float32(scale)
            scores[at] += dots

    def _find(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64] | slice, NDArray[Any]]:
        """Which of the rows have a vector here, and in which slot."""
        if self._in_order and (not len(rows) or rows.max() < self.size):
            return EVERY, rows
        at = np.flatnonzero(rows < len(self._slots))
        slots = self._slots[rows[at]]
        there = np.flatnonzero((slots >= 0) & (slots < self.size))
        return at[there], slots[there]

    def planes(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], Int8Planes]:
        """Copies of the vectors of some rows, and the positions of those rows that have one."""
        at, slots = self._find(rows)
        positions = np.arange(len(rows))[at]
        return positions, Int8Planes(self._matrix[slots], self._lower[slots], self._scales[slots])

    def upper(self, rows: NDArray[np.int64], into: NDArray[np.int8]) -> None:
        """The upper bytes of some rows; one that has none here is left as it is."""
        at, slots = self._find(rows)
        into[at] = self._matrix[slots]

    def add_exactly(self, query: Floats, rows: NDArray[np.int64], scores: Floats) -> None:
        """The dot product with some rows from both bytes of each number."""
        if not query.any():
            return
        at, slots = self._find(rows)
        if len(slots):
            dots = self._lower[slots].astype(np.float32) @ query
            dots *= LOWER
            dots += self._matrix[slots].astype(np.float32) @ query
            dots *= self._scales[slots]
            scores[at] += dots

    def scores(self, query: Floats, rows: int, deadline: Deadline | None) -> Floats | None:
        """The dot product with each row, if slot n belongs to row n and none is missing."""
        if not rows or not self._in_order or self.size < rows or not query.any():
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
        owners, inside = self._inside(size, len(scores))
        scores[owners] += dots[inside]

    def _dots(self, query: Floats, size: int, deadline: Deadline | None) -> Floats:
        scale, code = _coded(query)
        dots = _scan(code, self._matrix[:size], deadline)
        dots *= self._scales[:size]
        dots *= np.float32(scale)
        return dots

    @property
    def has_signs(self) -> bool:
        return self._signs is not None

    def mark(self, scores: Floats) -> None:
        """Zero for every row that has a vector."""
        if self._in_order:
            scores[: self.size] = 0.0
        else:
            owners = self._owners[: self.size]
            scores[owners[owners < len(scores)]] = 0.0

    @property
    def nbytes(self) -> int:
        signs = 0 if self._signs is None else self._signs.nbytes
        arrays = (self._matrix, self._lower, self._scales, self._owners, self._slots)
        return signs + sum(array.nbytes for array in arrays)
