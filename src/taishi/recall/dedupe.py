"""Hits that say the same thing twice are shown once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ..language.analyzer import CJK
from ..language.lazy_regex import lazy_compile
from ..types import Record

SAME_PERCENT = 92
_WORD = lazy_compile(rf"[{CJK}]|[^\W_{CJK}]+")
_PLAIN_WORD = lazy_compile(r"[a-z0-9]+")  # the same for plain English, sooner
# Longer texts are the same only if they are the same: comparing their words costs too much.
LONG_CHARS = 600
SKETCHES_KNOWN = 16_384  # about 250 bytes each
LAST_BIT = 511
Sketch = tuple[int, int, str]


def drop_near_duplicates(
    hits: Sequence[tuple[Record, float]], count: int
) -> list[tuple[Record, float]]:
    """The first `count` that differ. The better-ranked one of a pair stays."""
    kept: list[tuple[Record, float]] = []
    seen: list[Sketch] = []
    for hit in hits:
        sketch = _sketch(hit[0].text)
        if not _known(sketch, seen):
            kept.append(hit)
            seen.append(sketch)
            if len(kept) == count:
                break
    return kept


def twin_of(record: Record, kept: Sequence[Record]) -> Record | None:
    """The first of `kept` that says the same as `record`."""
    sketch = _sketch(record.text)
    return next((other for other in kept if _known(sketch, [_sketch(other.text)])), None)


def forget_sketches() -> None:
    _sketch.cache_clear()


def _known(sketch: Sketch, seen: Sequence[Sketch]) -> bool:
    """Whether nearly the same words were seen. Few pairs get past the sketches."""
    size, bits, text = sketch
    low, high = size * SAME_PERCENT, size * 100
    for other_size, other_bits, other_text in seen:
        if other_size * 100 < low or other_size * SAME_PERCENT > high:
            continue
        # A bit that only one of them has stands for at least one word that only it has.
        least = size if size < other_size else other_size
        if (bits ^ other_bits).bit_count() * SAME_PERCENT > (100 - SAME_PERCENT) * least:
            continue
        shared = len(_words(text) & _words(other_text))
        if shared * 100 >= SAME_PERCENT * (size + other_size - shared):
            return True
    return False


@lru_cache(SKETCHES_KNOWN)
def _sketch(text: str) -> Sketch:
    """How many words, a bit for each, and the text. No set: thousands of sets of words would be a
    burden on the garbage collector, which stops all threads while it looks at them."""
    words = _words(text)
    bits = 0
    for word in words:
        bits |= 1 << (hash(word) & LAST_BIT)
    return len(words), bits, text


def _words(text: str) -> frozenset[str]:
    folded = text.casefold()
    if len(text) <= LONG_CHARS:
        found = (_PLAIN_WORD if folded.isascii() else _WORD).findall(folded)
        if found:
            return frozenset(found)
    return frozenset([" ".join(folded.split())])
