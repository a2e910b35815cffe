"""One place as one request sees it."""

from __future__ import annotations

from dataclasses import dataclass

from ..types import Place, Sight
from . import question as questions
from .place_index import PlaceIndex, Wanted
from .top import Mask


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
