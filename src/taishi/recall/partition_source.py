"""The candidate source of this process: an in-memory index of every partition that is asked for.

The store is queried only for what changed and for records that are not cached, the embedder runs
beside the search by words, and everything else is computed from memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..errors import UnreachableError
from ..observe.stage_times import StageTimes, timed
from ..ports import (
    CandidateRequest,
    Candidates,
    LargePartition,
    PartitionState,
    Pending,
    QueryEmbedder,
    SearchSnapshot,
    SearchTarget,
    Store,
)
from ..types import Partition
from . import query as questions
from . import vector_search
from .bm25 import Floats
from .candidates import CandidatePool
from .deadline import READING_RESERVE, Deadline, LateError
from .deadline import guarded as _guarded
from .engine_search import EnginePool, EngineSearch
from .filter_matches import FilterMatches, Numbers
from .index_cache import IndexCache
from .large_search import LargeSearch, PartitionQuery
from .partition_index import PartitionIndex
from .partition_view import PartitionView, may_favour, most_pieces
from .query import Query
from .read_snapshot import ReadSnapshot, ReadSnapshots
from .record_cache import RecordCache
from .topk import Rows

RECENCY_TOP = 5
NO_ROWS: Rows = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class SourceState:
    """Where each partition is answered from: an index in memory, or the database. `allowed` are
    the records of the former that the caller's filters ask for; None: there are no filters."""

    indexes: Mapping[Partition, PartitionIndex]
    large: Mapping[Partition, LargePartition]
    allowed: Numbers | None = None

    def allowed_in(self, place: Partition) -> Rows | None:
        return None if self.allowed is None else self.allowed.get(place, NO_ROWS)


