"""The candidates of one request, gathered from every path and every place it may see."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..types import Place, Sight
from . import question as questions
from . import rank
from .place_index import Mask, PlaceIndex
from .postings import Floats
from .question import Question
from .vectors import MISSING

# What the messages before and after in a conversation add to a message's own words.
BEFORE_SHARE = 0.4
AFTER_SHARE = 0.2
# Cosine that a message gains when the question names its speaker.
SPEAKER_BOOST = 0.1


@dataclass(frozen=True, slots=True)
class View:
    """One place as one request sees it. `rows` is fixed, whatever is appended meanwhile."""

    place: Place
    index: PlaceIndex
    rows: int
    mask: Mask
    speakers: tuple[str, ...]

    @staticmethod
    def of(
        index: PlaceIndex,
        sight: Sight,
        text: str,
        kinds: Collection[str] | None,
        time_from: float | None,
        time_to: float | None,
    ) -> View:
        rows = index.rows
        mask = index.mask(rows, sight, kinds, time_from, time_to)
        named = questions.named_speakers(text, index.speakers.names)
        return View(sight.place, index, rows, mask, tuple(named))


@dataclass(slots=True)
class Candidate:
    number: int
    view: int
    row: int
    time: float | None
    kind: str
    cosine: float = 0.0  # by meaning, raised when the question names who spoke
    coverage: float = 0.0  # share of the question's words, weighed by rarity
    around: float = 0.0  # the same with the words of the messages before and after
    ranks: dict[str, int] = field(default_factory=dict)
    score: float = 0.0

    @property
    def relevance(self) -> float:
        """How sure we are that this is about the question at all, about 0 to 1."""
        return max(self.cosine, self.coverage)


class Pool:
    def __init__(self, views: Sequence[View]) -> None:
        self._views = views
        self._found: dict[int, Candidate] = {}
        self._own: list[Floats] = []
        self._around: list[Floats] = []
        self._dense: list[Floats] = []

    def add_keyword(self, question: Question, count: int) -> None:
        """Two paths: a message's own words, and its words with those around it."""
        for view in self._views:
            scores, possible = view.index.keyword(view.rows, question.terms)
            scores /= np.float32(possible or 1.0)
            self._own.append(scores)
            self._around.append(scores + _neighbours(view, scores))
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
        merged = [
            (float(values[row]), number, row)
            for number, (view, values) in enumerate(zip(self._views, scores, strict=True))
            for row in rank.best(values, view.mask, count, above)
        ]
        merged.sort(key=lambda item: -item[0])
        for position, (_, view, row) in enumerate(merged[:count], start=1):
            self._candidate(view, row).ranks[path] = position

    def _candidate(self, at: int, row: int) -> Candidate:
        view = self._views[at]
        number = int(view.index.numbers(view.rows)[row])
        candidate = self._found.get(number)
        if candidate is None:
            time = float(view.index.times(view.rows)[row])
            kind = view.index.kind_of(row)
            candidate = Candidate(number, at, row, None if np.isnan(time) else time, kind)
            self._found[number] = candidate
        return candidate


def _boost(view: View) -> Floats | np.float32:
    if not view.speakers:
        return np.float32(0)
    codes = [view.index.speakers[name] for name in view.speakers]
    spoken = np.isin(view.index.speaker_codes(view.rows), codes)
    return spoken * np.float32(SPEAKER_BOOST)


def _neighbours(view: View, scores: Floats) -> Floats:
    added = np.zeros(view.rows, np.float32)
    for links, share in (
        (view.index.before(view.rows), BEFORE_SHARE),
        (view.index.after(view.rows), AFTER_SHARE),
    ):
        linked = (links >= 0) & (links < view.rows)
        added[linked] += scores[links[linked]] * np.float32(share)
    return added
