"""What every path found, weighed: ranks choose who is looked at closer, full scores the order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from . import rank
from .pool import Candidates, Pool
from .postings import Floats
from .question import Moment
from .top import Rows
from .variety import cosines, most_varied

# As many as three paths of thirty name, and the newest: ranks choose only among more.
MIN_WEIGHED = 95
MAX_VARIED = 30
# Beside the two weights that are settings: words with their neighbours', and being recent.
SMALL_WEIGHTS = {"context": 0.3, "recency": 0.05}


@dataclass(frozen=True, slots=True)
class Scale:
    """By what a request weighs its candidates."""

    weights: Mapping[str, float]
    floor: float
    now: float
    half_life_days: float
    most: int  # how many are looked at closer
    shown: int = 30  # how many may be
    variety: float = 1.0  # 1: relevance only (`query.mmr_lambda`)
    kinds: Mapping[str, float] = field(default_factory=dict)  # what the question is after (Q5)
    shared: float = 1.0
    moments: Sequence[Moment] = ()  # times that the question names
    first_person: bool = False

    @staticmethod
    def weights_of(vector: float, keyword: float) -> dict[str, float]:
        return {"vector": vector, "keyword": keyword, **SMALL_WEIGHTS}


@dataclass(frozen=True, slots=True)
class Weighed:
    candidates: Candidates
    order: Rows  # positions among the candidates, the best first
    scores: Floats  # 0 for those who were not looked at closer
    company: Floats  # the part of the score that its session gives it
    moment: Floats  # the part that the time gives it at which it was told

    def numbers(self, count: int) -> list[int]:
        numbers: list[int] = self.candidates.numbers[self.order[:count]].tolist()
        return numbers

    def best_scores(self, count: int) -> list[float]:
        scores: list[float] = self.scores[self.order[:count]].tolist()
        return scores


def weigh(pool: Pool, scale: Scale) -> Weighed:
    all = pool.candidates(pool.rows())
    kept = np.flatnonzero(all.relevance >= scale.floor)
    if len(kept) > scale.most:
        fused = pool.fused(all.rows, scale.weights)
        kept = kept[np.argsort(-fused[kept], kind="stable")[: scale.most]]
    vector, keyword = np.float32(scale.weights["vector"]), np.float32(scale.weights["keyword"])
    # What was said a moment ago has no vector yet: its words stand for its meaning (W6).
    around = all.around[kept]
    near = np.where(all.unembedded[kept], np.minimum(around, np.float32(1)), all.cosine[kept])
    if scale.first_person:
        near += all.said[kept] * np.float32(rank.FIRST_PERSON)
    found = (vector * near + keyword * around).astype(np.float32, copy=False)
    found *= rank.age_factors(all.times[kept], scale.now, scale.half_life_days)
    found *= rank.kind_factors([all.kinds[at] for at in kept.tolist()], scale.kinds)
    if scale.shared != 1.0:
        found *= np.where(all.shared[kept], np.float32(scale.shared), np.float32(1))
    gained = (
        rank.SESSION_BEST * rank.best_of_session(found, all.views[kept], all.sessions[kept])
        + rank.SESSION_WORDS * all.session_coverage[kept]
        + rank.SESSION_FIRST * all.first[kept]
    )
    scores, company, moment = np.zeros((3, len(all)), np.float32)
    company[kept] = gained
    if scale.moments:
        moment[kept] = rank.MOMENT * rank.near_moments(all.times[kept], scale.moments)
    scores[kept] = found + gained + moment[kept]
    order = kept[np.lexsort((-all.numbers[kept], -scores[kept]))]
    return Weighed(all, _varied(pool, all, order, scores, scale), scores, company, moment)


def _varied(pool: Pool, all: Candidates, order: Rows, scores: Floats, scale: Scale) -> Rows:
    """The same order, but what all but repeats a better one comes later. Only those of which the
    full vector was read can be told to repeat; they are the ones nearest to the question."""
    lam = scale.variety
    head = order[: min(3 * scale.shown, MAX_VARIED)]
    known = [pool.vectors.get(row) for row in all.rows[head].tolist()]
    some = next((vector for vector in known if vector is not None), None)
    if lam == 1.0 or some is None:
        return order
    nothing = np.zeros_like(some)
    likeness = cosines(np.array([nothing if vector is None else vector for vector in known]))
    chosen = most_varied(scores[head], likeness, len(head), lam)
    return np.concatenate([head[chosen], order[len(head) :]])
