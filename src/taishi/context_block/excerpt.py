"""A line that is too long for its room → the part of it that the question is about."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from ..language.analyzer import terms
from ..language.text import sentence_spans
from ..language.token_bound import Counter, fit_within
from ..language.token_count import ELLIPSIS

Shorten = Callable[[str, int, Counter], str]
MOST_CHARS = 4000  # of a longer line only the beginning is looked at
_STAMP = re.compile(r"\[[^\[\]]{8,80}\] ")


def from_beginning(text: str, room: int, cost: Counter) -> str:
    return fit_within(text, room, cost)


def about(question: str) -> Shorten:
    """Shortens to the sentence that shares most words with the question, and what is around it.

    When something happened stays in front. Without such a sentence the beginning is kept.
    """
    asked = set(terms(question))

    def shorten(text: str, room: int, cost: Counter) -> str:
        if len(text) > MOST_CHARS or not asked or cost(text) <= room:
            return from_beginning(text, room, cost)
        stamp = _STAMP.match(text)
        start = stamp.end() if stamp else 0
        starts = [start + span.start for span in sentence_spans(text[start:])]
        best = _best(text, starts, asked)
        if best <= 0:
            return from_beginning(text, room, cost)
        head = text[:start] + ELLIPSIS
        kept = ""
        for at in reversed(starts[: best + 1]):
            longer = head + text[at:]
            if cost(longer) > room:
                break
            kept = longer
        return kept or from_beginning(head + text[starts[best] :], room, cost)

    return shorten


def _best(text: str, starts: list[int], asked: set[str]) -> int:
    """The first sentence that shares most words; 0 if none shares more than the first."""
    sentences = pairwise([*starts, len(text)])
    shared = [len(asked & set(terms(text[start:end]))) for start, end in sentences]
    return shared.index(max(shared)) if shared else 0
