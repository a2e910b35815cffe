"""The candidates of one request, gathered from every path and every place it may see.

Places are laid end to end into one run of rows, so that every step is a few operations on arrays,
however many places there are. Only what is shown in the end becomes an object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..types import Place, Sight
from . import question as questions
from . import rank
from .place_index import PlaceIndex, Wanted
from .postings import Floats
from .question import Question
from .top import Mask, Rows, best
from .vectors import MISSING

# A message's own words, and what those of the messages before and after it add: more, if the one
# before asks, as this one may answer.
OWN_SHARE = np.float32(0.75)
BEFORE_SHARE = np.float32(0.225)
ASKED_SHARE = np.float32(0.6)
AFTER_SHARE = np.float32(0.15)
# Below this share of the question's words a message has nothing to give to its neighbours.
WORTH_GIVING = np.float32(0.04)
# Cosine that a message gains when the question names its speaker.
SPEAKER_BOOST = np.float32(0.22)
# A question of several sentences is half the whole and half the sentence that fits best.
PIECES_SHARE = np.float32(0.5)


@dataclass(frozen=True, slots=True)
class View:
    """One place as one request sees it. `rows` is fixed, whatever is appended meanwhile."""

    place: Place
    index: PlaceIndex
    rows: int
    mask: Mask
    speakers: tuple[str, ...]

    @staticmethod
    def of(index: PlaceIndex, sight: Sight, text: str, wanted: Wanted) -> View:
        rows = index.rows
        mask = index.mask(rows, sight, wanted)
        named = questions.named_speakers(text, index.speakers.names)
        return View(sight.place, index, rows, mask, tuple(named))


@dataclass(frozen=True, slots=True)
class Candidates:
    """One entry per candidate in every array."""

    rows: Rows
    numbers: Rows
    views: Rows
    times: NDArray[np.float64]  # NaN: not known
    sessions: NDArray[np.int32]  # below 0: in none
    kinds: list[str]
    shared: Mask  # lives in the workspace's commons
    first: Mask  # opens its session
    said: Mask  # by a person, as far as is known
    unembedded: Mask  # has no vector yet, while others have
    cosine: Floats  # by meaning, raised when the question names who spoke
    nearness: Floats  # the same, not raised
    coverage: Floats  # share of the question's words, weighed by rarity
    around: Floats  # the same with the words of the messages before and after
    session_coverage: Floats  # share of the question's words that are anywhere in its session

    @property
    def relevance(self) -> Floats:
        """How sure we are that this is about the question at all, about 0 to 1."""
        return np.maximum(self.nearness, self.coverage)

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Dense:
    """The cosine of each row of a view, MISSING where there is none; and the best rows."""

    scores: Floats
    top: Rows


class Pool:
    def __init__(self, views: Sequence[View]) -> None:
        self.views = views
        self._starts = np.cumsum([0, *(view.rows for view in views)])
        self._mask = _joined([view.mask for view in views])
        self._shared = np.array([view.place.kind == "workspace" for view in views])
        self._own: Floats | None = None
        self._around: Floats | None = None
        self._near: Floats | None = None
        self._dense: Floats | None = None
        self._sessions: list[Floats] = []  # by view and session
        self.found: dict[str, Rows] = {}  # by path, the best first
        self.vectors: dict[int, Floats] = {}  # of some rows

    def add_keyword(self, question: Question, count: int) -> None:
        """Two paths: a message's own words, and its words with those around it."""
        own, around = [], []
        for view in self.views:
            index = view.index
            found = index.find(question.terms)
            scores = index.keyword(view.rows, found)
            parts = [index.keyword(view.rows, index.find(part)) for part in question.parts]
            scores = with_pieces(scores, parts)
            own.append(scores)
            around.append(_with_neighbours(view, scores))
            self._sessions.append(index.session_coverage(view.rows, found))
        self._own, self._around = _joined(own), _joined(around)
        self.found["keyword"] = best(self._own, self._mask, count, 0.0)
        self.found["context"] = best(self._around, self._mask, count, 0.0)

    def add_recent(self, count: int) -> None:
        rows = [
            view.index.newest(view.rows, view.mask, count) + start
            for view, start in zip(self.views, self._starts, strict=False)
        ]
        newest = np.concatenate(rows)
        times = self._take(newest, PlaceIndex.times)
        self.found["recency"] = newest[np.argsort(-times, kind="stable")[:count]]

    def boosted(self, view: int, dense: Floats) -> Floats:
        """The cosines, raised for those who spoke if the question names them."""
        seen = self.views[view]
        if not seen.speakers:
            return dense
        spoken = seen.index.spoken_by(seen.rows, seen.speakers).astype(np.float32)
        return dense + spoken * SPEAKER_BOOST

    def add_dense(self, found: Sequence[Dense], count: int) -> None:
        self._near = _joined([one.scores for one in found])
        self._dense = _joined([self.boosted(at, one.scores) for at, one in enumerate(found)])
        rows = np.concatenate(
            [one.top + start for one, start in zip(found, self._starts, strict=False)]
        )
        scores = self._dense[rows]
        self.found["vector"] = rows[np.lexsort((-rows, -scores))[:count]]

    def rows_in(self, view: int) -> Rows:
        """The rows of one view that some path found so far, counted within it."""
        rows = np.concatenate(list(self.found.values()))
        start, end = self._starts[view : view + 2].tolist()
        own: Rows = rows[(rows >= start) & (rows < end)] - start
        return own

    def add_vectors(self, view: int, rows: Rows, vectors: Floats) -> None:
        """Full vectors of a view's best rows, for those who ask how alike they are."""
        for row, vector in zip((rows + self._starts[view]).tolist(), vectors, strict=True):
            self.vectors[row] = vector

    def rows(self) -> Rows:
        """Every row that some path found, once, in ascending order."""
        rows = np.concatenate(list(self.found.values()))
        rows.sort()
        return rows[np.append(True, rows[1:] != rows[:-1])] if len(rows) else rows

    def fused(self, rows: Rows, weights: Mapping[str, float]) -> Floats:
        """The weighted reciprocal rank of these rows, which are all that were found."""
        fused = np.zeros(len(rows), np.float32)
        for path, ranked in self.found.items():
            fused[rows.searchsorted(ranked)] += rank.reciprocal(len(ranked), weights[path])
        return fused

    def candidates(self, rows: Rows) -> Candidates:
        """What is known of these rows, which are in ascending order."""
        views = self._views_of(rows)
        sessions = self._take(rows, PlaceIndex.sessions_of)
        return Candidates(
            rows=rows,
            numbers=self._take(rows, PlaceIndex.numbers),
            views=views,
            times=self._take(rows, PlaceIndex.times),
            sessions=sessions,
            kinds=[kind for part in self._parts(rows) for kind in part[0].kinds_of(part[1])],
            shared=self._shared[views],
            first=(self._take(rows, PlaceIndex.before) < 0) & (sessions >= 0),
            said=_joined([index.said(part) for index, part, _ in self._parts(rows)]),
            unembedded=_lacking(self._near, rows),
            cosine=_taken(self._dense, rows),
            nearness=_taken(self._near, rows),
            coverage=_taken(self._own, rows),
            around=_taken(self._around, rows),
            session_coverage=self._session_coverage(rows),
        )

    def _session_coverage(self, rows: Rows) -> Floats:
        """What is in no session is a session of its own."""
        if self._own is None:
            return np.zeros(len(rows), np.float32)
        parts = zip(self._parts(rows), self._sessions, strict=True)
        found = _joined([
            covered[index.sessions_of(count)[part]] for (index, part, count), covered in parts
        ])  # fmt: skip
        sessions = self._take(rows, PlaceIndex.sessions_of)
        return np.where(sessions >= 0, found, np.minimum(self._own[rows], np.float32(1)))

    def _views_of(self, rows: Rows) -> Rows:
        return self._starts.searchsorted(rows, side="right") - 1

    def ranks(self, row: int) -> dict[str, int]:
        """The row's rank, from 1, on each path that found it."""
        return {
            path: int(at[0]) + 1
            for path, rows in self.found.items()
            if len(at := np.flatnonzero(rows == row))
        }

    def _parts(self, rows: Rows) -> list[tuple[PlaceIndex, Rows, int]]:
        """The same rows place by place, counted within each; and how many rows that one has."""
        if len(self.views) == 1:
            return [(self.views[0].index, rows, self.views[0].rows)]
        ends = rows.searchsorted(self._starts)
        return [
            (view.index, rows[ends[at] : ends[at + 1]] - self._starts[at], view.rows)
            for at, view in enumerate(self.views)
        ]

    def _take(self, rows: Rows, column: Callable[[PlaceIndex, int], NDArray[Any]]) -> NDArray[Any]:
        return _joined([column(index, count)[part] for index, part, count in self._parts(rows)])


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _taken(scores: Floats | None, rows: Rows) -> Floats:
    """Nothing is below nothing: a row without a vector is merely not near."""
    if scores is None:
        return np.zeros(len(rows), np.float32)
    return np.maximum(scores[rows], np.float32(0))


def _lacking(scores: Floats | None, rows: Rows) -> Mask:
    return np.zeros(len(rows), np.bool_) if scores is None else scores[rows] <= MISSING / 2


def with_pieces(whole: Floats, pieces: Sequence[Floats]) -> Floats:
    if not pieces:
        return whole
    closest: Floats = np.maximum.reduce(pieces)
    return whole * (1 - PIECES_SHARE) + closest * PIECES_SHARE


def _with_neighbours(view: View, scores: Floats) -> Floats:
    """The scores, and what each row gains from its neighbours: few rows have any to give."""
    around = scores * OWN_SHARE
    scored = np.flatnonzero(scores > WORTH_GIVING)
    given = scores[scored]
    asked = BEFORE_SHARE + view.index.asks(view.rows)[scored] * ASKED_SHARE
    for links, share in (
        (view.index.after(view.rows), asked),
        (view.index.before(view.rows), np.full(len(scored), AFTER_SHARE)),
    ):
        targets = links[scored]
        linked = (targets >= 0) & (targets < view.rows)
        around[targets[linked]] += given[linked] * share[linked]
    return around
