"""Scores as callers see them: from 0 to 1.

Weights, factors and bonuses add up to more than 1 now and then. Up to `KNEE` a score stays as it
is; above, it is bent towards 1, so that of two records the better one still has the higher score.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeVar

from ..types import Explained, Hit, Recall

T = TypeVar("T", Hit, Explained)
KNEE = 0.9


def from_0_to_1(score: float) -> float:
    if score <= KNEE:
        return max(score, 0.0)
    return KNEE + (1 - KNEE) * -math.expm1((KNEE - score) / (1 - KNEE))


def with_scores_in_range(recall: Recall) -> Recall:
    hits = tuple(_in_range(hit) for hit in recall.hits)
    return replace(recall, hits=hits, explain=tuple(_in_range(one) for one in recall.explain))


def _in_range(scored: T) -> T:
    """Nearly all are left as they are, so nearly none is copied."""
    score = from_0_to_1(scored.score)
    return scored if score == scored.score else replace(scored, score=score)
