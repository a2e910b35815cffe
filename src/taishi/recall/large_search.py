"""Turns what a database finds in large partitions into views, which recall treats like any other.

If the question is embedded at once, words and vectors are searched in one round trip; otherwise by
two threads. What is late is left out and named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from ..errors import BusyError
from ..ports import (
    FoundRows,
    LargePartition,
    NearestQuery,
    PartitionSearch,
    RowsInSession,
    SearchTarget,
    WordsQuery,
)
from . import query as questions
from .bm25 import Floats
from .deadline import READING_RESERVE, BoundedExecutor, Deadline, LateError, Pending, guarded
from .filter_matches import among
from .partition_index import INSTRUCTS, PREFERS
from .partition_view import PartitionView
from .query import Query
from .sampled_index import SampledIndex
from .term_rows import MOST_ROWS, READ_FACTOR, TermPlan, TermSessions, rank, weighed_terms

THREADS = 8
# Rows of each path that are scored in full, for each that is asked for.
WIDTH = 2
# The best of each path bring their neighbours along.
WITH_NEIGHBOURS = 60
RECENT = 5
# Of the time that is left, so much is for the first of two searches in one round trip.
FIRST_SHARE = 0.6
Vectors = Sequence[Floats] | None


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in one partition, and which paths are missing."""

    numbers: frozenset[int] = frozenset()
    around: frozenset[int] = frozenset()  # of these, the neighbours are wanted, too
    sessions: TermSessions = field(default_factory=TermSessions)
    paths: tuple[tuple[str, str], ...] = ()
    rows: RowsInSession | None = None  # None: still to be read

    def joined(self, other: Found) -> Found:
        return Found(
            self.numbers | other.numbers,
            self.around | other.around,
            self.sessions,
            (*self.paths, *other.paths),
        )


@dataclass(slots=True)
class PartitionQuery:
    """What is under way for one partition."""

    target: SearchTarget
    speakers: tuple[str, ...]
    searches: list[Pending[Found]]


