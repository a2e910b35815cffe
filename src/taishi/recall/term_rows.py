"""The search by words in a partition that a database searches: which terms to look for, and how to
rank the rows that have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..ports import PartitionStatistics, TermRow
from .bm25 import (
    COMMON_FROM,
    COMMON_SHARE,
    K1,
    MAX_QUERY_TERMS,
    POSTING,
    PRIOR_ROWS,
    B,
    Floats,
    rarity,
)
from .query import Query
from .topk import best
from .vector_search import with_pieces

# About so many rows are read for one question. Rare terms alone, others in pairs.
MOST_ROWS = 400
# Terms are found together more often than by chance, so pairs are counted so many times.
PAIR_FACTOR = 3
PAIRED_TERMS = 6
READ_FACTOR = 2  # no more than so many times as many are read


@dataclass(frozen=True, slots=True)
class TermPlan:
    """Rows with all terms of a group are read. `complete`: every row with one of these is."""

    groups: Sequence[Sequence[int]]
    complete: frozenset[int]

    @staticmethod
    def of(terms: Sequence[int], statistics: PartitionStatistics) -> TermPlan:
        """`terms` are ordered, the rarest first."""
        counts = statistics.frequencies(np.array(terms, np.uint32)).tolist()
        total = 0.0
        singles: list[int] = []
        for term, count in zip(terms, counts, strict=True):
            if total + count > MOST_ROWS and singles:
                break
            if count > MOST_ROWS and len(terms) > 1:
                break
            singles.append(term)
            total += count
        rest = list(zip(terms, counts, strict=True))[len(singles) :][:PAIRED_TERMS]
        pairs = sorted(
            (PAIR_FACTOR * one * other / max(statistics.rows, 1), first, second)
            for (first, one), (second, other) in combinations(rest, 2)
        )
        groups: list[Sequence[int]] = [(term,) for term in singles]
        for expected, first, second in pairs:
            if total + expected > MOST_ROWS and groups:
                break
            groups.append((first, second))
            total += expected
        if not groups and terms:
            groups = [tuple(terms[:3])]
        return TermPlan(groups, frozenset(singles))


def weighed_terms(terms: Sequence[int], statistics: PartitionStatistics) -> list[int]:
    """The terms of a question that count, the rarest first; see Bm25Index.find."""
    frequencies = statistics.frequencies(np.array(terms, np.uint32)).tolist()
    order = sorted(range(len(terms)), key=frequencies.__getitem__)[:MAX_QUERY_TERMS]
    if statistics.rows > COMMON_FROM:
        common = statistics.rows * COMMON_SHARE
        order = [at for at in order if frequencies[at] <= common] or order
    return [terms[at] for at in order]


class TermSessions:
    """In which sessions the terms of a question are, as far as rows with them were read."""

    def __init__(self, plan: TermPlan | None = None) -> None:
        self._complete = plan.complete if plan else frozenset()
        self._sessions: dict[int, set[str]] = {}

    def add(self, term: int, session: str | None) -> None:
        if session is not None:
            self._sessions.setdefault(term, set()).add(session)

    def contained(self, terms: NDArray[np.uint32], names: Sequence[str]) -> NDArray[np.bool_]:
        """By term and session."""
        there = np.zeros((len(terms), len(names)), np.bool_)
        for at, term in enumerate(terms.tolist()):
            known = self._sessions.get(term)
            if known:
                there[at] = [name in known for name in names]
        return there

    def counts(
        self,
        terms: NDArray[np.uint32],
        frequencies: NDArray[np.int64],
        statistics: PartitionStatistics,
    ) -> NDArray[np.int64]:
        """In how many sessions each is: counted, or estimated as if its rows lay anywhere."""
        seen = np.array([len(self._sessions.get(term, ())) for term in terms.tolist()], np.int64)
        sessions = max(statistics.sessions, 1)
        share = np.clip(frequencies / max(statistics.rows, 1), 0.0, 1.0)
        chance = 1.0 - (1.0 - share) ** (statistics.rows / sessions)
        complete = np.array([term in self._complete for term in terms.tolist()], np.bool_)
        return np.where(complete, seen, np.maximum(seen, np.rint(sessions * chance)))


def rank(
    rows: Sequence[TermRow],
    question: Query,
    statistics: PartitionStatistics,
    plan: TermPlan,
    count: int,
) -> tuple[list[int], TermSessions]:
    """The numbers of the best rows, the best first, and the sessions of all. By BM25 of whole
    texts: passages are told apart once a row is a candidate."""
    sessions = TermSessions(plan)
    if not rows:
        return [], sessions
    rows = sorted(rows)  # of equals, the later one is better
    postings = _Postings(rows, statistics)
    scores = postings.scores(weighed_terms(question.terms, statistics), sessions)
    parts = [postings.scores(weighed_terms(part, statistics)) for part in question.parts]
    scores = with_pieces(scores, parts)
    chosen = best(scores, np.ones(len(rows), np.bool_), count, 0.0)
    return [rows[row].number for row in chosen.tolist()], sessions


class _Postings:
    """The terms of some rows."""

    def __init__(self, rows: Sequence[TermRow], statistics: PartitionStatistics) -> None:
        self._rows = rows
        self._statistics = statistics
        self._postings = np.frombuffer(b"".join([row.terms for row in rows]), POSTING)
        self._sizes = np.array([len(row.terms) // POSTING.itemsize for row in rows])
        self._owners = np.repeat(np.arange(len(rows)), self._sizes)

    def scores(self, terms: Sequence[int], sessions: TermSessions | None = None) -> Floats:
        """Of each row; and the sessions in which the terms are."""
        statistics, postings = self._statistics, self._postings
        wanted = np.sort(np.array(terms, np.uint32))
        if not len(wanted):
            return np.zeros(len(self._rows), np.float32)
        worth = rarity(statistics.frequencies(wanted), statistics.rows, PRIOR_ROWS)
        at = wanted.searchsorted(postings["term"])
        known = wanted.take(at, mode="clip") == postings["term"]
        hits = (known & (postings["count"] > 0)).nonzero()[0]
        owners, at = self._owners[hits], at[hits]
        often = postings["count"][hits].astype(np.float32)
        length = K1 * B / max(statistics.average_length, 1.0) * self._sizes[owners]
        gains = worth[at] * often / (K1 * (1 - B) + length + often) / max(float(worth.sum()), 1e-9)
        if sessions is not None:
            for row, term in zip(owners.tolist(), wanted[at].tolist(), strict=True):
                sessions.add(term, self._rows[row].session)
        return np.bincount(owners, gains, minlength=len(self._rows)).astype(np.float32)