class PartitionSource:
    """Implements ports.CandidateSource. Without an embedder, the search is by words alone."""

    def __init__(
        self,
        store: Store,
        indexes: IndexCache,
        embedder: QueryEmbedder | None,
        engine: EngineSearch | None = None,
        large: LargeSearch | None = None,
    ) -> None:
        """With an engine, vectors are searched there and the indexes hold none. With `large`, the
        store's database searches the partitions that are too large for memory."""
        self._engine = engine
        self._large = large
        self.indexes = indexes
        self.records = RecordCache(store, indexes)
        self._snapshots = ReadSnapshots(store)
        self._matches = FilterMatches(store)
        self._embedder = embedder

    @property
    def uses_vectors(self) -> bool:
        return self._embedder is not None

    def close(self) -> None:
        """The embedder is closed by whoever made it."""
        if self._engine is not None:
            self._engine.close()
        if self._large is not None:
            self._large.close()

    def forget(self, partition: Partition, changed: Sequence[Partition]) -> None:
        self.forget_texts()
        self._snapshots.clear()
        self.indexes.drop(partition)
        if self._large is None:
            self.indexes.load(changed)
            return
        for one in changed:
            self.indexes.drop(one)
        self._large.engine.forget()

    def forget_texts(self) -> None:
        self.records.clear()
        self._matches.clear()
        self.indexes.forget_texts()

    def stats(self) -> dict[str, int]:
        stats = {**self.indexes.stats(), "kept_records_bytes": self.records.nbytes}
        return stats if self._large is None else {**stats, **self._large.engine.stats()}

    def warm_snapshot(self, request: CandidateRequest) -> SearchSnapshot | None:
        """If nothing changed since the last question, the store need not be queried."""
        known = None if request.reader is None else self._snapshots.known(request.reader)
        if known is None or not request.unchanged():
            return None
        large = {} if self._large is None else self._large.engine.known(known.states)
        if large is None:
            return None
        return self._from_memory(request, known, large)

    def _from_memory(
        self,
        request: CandidateRequest,
        known: ReadSnapshot,
        large: Mapping[Partition, LargePartition],
    ) -> SearchSnapshot | None:
        states, filters = _others(known.states, large), request.filter.filters
        indexes = self.indexes.cached(states)
        allowed = None if filters is None else self._matches.cached(filters, states)
        if indexes is None or (filters is not None and allowed is None):
            return None
        return _search_snapshot(known, SourceState(indexes, large, allowed))

    def snapshot(self, request: CandidateRequest, deadline: Deadline) -> SearchSnapshot:
        try:
            return self._asked(request, deadline)
        except UnreachableError:
            if (held := self.held_snapshot(request)) is None:
                raise
            return held

    def _asked(self, request: CandidateRequest, deadline: Deadline) -> SearchSnapshot:
        current = self._snapshots.ask(request.reader, request.visible)
        large = {} if self._large is None else self._large.engine.searched(current.states)
        for place in large:
            self.indexes.drop(place)
        states, filters = _others(current.states, large), request.filter.filters
        indexes = self.indexes.up_to_date(states, deadline, current.moment)
        allowed = None
        if filters is not None:
            with timed(request.times, "filters"):
                allowed = self._matches.read(filters, states)
        return _search_snapshot(current, SourceState(indexes, large, allowed))

    def held_snapshot(self, request: CandidateRequest) -> SearchSnapshot | None:
        known = self._snapshots.before_loss(request.reader)
        visible = request.visible_alone() if known is None else known.visible
        indexes = self.indexes.held([one.place for one in visible])
        if not indexes:
            return None
        own = visible[0].place
        if own not in indexes and (known is None or own in known.states):
            return None  # without the chat itself it would be no answer
        states = {place: PartitionState(one.no, one.seq) for place, one in indexes.items()}
        filters = request.filter.filters
        allowed = None if filters is None else self._matches.in_memory(filters, indexes, states)
        current = ReadSnapshot(visible, states, None, 0.0)
        found = _search_snapshot(current, SourceState(indexes, {}, allowed))
        return replace(found, is_behind=True)

    def candidates(
        self, request: CandidateRequest, snapshot: SearchSnapshot, deadline: Deadline
    ) -> Candidates | None:
        state: SourceState = snapshot.state
        views = [
            PartitionView.of(index, visible, request.text, request.filter, allowed)
            for visible in snapshot.visible
            if (index := state.indexes.get(visible.place)) is not None
            and ((allowed := state.allowed_in(visible.place)) is None or len(allowed))
        ]
        large = self._large_queries(request, snapshot)
        if not views and not large:
            return None
        question = questions.read(request.text)
        paths: dict[str, str] = {}
        times = request.times
        watch = _EmbeddingTime(times)
        embedding = self._start_embedding(question, views, large, paths)
        watch.look(embedding)
        if self._large is not None and large:
            search = partial(self._search_large, self._large, large, question, request.count)
            with timed(times, "database"):
                views += search(embedding, paths, deadline)
            if not views and {"late", "failed"} & set(paths.values()):
                raise LateError("the database did not answer within the deadline")
            if not views:
                return None
        pool = self._pool(views)
        with timed(times, "keyword"):
            pool.add_keyword(question, request.count)
        watch.look(embedding)
        with timed(times, "recency"):
            pool.add_recent(RECENCY_TOP)
        watch.look(embedding)
        paths.setdefault("keyword", "ok")
        paths["recency"] = "ok"
        if snapshot.is_behind:
            paths["store"] = "behind"
        queries = _guarded("vector", paths, lambda: _result(embedding, deadline))
        watch.end(embedding)
        if queries is not None:
            until = deadline.before(READING_RESERVE)
            by_meaning = partial(self._by_meaning, pool, question, queries, request.count, until)
            with timed(times, "vector"):
                if _guarded("vector", paths, by_meaning):
                    paths.setdefault("vector", "ok")
        with timed(times, "fuse"):
            return pool.candidates(paths)

    def _pool(self, views: Sequence[PartitionView]) -> CandidatePool:
        if self._engine is not None:
            return self._engine.pool(views, self.records.fetch)
        return CandidatePool(views, self.records.fetch)

    def _by_meaning(
        self,
        pool: CandidatePool,
        question: Query,
        queries: Sequence[Floats],
        count: int,
        deadline: Deadline,
    ) -> bool:
        if self._engine is not None and isinstance(pool, EnginePool):
            return self._engine.add_vectors(pool, question, queries, count, deadline)
        return _by_meaning(pool, question, queries, count, deadline)

    def _large_queries(
        self, request: CandidateRequest, snapshot: SearchSnapshot
    ) -> list[PartitionQuery]:
        large = snapshot.state.large
        if self._large is None or not large:
            return []
        targets = [
            SearchTarget(large[visible.place], visible, request.filter)
            for visible in snapshot.visible
            if visible.place in large
        ]
        return self._large.queries(request.text, targets)

    @staticmethod
    def _search_large(
        large: LargeSearch,
        queries: Sequence[PartitionQuery],
        question: Query,
        count: int,
        embedding: Pending[Sequence[Floats]] | None,
        paths: dict[str, str],
        deadline: Deadline,
    ) -> list[PartitionView]:
        """By words while the question is being embedded, then by meaning beside it."""
        large.begin_words(queries, question, count, paths, deadline)
        vectors = _guarded("vector", paths, lambda: _result(embedding, deadline))
        if vectors is not None:
            large.begin_nearest(queries, question, count, vectors, paths, deadline)
        return large.views(queries, paths, deadline)

    def _start_embedding(
        self,
        question: Query,
        views: Sequence[PartitionView],
        large: Sequence[PartitionQuery],
        paths: dict[str, str],
    ) -> Pending[Sequence[Floats]] | None:
        """Begin to embed the question and its sentences, without the names of speakers."""
        embedder = self._embedder
        if embedder is None:
            paths["vector"] = "off"
            return None
        names = {name for view in views for name in view.speakers}
        names.update(name for one in large for name in one.speakers)
        rows = sum(view.rows for view in views)
        rows += sum(one.target.partition.statistics.rows for one in large)
        pieces = question.pieces[-most_pieces(rows) :]
        texts = [questions.without(text, names) for text in (question.text, *pieces)]
        return _guarded("vector", paths, lambda: embedder.start(texts))


