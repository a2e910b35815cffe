"""Ordering: the best rows by a score, ranks fused into one score, age and kind weighed in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .place_index import Mask

Scores = NDArray[np.float32] | NDArray[np.float64]

RRF_K = 60
SAMPLE_STEP = 32
SECONDS_PER_DAY = 86_400.0
COMPANY = 3
COMPANY_SHARE = 0.3
# Age moves a score by this share at most: it breaks near-ties, it does not bury what is old.
AGE_SHARE = 0.05
KIND_FACTOR = {"procedure": 1.1, "fact": 1.05, "profile": 0.95}


def best(scores: Scores, mask: Mask, count: int, above: float) -> list[int]:
    """The rows with the highest scores, best first; of equals, the later one."""
    rows = np.flatnonzero((scores > _threshold(scores, count, above)) & mask)
    if len(rows) < count:
        rows = np.flatnonzero((scores > above) & mask)
    if len(rows) > count:
        part = scores[rows]
        rows = rows[np.argpartition(part, len(part) - count)[len(part) - count :]]
    order = np.lexsort((-rows, -scores[rows]))
    best_rows: list[int] = rows[order].tolist()
    return best_rows


def _threshold(scores: Scores, count: int, above: float) -> float:
    """A score that, going by a sample, somewhat more than `count` rows exceed.

    Only saves work: if too few turn out to exceed it, all rows are looked at.
    """
    sample = scores[::SAMPLE_STEP]
    wanted = 4 * count // SAMPLE_STEP + 8
    if len(sample) < 4 * wanted:
        return above
    return max(above, float(np.partition(sample, len(sample) - wanted)[len(sample) - wanted]))


def fused(ranks: Mapping[str, int], weights: Mapping[str, float]) -> float:
    """Weighted reciprocal rank."""
    return sum(weights[path] / (RRF_K + rank) for path, rank in ranks.items())


class Scored(Protocol):
    view: int
    session: int
    number: int
    score: float
    company: float


def add_company(candidates: Sequence[Scored]) -> None:
    """Raise those whose session holds other good ones: a talk about it, not a passing word.

    By a share of the mean of the session's best; who is in no session is its own.
    """
    scores: dict[tuple[int, int], list[float]] = {}
    for one in candidates:
        scores.setdefault(_company(one), []).append(one.score)
    means = {key: sum(sorted(all)[-COMPANY:]) / COMPANY for key, all in scores.items()}
    for one in candidates:
        one.company = COMPANY_SHARE * means[_company(one)]
        one.score += one.company


def _company(one: Scored) -> tuple[int, int]:
    return (one.view, one.session) if one.session >= 0 else (-1, one.number)


def age_factor(time: float | None, now: float, half_life_days: float) -> float:
    """1 for what is new, down to 1 - AGE_SHARE for what is very old or of unknown age."""
    if time is None:
        return 1 - AGE_SHARE
    days = max(0.0, now - time) / SECONDS_PER_DAY
    return float(1 - AGE_SHARE + AGE_SHARE * 0.5 ** min(days / half_life_days, 60.0))
