"""The factors and bonuses of a score: rank, age, trust, kind, session and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .query import TimeMention

Floats = NDArray[np.float32]
Numbers = NDArray[np.integer]

RRF_K = 60
SECONDS_PER_DAY = 86_400.0
# Bonus for the session of a message: a share of the session's best score; for the question's
# words, wherever in the session they are; for opening it, as people open with their news.
SESSION_BEST = 0.25
SESSION_WORDS = 0.16
SESSION_FIRST = 0.06
# Bonus for having been told near a time that the question names.
MOMENT = 0.24
# Bonus for what a person said, when the question is in the first person.
FIRST_PERSON = 0.1
# Age moves a score by this share at most: it breaks near-ties, it does not bury what is old.
AGE_SHARE = 0.02
MAX_HALVINGS = 60.0
# A doubtful record loses at most the first share; one that was used again and again gains the
# second.
DOUBT_SHARE = 0.1
USE_SHARE = 0.03
USES_HALF = 3.0  # uses for half of it
KIND_FACTOR = {"procedure": 1.1, "fact": 1.05, "profile": 0.95}


def reciprocal(count: int, weight: float) -> Floats:
    """The weighted reciprocal of each of `count` ranks."""
    ranks = np.arange(RRF_K + 1, RRF_K + 1 + count, dtype=np.float32)
    return np.float32(weight) / ranks


def age_factors(times: NDArray[np.float64], now: float, half_life_days: float) -> Floats:
    """1 for what is new, down to 1 - AGE_SHARE for what is very old or of unknown age."""
    halvings = np.maximum((now - times) / (SECONDS_PER_DAY * half_life_days), 0.0)
    fresh = np.exp2(-np.fmin(halvings, MAX_HALVINGS))  # fmin: not a number counts as very old
    return (1 - AGE_SHARE + AGE_SHARE * fresh).astype(np.float32)


def trust_factors(trusts: Floats, uses: Floats) -> Floats:
    """1 for what is sure and was never needed again, as nearly everything is."""
    factors: Floats = 1 - DOUBT_SHARE * (1 - trusts) + USE_SHARE * (1 - np.exp2(-uses / USES_HALF))
    return factors


def kind_factor(kind: str, favoured: Mapping[str, float]) -> float:
    return KIND_FACTOR.get(kind, 1.0) * favoured.get(kind, 1.0)


def kind_factors(kinds: Sequence[str], favoured: Mapping[str, float]) -> Floats:
    return np.array([kind_factor(kind, favoured) for kind in kinds], np.float32)


def best_of_session(scores: Floats, sessions: Numbers, count: int) -> Floats:
    """The best score in each one's session, of `count`: a talk about it, not a passing word.

    Who is in no session (below 0) is the best of its own.
    """
    if not count:
        return scores
    best = np.zeros(count + 1, np.float32)  # they meet in one more, at the end
    np.maximum.at(best, sessions, scores)
    return np.where(sessions >= 0, best[sessions], scores)


def near_moments(times: NDArray[np.float64], moments: Sequence[TimeMention]) -> Floats:
    """1 for what was told at a time that the question names, less the further from it."""
    near = np.zeros(len(times), np.float32)
    for moment in moments:
        away = np.maximum(np.maximum(moment.begin - times, times - moment.until), 0.0)
        # fmax: a time that is not known is near nothing
        near = np.fmax(near, np.exp(-away / moment.telling).astype(np.float32))
    return near
