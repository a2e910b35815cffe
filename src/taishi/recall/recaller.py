"""Recall: paths side by side under one deadline, fused, ranked, floored (Q1–Q3).

The keyword and recency paths work in memory and cannot hang; what can (the store, the embedder)
runs in lanes. A path that is late or broken is left out, and the answer says so.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from ..errors import TaishiError
from ..ports import Store
from ..settings import QuerySettings
from ..types import Level, Record, Sight
from . import question as questions
from . import rank
from .deadline import Deadline, Lane, LateError
from .duplicates import drop_near_duplicates
from .indexes import Indexes
from .pool import Candidate, Pool, View
from .postings import Floats
from .vectors import MISSING, decode_full

log = logging.getLogger("taishi.recall")
T = TypeVar("T")

PATH_TOP = 10
RECENCY_TOP = 5
RESCORED = 40
MIN_RERANKED = 30
# Beside the two weights that are settings: words with their neighbours', and being recent.
SMALL_WEIGHTS = {"context": 0.3, "recency": 0.05}
MAX_AROUND = 1.5


@dataclass(frozen=True, slots=True)
class Wish:
    """One request to recall. `sights` asks the store, so it is called where it may hang."""

    text: str
    sights: Callable[[], tuple[Sight, ...]]
    top_k: int
    now: float
    kinds: Collection[str] | None = None
    time_from: float | None = None
    time_to: float | None = None
    floor: float | None = None
    half_life_days: float = 14.0


@dataclass(frozen=True, slots=True)
class Found:
    hits: tuple[tuple[Record, Candidate], ...]
    level: Level
    paths: Mapping[str, str]


class Recaller:
    """`embed` turns a question into a vector, or is None where there is no embedder."""

    def __init__(
        self,
        store: Store,
        indexes: Indexes,
        embed: Callable[[str], Floats] | None,
        settings: Callable[[], QuerySettings],
    ) -> None:
        self._store = store
        self._indexes = indexes
        self._embed = embed
        self._settings = settings
        self._store_lane = Lane("store", 4)
        self._vector_lane = Lane("vector", 4)

    def close(self) -> None:
        self._store_lane.close()
        self._vector_lane.close()

    def recall(self, wish: Wish, deadline: Deadline) -> Found:
        paths: dict[str, str] = {}
        look = partial(self._views, wish)
        views = _guarded("store", paths, lambda: self._store_lane.run(look, deadline))
        if views is None:
            return Found((), "empty", paths)
        pool = Pool(views)
        self._fill(wish, views, pool, paths, deadline)
        ordered = self._order(wish, pool)
        read = partial(self._read, views, ordered)
        records = _guarded("store", paths, lambda: self._store_lane.run(read, deadline))
        if records is None:
            return Found((), "empty", paths)
        level: Level = "hybrid" if paths["vector"] == "ok" else "keyword"
        return Found(tuple(drop_near_duplicates(records, wish.top_k)), level, paths)

    def stats(self) -> dict[str, int]:
        return self._indexes.stats()

    def _views(self, wish: Wish) -> list[View]:
        sights = wish.sights()
        indexes = self._indexes.fresh([sight.place for sight in sights])
        return [
            View.of(index, sight, wish.text, wish.kinds, wish.time_from, wish.time_to)
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
        scan = self._start_scan(wish, views, paths)
        pool.add_keyword(questions.read(wish.text), count)
        pool.add_recent(RECENCY_TOP)
        paths.update(keyword="ok", recency="ok")
        if scan is not None:
            dense = _guarded("vector", paths, lambda: self._vector_lane.wait(scan, deadline))
            if dense is not None:
                pool.add_dense(dense, count)
                paths["vector"] = "ok"

    def _start_scan(
        self, wish: Wish, views: Sequence[View], paths: dict[str, str]
    ) -> Future[list[Floats]] | None:
        embed = self._embed
        if embed is None:
            paths["vector"] = "off"
            return None
        text = questions.without(wish.text, {name for view in views for name in view.speakers})

        def scan() -> list[Floats]:
            query = embed(text)
            return [self._cosines(view, query) for view in views]

        return _guarded("vector", paths, lambda: self._vector_lane.start(scan))

    def _cosines(self, view: View, query: Floats) -> Floats:
        """All cosines from int8, the best of them again from full precision."""
        scores = view.index.dense(view.rows, query)
        numbers = view.index.numbers(view.rows)
        top = {int(numbers[r]): r for r in rank.best(scores, view.mask, RESCORED, MISSING)}
        for number, full in self._store.full_vectors(list(top)).items():
            scores[top[number]] = float(decode_full(full, len(query)) @ query)
        return scores

    def _order(self, wish: Wish, pool: Pool) -> list[Candidate]:
        settings = self._settings()
        vector, keyword = settings.vector_weight, settings.keyword_weight
        weights = {"vector": vector, "keyword": keyword, **SMALL_WEIGHTS}
        floor = settings.min_similarity if wish.floor is None else wish.floor
        kept = [c for c in pool.candidates() if c.relevance >= floor]
        # Ranks choose who is looked at closer; what was scored in full decides the order.
        kept.sort(key=lambda c: -rank.fused(c.ranks, weights))
        kept = kept[: max(MIN_RERANKED, wish.top_k * settings.rerank_candidate_multiplier)]
        for candidate in kept:
            relevance = vector * candidate.cosine + keyword * min(candidate.around, MAX_AROUND)
            candidate.score = (
                relevance
                * rank.age_factor(candidate.time, wish.now, wish.half_life_days)
                * rank.KIND_FACTOR.get(candidate.kind, 1.0)
            )
        kept.sort(key=lambda c: (-c.score, -c.number))
        # A few more than asked for, as near-duplicates still go.
        return kept[: wish.top_k + wish.top_k // 2 + 5]

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
    except TaishiError as error:
        paths[path] = "failed"
        log.warning("recall goes on without %s: %s", path, error)
    return None
