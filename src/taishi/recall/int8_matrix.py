"""Exact nearest neighbours over the rows of one partition, from int8 vectors.

The int8 codes of all rows are scanned by a SIMD kernel, and the caller rescores the best from 16
bits. In a large partition a prefilter by sign bits chooses which rows are scanned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import simsimd
from numpy.typing import NDArray

from .binary_prefilter import BinaryPrefilter
from .columns import grown
from .deadline import Deadline, LateError
from .topk import Mask
from .vector_codec import LOWER, Floats, Int8Planes

SPLIT_ROWS = 20_000
SCAN_THREADS = 2
STRETCH_ROWS = 131_072  # scanned at a time, some milliseconds; then the deadline is checked
EVERY = slice(None)
MISSING = -2.0  # below any cosine: a row without a vector
# From so many rows on, a prefilter by signs chooses which are scored: at least so many, or a share.
SIGNS_FROM = 60_000
MIN_SHORT = 3072
SHORT_BITS = 6
SAMPLE_STEP = 17  # a prime, so that a periodic order does not bias the sample


def _scan(code: NDArray[np.int8], matrix: NDArray[np.int8], deadline: Deadline | None) -> Floats:
    """All dot products. Raises LateError, so that keyword results can still be returned."""
    found = []
    for start in range(0, len(matrix), STRETCH_ROWS):
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


def _coded(query: Floats) -> tuple[np.float32, NDArray[np.int8]]:
    scale = max(float(np.abs(query).max()), 1e-9) / 127
    return np.float32(scale), np.round(query / scale).astype(np.int8)


def _least(estimates: Floats, mask: Mask, count: int) -> float:
    """An estimate that about `count` of the visible rows exceed, from a sample."""
    sample = estimates[::SAMPLE_STEP]
    seen = mask[::SAMPLE_STEP]
    sample = sample if seen.all() else sample[seen]
    at = len(sample) - count // SAMPLE_STEP
    return MISSING / 2 if at < 0 else max(MISSING / 2, float(np.partition(sample, at)[at]))


class Int8Matrix:
    """The vectors of one partition in slots, and the row of each. One writer at a time.

    Readers need no lock. They read `count` before `_in_order`, which may become false meanwhile
    but never true: so what it says holds for as many slots.
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.count = 0
        self._matrix = np.zeros((0, dimensions), np.int8)
        self._lower = np.zeros((0, dimensions), np.int8)
        self._scales = np.zeros(0, np.float32)
        self._owners = np.zeros(0, np.int64)
        self._in_order = True  # slot n belongs to row n: no need to look owners up
        self._slots = np.zeros(0, np.int32)  # of each row; below 0: it has none
        self._prefilter: BinaryPrefilter | None = None

    def add(self, rows: Sequence[int], codes: Sequence[bytes]) -> None:
        """Append the encoded vectors of some rows, but none of another width."""
        planes = Int8Planes.of(codes, self.dimensions)
        owners = np.array(rows, np.int64)[planes.owners]
        self.extend([replace(planes, owners=owners)], [0])

    def extend(self, parts: Sequence[Int8Planes], starts: Iterable[int]) -> None:
        """Append vectors; the owners of each part are counted from its start."""
        pairs = zip(parts, starts, strict=True)
        owners = np.concatenate([part.owners + np.int64(start) for part, start in pairs])
        if not len(owners):
            return
        first, end = self.count, self.count + len(owners)
        self._make_room(end)
        np.concatenate([part.upper for part in parts], out=self._matrix[first:end])
        np.concatenate([part.lower for part in parts], out=self._lower[first:end])
        np.concatenate([part.scales for part in parts], out=self._scales[first:end])
        self._owners[first:end] = owners
        self._in_order = self._in_order and bool((owners == np.arange(first, end)).all())
        self._note_slots(owners, end)
        if self._prefilter is not None or end >= SIGNS_FROM:
            signs = self._prefilter or BinaryPrefilter(self.dimensions)
            signs.extend(self._matrix[:end], self._scales[:end])
            self._prefilter = signs
        self.count = end  # last: a reader never sees a row that is half written

    def _make_room(self, end: int) -> None:
        if end > len(self._matrix):
            room = max(end, len(self._matrix) * 3 // 2)
            self._matrix = grown(self._matrix, room, self.count)
            self._lower = grown(self._lower, room, self.count)
            self._scales = grown(self._scales, room, self.count)
            self._owners = grown(self._owners, room, self.count)

    def _note_slots(self, owners: NDArray[np.int64], end: int) -> None:
        last = int(owners.max()) + 1
        used = len(self._slots)
        if last > used:
            slots = grown(self._slots, max(last, used * 3 // 2), used)
            slots[used:] = -1
            self._slots = slots
        self._slots[owners] = np.arange(self.count, end)

    def has(self, row: int) -> bool:
        return row < len(self._slots) and bool(self._slots[row] >= 0)

    @property
    def has_prefilter(self) -> bool:
        return self._prefilter is not None

    def compacted(self, rows: NDArray[np.int64]) -> Int8Matrix:
        """A copy with only these rows, numbered in this order."""
        at, slots = self._find(rows)
        owners = np.arange(len(rows))[at]
        planes = Int8Planes(owners, self._matrix[slots], self._lower[slots], self._scales[slots])
        copy = Int8Matrix(self.dimensions)
        copy.extend([planes], [0])
        return copy

    def score(self, query: Floats, rows: int, deadline: Deadline | None = None) -> Floats:
        """Cosine of the query with each row; MISSING where a row has no vector."""
        count = self.count
        count = min(count, rows) if self._in_order else count
        if not count:
            return np.full(rows, MISSING, np.float32)
        scale, code = _coded(query)
        dots = _scan(code, self._matrix[:count], deadline)
        dots *= self._scales[:count]
        dots *= scale
        return self._by_row(dots, rows)

    def scores(
        self,
        queries: Sequence[Floats],
        rows: int,
        mask: Mask,
        also: Callable[[], NDArray[np.int64]],
        deadline: Deadline | None = None,
    ) -> tuple[NDArray[np.int64] | None, list[Floats]]:
        """Cosine of each query with each row; MISSING where a row has no vector.

        In a large partition only the rows that pass the prefilter for any query are scored, and
        those in `also`. Returns which rows, None for all; and the scores by query.
        """
        signs = self._prefilter
        if signs is None:
            return None, [self.score(query, rows, deadline) for query in queries]
        short = self._shortlist(signs, queries, rows, mask, also())
        if deadline is not None and not deadline.left:
            raise LateError("vectors: there was no time to score them")
        return short, [self._int8_scores(query, short) for query in queries]

    def _shortlist(
        self,
        signs: BinaryPrefilter,
        queries: Sequence[Floats],
        rows: int,
        mask: Mask,
        also: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        best = self._estimates(signs, queries[0], rows)
        for query in queries[1:]:
            np.maximum(best, self._estimates(signs, query, rows), out=best)
        chosen = best > _least(best, mask, max(MIN_SHORT, rows >> SHORT_BITS))
        chosen &= mask
        chosen[also] = best[also] > MISSING / 2
        return chosen.nonzero()[0]

    def _estimates(self, signs: BinaryPrefilter, query: Floats, rows: int) -> Floats:
        """An estimate of the cosine with each row; MISSING where a row has no vector."""
        count = min(signs.size, self.count)
        count = min(count, rows) if self._in_order else count
        return self._by_row(signs.dots(query, count), rows)

    def _by_row(self, values: Floats, rows: int) -> Floats:
        """Values of the first slots → of the rows, without those appended during this read."""
        count = len(values)
        if self._in_order and count >= rows:
            return values[:rows]
        found = np.full(rows, MISSING, np.float32)
        if self._in_order:
            found[:count] = values
            return found
        owners = self._owners[:count]
        inside = owners < rows
        if not inside.all():
            owners, values = owners[inside], values[inside]
        found[owners] = values
        return found

    def _int8_scores(self, query: Floats, rows: NDArray[np.int64]) -> Floats:
        """Cosine of the query with some rows that have a vector."""
        scores = np.zeros(len(rows), np.float32)
        at, slots = self._find(rows)
        if len(slots):
            scale, code = _coded(query)
            dots = _scan_stretch(code, self._matrix[slots])
            dots *= self._scales[slots]
            dots *= scale
            scores[at] = dots
        return scores

    def exact_scores(self, query: Floats, rows: NDArray[np.int64]) -> Floats:
        """Cosine of the query with some rows, from 16 bits; 0 for one without a vector."""
        scores = np.zeros(len(rows), np.float32)
        at, slots = self._find(rows)
        if len(slots):
            dots = self._lower[slots].astype(np.float32) @ query
            dots *= LOWER
            dots += self._matrix[slots].astype(np.float32) @ query
            dots *= self._scales[slots]
            scores[at] = dots
        return scores

    def upper(self, rows: NDArray[np.int64]) -> NDArray[np.int8]:
        """The int8 codes of some rows, each with a scale of its own; zeros where there is none."""
        found = np.zeros((len(rows), self.dimensions), np.int8)
        at, slots = self._find(rows)
        found[at] = self._matrix[slots]
        return found

    def _find(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64] | slice, NDArray[Any]]:
        """Which of the rows have a vector, and in which slot."""
        count = self.count
        if self._in_order and (not len(rows) or rows.max() < count):
            return EVERY, rows
        at = np.flatnonzero(rows < len(self._slots))
        slots = self._slots[rows[at]]
        there = np.flatnonzero((slots >= 0) & (slots < count))
        return at[there], slots[there]

    @property
    def nbytes(self) -> int:
        signs = 0 if self._prefilter is None else self._prefilter.nbytes
        arrays = (self._matrix, self._lower, self._scales, self._owners, self._slots)
        return signs + sum(array.nbytes for array in arrays)
