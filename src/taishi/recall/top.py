"""The rows with the highest scores, without sorting them all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32] | NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]

SAMPLE_STEP = 32


def best(scores: Scores, mask: Mask, count: int, above: float) -> Rows:
    """The rows with the highest scores, best first; of equals, the later one."""
    rows = np.flatnonzero((scores > threshold(scores, count, above)) & mask)
    if len(rows) < count:  # the sample was not like the rest, or the mask hides many
        rows = np.flatnonzero((scores > above) & mask)
    part = scores[rows]
    if len(rows) > count:
        top = np.argpartition(part, len(part) - count)[len(part) - count :]
        rows, part = rows[top], part[top]
    return rows[np.lexsort((-rows, -part))]


def threshold(scores: Scores, count: int, above: float) -> float:
    """A score that, going by a sample, somewhat more than `count` rows exceed."""
    sample = scores[::SAMPLE_STEP]
    wanted = 4 * count // SAMPLE_STEP + 8
    if len(sample) < 4 * wanted:
        return above
    return max(above, float(np.partition(sample, len(sample) - wanted)[len(sample) - wanted]))
