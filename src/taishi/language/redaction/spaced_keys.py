"""Finds vendor keys that contain spaces or line breaks: dictated, wrapped or grouped.

Pieces that look like parts of a key are joined, and the vendors' rules look at what comes out.
Prose that stands beside a key is no piece of it: it has no digits, and no capitals inside a word.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter

from .vendor_keys import VENDOR_RULES, Rule, apply

Span = tuple[int, int, str]
Part = tuple[int, int]

_GAP = re.compile(r"[ \t\u00a0]{0,2}(?:\r?\n)?[ \t\u00a0]{0,2}")
_PART = re.compile(r"[A-Za-z0-9_./+=~-]+")
_MIXED = re.compile("[0-9]|[a-z][A-Z]")
LONG_PART = 10
# Rules that stand on one or two signs would join any two sentences.
_RULES: tuple[Rule, ...] = tuple(
    rule for rule in VENDOR_RULES if all(len(literal) > 2 for literal in rule.literals)
)
_LITERALS = tuple({literal for rule in _RULES for literal in rule.literals})
_HEADS = tuple({literal[:4] for literal in _LITERALS})


def find_spaced(text: str) -> Iterator[Span]:
    """Keys in pieces; those in one piece are found already."""
    for parts in _runs(text):
        joined = "".join(text[start:end] for start, end in parts)
        if not any(map(joined.__contains__, _LITERALS)):
            continue
        origins = [at for start, end in parts for at in range(start, end)]
        for start, end, label in apply(_RULES, joined, joined):
            first, last = origins[start], origins[end - 1] + 1
            if last - first > end - start and not _complete(text, parts, first):
                yield first, last, label


def _complete(text: str, parts: list[Part], first: int) -> bool:
    """A key that is whole before the first gap ends there, unless its line was broken."""
    number = bisect_right(parts, first, key=itemgetter(0)) - 1
    end = parts[number][1]
    piece = text[first:end]
    if not any(at == 0 for at, _, _ in apply(_RULES, piece, piece)):
        return False
    following = parts[number + 1] if number + 1 < len(parts) else None
    broken = following and "\n" in text[end : following[0]]
    return not (broken and following and following[1] - following[0] >= LONG_PART)


def _runs(text: str) -> Iterator[list[Part]]:
    """Runs of two and more pieces with only white space between them; letters that are spelled
    out one by one are a run of their own."""
    run: list[Part] = []
    spelled = False
    for match in _PART.finditer(text):
        single = match.end() - match.start() == 1
        joins = bool(run) and _GAP.fullmatch(text, run[-1][1], match.start()) is not None
        joins = joins and single == spelled
        if not (joins and (single or _keyed(match[0]) or _same_size(text, run, match))):
            if len(run) > 1:
                yield run
            run, spelled = [], single
            if not (single or match[0].startswith(_HEADS)):
                continue
        run.append(match.span())
    if len(run) > 1:
        yield run


def _keyed(part: str) -> bool:
    """Letters and digits mixed, capitals inside a word, or nothing but capitals."""
    return _MIXED.search(part) is not None or (len(part) >= 3 and part.isupper())


def _same_size(text: str, run: list[Part], match: re.Match[str]) -> bool:
    """Groups of one size go together, whatever is in them."""
    if len(run) < 2:
        return False
    sizes = {end - start for start, end in run[-2:]}
    return sizes == {match.end() - match.start()}
