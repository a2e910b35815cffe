"""The vector path of recall on an engine outside this process.

The engine names the nearest of a partition and gives the vectors of every candidate; boosts,
passages of long texts and scores are computed here, as they are without an engine. What it names is
looked up in the partition's own index: a record that is gone or was changed since is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ..ports import VectorEngine
from . import vector_search
from .bm25 import Floats
from .candidates import CandidatePool, Fetch
from .deadline import BehindError, BoundedExecutor, Deadline
from .int8_matrix import Int8Matrix
from .partition_index import PartitionIndex
from .partition_view import PartitionView
from .query import Query
from .topk import Mask, Rows
from .vector_codec import Int8Planes
from .vector_feed import VectorFeed

T = TypeVar("T")
Guard = Callable[[Callable[[], Any]], Any]
THREADS = 4
# Of the time that is left: the rest is for scoring and reading when the engine does not answer.
TIME_SHARE = 0.75
# Boosts lift what is not among the very nearest, so that many more are asked for.
WIDER = 8
# Where few rows are visible, the engine is told which; where many are, it is asked for more.
MAX_ALLOWED = 4000
MAX_ASKED = 8000
NONE: Rows = np.zeros(0, np.int64)


class EngineSearch:
    """`guard` is the circuit breaker: being late counts as a failure, too."""

    def __init__(self, feed: VectorFeed, guard: Guard) -> None:
        self.feed = feed
        self._guard = guard
        self._executor = BoundedExecutor("vectors", THREADS)

    def close(self) -> None:
        self._executor.close()
        self.feed.close()

    def pool(self, views: Sequence[PartitionView], fetch: Fetch) -> CandidatePool:
        return EnginePool([EngineVectors(view, self) for view in views], fetch)

    def _check(self, views: Sequence[PartitionView], deadline: Deadline) -> None:
        """Raises BehindError if the engine lacks too much of what is asked for."""
        if not self.feed.wait_known(deadline) or any(
            self.feed.is_behind(view.index.no, view.index.seq) for view in views
        ):
            raise BehindError(f"{self.feed.engine.address} has not been fed everything yet")

    def add_vectors(
        self,
        pool: EnginePool,
        question: Query,
        queries: Sequence[Floats],
        count: int,
        deadline: Deadline,
    ) -> bool:
        """The vector path of a request, into its pool."""
        deadline = Deadline(deadline.left * TIME_SHARE)
        self._check(pool.views, deadline)
        matches = []
        for at, source in enumerate(pool.sources):
            source.count = count
            also = partial(pool.rows_in, at)
            matches.append(
                vector_search.search(source.view, question, queries, also, count, deadline, source)
            )
        pool.add_vectors(matches, queries, count)
        return True

    def run(self, work: Callable[[VectorEngine], T], deadline: Deadline) -> T:
        ask = partial(work, self.feed.engine)
        found: T = self._guard(lambda: self._executor.run(ask, deadline))
        return found


@dataclass(slots=True)
class EngineVectors:
    """The vectors of one view that a request needs, fetched from the engine. Takes the place of
    the view's index in `vector_search.search`."""

    view: PartitionView
    search: EngineSearch
    count: int = 30
    _vectors: dict[int, Floats] = field(default_factory=dict)  # by row

    def scan_cosines(
        self,
        rows: int,
        queries: Sequence[Floats],
        mask: Mask,
        also: Callable[[], Rows],
        deadline: Deadline | None,
    ) -> tuple[Rows | None, list[Floats]]:
        wanted = also()
        numbers, visible = self._numbers(rows), int(mask.sum())
        allowed = None
        asked = self.count * WIDER
        if visible < rows and visible <= MAX_ALLOWED:
            allowed = numbers[mask].tolist()
        elif visible < rows:
            asked = min(MAX_ASKED, asked * rows // visible)

        def ask(engine: VectorEngine) -> None:
            found = engine.search(self.view.index.no, queries, asked, allowed)
            near = self._rows_of([number for number, _ in found], rows)
            found_rows = np.concatenate([near, wanted])
            around = self._around(rows, found_rows)
            self._fetch(engine, np.unique(np.concatenate([found_rows, around])))

        self.search.run(ask, deadline or Deadline(60.0))
        scored = np.array(sorted(self._vectors), np.int64)
        return scored, self.exact_cosines(scored, queries)

    def exact_cosines(self, rows: Rows, queries: Sequence[Floats]) -> list[Floats]:
        if not len(rows):
            return [np.zeros(0, np.float32) for _ in queries]
        matrix = self.of(rows)
        return [matrix @ query for query in queries]

    def of(self, rows: Rows) -> Floats:
        """One row each; zeros for one without a vector."""
        found = np.zeros((len(rows), self._dimensions()), np.float32)
        for at, row in enumerate(rows.tolist()):
            vector = self._vectors.get(row)
            if vector is not None:
                found[at] = vector
        return found

    def _dimensions(self) -> int:
        return len(next(iter(self._vectors.values()), ()))

    def _numbers(self, rows: int) -> NDArray[np.int64]:
        return self.view.index.numbers(rows)

    def _rows_of(self, numbers: Sequence[int], rows: int) -> Rows:
        found = cast(VectorlessIndex, self.view.index).rows_of(numbers)
        return np.array([row for row in found if row < rows], np.int64)

    def _around(self, rows: int, found: Rows) -> Rows:
        """The questions before those rows, and the replies to those that ask: a reply is also near
        by the question that it answers."""
        index = self.view.index
        before, after = index.neighbours(rows)
        asks = index.asks(rows)
        around = np.concatenate([before[found], after[found[asks[found]]]])
        around = around[(around >= 0) & (around < rows)]
        return around.astype(np.int64)

    def _fetch(self, engine: VectorEngine, rows: Rows) -> None:
        """The vectors of these rows, as far as they are of the text's present revision."""
        known = dict(zip(self.view.index.identities(rows), rows.tolist(), strict=True))
        fetched = engine.get([number for number, _ in known])
        for (number, revision), row in known.items():
            copy = fetched.get(number)
            if copy is not None and copy[0] == revision:
                self._vectors[row] = copy[1]


class VectorlessIndex(PartitionIndex):
    """An index whose vectors are in the engine. Those of a long text's passages stay here."""

    def __init__(self, no: int, dimensions: int) -> None:
        super().__init__(no, dimensions)
        self._vectors = _NoVectors(dimensions)

    def rows_of(self, numbers: Sequence[int]) -> list[int]:
        """The rows of those that are there, in the same order."""
        return [row for number in numbers if (row := self._row_of.get(number)) is not None]


class _NoVectors(Int8Matrix):
    def extend(self, parts: Sequence[Int8Planes], starts: Iterable[int]) -> None:
        """They are not kept."""


class EnginePool(CandidatePool):
    """Candidates whose vectors come from the engine."""

    def __init__(self, sources: Sequence[EngineVectors], fetch: Fetch) -> None:
        super().__init__([source.view for source in sources], fetch)
        self.sources = sources

    def vectors(self, rows: Rows) -> NDArray[Any]:
        width = max(source._dimensions() for source in self.sources)
        found = np.zeros((len(rows), width), np.float32)
        for at, (view, row) in enumerate(self.located(rows)):
            source = next(one for one in self.sources if one.view is view)
            if source._vectors:
                found[at] = source.of(np.array([row]))[0]
        return found
