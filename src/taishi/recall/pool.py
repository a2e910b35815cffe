"""The candidates of one request, gathered from every path and every place it may see.

Places are laid end to end into one run of rows, so that every step is a few operations on arrays,
however many places there are. Only what is shown in the end becomes an object.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
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

Parts = Sequence[tuple[PlaceIndex, Rows, int]]  # rows of one place, and how many it has


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
    times: NDArray[np.float64]  # NaN: not known
    sessions: Rows  # counted over all places; below 0: in none
    session_count: int
    kinds: Rows  # places in `kind_names`
    kind_names: Sequence[str]
    first: Mask  # opens its session
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
        self._starts = [0, *accumulate(view.rows for view in views)]
        self._mask = _joined([view.mask for view in views])
        self._own: Floats | None = None
        self._around: Floats | None = None
        self._near: Floats | None = None
        self._dense: Floats | None = None
        self._sessions: list[Floats] = []  # by view and session
        self.found: dict[str, Rows] = {}  # by path, the best first

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
        if len(rows) == 1:
            self.found["recency"] = rows[0]
            return
        newest = np.sort(np.concatenate(rows))
        times = self._take(self._parts(newest), PlaceIndex.times)
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
        rows = _joined([one.top + start for one, start in zip(found, self._starts, strict=False)])
        rows.sort()
        self.found["vector"] = rows[self._dense[rows].argsort(kind="stable")[::-1][:count]]

    def rows_in(self, view: int) -> Rows:
        """The rows of one view that some path found so far, counted within it."""
        rows = np.concatenate(list(self.found.values()))
        start, end = self._starts[view : view + 2]
        own: Rows = rows[(rows >= start) & (rows < end)] - start
        return own

    def rows(self) -> Rows:
        """Every row that some path found, once, in ascending order."""
        rows = np.concatenate(list(self.found.values()))
        rows.sort()
        return rows[np.append(True, rows[1:] != rows[:-1])] if len(rows) else rows

    def revisions(self, rows: Rows) -> list[tuple[int, int]]:
        """The number and the revision of each of these rows."""
        if len(self.views) == 1:
            return self.views[0].index.identities(rows)
        found: list[tuple[int, int]] = []
        for row in rows.tolist():
            at = bisect_right(self._starts, row) - 1
            found += self.views[at].index.identities([row - self._starts[at]])
        return found

    def codes(self, rows: Rows) -> NDArray[np.int8]:
        """The vectors of some rows, coarsely, for those who ask how alike they are."""
        if len(self.views) == 1:
            return self.views[0].index.codes(rows)
        order = rows.argsort()
        parts = [index.codes(part) for index, part, _ in self._parts(rows[order])]
        widest = max(part.shape[1] for part in parts)
        codes = np.zeros((len(rows), widest), np.int8)
        start = 0
        for part in parts:
            codes[order[start : start + len(part)], : part.shape[1]] = part
            start += len(part)
        return codes

    def fused(self, rows: Rows, weights: Mapping[str, float]) -> Floats:
        """The weighted reciprocal rank of these rows, which are all that were found."""
        fused = np.zeros(len(rows), np.float32)
        for path, ranked in self.found.items():
            fused[rows.searchsorted(ranked)] += rank.reciprocal(len(ranked), weights[path])
        return fused

    def candidates(self, rows: Rows) -> Candidates:
        """What is known of these rows, which are in ascending order."""
        parts = self._parts(rows)
        sessions, covered = self._sessions_of(parts)
        kinds, kind_names = self._kinds_of(parts)
        own, near = _taken(self._own, rows), _taken(self._near, rows)
        if self._own is None:
            covered = own
        return Candidates(
            rows=rows,
            times=self._take(parts, PlaceIndex.times),
            sessions=sessions,
            session_count=sum(len(view.index.sessions.names) for view in self.views),
            kinds=kinds,
            kind_names=kind_names,
            first=self._take(parts, PlaceIndex.first),
            unembedded=_lacking(self._near, rows),
            cosine=near if self._dense is self._near else _taken(self._dense, rows),
            nearness=near,
            coverage=own,
            around=_taken(self._around, rows),
            # What is in no session is a session of its own.
            session_coverage=np.where(sessions >= 0, covered, np.minimum(own, np.float32(1))),
        )

    def _sessions_of(self, parts: Parts) -> tuple[Rows, Floats]:
        """The session of each row, counted over all places, and what of the question is in it."""
        codes, covered, before = [], [], 0
        for at, (index, part, count) in enumerate(parts):
            own = index.sessions_of(count)[part]
            if self._sessions:
                covered.append(self._sessions[at][own])
            codes.append(np.where(own >= 0, own + before, -1) if before else own)
            before += len(index.sessions.names)
        return _joined(codes), _joined(covered) if covered else np.zeros(0, np.float32)

    def _kinds_of(self, parts: Parts) -> tuple[Rows, list[str]]:
        codes = [index.kinds_of(count)[part] for index, part, count in parts]
        names: list[str] = []
        for at, (index, _, _) in enumerate(parts):
            codes[at] = codes[at] + len(names)
            names += index.kinds.names
        return _joined(codes), names

    def said(self, rows: Rows) -> Mask:
        """Which of these rows some person said, as far as is known."""
        return self._take(self._parts(rows), PlaceIndex.said)

    def shared(self, rows: Rows) -> Mask:
        """Which of these rows live in the workspace's commons."""
        commons = [view.place.kind == "workspace" for view in self.views]
        return np.array(commons)[np.searchsorted(self._starts, rows, side="right") - 1]

    def ranks(self, row: int) -> dict[str, int]:
        """The row's rank, from 1, on each path that found it."""
        return {
            path: int(at[0]) + 1
            for path, rows in self.found.items()
            if len(at := np.flatnonzero(rows == row))
        }

    def _parts(self, rows: Rows) -> Parts:
        """The same rows place by place, counted within each; and how many rows that one has."""
        if len(self.views) == 1:
            return [(self.views[0].index, rows, self.views[0].rows)]
        ends = rows.searchsorted(self._starts)
        return [
            (view.index, rows[ends[at] : ends[at + 1]] - self._starts[at], view.rows)
            for at, view in enumerate(self.views)
        ]

    @staticmethod
    def _take(parts: Parts, column: Callable[[PlaceIndex, int], NDArray[Any]]) -> NDArray[Any]:
        return _joined([column(index, count)[part] for index, part, count in parts])


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
    rows, index = view.rows, view.index
    around = np.empty(rows + 1, np.float32)  # one more, for what goes to no row
    np.multiply(scores, OWN_SHARE, out=around[:rows])
    scored = (scores > WORTH_GIVING).nonzero()[0]
    given = scores[scored]
    asked = given * (BEFORE_SHARE + index.asks(rows)[scored] * ASKED_SHARE)
    for links, gains in ((index.after(rows), asked), (index.before(rows), given * AFTER_SHARE)):
        # None is -1, the last; and so is a row that was appended while we read.
        around[np.minimum(links[scored], rows)] += gains
    return around[:rows]
