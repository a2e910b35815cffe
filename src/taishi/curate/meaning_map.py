"""Where memories lie by meaning: their vectors seen from the side on which they differ most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..recall.vector_codec import decode

Floats = NDArray[np.float64]
AXES = 2
# Columns that are followed besides the two axes, and rounds: the axes settle sooner.
SPARE = 6
ROUNDS = 16
SEED = 20_261_117
NOTHING = 1e-9


def positions(codes: Sequence[bytes]) -> list[tuple[float, float]]:
    """The first two principal components of encoded vectors of one size, each stretched from -1
    to 1. What was stored a hundred times counts once, or it would push all else to one side. The
    same vectors always lie at the same place."""
    if not codes:
        return []
    known = {code: row for row, code in enumerate(dict.fromkeys(codes))}
    vectors = np.stack([decode(code) for code in known]).astype(np.float64)
    vectors -= vectors.mean(axis=0)
    found = vectors @ principal_axes(vectors)
    low, high = found.min(axis=0), found.max(axis=0)
    half = (high - low) / 2
    spread = half > NOTHING * max(float(half.max()), 1.0)
    scaled = np.where(spread, (found - (low + high) / 2) / np.where(spread, half, 1.0), 0.0)
    return [(float(x), float(y)) for x, y in (scaled[known[code]] for code in codes)]


def principal_axes(vectors: Floats) -> Floats:
    """By subspace iteration, whose cost grows with rows times columns, however wide a model's
    vectors are; always from the same beginning."""
    width = vectors.shape[1]
    start = np.random.default_rng(SEED).standard_normal((width, min(AXES + SPARE, width)))
    basis = np.linalg.qr(start).Q
    for _ in range(ROUNDS):
        basis = np.linalg.qr(vectors.T @ (vectors @ basis)).Q
    inside = vectors @ basis
    _, turn = np.linalg.eigh(inside.T @ inside)  # ascending
    axes = (basis @ turn[:, ::-1])[:, :AXES]
    if axes.shape[1] < AXES:
        axes = np.pad(axes, ((0, 0), (0, AXES - axes.shape[1])))
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(AXES)])
    turned: Floats = axes * np.where(signs == 0, 1.0, signs)
    return turned
