"""Scores the candidates of all paths: reciprocal ranks limit how many, full scores order them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..ports import Candidates
from . import score_factors
from .bm25 import Floats
from .mmr import cosines, most_varied, repeating
from .query import TimeMention
from .topk import Rows

# As many as three paths of thirty name, and the newest: ranks choose only among more.
MIN_WEIGHED = 95
MAX_VARIED = 30
EVERY = slice(None)
# Beside the two weights that are settings: words with their neighbours', and being recent.
SMALL_WEIGHTS = {"context": 0.5, "recency": 0.05}


@dataclass(frozen=True, slots=True)
class ScoringParams:
    """The weights and limits of one request."""

    weights: Mapping[str, float]  # by path
    floor: float
    now: float
    half_life_days: float
    most: int  # how many candidates get a full score
    shown: int = 30  # how many are asked for
    variety: float = 1.0  # 1: relevance only (`query.mmr_lambda`)
    kinds: Mapping[str, float] = field(default_factory=dict)  # favoured by the intent (Q5)
    shared: float = 1.0
    moments: Sequence[TimeMention] = ()  # times that the question names
    first_person: bool = False
    words_alone: bool = False  # the floor is for the question's words, whatever the meaning

    @staticmethod
    def weights_of(vector: float, keyword: float) -> dict[str, float]:
        return {"vector": vector, "keyword": keyword, **SMALL_WEIGHTS}


@dataclass(frozen=True, slots=True)
class Scored:
    candidates: Candidates
    order: Rows  # positions among the candidates, the best first
    scores: Floats  # 0 for those without a full score
    company: Floats  # the part of the score that its session gives it
    moment: Floats  # the part for having been told near a time that the question names


def score(candidates: Candidates, params: ScoringParams) -> Scored:
    """Full scores for those above the floor. Of too many, the best by reciprocal rank."""
    details = candidates.details
    kept = _kept(candidates, params)
    vector, keyword = np.float32(params.weights["vector"]), np.float32(params.weights["keyword"])
    # What was said a moment ago has no vector yet: its words stand for its meaning (W6).
    around = candidates.around[kept]
    near = np.where(
        candidates.unembedded[kept], np.minimum(around, np.float32(1)), candidates.cosine[kept]
    )
    if params.first_person:
        near += details.said(candidates.rows[kept]) * np.float32(score_factors.FIRST_PERSON)
    times, sessions = candidates.times[kept], candidates.sessions[kept]
    full = vector * near + keyword * around
    full *= score_factors.age_factors(times, params.now, params.half_life_days)
    full *= score_factors.kind_factors(candidates.kind_names, params.kinds)[candidates.kinds[kept]]
    trust = details.trust(candidates.rows[kept])
    if trust is not None:
        full *= trust
    if params.shared != 1.0:
        is_shared = details.shared(candidates.rows[kept])
        full *= np.where(is_shared, np.float32(params.shared), np.float32(1))
    scores, company, moment = np.zeros((3, len(candidates)), np.float32)
    company[kept] = gained = (
        score_factors.SESSION_BEST
        * score_factors.best_of_session(full, sessions, candidates.session_count)
        + score_factors.SESSION_WORDS * candidates.session_coverage[kept]
        + score_factors.SESSION_FIRST * candidates.first[kept]
    )
    full += gained
    if params.moments:
        moment[kept] = told = score_factors.MOMENT * score_factors.near_moments(
            times, params.moments
        )
        full += told
    scores[kept] = full
    order = full.argsort(kind="stable")[::-1]  # of equals, the later one
    if not isinstance(kept, slice):
        order = kept[order]
    return Scored(candidates, order, scores, company, moment)


def relevance(candidates: Candidates, params: ScoringParams) -> Floats:
    """What the floor is compared with."""
    return candidates.coverage if params.words_alone else candidates.relevance


def _kept(candidates: Candidates, params: ScoringParams) -> Rows | slice:
    """Those above the floor, and of too many the best by rank; as a slice if it is all of them."""
    kept = (relevance(candidates, params) >= params.floor).nonzero()[0]
    if len(kept) > params.most:
        fused = _reciprocal_ranks(candidates, params.weights)[kept]
        return np.sort(kept[np.argsort(-fused, kind="stable")[: params.most]])
    return EVERY if len(kept) == len(candidates) else kept


def _reciprocal_ranks(candidates: Candidates, weights: Mapping[str, float]) -> Floats:
    """Weighted reciprocal rank fusion over all paths."""
    fused = np.zeros(len(candidates), np.float32)
    for path, ranked in candidates.ranked.items():
        at = candidates.rows.searchsorted(ranked)
        fused[at] += score_factors.reciprocal(len(ranked), weights[path])
    return fused


def diversified(scored: Scored, params: ScoringParams) -> Rows:
    """The order, but what nearly repeats a better candidate comes later (MMR)."""
    order, rows, details = scored.order, scored.candidates.rows, scored.candidates.details
    shown = order[: params.shown + 1]
    if params.variety == 1.0 or len(shown) < 2 or not repeating(details.vectors(rows[shown])):
        return order  # nearly always, and then nothing behind them comes before them
    head = order[: min(2 * params.shown, MAX_VARIED)]
    likeness = cosines(details.vectors(rows[head]))
    times = scored.candidates.times[head]
    chosen = most_varied(scored.scores[head], likeness, len(head), params.variety, times=times)
    return np.concatenate([head[chosen], order[len(head) :]])
