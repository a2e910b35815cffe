"""Turns what a database finds in large partitions into views, which recall treats like any other.

Words and vectors are searched side by side, each on a connection of its own. What is late is left
out and named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..errors import BusyError
from ..ports import (
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
Vectors = Sequence[Floats] | None


@dataclass(frozen=True, slots=True)
class Found:
    """What one path found in one partition."""

    numbers: frozenset[int]
    rows: RowsInSession
    sessions: TermSessions = field(default_factory=TermSessions)


@dataclass(slots=True)
class PartitionQuery:
    """What is under way for one partition, by path."""

    target: SearchTarget
    speakers: tuple[str, ...]
    searches: dict[str, Pending[Found]] = field(default_factory=dict)


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
        return [PartitionQuery(one, tuple(_named(text, one.partition))) for one in targets]

    def begin_words(
        self,
        queries: Sequence[PartitionQuery],
        question: Query,
        count: int,
        paths: dict[str, str],
        deadline: Deadline,
    ) -> None:
        for query in queries:
            search = partial(self._with_words, query.target, question, count, deadline)
            self._start(query, "keyword", search, paths)

    def begin_nearest(
        self,
        queries: Sequence[PartitionQuery],
        question: Query,
        count: int,
        vectors: Sequence[Floats],
        paths: dict[str, str],
        deadline: Deadline,
    ) -> None:
        for query in queries:
            partition = query.target.partition
            if not partition.has_vectors:
                paths["vector"] = "late"
                continue
            markers = _markers(question, partition)
            near = NearestQuery(vectors, WIDTH * count, query.speakers, markers)
            self._start(query, "vector", partial(self._near, query.target, near, deadline), paths)

    def _start(
        self, query: PartitionQuery, path: str, search: partial[Found], paths: dict[str, str]
    ) -> None:
        started = guarded(path, paths, partial(self._executor.start, search))
        if started is not None:
            query.searches[path] = started

    def _with_words(
        self, target: SearchTarget, question: Query, count: int, deadline: Deadline
    ) -> Found:
        statistics = target.partition.statistics
        plan = TermPlan.of(weighed_terms(question.terms, statistics), statistics)
        words = WordsQuery(plan.groups, READ_FACTOR * MOST_ROWS, RECENT)
        with _late_if_busy():
            found = self.engine.with_words(target, words, deadline.before(2 * READING_RESERVE))
        numbers, sessions = rank(found.rows, question, statistics, plan, WIDTH * count)
        return self._read(target, [numbers], found.newest, deadline, sessions)

    def _near(self, target: SearchTarget, near: NearestQuery, deadline: Deadline) -> Found:
        with _late_if_busy():
            ranked = self.engine.nearest(target, near, deadline.before(2 * READING_RESERVE))
        return self._read(target, ranked, (), deadline)

    def _read(
        self,
        target: SearchTarget,
        ranked: Sequence[Sequence[int]],
        others: Sequence[int],
        deadline: Deadline,
        sessions: TermSessions | None = None,
    ) -> Found:
        numbers = frozenset(others).union(*ranked)
        rows = RowsInSession((), {})
        if numbers:
            until = deadline.before(READING_RESERVE)
            with _late_if_busy():
                rows = self.engine.rows(target.partition, numbers, _heads(ranked), until)
        return Found(numbers, rows, sessions or TermSessions())

    def views(
        self, queries: Sequence[PartitionQuery], paths: dict[str, str], deadline: Deadline
    ) -> list[PartitionView]:
        """What was found in time. An empty one is left out."""
        until = deadline.before(READING_RESERVE)
        views = []
        for query in queries:
            found = {
                path: part
                for path, search in query.searches.items()
                if (part := guarded(path, paths, partial(search.result, until))) is not None
            }
            if any(part.numbers for part in found.values()):
                views.append(self._view(query, found))
        return views

    def _view(self, query: PartitionQuery, found: Mapping[str, Found]) -> PartitionView:
        target = query.target
        rows = _joined([part.rows for part in found.values()])
        sessions = found["keyword"].sessions if "keyword" in found else TermSessions()
        index = SampledIndex(target.partition, self._dimensions, rows, sessions)
        mask = index.mask(index.rows, target.visible, target.wanted)
        if target.wanted.filters is not None:  # neighbours came along whatever they are
            numbers = frozenset().union(*(part.numbers for part in found.values()))
            mask = mask & among(index.numbers(index.rows), np.array(sorted(numbers)))
        return PartitionView(target.partition.place, index, index.rows, mask, query.speakers)


@contextmanager
def _late_if_busy() -> Iterator[None]:
    """The database gives up at the deadline."""
    try:
        yield
    except BusyError as error:
        raise LateError(str(error)) from error


def _joined(parts: Sequence[RowsInSession]) -> RowsInSession:
    """Each row once, in ascending order."""
    rows = {row.number: row for part in parts for row in part.rows}
    before = {number: one for part in parts for number, one in part.before.items()}
    return RowsInSession([rows[number] for number in sorted(rows)], before)


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
