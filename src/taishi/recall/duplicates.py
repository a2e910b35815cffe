"""Hits that say the same thing twice are shown once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ..language.segment import CJK
from ..types import Record

SAME_SHARE = 0.92
_WORD = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
# Longer texts are the same only if they are the same: comparing their words costs too much.
LONG_CHARS = 600
WORDS_KNOWN = 16_384  # about 3 kB each for a chat message, 50 MB in all


def drop_near_duplicates(
    hits: Sequence[tuple[Record, float]], count: int
) -> list[tuple[Record, float]]:
    """The first `count` that differ. The better-ranked one of a pair stays."""
    kept: list[tuple[Record, float]] = []
    seen: list[frozenset[str]] = []
    for record, score in hits:
        words = _words(record.text)
        if not _known(words, seen):
            kept.append((record, score))
            seen.append(words)
            if len(kept) == count:
                break
    return kept


def twin_of(record: Record, kept: Sequence[Record]) -> Record | None:
    """The first of `kept` that says the same as `record`."""
    words = _words(record.text)
    return next((other for other in kept if _known(words, [_words(other.text)])), None)


def forget_words() -> None:
    _words.cache_clear()


@lru_cache(WORDS_KNOWN)
def _words(text: str) -> frozenset[str]:
    words = frozenset(_WORD.findall(text.casefold())) if len(text) <= LONG_CHARS else frozenset()
    return words or frozenset([" ".join(text.casefold().split())])


def _known(words: frozenset[str], seen: Sequence[frozenset[str]]) -> bool:
    """Whether nearly the same words were seen. Sizes are compared first: it spares the sets."""
    size = len(words)
    low, high = size * SAME_SHARE, size / SAME_SHARE
    for other in seen:
        if low <= len(other) <= high:
            shared = len(words & other)
            if shared >= SAME_SHARE * (size + len(other) - shared):
                return True
    return False
