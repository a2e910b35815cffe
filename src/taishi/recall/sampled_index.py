"""The index of some rows of a partition that a database searches: what it found, and the rows
before and after each.

Terms are weighed by the statistics of the whole partition, so that a row scores here as it would in
an index of all rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..ports import LargePartition, RowsInSession
from .bm25 import (
    COMMON_FROM,
    PRIOR_ROWS,
    Floats,
    TermMatches,
    rarity,
)
from .partition_index import EVERYWHERE_SHARE, PRIOR_SESSIONS, PartitionIndex
from .term_rows import TermSessions, weighed_terms


class SampledIndex(PartitionIndex):
    """Built for one request, and not changed afterwards."""

    holds_all = False

    def __init__(
        self,
        partition: LargePartition,
        dimensions: int,
        found: RowsInSession,
        sessions: TermSessions,
    ) -> None:
        super().__init__(partition.no, dimensions)
        self._statistics = partition.statistics
        self._previous: Mapping[int, int] = found.before
        self._term_sessions = sessions
        self._postings.average_length = partition.statistics.average_length
        if found.rows:
            self._append([self._batch(found.rows)])

    def _link_sessions(self, codes: NDArray[np.int32], first: int) -> None:
        """As the database says: the rows between two of them may be missing here."""
        numbers = self._number.view(first + len(codes))[first:].tolist()
        row_of = {number: row for row, number in enumerate(numbers, start=first)}
        links = [row_of.get(self._previous.get(number, -1), -1) for number in numbers]
        before = np.array(links, np.int32)
        self._before.extend(before)
        opens = np.array([number not in self._previous for number in numbers], np.bool_)
        self._first.extend(opens & (codes >= 0))
        self._after.extend([-1] * len(codes))
        linked = (before >= 0).nonzero()[0]
        if len(linked):
            self._after.set(before[linked], first + linked)

    def find(self, terms: Sequence[int], ids: Collection[int] = ()) -> TermMatches:
        return super().find(weighed_terms(terms, self._statistics), ids)

    def keyword_of_pieces(self, found: TermMatches) -> Floats:
        worth = rarity(self._frequencies(found), self._statistics.rows, PRIOR_ROWS)
        return self._postings.score(found, worth if found.boosts is None else worth * found.boosts)

    def session_coverage(self, rows: int, found: TermMatches) -> Floats:
        """As PartitionIndex does, from the sessions of all rows that the search by words read."""
        names = self.sessions.names
        covered = np.zeros(len(names) + 1, np.float32)
        statistics, frequencies = self._statistics, self._frequencies(found)
        kept = np.ones(len(frequencies), np.bool_)
        if statistics.rows > COMMON_FROM:
            kept = frequencies <= statistics.rows * EVERYWHERE_SHARE
        if not names or not kept.any() or found.numbers is None:
            return covered
        numbers = found.numbers[kept]
        there = self._term_sessions.contained(numbers, names)
        there |= self._own_sessions(rows, found)[kept]
        in_sessions = self._term_sessions.counts(numbers, frequencies[kept], statistics)
        worth = rarity(in_sessions, statistics.sessions, PRIOR_SESSIONS)
        covered[:-1] = worth @ there / max(float(worth.sum()), 1e-9)
        return covered

    def _own_sessions(self, rows: int, found: TermMatches) -> NDArray[np.bool_]:
        found = found.before(self.pieces.end_of(rows))
        there = np.zeros((len(found.frequencies), len(self.sessions.names) + 1), np.bool_)
        if len(found.rows):
            there[found.terms, self._session.view(rows)[self.pieces.rows_of(found.rows)]] = True
        return there[:, :-1]

    def _frequencies(self, found: TermMatches) -> NDArray[np.int64]:
        """In the whole partition; at least as many as here, as counts may be old."""
        assert found.numbers is not None
        return np.maximum(self._statistics.frequencies(found.numbers), found.frequencies)
