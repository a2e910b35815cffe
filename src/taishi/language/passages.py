"""Splits a long text into overlapping passages that are indexed one by one (Q9).

An embedder reads the head of a long text and blurs what it reads; a passage says one thing. Cuts
fall where the text itself pauses, as far as there is a pause, and neighbours overlap, so that a
sentence at a cut is whole in one of them.
"""

from __future__ import annotations

import re

from ..types import Passage

SHORTEST = 300
LONGEST = 400
OVERLAP = 80
# How much further back a passage may begin, to begin with a word.
BACK = 20
# An upper bound: what comes after 100,000 characters is one last passage.
MOST = 360

# Where to cut, the best first: between paragraphs, lines, sentences, words.
_PAUSES = tuple(
    re.compile(pattern)
    for pattern in (r"\n\s*\n", r"\n", r"[。！？!?；;…]+[”’」』\"')）]*|\.(?=\s)", r"[，、,:：]|\s")
)
_SPACE = re.compile(r"\s")


def is_long(text: str) -> bool:
    return len(text) > LONGEST


def cut(text: str) -> list[Passage]:
    """The passages of a text, in order; none if it is short enough to be searched whole."""
    found: list[Passage] = []
    start, size = 0, len(text)
    if not is_long(text):
        return found
    while size - start > LONGEST and len(found) < MOST - 1:
        end = _end_of(text, start)
        found.append(Passage(start, end))
        start = _word_before(text, end - OVERLAP)
    # What is left may be a few words: the last one is as long as the others.
    found.append(Passage(min(start, _word_before(text, size - SHORTEST)), size))
    return found


def _end_of(text: str, start: int) -> int:
    """The position after the last pause of the best kind."""
    window = text[start + SHORTEST : start + LONGEST]
    for pause in _PAUSES:
        ends = [match.end() for match in pause.finditer(window)]
        if ends:
            return start + SHORTEST + ends[-1]
    return start + LONGEST


def _word_before(text: str, at: int) -> int:
    spaces = [match.end() for match in _SPACE.finditer(text, at - BACK, at)]
    return spaces[-1] if spaces else at
