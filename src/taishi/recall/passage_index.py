"""Maps rows to the pieces that are searched: a short text itself, a long one's passages (Q9).

The score of a row is that of its best piece. A short text is one piece, and its vector is the
row's own; where all texts are short, as in most chats, pieces are rows and cost nothing.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bm25 import TermMatches
from .columns import Column
from .deadline import Deadline
from .int8_matrix import MISSING, Int8Matrix
from .topk import Mask, Rows
from .vector_codec import Floats, Int8Planes

_SIZE = struct.Struct("<I")
NONE: Rows = np.zeros(0, np.int64)
# The best of many pieces holds a question's words by chance: its score is divided by one plus so
# much for each doubling of their number.
WORDS_CHANCE = np.float32(0.05)


def packed(codes: Sequence[bytes]) -> bytes | None:
    """The vectors of a text's passages as they are stored; None: it has none."""
    return b"".join(part for code in codes for part in (_SIZE.pack(len(code)), code)) or None


def unpacked(stored: bytes | None) -> list[bytes]:
    codes = []
    at = 0
    while stored and at < len(stored):
        (size,) = _SIZE.unpack_from(stored, at)
        at += _SIZE.size
        codes.append(stored[at : at + size])
        at += size
    return codes


@dataclass(frozen=True, slots=True)
class PassageMatches:
    """The cosine of some rows' best passage."""

    rows: Rows
    cosines: Floats


class PassageIndex:
    """One writer at a time; a reader fixes the number of rows and needs no lock."""

    def __init__(self, dimensions: int) -> None:
        self._ends: Column[np.int64] = Column(np.int64)  # of each row: where its pieces end
        self._owners: Column[np.int64] = Column(np.int64)  # of each piece: its row
        self._vectors = Int8Matrix(dimensions)
        self._last_end = 0
        self._rows = 0
        self.some_long = False

    def extend(self, counts: NDArray[np.int32]) -> None:
        """So many pieces for each new row."""
        ends = self._last_end + np.cumsum(counts, dtype=np.int64)
        rows = np.arange(self._rows, self._rows + len(counts), dtype=np.int64)
        self._owners.extend(np.repeat(rows, counts))
        self._ends.extend(ends)
        self.some_long = self.some_long or bool((counts > 1).any())
        self._last_end, self._rows = int(ends[-1]), self._rows + len(counts)

    def extend_vectors(self, parts: Sequence[Int8Planes], starts: Iterable[int]) -> None:
        """The vectors of new pieces; those of each part are counted from its start."""
        self._vectors.extend(parts, starts)

    def add(self, row: int, stored: bytes | None) -> None:
        """The vectors of one row's passages."""
        first, end = self._range(row)
        codes = unpacked(stored)[: end - first]
        self._vectors.add(range(first, first + len(codes)), codes)

    def has_vectors(self, row: int) -> bool:
        return self._vectors.has(self._range(row)[0])

    @property
    def next(self) -> int:
        """The number of the next piece."""
        return self._last_end

    @property
    def passage_count(self) -> int:
        return self._vectors.count

    @property
    def nbytes(self) -> int:
        return self._vectors.nbytes + self._ends.nbytes + self._owners.nbytes

    def best_of_rows(self, scores: Floats, rows: int) -> Floats:
        """The scores of pieces → the best of each row."""
        if not self.some_long or not rows:
            return scores[:rows]
        ends = self._ends.view(rows)
        starts = np.concatenate([NONE, [0], ends[:-1]])
        found: Floats = np.maximum.reduceat(scores[: ends[-1]], starts)
        return found

    def less_for_chance(self, scores: Floats) -> Floats:
        """The scores of rows, reduced where they are the best of many pieces."""
        if not self.some_long:
            return scores
        counts = np.diff(self._ends.view(len(scores)), prepend=0)
        chance: Floats = 1 + WORDS_CHANCE * np.log2(counts, dtype=np.float32)
        return scores / chance

    def row_frequencies(self, found: TermMatches) -> NDArray[np.int64]:
        """In how many rows each term is: a term in many pieces of one text is still rare."""
        found = found.before(self._last_end)
        rows = self.rows_of(found.rows)  # of each term in ascending order
        first = np.ones(len(rows), np.bool_)
        np.not_equal(rows[1:], rows[:-1], out=first[1:])
        first[1:] |= found.terms[1:] != found.terms[:-1]
        return np.bincount(found.terms[first], minlength=len(found.frequencies))

    def rows_of(self, pieces: NDArray[np.uint32]) -> NDArray[np.integer]:
        if not self.some_long:
            return pieces
        return self._owners.view(self._last_end)[pieces]

    def end_of(self, rows: int) -> int:
        """How many pieces the first so many rows have."""
        return int(self._ends.view(rows)[-1]) if rows else 0

    def nearest(
        self,
        rows: int,
        queries: Sequence[Floats],
        mask: Mask,
        joined: Callable[[Floats, Sequence[Floats]], Floats],
        deadline: Deadline | None,
    ) -> PassageMatches | None:
        """The best passage of every row that has some, or in a large partition of those that pass
        the prefilter. `joined` combines the cosines of a question and of its sentences."""
        if not self._vectors.count:
            return None
        end = self.end_of(rows)
        owners = self._owners.view(end)
        some, (whole, *parts) = self._vectors.scores(
            queries, end, mask[owners], lambda: NONE, deadline
        )
        cosines = joined(whole, parts)
        if some is not None:
            owners = owners[some]
        long = cosines > MISSING / 2
        owners, cosines = owners[long], cosines[long]
        firsts = np.flatnonzero(np.diff(owners, prepend=-1))
        if not len(firsts):
            return None
        return PassageMatches(owners[firsts], np.maximum.reduceat(cosines, firsts))

    def of_row(self, row: int) -> Rows:
        """Its pieces; none if it is one."""
        if not self.some_long:
            return NONE
        first, end = self._range(row)
        return np.arange(first, end) if end - first > 1 else NONE

    def count_of(self, row: int) -> int:
        first, end = self._range(row)
        return end - first

    def exact_scores(self, pieces: Rows, query: Floats) -> Floats:
        """Cosine with some passages, from 16 bits; 0 for one without a vector."""
        return self._vectors.exact_scores(query, pieces)

    def _range(self, row: int) -> tuple[int, int]:
        ends = self._ends.view(row + 1)
        return int(ends[row - 1]) if row else 0, int(ends[row])
