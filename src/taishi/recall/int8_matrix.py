"""Exact nearest neighbours over the rows of one partition, from int8 vectors.

The int8 codes of all rows are scanned, and the caller rescores the best from 16 bits. In a large
partition a prefilter by sign bits chooses which rows are scanned. A vector is a run of blocks (see
ports.Embedder), each in a segment of its own; blocks that are zero are neither stored nor scanned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from .deadline import Deadline, LateError
from .int8_segment import MISSING, VectorSegment
from .topk import Mask
from .vector_codec import SCALE_BYTES, Floats, Int8Planes, decode, encode

__all__ = ["MISSING", "SCALE_BYTES", "Floats", "Int8Matrix", "Int8Planes", "decode", "encode"]

# From so many rows on, a prefilter by signs chooses which are scored: at least so many, or a share.
SIGNS_FROM = 60_000
MIN_SHORT = 3072
SHORT_BITS = 6
SAMPLE_STEP = 17  # a prime, so that a periodic order does not bias the sample


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
        self.prefilter_if_large()

    def prefilter_if_large(self) -> None:
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

    def compacted(self, rows: NDArray[np.int64]) -> Int8Matrix:
        """A copy with only these rows, numbered in this order."""
        copy = Int8Matrix(self._widths)
        for at, block in enumerate(self._blocks):
            owners, planes = block.planes(rows)
            if len(owners):
                copy.extend(at, [planes], owners)
        return copy

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
