"""A correction that says of whom it is: "I was wrong: Joana came from Booking, not Zalando",
说错了，小乔是从字节来的，不是美团.

It puts right what was said of Joana with Zalando in it, whether or not a fact was made of that.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...language.analyzer import has_cjk
from ...language.clauses import lemma
from ...language.common_prefix import common_prefix_length
from ...language.gate import HAN
from ...language.lazy_regex import lazy_compile
from .correction_words import denied_value, puts_right, without_apology

MOST_CHARS = 200
_SUBJECT = lazy_compile(r"(?P<subject>[A-Z][\w’'-]*?(?: [A-Z][\w’-]*){0,2})(?=['’]s\b|\s+[a-z])")
_NO_SUBJECT = frozenset(
    """i it he she we they you this that these those there the a an my our your his her their its
    if when but and so not no yes maybe perhaps what who how why""".split()
)
_ZH = lazy_compile(
    rf"(?P<said>[{HAN}A-Za-z0-9·\s]{{3,40}}?)[，,]?(?:而|并)?不是(?:从|在|叫|为|对)?"
    rf"(?P<old>[{HAN}A-Za-z0-9·]{{1,10}}?)(?:来的?|的)?[。！!~\s]*"
)
_NAMED = lazy_compile(r"[A-Z0-9]")


class NamedContrast(NamedTuple):
    """`old` was said of the subject, and is wrong; `said` is the whole statement. In Chinese the
    subject is what both statements begin with, so it is empty here."""

    subject: str
    old: str
    said: str

    def is_of(self, statement: str) -> bool:
        """Whether a statement gives the wrong value of the subject."""
        if not self._is_in_frame(statement) or self.says_otherwise(statement):
            return False
        if self.subject:
            return _has(statement, self.subject)
        return common_prefix_length(self.said, statement) >= _LEAST_ZH

    def _is_in_frame(self, statement: str) -> bool:
        """Whether the value stands behind the word that the right one stands behind: "from"."""
        value = re.escape(self.old)
        if not self.subject:
            before = re.search(rf"(?P<link>[^，。的了])\s*{value}", statement)
            return before is not None and before["link"] in self.said.partition("不是")[0]
        found = _NEW.search(self.said)
        if found is None:
            return False
        links = re.finditer(rf"(?i)(?P<link>[\w’'-]+) (?:an? |the )?{value}(?!\w)", statement)
        return any(lemma(one["link"]) == lemma(found["link"]) for one in links)

    def says_otherwise(self, statement: str) -> bool:
        """Whether it denies the value itself, or has all that the correction names."""
        if denied_value(statement) == self.old or f"不是{self.old}" in statement:
            return True
        names = {one[0] for one in _NAMES.finditer(self.said)} - {self.subject, self.old}
        return bool(names) and all(_has(statement, one) for one in names)


_LEAST_ZH = 2
_NAMES = lazy_compile(r"\b[A-Z0-9][\w’-]*")
# The right value, which the denial of the wrong one follows, and the word before it.
_NEW = lazy_compile(
    r"(?P<link>[a-z][\w’'-]*) (?:an? |the )?[A-Z0-9][\w’'-]*(?: [A-Z0-9][\w’'-]*)*,? (?:and )?not\b"
)
_POINTS = lazy_compile("^(?:我|你|他|她|它|这|那|其实|应该|大家|是)")


def named_contrast(sentence: str) -> NamedContrast | None:
    """The correction, if the sentence says that it is one and whom it is about."""
    text = sentence.strip()[:MOST_CHARS]
    if not puts_right(text):
        return None
    said = without_apology(text).strip(" ,，.。!！~;；")
    if has_cjk(said):
        found = _ZH.fullmatch(said)
        if found is None or _POINTS.match(said):
            return None
        return NamedContrast("", found["old"], said)
    old = denied_value(said)
    found = _SUBJECT.match(said)
    if not old or not _NAMED.match(old) or found is None:
        return None
    subject = found["subject"]
    if subject.split()[0].casefold() in _NO_SUBJECT or _has(subject, old):
        return None
    return NamedContrast(subject, old, said)


def _has(text: str, value: str) -> bool:
    """Whether the value is in the text; in Latin letters as words of its own."""
    at = text.casefold().find(value.casefold())
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(value) :][:1]
        is_whole = not (before.isascii() and before.isalnum() and value[0].isascii())
        is_whole = is_whole and not (after.isascii() and after.isalnum() and value[-1].isascii())
        if is_whole:
            return True
        at = text.casefold().find(value.casefold(), at + 1)
    return False
