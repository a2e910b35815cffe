"""Hits that say the same thing twice are shown once."""

from __future__ import annotations

from collections.abc import Sequence

from ..language import segment
from ..types import Record
from .pool import Candidate

SAME_SHARE = 0.92
# Longer texts are the same only if they are the same: comparing their words costs too much.
LONG_CHARS = 600


def drop_near_duplicates(
    hits: Sequence[tuple[Record, Candidate]], count: int
) -> list[tuple[Record, Candidate]]:
    """The first `count` that differ. The better-ranked one of a pair stays."""
    kept: list[tuple[Record, Candidate]] = []
    seen: list[frozenset[str]] = []
    for record, candidate in hits:
        words = _words(record.text)
        if not any(_same(words, other) for other in seen):
            kept.append((record, candidate))
            seen.append(words)
            if len(kept) == count:
                break
    return kept


def _words(text: str) -> frozenset[str]:
    words = frozenset(segment.terms(text)) if len(text) <= LONG_CHARS else frozenset()
    return words or frozenset([" ".join(text.casefold().split())])


def _same(a: frozenset[str], b: frozenset[str]) -> bool:
    smaller, larger = sorted((len(a), len(b)))
    if smaller < SAME_SHARE * larger:
        return False
    return len(a & b) >= SAME_SHARE * len(a | b)
