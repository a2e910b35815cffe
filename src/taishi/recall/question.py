"""What a question asks for, read by rule: its terms, and whom it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ..language import segment
from ..language.when import find_times
from ..times import to_epoch

MAX_TIMED_CHARS = 500
# "An hour ago" asks about an event, not about what was true then.
TOO_FINE = ("minute", "hour", "part")


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    terms: tuple[int, ...]


def read(text: str) -> Question:
    words = dict.fromkeys(segment.terms(text))
    return Question(text, tuple(segment.number_of(word) for word in words))


def asked_time(text: str, now: datetime) -> tuple[float, float] | None:
    """The stretch of the past that the question is about ("in March", 去年), if it names one."""
    for span in find_times(text[:MAX_TIMED_CHARS], now):
        if span.grain not in TOO_FINE and span.until <= now:
            return to_epoch(span.begin, UTC), to_epoch(span.until, UTC)
    return None


def named_speakers(text: str, speakers: Sequence[str]) -> list[str]:
    """The speakers whom the text names, as whole words (or as they are, in Chinese)."""
    lowered = text.casefold()
    return [name for name in speakers if name.strip() and _names(lowered, name.casefold())]


def without(text: str, names: Iterable[str]) -> str:
    """The text with these names taken out, for the search by meaning.

    A name says who spoke, not what was said; left in, it pulls every message that greets that
    person. The text is returned whole if nothing but the names would be lost.
    """
    rest = text
    for name in names:
        rest = re.sub(rf"{_bounded(name)}(?:['’]s)?", " ", rest, flags=re.IGNORECASE)
    rest = " ".join(rest.split())
    return rest if segment.terms(rest) else text


def _names(lowered: str, name: str) -> bool:
    return name in lowered and re.search(_bounded(name), lowered) is not None


def _bounded(name: str) -> str:
    escaped = re.escape(name)
    return escaped if segment.has_cjk(name) else rf"(?<!\w){escaped}(?!\w)"