class LargeSearch:
    def __init__(self, engine: PartitionSearch, dimensions: int) -> None:
        self.engine = engine
        self._dimensions = dimensions
        self._executor = BoundedExecutor("database", THREADS)

    def close(self) -> None:
        self._executor.close()
        self.engine.close()

    def queries(self, text: str, targets: Sequence[SearchTarget]) -> list[PartitionQuery]:
        """One for each, with the speakers that the question names."""
        return [PartitionQuery(one, tuple(_named(text, one.partition)), []) for one in targets]

    def begin(
        self,
        queries: Sequence[PartitionQuery],
        question: Query,
        count: int,
        vectors: Vectors,
        paths: dict[str, str],
        deadline: Deadline,
        is_all: bool,
    ) -> None:
        """Start the search by words, and by meaning if the question is embedded. `is_all`: nothing
        follows, so the rows are read as well."""
        for query in queries:
            near = self._nearest_query(query, question, count, vectors, paths)
            search = partial(self._search, query.target, question, count, near, deadline, is_all)
            self._start(query, "keyword", search, paths)

    def begin_nearest(
        self,
        queries: Sequence[PartitionQuery],
        question: Query,
        count: int,
        vectors: Vectors,
        paths: dict[str, str],
        deadline: Deadline,
    ) -> None:
        """Start the search by meaning, for a question that took longer to be embedded."""
        until = deadline.before(2 * READING_RESERVE)
        for query in queries:
            near = self._nearest_query(query, question, count, vectors, paths)
            if near is not None:
                self._start(query, "vector", partial(self._near, query.target, near, until), paths)

    def _start(
        self, query: PartitionQuery, path: str, search: partial[Found], paths: dict[str, str]
    ) -> None:
        started = guarded(path, paths, partial(self._executor.start, search))
        if started is not None:
            query.searches.append(started)

    @staticmethod
    def _nearest_query(
        query: PartitionQuery, question: Query, count: int, vectors: Vectors, paths: dict[str, str]
    ) -> NearestQuery | None:
        if vectors is None:
            return None
        if not query.target.partition.has_vectors:
            paths["vector"] = "late"
            return None
        markers = _markers(question, query.target.partition)
        return NearestQuery(vectors, int(WIDTH * count), query.speakers, markers)

    def _search(
        self,
        target: SearchTarget,
        question: Query,
        count: int,
        near: NearestQuery | None,
        deadline: Deadline,
        is_all: bool,
    ) -> Found:
        """By words; and by meaning in the same round trip. If that is late, by words alone."""
        until = deadline.before(2 * READING_RESERVE)
        statistics = target.partition.statistics
        plan = TermPlan.of(weighed_terms(question.terms, statistics), statistics)
        words = WordsQuery(plan.groups, READ_FACTOR * MOST_ROWS, RECENT)
        paths: tuple[tuple[str, str], ...] = ()
        if near is None:
            rows = self._find(target, words, None, until)
        else:
            try:
                first = until.before((1 - FIRST_SHARE) * until.left)
                rows = self._find(target, words, near, first)
            except LateError:
                rows = self._find(target, words, None, until)
                paths = (("vector", "late"),)
        numbers, sessions = rank(rows.words, question, statistics, plan, int(WIDTH * count))
        every = frozenset([*numbers, *rows.newest]).union(*rows.nearest)
        found = Found(every, _heads([numbers, *rows.nearest]), sessions, paths)
        if not is_all or not every:
            return found
        return replace(found, rows=self._rows(target, found, deadline.before(READING_RESERVE)))

    def _near(self, target: SearchTarget, near: NearestQuery, deadline: Deadline) -> Found:
        rows = self._find(target, None, near, deadline)
        return Found(frozenset().union(*rows.nearest), _heads(rows.nearest))

    def _find(
        self,
        target: SearchTarget,
        words: WordsQuery | None,
        near: NearestQuery | None,
        deadline: Deadline,
    ) -> FoundRows:
        try:
            return self.engine.find(target, words, near, deadline)
        except BusyError as error:
            raise LateError(str(error)) from error

    def views(
        self, queries: Sequence[PartitionQuery], paths: dict[str, str], deadline: Deadline
    ) -> list[PartitionView]:
        """What was found in time. An empty one is left out."""
        until = deadline.before(READING_RESERVE)
        views = []
        for query in queries:
            found = Found()
            for path, search in zip(("keyword", "vector"), query.searches, strict=False):
                part = guarded(path, paths, partial(search.result, until))
                if part is not None:
                    found = found.joined(part) if found.numbers else part
            paths.update(found.paths)
            if found.numbers:
                views.append(self._view(query, found, deadline))
        return views

    def _view(self, query: PartitionQuery, found: Found, deadline: Deadline) -> PartitionView:
        target, rows = query.target, found.rows
        if rows is None:
            read = partial(self._rows, target, found, deadline.before(READING_RESERVE / 2))
            rows = self._executor.run(read, deadline)
        index = SampledIndex(target.partition, self._dimensions, rows, found.sessions)
        mask = index.mask(index.rows, target.visible, target.wanted)
        if target.wanted.filters is not None:  # neighbours came along whatever they are
            mask = mask & among(index.numbers(index.rows), np.array(sorted(found.numbers)))
        return PartitionView(target.partition.place, index, index.rows, mask, query.speakers)

    def _rows(self, target: SearchTarget, found: Found, deadline: Deadline) -> RowsInSession:
        try:
            return self.engine.rows(target.partition, found.numbers, found.around, deadline)
        except BusyError as error:
            raise LateError(str(error)) from error


def _heads(ranked: Iterable[Sequence[int]]) -> frozenset[int]:
    return frozenset(number for one in ranked for number in one[:WITH_NEIGHBOURS])


def _named(text: str, partition: LargePartition) -> list[str]:
    return questions.named_speakers(text, partition.statistics.speakers)


def _markers(question: Query, partition: LargePartition) -> list[int]:
    """Rows of these kinds are worth more to some questions; see vector_search."""
    wanted = [] if question.looks_back else [INSTRUCTS]
    if question.wants_help:
        wanted.append(PREFERS)
    counts = partition.statistics.frequencies(np.array(wanted, np.uint32)).tolist()
    return [marker for marker, count in zip(wanted, counts, strict=True) if count]
