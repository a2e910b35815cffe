"""Which lines of a page a question needs most, in a time that hardly grows with the page.

A page may have thousands of lines: they are split once for each version of the page, the question's
words are looked for in the whole text, and only the lines that may be shown are read closer.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from itertools import accumulate, chain
from types import MappingProxyType
from typing import NamedTuple

from ..language.analyzer import terms
from ..language.escape_controls import visible

# A word in more than this share of the lines, such as the person's name, tells none of them apart.
COMMON = 0.5
FEW_LINES = 8
MOST_WORDS = 40
SAID_BY_HIT = 100.0
ONE_CHARACTER = 0.25


class PageText(NamedTuple):
    """A page, taken apart as far as is cheap: its lines, the heading that each stands under, the
    whole in small letters, and where each line begins there."""

    lines: tuple[str, ...]
    headed: Mapping[int, int]
    text: str
    starts: tuple[int, ...]


def page_text(body: str) -> PageText:
    lines = tuple(visible(body).splitlines())
    lowered = [line.lower() for line in lines]
    starts = tuple(accumulate((len(line) + 1 for line in lowered), initial=0))[:-1]
    headed: dict[int, int] = {}
    last = -1
    for number, line in enumerate(lines):
        if line.lstrip().startswith("#"):
            last = number
        elif last >= 0 and line.strip():
            headed[number] = last
    return PageText(lines, MappingProxyType(headed), "\n".join(lowered), starts)


def by_need(page: PageText, question: str, found: Collection[str] = ()) -> Iterator[int]:
    """The numbers of the lines, those first that the question needs, the others as on the page.

    `found` are statements that recall found: a line that says one is needed most. A heading comes
    with the first of its lines, not by itself; a page of nothing but headings says nothing.
    """
    if not any(line.strip() and not line.lstrip().startswith("#") for line in page.lines):
        return
    scores = _scores(page, question, found)
    needed = sorted(scores, key=lambda number: (-scores[number], number))
    headings = set(page.headed.values())
    told = set[int]()
    others = (number for number in range(len(page.lines)) if number not in scores)
    for number in chain(needed, others):
        heading = page.headed.get(number)
        if heading is not None and heading not in told:
            told.add(heading)
            yield heading
        if number not in headings:
            yield number


def _scores(page: PageText, question: str, found: Collection[str]) -> dict[int, float]:
    scores: dict[int, float] = {}
    for word, weight in _weighed(question, page.text, len(page.lines)):
        for number in {bisect_right(page.starts, at) - 1 for at in _places(page.text, word)}:
            scores[number] = scores.get(number, 0.0) + weight
    for statement in found:
        at = page.text.find(statement.lower()) if statement else -1
        if at >= 0:
            number = bisect_right(page.starts, at) - 1
            scores[number] = scores.get(number, 0.0) + SAID_BY_HIT
    return scores


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
