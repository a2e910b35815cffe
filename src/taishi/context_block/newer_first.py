"""Of statements about the same matter, the newer comes first: what was said last is more likely to
hold, and a short text is no reason to rank before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ..language.analyzer import terms
from ..language.moved_plans import gives_time_for, retimed
from ..language.other_values import names_other_value
from ..language.stated_times import states_time, without_times
from ..language.when import find_times
from ..types import Hit

MIN_SHARED = 0.6  # of the words of the shorter statement; but for times, of the longer
MAX_STATEMENT_CHARS = 400
_ANY_DAY = datetime(2000, 1, 1)  # for whether a time is named, not which
# "Is now at nine": a statement has them because there is an older one.
_NEWS = frozenset(terms("now still again moved changed 现在 改到 改成 改在"))


@dataclass(frozen=True, slots=True)
class _Statement:
    """`timeless` are its words without the times that it gives; None: it gives none. `moved` is
    what it says was moved or has another time. `is_of_a_time`: of a question, that it names a
    period: what was cooked last week and this week are two deeds, and it says which is meant."""

    text: str
    words: frozenset[str]
    timeless: frozenset[str] | None
    moved: tuple[str, ...] = ()
    is_of_a_time: bool = False

    @classmethod
    def of(cls, text: str) -> _Statement:
        text = text[:MAX_STATEMENT_CHARS]
        is_timed = states_time(text)
        timeless = frozenset(terms(without_times(text))) - _NEWS if is_timed else None
        return cls(text, frozenset(terms(text)), timeless, retimed(text))


def newer_first(
    hits: Sequence[Hit],
    question: str,
    section_of: Callable[[Hit], str],
    statements_of: Callable[[Hit], Sequence[str]],
) -> list[Hit]:
    """The hits in their order, but those about the same matter by time, newest first, in the
    positions that they have. The same matter: in one section, with the same words of the question,
    and most of their other words the same, too, whatever times they give; or one tells that what
    the other says was moved or has another time."""
    asked = _Statement.of(question)
    ordered = list(hits)
    if not asked.words or len(ordered) < 2:
        return ordered
    asked = replace(asked, is_of_a_time=bool(find_times(asked.text, _ANY_DAY)))
    said = [[_Statement.of(one) for one in statements_of(hit)] for hit in hits]
    is_placed = [hit.time is None for hit in hits]
    for first, hit in enumerate(hits):
        if is_placed[first]:
            continue
        same = [first]
        for other in range(first + 1, len(hits)):
            if is_placed[other] or section_of(hits[other]) != section_of(hit):
                continue
            earlier, later = sorted((first, other), key=lambda n: _time(hits[n]))
            if _is_same_matter(said[earlier], said[later], asked):
                same.append(other)
                is_placed[other] = True
        newest = sorted((hits[n] for n in same), key=_time, reverse=True)
        for position, one in zip(same, newest, strict=True):
            ordered[position] = one
    return ordered


def _is_same_matter(
    earlier: Sequence[_Statement], later: Sequence[_Statement], asked: _Statement
) -> bool:
    return any(
        _is_alike(one, other, asked) or any(gives_time_for(one.text, what) for what in other.moved)
        for one in earlier
        for other in later
    )


def _is_alike(one: _Statement, other: _Statement, asked: _Statement) -> bool:
    if _has_same_words(one.words, other.words, asked.words):
        least = min(len(one.words), len(other.words))
        is_frame = not asked.is_of_a_time and names_other_value(one.text, other.text)
        return is_frame or len(one.words & other.words) >= MIN_SHARED * least
    if one.timeless is None or other.timeless is None:
        return False
    wanted = asked.words if asked.timeless is None else asked.timeless
    most = max(len(one.timeless), len(other.timeless))
    is_same = _has_same_words(one.timeless, other.timeless, wanted)
    return is_same and len(one.timeless & other.timeless) >= MIN_SHARED * most


def _has_same_words(some: frozenset[str], others: frozenset[str], asked: frozenset[str]) -> bool:
    return bool(some & asked) and some & asked == others & asked


def _time(hit: Hit) -> float:
    return hit.time.timestamp() if hit.time is not None else 0.0