class _EmbeddingTime:
    """The question is embedded on another thread, beside the search by words: it counts as done
    when that is first seen, between two paths or after waiting."""

    def __init__(self, times: StageTimes | None) -> None:
        self._times = times
        self._started = 0.0 if times is None else times.now()
        self._is_noted = times is None

    def look(self, embedding: Pending[Sequence[Floats]] | None) -> None:
        if not self._is_noted and embedding is not None and embedding.is_done:
            self.end(embedding)

    def end(self, embedding: Pending[Sequence[Floats]] | None) -> None:
        if not self._is_noted and self._times is not None and embedding is not None:
            self._times.add("embed", self._started)
        self._is_noted = True


def _others(
    states: Mapping[Partition, PartitionState], large: Mapping[Partition, LargePartition]
) -> Mapping[Partition, PartitionState]:
    if not large:
        return states
    return {place: state for place, state in states.items() if place not in large}


def _search_snapshot(known: ReadSnapshot, state: SourceState) -> SearchSnapshot:
    names = {place: index.kinds.names for place, index in state.indexes.items()}
    for place, one in state.large.items():
        names[place] = list(one.statistics.kinds)
    kinds = frozenset(name for some in names.values() for name in some if name)
    return SearchSnapshot(known.visible, known.states, may_favour(names), state, kinds)


def _result(
    embedding: Pending[Sequence[Floats]] | None, deadline: Deadline
) -> Sequence[Floats] | None:
    return None if embedding is None else embedding.result(deadline.before(READING_RESERVE))


def _by_meaning(
    pool: CandidatePool, question: Query, queries: Sequence[Floats], count: int, deadline: Deadline
) -> bool:
    matches = [
        vector_search.search(view, question, queries, partial(pool.rows_in, at), count, deadline)
        for at, view in enumerate(pool.views)
    ]
    pool.add_vectors(matches, queries, count)
    return True
