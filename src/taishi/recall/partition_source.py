"""The candidate source of this process: an in-memory index of every partition that is asked for.

The store is queried only for what changed and for records that are not cached, the embedder runs
beside the search by words, and everything else is computed from memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from ..ports import (
    CandidateRequest,
    Candidates,
    Pending,
    QueryEmbedder,
    SearchSnapshot,
    Store,
)
from ..types import Partition
from . import query as questions
from . import vector_search
from .bm25 import Floats
from .candidates import CandidatePool
from .deadline import READING_RESERVE, Deadline
from .deadline import guarded as _guarded
from .index_cache import IndexCache
from .partition_index import PartitionIndex
from .partition_view import PartitionView, may_favour, most_pieces
from .query import Query
from .read_snapshot import ReadSnapshot, ReadSnapshots
from .record_cache import RecordCache

RECENCY_TOP = 5


class PartitionSource:
    """Implements ports.CandidateSource. Without an embedder, the search is by words alone."""

    def __init__(self, store: Store, indexes: IndexCache, embedder: QueryEmbedder | None) -> None:
        self.indexes = indexes
        self.records = RecordCache(store, indexes)
        self._snapshots = ReadSnapshots(store)
        self._embedder = embedder

    @property
    def uses_vectors(self) -> bool:
        return self._embedder is not None

    def close(self) -> None:
        """Nothing runs here: the embedder is closed by whoever made it."""

    def forget(self, partition: Partition, changed: Sequence[Partition]) -> None:
        self.forget_texts()
        self._snapshots.clear()
        self.indexes.drop(partition)
        self.indexes.load(changed)

    def forget_texts(self) -> None:
        self.records.clear()
        self.indexes.forget_texts()

    def stats(self) -> dict[str, int]:
        return {**self.indexes.stats(), "kept_records_bytes": self.records.nbytes}

    def warm_snapshot(self, request: CandidateRequest) -> SearchSnapshot | None:
        """If nothing changed since the last question, the store need not be queried."""
        known = None if request.reader is None else self._snapshots.known(request.reader)
        if known is None or not request.unchanged():
            return None
        indexes = self.indexes.cached(known.states)
        return None if indexes is None else _search_snapshot(known, indexes)

    def snapshot(self, request: CandidateRequest, deadline: Deadline) -> SearchSnapshot:
        current = self._snapshots.ask(request.reader, request.visible)
        return _search_snapshot(current, self.indexes.up_to_date(current.states, deadline))

    def candidates(
        self, request: CandidateRequest, snapshot: SearchSnapshot, deadline: Deadline
    ) -> Candidates | None:
        indexes: Mapping[Partition, PartitionIndex] = snapshot.state
        views = [
            PartitionView.of(index, visible, request.text, request.filter)
            for visible in snapshot.visible
            if (index := indexes.get(visible.place)) is not None
        ]
        if not views:
            return None
        question = questions.read(request.text)
        pool = CandidatePool(views, self.records.fetch)
        paths: dict[str, str] = {}
        embedding = self._start_embedding(question, views, paths)
        pool.add_keyword(question, request.count)
        pool.add_recent(RECENCY_TOP)
        paths.update(keyword="ok", recency="ok")
        queries = _guarded("vector", paths, lambda: _result(embedding, deadline))
        if queries is not None:
            until = deadline.before(READING_RESERVE)
            by_meaning = partial(_by_meaning, pool, question, queries, request.count, until)
            if _guarded("vector", paths, by_meaning):
                paths["vector"] = "ok"
        return pool.candidates(paths)

    def _start_embedding(
        self, question: Query, views: Sequence[PartitionView], paths: dict[str, str]
    ) -> Pending[Sequence[Floats]] | None:
        """Begin to embed the question and its sentences, without the names of speakers."""
        embedder = self._embedder
        if embedder is None:
            paths["vector"] = "off"
            return None
        names = {name for view in views for name in view.speakers}
        pieces = question.pieces[-most_pieces(views) :]
        texts = [questions.without(text, names) for text in (question.text, *pieces)]
        return _guarded("vector", paths, lambda: embedder.start(texts))


def _search_snapshot(
    known: ReadSnapshot, indexes: Mapping[Partition, PartitionIndex]
) -> SearchSnapshot:
    kinds = frozenset(name for index in indexes.values() for name in index.kinds.names if name)
    return SearchSnapshot(known.visible, known.states, may_favour(indexes), indexes, kinds)


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
