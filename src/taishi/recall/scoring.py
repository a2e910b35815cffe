"""What every path found, weighed: ranks choose who is looked at closer, full scores the order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from . import score_factors
from .bm25 import Floats
from .candidates import CandidatePool, Candidates
from .mmr import cosines, most_varied, repeating
from .query import TimeMention
from .topk import Rows

# As many as three paths of thirty name, and the newest: ranks choose only among more.
MIN_WEIGHED = 95
MAX_VARIED = 30
EVERY = slice(None)
# Beside the two weights that are settings: words with their neighbours', and being recent.
SMALL_WEIGHTS = {"context": 0.3, "recency": 0.05}


@dataclass(frozen=True, slots=True)
class ScoringParams:
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
    moments: Sequence[TimeMention] = ()  # times that the question names
    first_person: bool = False

    @staticmethod
    def weights_of(vector: float, keyword: float) -> dict[str, float]:
        return {"vector": vector, "keyword": keyword, **SMALL_WEIGHTS}


@dataclass(frozen=True, slots=True)
class Scored:
    candidates: Candidates
    order: Rows  # positions among the candidates, the best first
    scores: Floats  # 0 for those who were not looked at closer
    company: Floats  # the part of the score that its session gives it
    moment: Floats  # the part that the time gives it at which it was told


def weigh(pool: CandidatePool, scale: ScoringParams) -> Scored:
    all = pool.candidates(pool.rows())
    kept = _kept(pool, all, scale)
    vector, keyword = np.float32(scale.weights["vector"]), np.float32(scale.weights["keyword"])
    # What was said a moment ago has no vector yet: its words stand for its meaning (W6).
    around = all.around[kept]
    near = np.where(all.unembedded[kept], np.minimum(around, np.float32(1)), all.cosine[kept])
    if scale.first_person:
        near += pool.said(all.rows[kept]) * np.float32(score_factors.FIRST_PERSON)
    times, sessions = all.times[kept], all.sessions[kept]
    found = vector * near + keyword * around
    found *= score_factors.age_factors(times, scale.now, scale.half_life_days)
    found *= score_factors.kind_factors(all.kind_names, scale.kinds)[all.kinds[kept]]
    trust = pool.trust(all.rows[kept])
    if trust is not None:
        found *= trust
    if scale.shared != 1.0:
        found *= np.where(pool.shared(all.rows[kept]), np.float32(scale.shared), np.float32(1))
    scores, company, moment = np.zeros((3, len(all)), np.float32)
    company[kept] = gained = (
        score_factors.SESSION_BEST
        * score_factors.best_of_session(found, sessions, all.session_count)
        + score_factors.SESSION_WORDS * all.session_coverage[kept]
        + score_factors.SESSION_FIRST * all.first[kept]
    )
    found += gained
    if scale.moments:
        moment[kept] = told = score_factors.MOMENT * score_factors.near_moments(
            times, scale.moments
        )
        found += told
    scores[kept] = found
    order = found.argsort(kind="stable")[::-1]  # of equals, the later one
    if not isinstance(kept, slice):
        order = kept[order]
    return Scored(all, _varied(pool, all, order, scores, scale), scores, company, moment)


def _kept(pool: CandidatePool, all: Candidates, scale: ScoringParams) -> Rows | slice:
    """Those above the floor, and of too many the best by rank; as a slice if it is all of them."""
    kept = (all.relevance >= scale.floor).nonzero()[0]
    if len(kept) > scale.most:
        fused = pool.fused(all.rows, scale.weights)[kept]
        return np.sort(kept[np.argsort(-fused, kind="stable")[: scale.most]])
    return EVERY if len(kept) == len(all) else kept


def _varied(
    pool: CandidatePool, all: Candidates, order: Rows, scores: Floats, scale: ScoringParams
) -> Rows:
    """The same order, but what all but repeats a better one comes later."""
    shown = order[: scale.shown + 1]
    if scale.variety == 1.0 or len(shown) < 2 or not repeating(pool.codes(all.rows[shown])):
        return order  # nearly always, and then nothing behind them comes before them
    head = order[: min(2 * scale.shown, MAX_VARIED)]
    likeness = cosines(pool.codes(all.rows[head]))
    chosen = most_varied(scores[head], likeness, len(head), scale.variety)
    return np.concatenate([head[chosen], order[len(head) :]])
