"""The path by meaning: how near the rows of a place are to the question; of a large place, some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .deadline import Deadline
from .postings import Floats
from .top import Rows, best
from .vectors import MISSING
from .view import View

# Cosine that a message gains when the question names its speaker.
SPEAKER_BOOST = np.float32(0.22)
# A question of several sentences is half the whole and half the sentence that fits best.
PIECES_SHARE = np.float32(0.5)
RESCORED = 20


@dataclass(frozen=True, slots=True)
class Dense:
    """Cosines, MISSING where a row has no vector or was not looked at."""

    rows: Rows | None  # of which rows, in ascending order; None: of all
    near: Floats
    raised: Floats  # the same, raised where the question names who spoke
    top: Rows  # the best rows, in ascending order

    def take(self, values: Floats, rows: Rows) -> Floats:
        """Of some rows: `near` or `raised`."""
        if self.rows is None:
            return values[rows]
        if not len(self.rows):
            return np.full(len(rows), MISSING, np.float32)
        at = self.rows.searchsorted(rows)
        there = self.rows.take(at, mode="clip") == rows
        return np.where(there, values.take(at, mode="clip"), np.float32(MISSING))


def search(
    view: View,
    queries: Sequence[Floats],
    also: Callable[[], Rows],
    count: int,
    deadline: Deadline,
) -> Dense:
    """All cosines from int8, the best of them again from full precision."""
    rows, (near, *pieces) = view.index.dense_all(view.rows, queries, view.mask, also, deadline)
    near = with_pieces(near, pieces)
    mask = view.mask if rows is None else view.mask[rows]
    at = best(_raised(view, rows, near), mask, count, MISSING / 2)
    again = at[:RESCORED]
    whole, *parts = view.index.dense_again(again if rows is None else rows[again], queries)
    near[again] = with_pieces(whole, parts)
    at.sort()
    return Dense(rows, near, _raised(view, rows, near), at if rows is None else rows[at])


def _raised(view: View, rows: Rows | None, near: Floats) -> Floats:
    if not view.speakers:
        return near
    spoken = view.index.spoken_by(view.rows, view.speakers, rows)
    return near + spoken.astype(np.float32) * SPEAKER_BOOST


def with_pieces(whole: Floats, pieces: Sequence[Floats]) -> Floats:
    if not pieces:
        return whole
    closest: Floats = np.maximum.reduce(pieces)
    return whole * (1 - PIECES_SHARE) + closest * PIECES_SHARE
