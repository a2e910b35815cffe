"""Hits that say the same thing twice are shown once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ..language.segment import CJK
from ..types import Record

SAME_PERCENT = 92
_WORD = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
_PLAIN_WORD = re.compile(r"[a-z0-9]+")  # the same for plain English, sooner
# Longer texts are the same only if they are the same: comparing their words costs too much.
LONG_CHARS = 600
SKETCHES_KNOWN = 16_384  # about 250 bytes each
LAST_BIT = 511


def drop_near_duplicates(
    hits: Sequence[tuple[Record, float]], count: int
) -> list[tuple[Record, float]]:
    """The first `count` that differ. The better-ranked one of a pair stays."""
    kept: list[tuple[Record, float]] = []
    seen: list[str] = []
    for record, score in hits:
        if not any(_same(record.text, other) for other in seen):
            kept.append((record, score))
            seen.append(record.text)
            if len(kept) == count:
                break
    return kept


def twin_of(record: Record, kept: Sequence[Record]) -> Record | None:
    """The first of `kept` that says the same as `record`."""
    return next((other for other in kept if _same(record.text, other.text)), None)


def forget_sketches() -> None:
    _sketch.cache_clear()


def _same(one: str, other: str) -> bool:
    """Whether nearly all of their words are the same. Few pairs get past the sketches."""
    size, bits = _sketch(one)
    other_size, other_bits = _sketch(other)
    least, most = (size, other_size) if size < other_size else (other_size, size)
    if least * 100 < most * SAME_PERCENT:
        return False
    # A bit that only one of them has stands for at least one word that only it has.
    if (bits ^ other_bits).bit_count() * SAME_PERCENT > (100 - SAME_PERCENT) * least:
        return False
    words, others = _words(one), _words(other)
    shared = len(words & others)
    return shared * 100 >= SAME_PERCENT * (size + other_size - shared)


@lru_cache(SKETCHES_KNOWN)
def _sketch(text: str) -> tuple[int, int]:
    """How many words, and a bit for each. Two numbers: thousands of sets of words would be a
    burden on the garbage collector, which stops all threads while it looks at them."""
    words = _words(text)
    bits = 0
    for word in words:
        bits |= 1 << (hash(word) & LAST_BIT)
    return len(words), bits


def _words(text: str) -> frozenset[str]:
    folded = text.casefold()
    if len(text) <= LONG_CHARS:
        found = (_PLAIN_WORD if folded.isascii() else _WORD).findall(folded)
        if found:
            return frozenset(found)
    return frozenset([" ".join(folded.split())])
