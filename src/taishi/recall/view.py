"""One place as one request sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..types import Place, Sight
from . import question as questions
from .intent import FAVOURED
from .place_index import PlaceIndex
from .top import Mask
from .wanted import Wanted

MAX_SCANNED = 300_000


@dataclass(frozen=True, slots=True)
class View:
    """`rows` is fixed, whatever is appended meanwhile; `speakers` are those the question names."""

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


def may_favour(views: Sequence[View]) -> bool:
    """Whether it matters what the question is after: is there anything that could be favoured?"""
    return any(
        view.place.kind == "workspace" or not FAVOURED.isdisjoint(view.index.kinds.names)
        for view in views
    )


def most_pieces(views: Sequence[View]) -> int:
    """Each sentence is one more scan: a large place has time for few."""
    rows = sum(view.rows for view in views)
    return max(1, MAX_SCANNED // max(rows, 1))
