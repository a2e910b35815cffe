"""Shortens a line to the part that the question is about."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from ..language.analyzer import terms
from ..language.text import sentence_spans
from ..language.token_bound import Counter, fit_within
from ..language.token_count import ELLIPSIS

Shorten = Callable[[str, int, Counter], str]
MAX_CHARS = 4000  # a longer line is cut from its beginning
_TIMESTAMP = re.compile(r"\[[^\[\]]{8,80}\] ")


def from_beginning(text: str, room: int, cost: Counter) -> str:
    return fit_within(text, room, cost)


def relevant_to(question: str) -> Shorten:
    """Shortens to the sentence that shares most words with the question, and its surroundings.

    The timestamp stays in front. Without such a sentence the beginning is kept.
    """
    query_terms = set(terms(question))

    def shorten(text: str, room: int, cost: Counter) -> str:
        if len(text) > MAX_CHARS or not query_terms or cost(text) <= room:
            return from_beginning(text, room, cost)
        stamp = _TIMESTAMP.match(text)
        start = stamp.end() if stamp else 0
        starts = [start + span.start for span in sentence_spans(text[start:])]
        best = _best_sentence(text, starts, query_terms)
        if best <= 0:
            return from_beginning(text, room, cost)
        head = text[:start] + ELLIPSIS
        excerpt = ""
        for sentence_start in reversed(starts[: best + 1]):
            longer = head + text[sentence_start:]
            if cost(longer) > room:
                break
            excerpt = longer
        return excerpt or from_beginning(head + text[starts[best] :], room, cost)

    return shorten


def _best_sentence(text: str, starts: list[int], query_terms: set[str]) -> int:
    """The first sentence that shares most words; 0 if none shares more than the first one."""
    sentences = pairwise([*starts, len(text)])
    shared = [len(query_terms & set(terms(text[start:end]))) for start, end in sentences]
    return shared.index(max(shared)) if shared else 0
