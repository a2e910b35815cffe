"""Drops near-duplicates: hits that say the same thing in nearly the same words are shown once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..language.analyzer import CJK
from ..language.lazy_regex import lazy_compile
from ..language.text import one_line
from ..types import Record

SAME_PERCENT = 92  # of the words of both together
# Longer texts are the same only if they are the same: comparing their words costs too much.
LONG_CHARS = 600
_WORD = lazy_compile(rf"[{CJK}]|[^\W_{CJK}]+")
# The same for ASCII, faster: all else becomes a space.
_NO_PUNCTUATION = {code: " " for code in range(128) if not chr(code).isalnum()}

WordSet = frozenset[str]


def drop_near_duplicates(
    hits: Sequence[tuple[Record, float]], count: int
) -> list[tuple[Record, float]]:
    """The first `count` that differ. The better-ranked one of a pair stays."""
    kept: list[tuple[Record, float]] = []
    seen: list[WordSet] = []
    for hit in hits:
        words = _words(hit[0].text)
        if not _is_among(words, seen):
            kept.append(hit)
            seen.append(words)
            if len(kept) == count:
                break
    return kept


def twin_of(record: Record, kept: Sequence[Record]) -> Record | None:
    """The first of `kept` that says the same as `record`."""
    words = _words(record.text)
    return next((other for other in kept if _is_among(words, [_words(other.text)])), None)


def _is_among(words: WordSet, seen: Iterable[WordSet]) -> bool:
    """Whether nearly the same words were seen: the Jaccard index, in whole numbers."""
    size = len(words)
    low, high = size * SAME_PERCENT, size * 100
    # One more than may be missing: a text that has none of these cannot be nearly the same. The
    # longest, as they are in few texts.
    probe = frozenset(sorted(words, key=len)[-1 - size * (100 - SAME_PERCENT) // 100 :])
    for other in seen:
        other_size = len(other)
        if other_size * 100 < low or other_size * SAME_PERCENT > high or probe.isdisjoint(other):
            continue
        shared = len(words & other)
        if shared * 100 >= SAME_PERCENT * (size + other_size - shared):
            return True
    return False


def _words(text: str) -> WordSet:
    folded = text.casefold()
    if len(text) <= LONG_CHARS:
        if folded.isascii():
            found = folded.translate(_NO_PUNCTUATION).split()
        else:
            found = _WORD.findall(folded)
        if found:
            return frozenset(found)
    return frozenset([one_line(folded)])
