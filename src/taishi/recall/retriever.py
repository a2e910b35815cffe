"""Recall: paths side by side under one deadline, fused, ranked, floored (Q1–Q3).

What may hang runs in a lane of its own and is waited for until the deadline: the store, asked what
changed and for records that are not in memory; the embedder, beside the search by words. All the
rest is a matter of memory and runs here. A path that is late or broken is left out, and the answer
says so.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from ..ports import Store
from ..settings import QuerySettings
from ..types import EMPTY, Explained, Level, Partition, Record, VisiblePartition
from . import query as questions
from . import vector_search
from .bm25 import Floats
from .candidates import CandidatePool
from .deadline import BoundedExecutor, Deadline, Pending
from .deadline import guarded as _guarded
from .dedupe import drop_near_duplicates
from .excerpts import Passages, note_passages
from .explain import explain
from .index_cache import IndexCache
from .intent import Intent, kind_weights, shared_weight
from .intent_model import Decide, Intents
from .kind_limits import order_with_at_most, with_at_most
from .partition_index import PartitionIndex
from .partition_view import PartitionView, may_favour, most_pieces
from .query import Query, TimeMention
from .read_snapshot import ReadSnapshot, ReadSnapshots
from .record_cache import RecordCache
from .record_filter import RecordFilter
from .result_cache import ResultCache
from .scoring import MIN_WEIGHED, Scored, ScoringParams, weigh
from .topk import Rows

T = TypeVar("T")
# Runs what may hang, until the deadline: in a lane, or right here if this is one.
Hanging = Callable[[Callable[[], Any], Deadline], Any]
Rerank = Callable[[str, Sequence[str]], Sequence[float]]

# Wider than what is shown: the full score decides, not the rank on one path.
PATH_TOP = 30
RECENCY_TOP = 5
# Seconds that the embedder leaves for ordering and reading the records.
READING_RESERVE = 0.03
# Seconds that a piece of the embedder's work may take: with less time it is left to the embedder.
HELP_NEEDS = 0.05
RERANK_RESERVE = 0.02
# Seconds that the store leaves for the last rung, the page on disk, and for the way back.
LAST_RUNG_RESERVE = 0.02
# Who asks for advice does not use the words of what was told, and what the assistant said of it
# counts as much as what he himself said.
ADVICE_WORDS = 0.25
LANE_THREADS = 4


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """One request to recall. `sights` asks the store, so it is called where it may hang; `whose`
    is the same for requests with the same sights, None if that is not known. `settled` tells
    whether they still hold as far as the store does not know of it.

    `settings` are those the request began with; None: those in force.
    """

    text: str
    sights: Callable[[], tuple[VisiblePartition, ...]]
    top_k: int
    wanted: RecordFilter
    floor: float | None = None
    half_life_days: float = 14.0
    explain: bool = False
    settings: QuerySettings | None = None
    moments: tuple[TimeMention, ...] = ()
    whose: Hashable | None = None
    settled: Callable[[], bool] = lambda: True
    most_events: int | None = None  # of `top_k`; None: as many as there are
    live: bool = False  # asked of the present: the same again soon may be answered from memory

    def key(self, sights: tuple[VisiblePartition, ...]) -> Hashable:
        """Equal for requests with the same answer, as long as nothing changes."""
        w = self.wanted
        kinds = None if w.kinds is None else tuple(w.kinds)
        return (
            sights,
            self.text,
            self.top_k,
            kinds,
            tuple(w.states),
            w.time_from,
            w.time_to,
            w.asked,
            self.moments,
            self.floor,
            self.half_life_days,
            self.settings,
            self.most_events,
        )


@dataclass(frozen=True, slots=True)
class Ready:
    """Where to look, and the index of each place that has records."""

    standing: ReadSnapshot
    indexes: Mapping[Partition, PartitionIndex]


@dataclass(frozen=True, slots=True)
class RawResult:
    hits: tuple[tuple[Record, float], ...]
    level: Level
    paths: Mapping[str, str]
    explained: tuple[tuple[Record, Explained], ...] = ()
    weights: Mapping[str, float] = field(default_factory=lambda: EMPTY)
    passages: Passages = field(default_factory=dict)


class Retriever:
    """`embed` turns questions into vectors, or is None where there is no embedder;
    `known_vectors` gives those that were made before, at once; `help_embedding` does a part of
    what it is at, right here."""

    def __init__(
        self,
        store: Store,
        indexes: IndexCache,
        embed: Callable[[Sequence[str]], Sequence[Floats]] | None,
        known_vectors: Callable[[Sequence[str]], Sequence[Floats] | None],
        settings: Callable[[], QuerySettings],
        rerank: Rerank | None = None,
        results_minutes: float = 0.0,
        looked: Callable[[str, str], None] = lambda cache, result: None,
        help_embedding: Callable[[], bool] = lambda: False,
        decide_intent: Decide | None = None,
    ) -> None:
        self._looked = looked  # into which cache, and whether it was there
        self._store = store
        self._rerank = rerank
        self._results: ResultCache[RawResult] = ResultCache(results_minutes)
        self._indexes = indexes
        self._standings = ReadSnapshots(store)
        self._records = RecordCache(store, indexes)
        self._alone = threading.Lock()
        self._embed = embed
        self._help_embedding = help_embedding
        self._known_vectors = known_vectors
        self._settings = settings
        self._lane = BoundedExecutor("store", LANE_THREADS)
        self._vector_lane = BoundedExecutor("vector", LANE_THREADS)
        self._rerank_lane = BoundedExecutor("rerank", LANE_THREADS)
        self._intents = Intents(decide_intent)

    def close(self) -> None:
        self._lane.close()
        self._vector_lane.close()
        self._rerank_lane.close()
        self._intents.close()

    def forget(self, gone: Partition, touched: Sequence[Partition] = ()) -> None:
        """A place is no more, and records went from others: nothing of them stays in memory."""
        self.forget_texts()
        self._standings.clear()
        self._indexes.drop(gone)
        self._indexes.fresh(touched)

    def forget_texts(self) -> None:
        """What was recalled of late is read again."""
        self._results.clear()
        self._records.clear()
        self._indexes.forget_texts()

    def stats(self) -> dict[str, int]:
        return {**self._indexes.stats(), "kept_records_bytes": self._records.nbytes}

    def recall(self, wish: RecallRequest, deadline: Deadline) -> RawResult:
        paths: dict[str, str] = {}
        until = deadline.before(LAST_RUNG_RESERVE)
        found = _guarded("store", paths, lambda: self._find(wish, until))
        return found or RawResult((), "empty", paths)

    def _find(self, wish: RecallRequest, deadline: Deadline) -> RawResult:
        """Here, if all is at hand and nobody else computes; if not, in a lane, whole: what may
        hang can be left behind there, and so can what a crowd of others keeps from going on."""
        ready = self._at_hand(wish)
        if ready is not None and self._alone.acquire(blocking=False):
            try:
                return self._answer(wish, ready, deadline, self._lane.run)
            finally:
                self._alone.release()

        def work() -> RawResult:
            return self._answer(wish, ready or self._prepared(wish, deadline), deadline, _now)

        return self._lane.run(work, deadline)

    def _answer(
        self, wish: RecallRequest, ready: Ready, deadline: Deadline, hanging: Hanging
    ) -> RawResult:
        if not wish.live or wish.explain or not self._results.are_kept:
            return self._search(wish, ready, deadline, hanging)
        shelves = ready.standing.shelves
        key = wish.key(ready.standing.sights)
        known = self._results.get(key, shelves, wish.wanted.now)
        self._looked("results", "miss" if known is None else "hit")
        if known is not None:
            return known
        found = self._search(wish, ready, deadline, hanging)
        if not {"late", "failed"} & set(found.paths.values()):
            self._results.put(key, shelves, found)
        return found

    def _at_hand(self, wish: RecallRequest) -> Ready | None:
        """If nothing changed since the last question, there is nothing to ask the store."""
        standing = None if wish.whose is None else self._standings.known(wish.whose)
        if standing is None or not wish.settled():
            return None
        indexes = self._indexes.at_hand(standing.shelves)
        return None if indexes is None else Ready(standing, indexes)

    def _prepared(self, wish: RecallRequest, deadline: Deadline) -> Ready:
        standing = self._standings.ask(wish.whose, wish.sights)
        return Ready(standing, self._indexes.caught_up(standing.shelves, deadline))

    def _search(
        self, wish: RecallRequest, ready: Ready, deadline: Deadline, hanging: Hanging
    ) -> RawResult:
        views = [
            PartitionView.of(index, sight, wish.text, wish.wanted)
            for sight in ready.standing.sights
            if (index := ready.indexes.get(sight.place)) is not None
        ]
        if not views:
            return RawResult((), "hybrid" if self._embed else "keyword", {"store": "nothing there"})
        paths: dict[str, str] = {}
        pool = CandidatePool(views)
        question = questions.read(wish.text)
        deciding = self._intents.start(wish.text, paths) if may_favour(views) else None
        self._fill(wish, question, pool, paths, deadline)
        intent = self._intents.finish(deciding, paths, deadline.before(READING_RESERVE))
        scale = self._scale(wish, question, intent)
        weighed = weigh(pool, scale)
        fetch = partial(self._records.of, pool, lambda read: hanging(read, deadline))
        order = order_with_at_most(weighed, wish.most_events, self._width(wish))
        passages: Passages = {}
        read = partial(_read, pool, weighed, order, fetch, passages)
        hits = tuple(self._distinct(wish, read, paths, deadline))
        level: Level = "hybrid" if paths["vector"] == "ok" else "keyword"
        if not wish.explain:
            return RawResult(hits, level, paths, passages=passages)
        records = fetch(weighed.candidates.rows)
        note_passages(pool, weighed.candidates.rows, records, passages)
        explained = explain(pool, weighed, records, [record for record, _ in hits], scale)
        return RawResult(hits, level, paths, tuple(explained), scale.weights, passages)

    def _width(self, wish: RecallRequest) -> int:
        """Candidates for each result."""
        return (wish.settings or self._settings()).rerank_candidate_multiplier

    def _scale(self, wish: RecallRequest, question: Query, intent: Intent) -> ScoringParams:
        settings = wish.settings or self._settings()
        words = settings.keyword_weight * (ADVICE_WORDS if question.advice else 1.0)
        return ScoringParams(
            weights=ScoringParams.weights_of(settings.vector_weight, words),
            floor=settings.min_similarity if wish.floor is None else wish.floor,
            now=wish.wanted.now,
            half_life_days=wish.half_life_days,
            most=max(MIN_WEIGHED, wish.top_k * settings.rerank_candidate_multiplier),
            shown=wish.top_k,
            variety=settings.mmr_lambda,
            kinds=kind_weights(intent),
            shared=shared_weight(intent),
            moments=wish.moments,
            first_person=question.first_person and not question.advice,
        )

    def _fill(
        self,
        wish: RecallRequest,
        question: Query,
        pool: CandidatePool,
        paths: dict[str, str],
        deadline: Deadline,
    ) -> None:
        settings = wish.settings or self._settings()
        count = max(PATH_TOP, wish.top_k * settings.rerank_candidate_multiplier)
        embedding = self._start_embedding(question, pool.views, paths)
        pool.add_keyword(question, count)
        pool.add_recent(RECENCY_TOP)
        paths.update(keyword="ok", recency="ok")
        queries = self._finish_embedding(embedding, paths, deadline)
        if queries is None:
            return
        until = deadline.before(READING_RESERVE)
        if _guarded("vector", paths, lambda: _by_meaning(pool, question, queries, count, until)):
            paths["vector"] = "ok"

    def _start_embedding(
        self, question: Query, views: Sequence[PartitionView], paths: dict[str, str]
    ) -> Pending[Sequence[Floats]] | Sequence[Floats] | None:
        """The vectors of the question and of its sentences, if they are known already; else the
        embedder begins, beside us."""
        if self._embed is None:
            paths["vector"] = "off"
            return None
        names = {name for view in views for name in view.speakers}
        pieces = question.pieces[-most_pieces(views) :]
        texts = [questions.without(text, names) for text in (question.text, *pieces)]
        known = self._known_vectors(texts)
        if known is not None:
            return known
        embed = partial(self._embed, texts)
        return _guarded("vector", paths, lambda: self._vector_lane.start(embed))

    def _finish_embedding(
        self,
        embedding: Pending[Sequence[Floats]] | Sequence[Floats] | None,
        paths: dict[str, str],
        deadline: Deadline,
    ) -> Sequence[Floats] | None:
        if not isinstance(embedding, Pending):
            return embedding
        return _guarded("vector", paths, lambda: self._helped(embedding, deadline))

    def _helped(self, embedding: Pending[Sequence[Floats]], deadline: Deadline) -> Sequence[Floats]:
        """What the embedder gives. As long as there is time, better help it than only wait."""
        until = deadline.before(READING_RESERVE)
        while not embedding.is_done and until.left > HELP_NEEDS and self._help_embedding():
            pass
        return self._vector_lane.wait(embedding, until)

    def _distinct(
        self,
        wish: RecallRequest,
        read: Callable[[int], list[tuple[Record, float]]],
        paths: dict[str, str],
        deadline: Deadline,
    ) -> list[tuple[Record, float]]:
        """The hits. Near-duplicates are rare: more is read only if some of the first had to go."""
        count = wish.top_k
        if self._rerank is not None or wish.most_events is not None:
            wide = read(count * self._width(wish))
            ranked = self._reranked(wish, wide, paths, deadline)
            if wish.most_events is None:
                return drop_near_duplicates(ranked, count)
            return with_at_most(wish.most_events, drop_near_duplicates(ranked, len(ranked)), count)
        first = read(count + 1)
        hits = drop_near_duplicates(first, count)
        if len(hits) < count < len(first):
            hits = drop_near_duplicates(read(count + count // 2 + 5), count)
        return hits

    def _reranked(
        self,
        wish: RecallRequest,
        found: list[tuple[Record, float]],
        paths: dict[str, str],
        deadline: Deadline,
    ) -> list[tuple[Record, float]]:
        """In the order of the external reranker, if it answers in time (Q4)."""
        if not found or self._rerank is None:
            return found
        ask = partial(self._rerank, wish.text, [record.text for record, _ in found])
        until = deadline.before(RERANK_RESERVE)
        scores = _guarded("rerank", paths, lambda: self._rerank_lane.run(ask, until))
        if scores is None:
            return found
        paths["rerank"] = "ok"
        judged = [(record, score) for (record, _), score in zip(found, scores, strict=True)]
        return sorted(judged, key=lambda hit: -hit[1])


def _now(work: Callable[[], T], _: Deadline) -> T:
    """In a lane already: it may hang here."""
    return work()


def _read(
    pool: CandidatePool,
    weighed: Scored,
    order: Rows,
    fetch: Callable[[Rows], dict[int, Record]],
    passages: Passages,
    count: int,
) -> list[tuple[Record, float]]:
    """The best so many, as far as they are still there, and their scores; of long ones, which
    passage matched."""
    best = order[:count]
    rows = weighed.candidates.rows[best]
    records = fetch(rows)
    note_passages(pool, rows, records, passages)
    scored = zip(pool.revisions(rows), weighed.scores[best].tolist(), strict=True)
    return [(records[number], score) for (number, _), score in scored if number in records]


def _by_meaning(
    pool: CandidatePool, question: Query, queries: Sequence[Floats], count: int, deadline: Deadline
) -> bool:
    found = [
        vector_search.search(view, question, queries, partial(pool.rows_in, at), count, deadline)
        for at, view in enumerate(pool.views)
    ]
    pool.add_dense(found, queries, count)
    return True
