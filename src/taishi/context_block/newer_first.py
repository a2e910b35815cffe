"""Of statements about the same matter, the newer comes first: what was said last is more likely to
hold, and a short text is no reason to rank before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..language.analyzer import terms
from ..types import Hit

MIN_SHARED = 0.6  # of the words of the shorter statement
MAX_STATEMENT_CHARS = 400


def newer_first(
    hits: Sequence[Hit],
    question: str,
    section_of: Callable[[Hit], str],
    statements_of: Callable[[Hit], Sequence[str]],
) -> list[Hit]:
    """The hits in their order, but those about the same matter by time, newest first, in the
    positions that they have. The same matter: in one section, with the same words of the question,
    and most of their other words the same, too."""
    asked = frozenset(terms(question))
    ordered = list(hits)
    if not asked or len(ordered) < 2:
        return ordered
    words = [
        [frozenset(terms(one[:MAX_STATEMENT_CHARS])) for one in statements_of(hit)] for hit in hits
    ]
    is_placed = [hit.time is None for hit in hits]
    for first, hit in enumerate(hits):
        if is_placed[first]:
            continue
        same = [first]
        for other in range(first + 1, len(hits)):
            is_candidate = not is_placed[other] and section_of(hits[other]) == section_of(hit)
            if is_candidate and _is_same_matter(words[first], words[other], asked):
                same.append(other)
                is_placed[other] = True
        newest = sorted((hits[n] for n in same), key=_time, reverse=True)
        for position, one in zip(same, newest, strict=True):
            ordered[position] = one
    return ordered


def _is_same_matter(
    some: Sequence[frozenset[str]], others: Sequence[frozenset[str]], asked: frozenset[str]
) -> bool:
    return any(
        one & asked == other & asked
        and bool(one & asked)
        and len(one & other) >= MIN_SHARED * min(len(one), len(other))
        for one in some
        for other in others
    )


def _time(hit: Hit) -> float:
    return hit.time.timestamp() if hit.time is not None else 0.0
