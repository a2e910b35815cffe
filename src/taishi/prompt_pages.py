"""Which lines of a page a question needs most, in a time that hardly grows with the page.

A page may have thousands of lines: they are not taken apart. The question's words are looked for
in the whole text, and only the lines that may be shown are read closer.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate

from .language.segment import terms

# A word in more than this share of the lines, such as the person's name, tells none of them apart.
COMMON = 0.5
FEW_LINES = 8
MOST_WORDS = 40
SAID_BY_HIT = 100.0
ONE_CHARACTER = 0.25


def by_need(lines: Sequence[str], question: str, found: Collection[str] = ()) -> list[int]:
    """The numbers of the lines, those first that the question needs, the others as on the page.

    `found` are statements that recall found: a line that says one is needed most.
    """
    lowered = [line.lower() for line in lines]
    text = "\n".join(lowered)
    starts = list(accumulate((len(line) + 1 for line in lowered), initial=0))[:-1]
    scores: dict[int, float] = {}
    for word, weight in _weighed(question, text, len(lines)):
        for number in {bisect_right(starts, at) - 1 for at in _places(text, word)}:
            scores[number] = scores.get(number, 0.0) + weight
    for statement in found:
        at = text.find(statement.lower()) if statement else -1
        if at >= 0:
            number = bisect_right(starts, at) - 1
            scores[number] = scores.get(number, 0.0) + SAID_BY_HIT
    needed = sorted(scores, key=lambda number: (-scores[number], number))
    return [*needed, *(number for number in range(len(lines)) if number not in scores)]


def _weighed(question: str, text: str, lines: int) -> Iterator[tuple[str, float]]:
    """The question's words that are on the page; the rarer, the more they weigh."""
    for term in list(dict.fromkeys(terms(question)))[:MOST_WORDS]:
        word = _stem_in_text(term)
        count = text.count(word) if word else 0
        if count and (count <= COMMON * lines or lines <= FEW_LINES):
            weight = math.log(1.0 + lines / count)
            yield word, weight * (ONE_CHARACTER if len(word) == 1 else 1.0)


def _stem_in_text(term: str) -> str:
    """A stem as it begins the words of a text: "happi" is in "happy" and "happier"."""
    return term[:-1] if term.isascii() and len(term) > 3 and term.endswith("i") else term


def _places(text: str, word: str) -> Iterator[int]:
    """Where it is; an English stem only at the beginning of a word."""
    at = text.find(word)
    while at >= 0:
        if not (word.isascii() and at and text[at - 1].isascii() and text[at - 1].isalnum()):
            yield at
        at = text.find(word, at + len(word))
