"""Drops near-duplicates: hits that say the same thing in nearly the same words are shown once.

Nearly the same are two texts that share 92 % of their words and differ only in words that change
nothing ("the", "really", 的). A negation, a number or a name is never one of those. Of an event
only what it tells is compared: its header would make any two events of a day alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..language.analyzer import CJK
from ..language.lazy_regex import lazy_compile
from ..language.text import one_line
from ..types import Record

SAME_PERCENT = 92  # of the words of both together
# Longer texts are the same only if they are the same: comparing their words costs too much.
LONG_CHARS = 600
# What is told again on another day happened again.
SAME_DAY_SECONDS = 86_400.0
_WORD = lazy_compile(rf"[{CJK}]|[^\W_{CJK}]+")
# The same for ASCII, faster: all else becomes a space.
_NO_PUNCTUATION = {code: " " for code in range(128) if not chr(code).isalnum()}
# Words that may be in one of two texts alone. Only those that change no statement.
_CHANGES_NOTHING = frozenset(
    "a an the and also really very so just please well oh ok okay yes that indeed".split()
) | frozenset("的了啊吧呢呀哦嗯啦也很就地得")


@dataclass(frozen=True, slots=True)
class _Told:
    """The words of a text in order, and when it happened, if that counts. An event is no duplicate
    of the fact that was learned from it: one says what holds, the other when it was said."""

    words: tuple[str, ...]
    distinct: frozenset[str]
    time: float | None
    notes: str
    has_header: bool


def drop_near_duplicates(
    hits: Sequence[tuple[Record, float]], count: int
) -> list[tuple[Record, float]]:
    """The first `count` that differ. The better-ranked one of a pair stays."""
    kept: list[tuple[Record, float]] = []
    seen: list[_Told] = []
    for hit in hits:
        told = _told(hit[0])
        if not _is_among(told, seen):
            kept.append(hit)
            seen.append(told)
            if len(kept) == count:
                break
    return kept


def twin_of(record: Record, kept: Sequence[Record]) -> Record | None:
    """The first of `kept` that says the same as `record`."""
    told = _told(record)
    return next((other for other in kept if _is_among(told, [_told(other)])), None)


def _is_among(told: _Told, seen: Sequence[_Told]) -> bool:
    """Whether nearly the same was seen: the Jaccard index, in whole numbers, then what differs."""
    words, size = told.distinct, len(told.distinct)
    low, high = size * SAME_PERCENT, size * 100
    # One more than may be missing: a text that has none of these cannot be nearly the same. The
    # longest, as they are in few texts.
    probe = frozenset(sorted(words, key=len)[-1 - size * (100 - SAME_PERCENT) // 100 :])
    for other in seen:
        other_size = len(other.distinct)
        if other_size * 100 < low or other_size * SAME_PERCENT > high:
            continue
        if probe.isdisjoint(other.distinct):
            continue
        shared = len(words & other.distinct)
        if shared * 100 >= SAME_PERCENT * (size + other_size - shared) and _says_same(told, other):
            return True
    return False


def _says_same(told: _Told, other: _Told) -> bool:
    """Whether they differ in nothing that matters. The order does: who owes whom."""
    if told.notes != other.notes or told.has_header != other.has_header:
        return False
    both_dated = told.time is not None and other.time is not None
    if both_dated and abs((told.time or 0.0) - (other.time or 0.0)) >= SAME_DAY_SECONDS:
        return False
    if told.words == other.words:
        return True
    if not (told.distinct ^ other.distinct) <= _CHANGES_NOTHING:
        return False
    return _weighty(told.words) == _weighty(other.words)


def _weighty(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in _CHANGES_NOTHING]


def _told(record: Record) -> _Told:
    text, time, notes, has_header = record.text, None, "", False
    if record.kind in ("event", "turn"):
        time = record.time
        data = record.data
        told = [data.get("did_what"), *_listed(data.get("new_info"))]
        statements = " ".join(str(one) for one in told if one)
        text, has_header = statements or text, bool(statements)
        notes = str(data.get("corrections") or "")
    words = _words(text)
    return _Told(words, frozenset(words), time, notes, has_header)


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, (list, tuple)) else ()


def _words(text: str) -> tuple[str, ...]:
    folded = text.casefold()
    if len(text) <= LONG_CHARS:
        if folded.isascii():
            found = folded.translate(_NO_PUNCTUATION).split()
        else:
            found = _WORD.findall(folded)
        if found:
            return tuple(found)
    return (one_line(folded),)
