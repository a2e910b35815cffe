"""Normalised phrasings of a line, to detect that a profile, a fact and an event say the same."""

from __future__ import annotations

from typing import NamedTuple

from ..domain.line_acl import Statement
from ..domain.profile_lines import readings
from ..domain.text_identity import normal

_REPORTING = frozenset(
    "said says told mentioned stated noted that 说 说过 提到 表示 称 告诉 说道".split()
)
_DENYING = frozenset(
    "not never didn doesn don hasn haven hadn no nobody nor neither 没 没有 不 从未 未".split()
)


class Readings(NamedTuple):
    """A line's normalised text, and its phrasings: with each name in front and with none."""

    said: str
    all: frozenset[str]


def readings_of(text: str, names: tuple[str, ...]) -> Readings:
    read = readings(text, names)
    plain = {squeezed(_unreported(one)) for one in read}
    named = {squeezed(f"{normal(name)} {one}") for name in names for one in read}
    return Readings(squeezed(_unreported(normal(text))), frozenset(plain | named))


def page_line(text: str) -> str:
    """The text of a profile line; "" if it says nothing."""
    line = Statement(text)
    return line.said if line.key else ""


def squeezed(words: str) -> str:
    return words.replace(" ", "")


def _unreported(words: str) -> str:
    """Without a reporting clause: "Ann said that Ann likes tea". "Ann never said" stays."""
    left = words.split()
    for n, word in enumerate(left[:4]):
        if word in _DENYING:
            return words
        if word in _REPORTING:
            rest = left[n + 1 :]
            return " ".join(rest[1:] if rest[:1] == ["that"] else rest) or words
    return words
