"""Retrieval metrics over a ranked list of ids and the ids that should be in it.

`R` is the share of the gold that was found, `hit` whether any of it was, `all` whether all was.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

NAMES = ("R@5", "R@10", "R@20", "hit@5", "hit@10", "all@5", "all@10", "nDCG@10", "MRR")


def measure(ranked: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    return {
        "R@5": recall(ranked, gold, 5),
        "R@10": recall(ranked, gold, 10),
        "R@20": recall(ranked, gold, 20),
        "hit@5": float(recall(ranked, gold, 5) > 0),
        "hit@10": float(recall(ranked, gold, 10) > 0),
        "all@5": float(recall(ranked, gold, 5) == 1),
        "all@10": float(recall(ranked, gold, 10) == 1),
        "nDCG@10": ndcg(ranked, gold, 10),
        "MRR": next((1 / rank for rank, id in enumerate(ranked, 1) if id in gold), 0.0),
    }


def recall(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    return len(set(ranked[:k]) & set(gold)) / len(gold)


def ndcg(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    gain = sum(1 / math.log2(rank + 1) for rank, id in enumerate(ranked[:k], 1) if id in gold)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(gold), k) + 1))
    return gain / best


def mean(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
