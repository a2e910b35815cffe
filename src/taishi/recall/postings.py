"""Keyword scores over the rows of one place, exact BM25, in memory.

Rows are only ever appended. They gather in a small tail; full tails become sorted segments, and
small segments merge into larger ones up to a cap, so that no single append pays for the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .columns import grown

POSTING = np.dtype([("term", "<u4"), ("count", "u1")])
TAIL_ROWS = 512
SEGMENT_ROWS = 65_536
# Short chat messages: repeats say little, and length is a weak sign.
K1 = 0.9
B = 0.4
MAX_QUERY_TERMS = 64
# As if the place held this many more rows: in a chat of three messages no word is yet common.
PRIOR_ROWS = 100

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings sorted by term, then row."""

    terms: NDArray[np.uint32]
    starts: NDArray[np.int64]
    rows: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    row_count: int

    @staticmethod
    def build(
        terms: NDArray[np.uint32], rows: NDArray[np.uint32], counts: NDArray[np.uint8], n: int
    ) -> Segment:
        # Term, row and count in one number each: sorting numbers is far faster than sorting
        # positions. A segment's rows lie close together, so 24 bits hold their distance.
        base = rows.min(initial=0xFFFFFFFF)
        keys = terms.astype(np.uint64) << np.uint64(32)
        keys |= (rows - base).astype(np.uint64) << np.uint64(8)
        keys |= counts
        keys.sort()
        sorted_terms = (keys >> np.uint64(32)).astype(np.uint32)
        changes = np.flatnonzero(sorted_terms[1:] != sorted_terms[:-1]) + 1
        ends = [0, len(keys)] if len(keys) else [0]
        starts = np.concatenate([ends[:1], changes, ends[1:]]).astype(np.int64)
        return Segment(
            terms=sorted_terms[starts[:-1]],
            starts=starts,
            rows=(keys >> np.uint64(8) & np.uint64(0xFFFFFF)).astype(np.uint32) + base,
            counts=keys.astype(np.uint8),
            row_count=n,
        )

    def merged(self, other: Segment) -> Segment:
        return Segment.build(
            np.concatenate([self.expanded(), other.expanded()]),
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.counts, other.counts]),
            self.row_count + other.row_count,
        )

    def expanded(self) -> NDArray[np.uint32]:
        return np.repeat(self.terms, np.diff(self.starts))

    def find(self, term: int) -> tuple[NDArray[np.uint32], NDArray[np.uint8]] | None:
        at = int(np.searchsorted(self.terms, np.uint32(term)))
        if at == len(self.terms) or self.terms[at] != term:
            return None
        part = slice(self.starts[at], self.starts[at + 1])
        return self.rows[part], self.counts[part]

    @property
    def nbytes(self) -> int:
        return sum(a.nbytes for a in (self.terms, self.starts, self.rows, self.counts))


class Postings:
    """Not thread-safe for writing: one writer at a time, readers see whole appends."""

    def __init__(self) -> None:
        self._segments: tuple[Segment, ...] = ()
        self._tail: list[bytes] = []
        self._tail_start = 0
        # What readers see: the segments and the tail, swapped as one.
        self._published: tuple[Segment, ...] = ()
        self._lengths = np.zeros(0, np.float32)
        self._total_length = 0.0
        self.rows = 0

    def extend(self, packed: Sequence[bytes]) -> None:
        """Append rows, each as `language.segment.pack` made it."""
        for start in range(0, len(packed), SEGMENT_ROWS):
            self._extend(packed[start : start + SEGMENT_ROWS])

    def _extend(self, packed: Sequence[bytes]) -> None:
        self._note_lengths(packed)
        self._tail.extend(packed)
        rows = self.rows + len(packed)
        tail = self._build(self._tail, self._tail_start)
        if len(self._tail) < TAIL_ROWS:
            self._published = (*self._segments, tail)
        else:
            self._segments = self._published = _absorb(self._segments, tail)
            self._tail = []
            self._tail_start = rows
        self.rows = rows

    def _note_lengths(self, packed: Sequence[bytes]) -> None:
        end = self.rows + len(packed)
        if end > len(self._lengths):
            self._lengths = grown(self._lengths, max(end, len(self._lengths) * 2), self.rows)
        # Distinct terms stand for the length: one number that needs no second pass.
        sizes = [len(row) // POSTING.itemsize for row in packed]
        self._lengths[self.rows : end] = sizes
        self._total_length += float(sum(sizes))

    @staticmethod
    def _build(packed: Sequence[bytes], first_row: int) -> Segment:
        postings = np.frombuffer(b"".join(packed), POSTING)
        sizes = [len(row) // POSTING.itemsize for row in packed]
        rows = np.repeat(np.arange(first_row, first_row + len(packed), dtype=np.uint32), sizes)
        return Segment.build(postings["term"], rows, postings["count"], len(packed))

    def score(self, terms: Sequence[int]) -> tuple[Floats, float]:
        """BM25 of every row, and the best score that a row with all the terms could have."""
        total = self.rows
        scores = np.zeros(total, np.float32)
        if not total:
            return scores, 0.0
        average = max(self._total_length / total, 1.0)
        segments = self._published
        found = sorted(
            ((sum(len(rows) for rows, _ in parts), parts)
             for parts in (_find(segments, term) for term in terms)),
            key=lambda pair: pair[0],
        )[:MAX_QUERY_TERMS]  # fmt: skip
        possible = 0.0
        for frequency, parts in found:
            unlike = total + PRIOR_ROWS - frequency
            weight = np.float32(np.log1p((unlike + 0.5) / (frequency + 0.5)))
            possible += float(weight)
            for rows, counts in parts:
                if len(rows) and rows[-1] >= total:  # appended while we read
                    keep = rows < total
                    rows, counts = rows[keep], counts[keep]
                often = counts.astype(np.float32)
                norm = self._lengths[rows] * np.float32(K1 * B / average) + np.float32(K1 * (1 - B))
                scores[rows] += weight * (K1 + 1) * often / (often + norm)
        return scores, possible

    @property
    def nbytes(self) -> int:
        return sum(s.nbytes for s in self._published) + self._lengths.nbytes


def _find(
    segments: Sequence[Segment], term: int
) -> list[tuple[NDArray[np.uint32], NDArray[np.uint8]]]:
    return [part for part in (segment.find(term) for segment in segments) if part is not None]


def _absorb(segments: tuple[Segment, ...], new: Segment) -> tuple[Segment, ...]:
    """Merge while the last segment is no larger than the new one, up to the cap."""
    while segments and segments[-1].row_count <= new.row_count:
        if segments[-1].row_count + new.row_count > SEGMENT_ROWS:
            break
        new = segments[-1].merged(new)
        segments = segments[:-1]
    return (*segments, new)
