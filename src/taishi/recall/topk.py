"""Selects the rows with the highest scores without sorting them all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32] | NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]

SAMPLE_STEP = 32
MANY = 32  # not many more are sorted as they are


def best(scores: Scores, mask: Mask, count: int, above: float) -> Rows:
    """The rows with the highest scores, best first; of equals, the later one."""
    least = threshold(scores, count, above)
    rows = ((scores > least) & mask).nonzero()[0]
    if len(rows) < count and least > above:  # the sample was not like the rest, or few may be seen
        rows = ((scores > above) & mask).nonzero()[0]
    part = scores[rows]
    if len(rows) > MANY + count:
        top = part.argpartition(len(part) - count)[len(part) - count :]
        top.sort()
        rows, part = rows[top], part[top]
    # Rows are in ascending order here, so that the last of equals comes first.
    return rows[part.argsort(kind="stable")[::-1][:count]]


def threshold(scores: Scores, count: int, above: float) -> float:
    """A score that, going by a sample, somewhat more than `count` rows exceed."""
    sample = scores[::SAMPLE_STEP]
    wanted = 4 * count // SAMPLE_STEP + 8
    if len(sample) < 4 * wanted:
        return above
    return max(above, float(np.partition(sample, len(sample) - wanted)[len(sample) - wanted]))
