"""Exact nearest neighbours over the rows of one place.

A number of a vector has sixteen bits, kept as an upper and a lower byte in two matrices. The upper
ones alone are an int8 vector: all of those are scanned by a SIMD kernel, and the caller scores the
best again from both. A vector is a run of blocks (see ports.Embedder); trailing blocks that are
zero are neither stored nor scanned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import simsimd
from numpy.typing import NDArray

from .binary_prefilter import BinaryPrefilter
from .columns import grown
from .deadline import Deadline, LateError
from .topk import Mask

Floats = NDArray[np.float32]
SCALE_BYTES = 4
LARGEST = 127 * 256 + 127  # no upper byte is above 127, and no lower one
LOWER = np.float32(1 / 256)
SPLIT_ROWS = 20_000
SCAN_THREADS = 2
STRETCH_ROWS = 131_072  # scanned at one go, some milliseconds; then the time is looked at
# From so many rows on, a first look by signs chooses who is scored: at least so many, or a share.
SIGNS_FROM = 60_000
MIN_SHORT = 3072
SHORT_BITS = 6
SAMPLE_STEP = 17  # a prime, as what alternates is not to be seen from one side only
EVERY = slice(None)
MISSING = -2.0  # below any cosine: a row without a vector


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


def _least(estimates: Floats, mask: Mask, count: int) -> float:
    """What about so many of those that may be seen exceed, going by a sample."""
    sample = estimates[::SAMPLE_STEP]
    seen = mask[::SAMPLE_STEP]
    sample = sample if seen.all() else sample[seen]
    at = len(sample) - count // SAMPLE_STEP
    return MISSING / 2 if at < 0 else max(MISSING / 2, float(np.partition(sample, at)[at]))


class Int8Matrix:
    """The vectors of one place, by row. One writer at a time; readers need no lock."""

    def __init__(self, blocks: Sequence[int]) -> None:
        self._widths = tuple(blocks)
        self._blocks = [VectorSegment(width) for width in blocks]

    @property
    def widths(self) -> tuple[int, ...]:
        return self._widths

    def extend(self, at: int, parts: Sequence[Int8Planes], owners: NDArray[np.int64]) -> None:
        """Append to one block, so that rows stay in order within each."""
        self._blocks[at].append(parts, owners)
        if self._blocks[0].size >= SIGNS_FROM:
            for block in self._blocks:
                block.keep_signs()

    def has(self, row: int) -> bool:
        return self._blocks[0].has(row)

    def add(self, row: int, code: bytes) -> None:
        """The vector of one row, as it is stored."""
        scales = np.frombuffer(code, np.float32, 1)
        upper, lower = np.frombuffer(code, np.int8, offset=SCALE_BYTES).reshape(2, 1, -1)
        start = 0
        for width, block in zip(self._widths, self._blocks, strict=True):
            end = start + width
            if upper.shape[1] < end:
                break
            part = Int8Planes(upper[:, start:end], lower[:, start:end], scales)
            block.append([part], np.array([row], np.int64))
            start = end

    def exactly(self, query: Floats, rows: NDArray[np.int64]) -> Floats:
        """Cosine of the query with some rows, from full precision; 0 for one without a vector."""
        scores = np.zeros(len(rows), np.float32)
        for part, block in self._parts_of(query):
            block.add_exactly(part, rows, scores)
        return scores

    def upper(self, rows: NDArray[np.int64]) -> NDArray[np.int8]:
        """Some rows as they are scanned, each in steps of its own; zero where there is none."""
        filled = [(at, block) for at, block in self._columns() if block.size]
        found = np.zeros((len(rows), filled[-1][0].stop if filled else 0), np.int8)
        for at, block in filled:
            block.upper(rows, found[:, at])
        return found

    def _columns(self) -> Iterator[tuple[slice, VectorSegment]]:
        start = 0
        for width, block in zip(self._widths, self._blocks, strict=True):
            yield slice(start, start + width), block
            start += width

    def scores(
        self,
        queries: Sequence[Floats],
        rows: int,
        mask: Mask,
        also: Callable[[], NDArray[np.int64]],
        deadline: Deadline | None = None,
    ) -> tuple[NDArray[np.int64] | None, list[Floats]]:
        """Cosine of each query with each row; MISSING where a row has no vector.

        A large place is looked at by signs first, and then only the rows that may matter are
        scored, for all queries the same; besides them, those in `also`. These rows come first.
        """
        if not self._blocks[0].has_signs:
            return None, [self.score(query, rows, deadline) for query in queries]
        short = self._shortlist(queries, rows, mask, also())
        if deadline is not None and not deadline.left:
            raise LateError("vectors: there was no time to score them")
        found = []
        for query in queries:
            scores = np.zeros(len(short), np.float32)
            for part, block in self._parts_of(query):
                block.add_exact(part, short, scores)
            found.append(scores)
        return short, found

    def _shortlist(
        self, queries: Sequence[Floats], rows: int, mask: Mask, also: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        best = None
        for query in queries:
            (part, first), *others = self._parts_of(query)
            estimates = first.estimates(part, rows)
            for part, block in others:
                block.add_estimates(part, estimates)
            best = estimates if best is None else np.maximum(best, estimates, out=best)
        assert best is not None
        chosen = best > _least(best, mask, max(MIN_SHORT, rows >> SHORT_BITS))
        chosen &= mask
        chosen[also] = best[also] > MISSING / 2
        return chosen.nonzero()[0]

    def _parts_of(self, query: Floats) -> Iterator[tuple[Floats, VectorSegment]]:
        return ((query[at], block) for at, block in self._columns())

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
