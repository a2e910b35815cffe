"""The candidates of one request, gathered from every path and every place it may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np

from ..types import Place, Sight
from . import question as questions
from . import rank
from .place_index import Mask, PlaceIndex, Wanted
from .postings import Floats
from .question import Question
from .vectors import MISSING

# What the messages before and after in a conversation add to a message's own words.
BEFORE_SHARE = 0.5
AFTER_SHARE = 0.3
# Cosine that a message gains when the question names its speaker.
SPEAKER_BOOST = 0.13


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


@dataclass(slots=True)
class Candidate:
    number: int
    view: int
    row: int
    time: float | None
    kind: str
    session: int = -1
    cosine: float = 0.0  # by meaning, raised when the question names who spoke
    coverage: float = 0.0  # share of the question's words, weighed by rarity
    around: float = 0.0  # the same with the words of the messages before and after
    ranks: dict[str, int] = field(default_factory=dict)
    score: float = 0.0
    company: float = 0.0  # the part of the score that its session gives it

    @property
    def relevance(self) -> float:
        """How sure we are that this is about the question at all, about 0 to 1."""
        return max(self.cosine, self.coverage)


class Pool:
    def __init__(self, views: Sequence[View]) -> None:
        self._views = views
        self._found: dict[tuple[int, int], Candidate] = {}
        self._own: list[Floats] = []
        self._around: list[Floats] = []
        self._dense: list[Floats] = []

    def add_keyword(self, question: Question, count: int) -> None:
        """Two paths: a message's own words, and its words with those around it."""
        for view in self._views:
            scores, possible = view.index.keyword(view.rows, question.terms)
            scores /= np.float32(possible or 1.0)
            self._own.append(scores)
            self._around.append(_with_neighbours(view, scores))
        self._rank("keyword", self._own, count, 0.0)
        self._rank("context", self._around, count, 0.0)

    def add_recent(self, count: int) -> None:
        times = [view.index.times(view.rows) for view in self._views]
        self._rank("recency", times, count, -np.inf)

    def add_dense(self, dense: list[Floats], count: int) -> None:
        self._dense = [scores + _boost(v) for v, scores in zip(self._views, dense, strict=True)]
        self._rank("vector", self._dense, count, MISSING / 2)

    def candidates(self) -> list[Candidate]:
        for candidate in self._found.values():
            at, row = candidate.view, candidate.row
            if self._own:
                candidate.coverage = float(self._own[at][row])
                candidate.around = float(self._around[at][row])
            if self._dense:
                candidate.cosine = max(0.0, float(self._dense[at][row]))
        return list(self._found.values())

    def _rank(self, path: str, scores: Sequence[rank.Scores], count: int, above: float) -> None:
        merged: list[tuple[float, int, int]] = []
        for at, (view, values) in enumerate(zip(self._views, scores, strict=True)):
            rows = rank.best(values, view.mask, count, above)
            merged += zip(values[rows].tolist(), repeat(at), rows, strict=False)
        merged.sort(key=lambda item: -item[0])
        for position, (_, at, row) in enumerate(merged[:count], start=1):
            self._candidate(at, row).ranks[path] = position

    def _candidate(self, at: int, row: int) -> Candidate:
        candidate = self._found.get((at, row))
        if candidate is None:
            index = self._views[at].index
            candidate = Candidate(index.number_of(row), at, row, index.time_of(row),
                                  index.kind_of(row), index.session_of(row))  # fmt: skip
            self._found[at, row] = candidate
        return candidate


def _boost(view: View) -> Floats | np.float32:
    if not view.speakers:
        return np.float32(0)
    spoken = view.index.spoken_by(view.rows, view.speakers)
    return spoken * np.float32(SPEAKER_BOOST)


def _with_neighbours(view: View, scores: Floats) -> Floats:
    """The scores, and what each row gains from its neighbours: few rows have any to give."""
    around = scores.copy()
    scored = np.flatnonzero(scores)
    given = scores[scored]
    for links, share in (
        (view.index.after(view.rows), BEFORE_SHARE),
        (view.index.before(view.rows), AFTER_SHARE),
    ):
        targets = links[scored]
        linked = (targets >= 0) & (targets < view.rows)
        around[targets[linked]] += given[linked] * np.float32(share)
    return around
