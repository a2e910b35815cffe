"""A rule: a pattern, where it can begin, what else must be in the text, and a builder."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from .time_parts import TimePart

Builder = Callable[[re.Match[str], str], TimePart | None]

DIGIT = "0"
"""Stands for a run of digits among the tokens a rule can begin with."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern tried where a token of `first` begins, if the text has one of `needs`.

    Tokens are English words in lower case, runs of digits (DIGIT) and single Chinese characters.
    The builder gets the match, in folded text, and the original text for its capitals.
    """

    source: str
    build: Builder
    first: frozenset[str]
    needs: frozenset[str]

    @property
    def pattern(self) -> re.Pattern[str]:
        return _compiled(self.source)


def rule(source: str, build: Builder, first: Iterable[str], needs: Iterable[str] = ()) -> Rule:
    return Rule(source, build, frozenset(first), frozenset(needs))


@cache
def _compiled(source: str) -> re.Pattern[str]:
    """With ASCII classes: a digit between Chinese characters is at a word's edge.

    When it is first needed: all hundred of them take a tenth of a second, most texts need none.
    """
    return re.compile(source, re.ASCII)
