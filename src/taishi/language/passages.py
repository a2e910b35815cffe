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
LONGEST_CHUNK = 2000  # characters; one that a host made may be of any length
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


def passages_of(kind: str, text: str) -> list[Passage]:
    """The passages of a record. A chunk of a document was cut for search already: more pieces of
    it cost three times the embedding and find no more."""
    return [] if kind == "chunk" and len(text) <= LONGEST_CHUNK else cut(text)


def cut(text: str) -> list[Passage]:
    """The passages of a text, in order; none if it is short enough to be searched whole."""
    passages: list[Passage] = []
    start, size = 0, len(text)
    if not is_long(text):
        return passages
    while size - start > LONGEST and len(passages) < MOST - 1:
        end = _end_of(text, start)
        passages.append(Passage(start, end))
        start = _word_before(text, end - OVERLAP)
    # What is left may be a few words: the last one is as long as the others.
    passages.append(Passage(min(start, _word_before(text, size - SHORTEST)), size))
    return passages


def _end_of(text: str, start: int) -> int:
    """The position after the last pause of the best kind."""
    window = text[start + SHORTEST : start + LONGEST]
    for pause in _PAUSES:
        ends = [match.end() for match in pause.finditer(window)]
        if ends:
            return start + SHORTEST + ends[-1]
    return start + LONGEST


def _word_before(text: str, position: int) -> int:
    spaces = [match.end() for match in _SPACE.finditer(text, position - BACK, position)]
    return spaces[-1] if spaces else position
