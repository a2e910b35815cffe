"""Diversity by maximal marginal relevance (MMR), which acts only on near-repetitions.

The usual rule (λ · relevance - (1 - λ) · likeness) costs answers, since what answers a question is
alike by nature. Here likeness counts only where two texts all but repeat each other, and takes a
share of the score rather than a fixed amount: at λ = 0.7 no more than 30 %, so that something
beside the point never comes before a repetition that is to the point.

A correction is nearly the same text as what it corrects ("I am not allergic to peanuts"), and
vectors hardly tell them apart. So likeness to something older costs nothing.
"""

from __future__ import annotations

import numpy as np
import simsimd
from numpy.typing import NDArray

Floats = NDArray[np.float32] | NDArray[np.float64]

# Cosine from which two texts begin to repeat each other.
ALIKE = 0.9


def cosines(vectors: NDArray[np.int8] | Floats) -> NDArray[np.float32]:
    """The cosine of each pair of rows. A row of zeros, for no vector, is like nothing.

    The int8 codes of the index do as well as full vectors: their scales cancel out.
    """
    if not vectors.size:
        return np.zeros((len(vectors), len(vectors)), np.float32)
    rows = np.ascontiguousarray(vectors)
    # Not into an array of ours: given `out`, simsimd 6 loses a reference to None at every call.
    dots = simsimd.cdist(rows, rows, metric="dot", threads=1, out_dtype="float32")
    pairs: NDArray[np.float32] = np.asarray(dots)
    lengths = np.sqrt(pairs.diagonal())
    lengths[lengths == 0] = 1
    pairs /= lengths
    pairs /= lengths[:, None]
    return pairs


def repeating(vectors: NDArray[np.int8]) -> bool:
    """Whether any two rows all but repeat each other."""
    likeness = cosines(vectors)
    likeness.flat[:: len(likeness) + 1] = 0
    return bool(likeness.max() > ALIKE)


def most_varied(
    scores: Floats,
    likeness: Floats,
    count: int,
    lam: float,
    alike: float = ALIKE,
    times: Floats | None = None,
) -> list[int]:
    """The indexes of `count` rows, the best first, each judged beside those before it.

    A row loses up to (1 - lam) of its score, all of that where it is the same as one that was
    taken. Of equals, the earlier one. With lam = 1 this is the plain order of the scores. With
    `times`, a row loses nothing to an older one.
    """
    likeness = likeness.copy()
    np.fill_diagonal(likeness, 0.0)
    if not (likeness > alike).any():
        plain: list[int] = np.argsort(-scores, kind="stable")[:count].tolist()
        return plain
    repeats = np.where(likeness > alike, (likeness - alike) * ((1 - lam) / (1 - alike)), 0.0)
    if times is not None:
        repeats[times[None, :] > times[:, None]] = 0.0
    sizes = np.abs(scores)
    lost = np.zeros(len(scores))
    chosen: list[int] = []
    for _ in range(min(count, len(scores))):
        left = scores - sizes * lost
        left[chosen] = -np.inf
        best = int(left.argmax())
        chosen.append(best)
        np.maximum(lost, repeats[best], out=lost)
    return chosen
