"""Recall: paths side by side under one deadline, fused, ranked, floored (Q1–Q3).

The whole of it runs in one lane, since the store may hang at any step; the embedder works beside
it in another, since it may, too. A path that is late or broken is left
out, and the answer says so.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from ..ports import Store
from ..settings import QuerySettings
from ..types import EMPTY, Explained, Level, Record, Sight
from . import question as questions
from . import rank
from .deadline import Deadline, Lane, LateError, Ticket
from .duplicates import drop_near_duplicates
from .explain import explain
from .indexes import Indexes
from .place_index import Wanted
from .pool import Candidate, Pool, View
from .postings import Floats
from .vectors import MISSING, decode_full

log = logging.getLogger("taishi.recall")
T = TypeVar("T")

PATH_TOP = 10
RECENCY_TOP = 5
RESCORED = 30
MIN_RERANKED = 30
# Beside the two weights that are settings: words with their neighbours', and being recent.
SMALL_WEIGHTS = {"context": 0.3, "recency": 0.05}
MAX_AROUND = 1.5
# Seconds that the embedder leaves for ordering and reading the records.
READING_RESERVE = 0.03
LANE_THREADS = 4


@dataclass(frozen=True, slots=True)
class Wish:
    """One request to recall. `sights` asks the store, so it is called where it may hang."""

    text: str
    sights: Callable[[], tuple[Sight, ...]]
    top_k: int
    wanted: Wanted
    floor: float | None = None
    half_life_days: float = 14.0
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    hits: tuple[tuple[Record, Candidate], ...]
    level: Level
    paths: Mapping[str, str]
    explained: tuple[tuple[Record, Explained], ...] = ()
    weights: Mapping[str, float] = field(default_factory=lambda: EMPTY)


class Recaller:
    """`embed` turns a question into a vector, or is None where there is no embedder;
    `known_vector` gives one that was made before, at once."""

    def __init__(
        self,
        store: Store,
        indexes: Indexes,
        embed: Callable[[str], Floats] | None,
        known_vector: Callable[[str], Floats | None],
        settings: Callable[[], QuerySettings],
    ) -> None:
        self._store = store
        self._indexes = indexes
        self._embed = embed
        self._known_vector = known_vector
        self._settings = settings
        self._lane = Lane("store", LANE_THREADS)
        self._vector_lane = Lane("vector", LANE_THREADS)

    def close(self) -> None:
        self._lane.close()
        self._vector_lane.close()

    def stats(self) -> dict[str, int]:
        return self._indexes.stats()

    def recall(self, wish: Wish, deadline: Deadline) -> Found:
        paths: dict[str, str] = {}
        find = partial(self._find, wish, deadline)
        found = _guarded("store", paths, lambda: self._lane.run(find, deadline))
        return found or Found((), "empty", paths)

    def _find(self, wish: Wish, deadline: Deadline) -> Found:
        paths: dict[str, str] = {}
        views = self._views(wish)
        pool = Pool(views)
        self._fill(wish, views, pool, paths, deadline)
        hits = self._distinct(views, self._order(wish, pool), wish.top_k)
        level: Level = "hybrid" if paths["vector"] == "ok" else "keyword"
        if not wish.explain:
            return Found(tuple(hits), level, paths)
        explained = self._explained(wish, views, pool, hits)
        return Found(tuple(hits), level, paths, explained, self._weights())

    def _explained(
        self,
        wish: Wish,
        views: Sequence[View],
        pool: Pool,
        hits: Sequence[tuple[Record, Candidate]],
    ) -> tuple[tuple[Record, Explained], ...]:
        candidates = pool.candidates()
        records = {c.number: record for record, c in self._read(views, candidates)}
        now, half_life = wish.wanted.now, wish.half_life_days
        return tuple(explain(candidates, records, hits, self._floor(wish), now, half_life))

    def _weights(self) -> dict[str, float]:
        settings = self._settings()
        return {
            "vector": settings.vector_weight,
            "keyword": settings.keyword_weight,
            **SMALL_WEIGHTS,
        }

    def _floor(self, wish: Wish) -> float:
        return self._settings().min_similarity if wish.floor is None else wish.floor

    def _views(self, wish: Wish) -> list[View]:
        sights = wish.sights()
        indexes = self._indexes.fresh([sight.place for sight in sights])
        return [
            View.of(index, sight, wish.text, wish.wanted)
            for sight in sights
            if (index := indexes.get(sight.place)) is not None
        ]

    def _fill(
        self,
        wish: Wish,
        views: Sequence[View],
        pool: Pool,
        paths: dict[str, str],
        deadline: Deadline,
    ) -> None:
        count = max(PATH_TOP, wish.top_k * self._settings().rerank_candidate_multiplier)
        embedding = self._start_embedding(wish, views, paths)
        pool.add_keyword(questions.read(wish.text), count)
        pool.add_recent(RECENCY_TOP)
        paths.update(keyword="ok", recency="ok")
        query = self._finish_embedding(embedding, paths, deadline)
        if query is None:
            return
        dense = _guarded("vector", paths, lambda: [self._cosines(v, query) for v in views])
        if dense is not None:
            pool.add_dense(dense, count)
            paths["vector"] = "ok"

    def _start_embedding(
        self, wish: Wish, views: Sequence[View], paths: dict[str, str]
    ) -> Ticket[Floats] | Floats | None:
        """The question's vector if it is known already; else the embedder begins, beside us."""
        if self._embed is None:
            paths["vector"] = "off"
            return None
        text = questions.without(wish.text, {name for view in views for name in view.speakers})
        known = self._known_vector(text)
        if known is not None:
            return known
        embed = partial(self._embed, text)
        return _guarded("vector", paths, lambda: self._vector_lane.start(embed))

    def _finish_embedding(
        self,
        embedding: Ticket[Floats] | Floats | None,
        paths: dict[str, str],
        deadline: Deadline,
    ) -> Floats | None:
        if not isinstance(embedding, Ticket):
            return embedding
        until = deadline.before(READING_RESERVE)
        return _guarded("vector", paths, lambda: self._vector_lane.wait(embedding, until))

    def _cosines(self, view: View, query: Floats) -> Floats:
        """All cosines from int8, the best of them again from full precision."""
        scores = view.index.dense(view.rows, query)
        top = {
            view.index.number_of(row): row
            for row in rank.best(scores, view.mask, RESCORED, MISSING)
        }
        full = self._store.full_vectors(list(top))
        if full:
            exact = decode_full(list(full.values()), len(query)) @ query
            scores[[top[number] for number in full]] = exact
        return scores

    def _order(self, wish: Wish, pool: Pool) -> list[Candidate]:
        settings = self._settings()
        vector, keyword = settings.vector_weight, settings.keyword_weight
        weights, floor = self._weights(), self._floor(wish)
        kept = [c for c in pool.candidates() if c.relevance >= floor]
        # Ranks choose who is looked at closer; what was scored in full decides the order.
        kept.sort(key=lambda c: -rank.fused(c.ranks, weights))
        kept = kept[: max(MIN_RERANKED, wish.top_k * settings.rerank_candidate_multiplier)]
        for candidate in kept:
            relevance = vector * candidate.cosine + keyword * min(candidate.around, MAX_AROUND)
            candidate.score = (
                relevance
                * rank.age_factor(candidate.time, wish.wanted.now, wish.half_life_days)
                * rank.KIND_FACTOR.get(candidate.kind, 1.0)
            )
        rank.add_company(kept)
        kept.sort(key=lambda c: (-c.score, -c.number))
        # A few more than asked for, as near-duplicates still go.
        return kept[: wish.top_k + wish.top_k // 2 + 5]

    def _distinct(
        self, views: Sequence[View], ordered: Sequence[Candidate], count: int
    ) -> list[tuple[Record, Candidate]]:
        """Near-duplicates are rare: the rest is read only if some of the first had to go."""
        hits = drop_near_duplicates(self._read(views, ordered[: count + 1]), count)
        if len(hits) < count < len(ordered) - 1:
            hits = drop_near_duplicates(self._read(views, ordered), count)
        return hits

    def _read(
        self, views: Sequence[View], ordered: Sequence[Candidate]
    ) -> list[tuple[Record, Candidate]]:
        places = {view.place for view in views}
        records = self._store.fetch([candidate.number for candidate in ordered], places)
        return [(records[c.number], c) for c in ordered if c.number in records]


def _guarded(path: str, paths: dict[str, str], work: Callable[[], T]) -> T | None:
    """Run a step; if it is late or fails, note that and go on without it."""
    try:
        return work()
    except LateError:
        paths[path] = "late"
    except Exception as error:  # an embedder of the caller's own may raise anything
        paths[path] = "failed"
        log.warning("recall goes on without %s: %s: %s", path, type(error).__name__, error)
    return None
