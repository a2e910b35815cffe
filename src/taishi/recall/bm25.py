"""An in-memory inverted index of one partition with exact BM25 scores.

Rows are only ever appended. They gather in a small tail; full tails become sorted segments, and
small segments merge into larger ones up to a cap, so that no single append pays for the whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
# Added to the number of rows: in a chat of three messages no word is common yet.
PRIOR_ROWS = 100
COMMON_FROM = 20_000
COMMON_SHARE = 0.25
ID_WORTH = 10.0

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TermSegment:
    """Postings sorted by term, then row."""

    terms: NDArray[np.uint32]
    starts: NDArray[np.int64]
    rows: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    row_count: int

    @staticmethod
    def build(
        terms: NDArray[np.uint32], rows: NDArray[np.uint32], counts: NDArray[np.uint8], n: int
    ) -> TermSegment:
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
        return TermSegment(
            terms=sorted_terms[starts[:-1]],
            starts=starts,
            rows=(keys >> np.uint64(8) & np.uint64(0xFFFFFF)).astype(np.uint32) + base,
            counts=keys.astype(np.uint8),
            row_count=n,
        )

    def merged(self, other: TermSegment) -> TermSegment:
        return TermSegment.build(
            np.concatenate([self.expanded(), other.expanded()]),
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.counts, other.counts]),
            self.row_count + other.row_count,
        )

    def expanded(self) -> NDArray[np.uint32]:
        return np.repeat(self.terms, np.diff(self.starts))

    def find(self, terms: NDArray[np.uint32]) -> Iterator[tuple[int, int, int]]:
        """Which of the terms are here, and from where to where.

        One search for all of them: each lets other threads go first, and in a crowd that is long.
        """
        if not len(self.terms):
            return iter(())
        at = self.terms.searchsorted(terms)
        known = (self.terms.take(at, mode="clip") == terms).nonzero()[0]
        at = at[known]
        starts, ends = self.starts[at], self.starts[at + 1]
        return zip(known.tolist(), starts.tolist(), ends.tolist(), strict=True)

    @property
    def nbytes(self) -> int:
        return sum(a.nbytes for a in (self.terms, self.starts, self.rows, self.counts))


@dataclass(frozen=True, slots=True)
class TermMatches:
    """Where some terms are: one entry for each row of each term, the rarest term first."""

    rows: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    terms: NDArray[np.int64]  # which of the terms, by their place in `frequencies`
    frequencies: NDArray[np.int64]
    boosts: Floats | None = None  # by what each term is worth more than it would be; None: 1
    numbers: NDArray[np.uint32] | None = None  # the terms themselves
    shares: Floats | None = None  # of what each entry would count; None: 1

    def worth(self, total: int, frequencies: NDArray[np.int64] | None = None) -> Floats:
        """What each term is, if so many of a total have it."""
        worth = rarity(self.frequencies if frequencies is None else frequencies, total, PRIOR_ROWS)
        return worth if self.boosts is None else worth * self.boosts

    def rarest(self, count: int) -> TermMatches:
        """The same for the first terms only."""
        if count >= len(self.frequencies):
            return self
        end = int(self.frequencies[:count].sum())
        return TermMatches(
            self.rows[:end], self.counts[:end], self.terms[:end], self.frequencies[:count]
        )

    def before(self, row: int) -> TermMatches:
        """Without rows that were appended while we read."""
        keep = self.rows < row
        if keep.all():
            return self
        shares = None if self.shares is None else self.shares[keep]
        rows, counts, terms = self.rows[keep], self.counts[keep], self.terms[keep]
        return replace(self, rows=rows, counts=counts, terms=terms, shares=shares)


def rarity(frequencies: NDArray[np.int64], total: int, prior: int) -> Floats:
    """What each term is worth, the more the fewer have it."""
    worth = np.log1p((np.maximum(total + prior - frequencies, 0) + 0.5) / (frequencies + 0.5))
    return worth.astype(np.float32)


class Bm25Index:
    """Not thread-safe for writing: one writer at a time, readers see whole appends."""

    def __init__(self) -> None:
        self._segments: tuple[TermSegment, ...] = ()
        self._tail = b""
        self._tail_sizes = np.zeros(0, np.int32)
        # What readers see: the segments and the tail, swapped as one.
        self._published: tuple[TermSegment, ...] = ()
        self._lengths = np.zeros(0, np.float32)
        self._total_length = 0.0
        self.average_length: float | None = None  # None: that of these rows
        self.rows = 0

    def extend(self, packed: bytes, sizes: NDArray[np.int32]) -> None:
        """Append rows, as `language.segment.pack` made them, end to end; and the terms of each."""
        postings = np.frombuffer(packed, POSTING)
        ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        for start in range(0, len(sizes), SEGMENT_ROWS):
            end = min(start + SEGMENT_ROWS, len(sizes))
            self._extend(postings[ends[start] : ends[end]], sizes[start:end])

    def _extend(self, postings: NDArray[np.void], sizes: NDArray[np.int32]) -> None:
        rows = self.rows + len(sizes)
        self._note_lengths(sizes, rows)
        # As bytes: to join arrays of records, numpy compares their fields pair by pair.
        self._tail += postings.tobytes()
        self._tail_sizes = np.concatenate([self._tail_sizes, sizes])
        tail = self._build(self._tail, self._tail_sizes, rows - len(self._tail_sizes))
        if tail.row_count < TAIL_ROWS:
            self._published = (*self._segments, tail)
        else:
            self._segments = self._published = _absorb(self._segments, tail)
            self._tail = b""
            self._tail_sizes = np.zeros(0, np.int32)
        self.rows = rows

    def _note_lengths(self, sizes: NDArray[np.int32], end: int) -> None:
        if end > len(self._lengths):
            self._lengths = grown(self._lengths, max(end, len(self._lengths) * 2), self.rows)
        # Distinct terms stand for the length: one number that needs no second pass.
        self._lengths[self.rows : end] = sizes
        self._total_length += float(sizes.sum())

    @staticmethod
    def _build(packed: bytes, sizes: NDArray[np.int32], first: int) -> TermSegment:
        postings = np.frombuffer(packed, POSTING)
        rows = np.repeat(np.arange(first, first + len(sizes), dtype=np.uint32), sizes)
        return TermSegment.build(postings["term"], rows, postings["count"], len(sizes))

    def find(self, terms: Sequence[int], ids: Collection[int] = ()) -> TermMatches:
        """Those among `ids` count for more where they are known at all.

        A question of very many terms loses the most common ones. In a large place it also loses
        those that a quarter of all rows have, if it has others: they hardly tell one row from
        another, and cost more than all the rest.
        """
        wanted = np.array(terms, np.uint32)
        parts: list[list[tuple[TermSegment, int, int]]] = [[] for _ in terms]
        sizes = [0] * len(parts)
        for segment in self._published:
            for which, start, end in segment.find(wanted):
                parts[which].append((segment, start, end))
                sizes[which] += end - start
        order = sorted(range(len(sizes)), key=sizes.__getitem__)[:MAX_QUERY_TERMS]
        if self.rows > COMMON_FROM:
            common = self.rows * COMMON_SHARE
            order = [which for which in order if sizes[which] <= common] or order
        runs = [run for which in order for run in parts[which]]
        frequencies = np.array([sizes[which] for which in order], np.int64)
        boosts = (
            [ID_WORTH if sizes[at] and terms[at] in ids else 1.0 for at in order] if ids else None
        )
        return TermMatches(
            rows=_joined([segment.rows[start:end] for segment, start, end in runs], np.uint32),
            counts=_joined([segment.counts[start:end] for segment, start, end in runs], np.uint8),
            terms=np.repeat(np.arange(len(order)), frequencies),
            frequencies=frequencies,
            boosts=None if boosts is None else np.array(boosts, np.float32),
            numbers=wanted[order],
        )

    def score(self, found: TermMatches, worth: Floats | None = None) -> Floats:
        """BM25 of every row, as a share of what the terms are worth together. `worth`: what each
        is, if not by how many rows have it."""
        total = self.rows
        if not total:
            return np.zeros(0, np.float32)
        if worth is None:
            worth = found.worth(total)
        found = found.before(total)
        average = max(self.average_length or self._total_length / total, 1.0)
        often = found.counts.astype(np.float32)
        norm = self._lengths[found.rows]
        norm *= np.float32(K1 * B / average)
        norm += np.float32(K1 * (1 - B))
        norm += often
        possible = float(worth.sum()) or 1.0
        gains = (worth * np.float32((K1 + 1) / possible))[found.terms]
        gains *= often
        gains /= norm
        if found.shares is not None:
            gains *= found.shares
        return np.bincount(found.rows, gains, minlength=total).astype(np.float32)

    @property
    def nbytes(self) -> int:
        return sum(s.nbytes for s in self._published) + self._lengths.nbytes


def _joined(parts: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


def _absorb(segments: tuple[TermSegment, ...], new: TermSegment) -> tuple[TermSegment, ...]:
    """Merge while the last segment is no larger than the new one, up to the cap."""
    while segments and segments[-1].row_count <= new.row_count:
        if segments[-1].row_count + new.row_count > SEGMENT_ROWS:
            break
        new = segments[-1].merged(new)
        segments = segments[:-1]
    return (*segments, new)
