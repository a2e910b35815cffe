"""A statement as its predicate and its value: 对…过敏 and 虾, "is allergic to …" and "shrimp".

A correction often gives only a part of both (不是虾过敏，是蟹): the new value takes the place of
the old one, and the predicate of what is corrected stays.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...language.analyzer import has_cjk
from ...language.gate import HAN
from ...language.lazy_regex import lazy_compile

_CHARS = 120
_VALUE_ZH = rf"(?P<value>[{HAN}A-Za-z0-9·]{{1,12}}?)"
_VALUE_EN = r"(?P<value>[a-zA-Z][\w'’-]*(?: [\w'’-]+){0,3}?)"
_HOW_MUCH_ZH = "(?:会|就|都|很|非常|特别|有点|严重|轻微|重度|轻度)*"
_FRAMES = tuple(
    (kind, lazy_compile(row))
    for kind, row in (
        ("allergy", rf"(?:有|是)?(?:对|吃)?{_VALUE_ZH}{_HOW_MUCH_ZH}过敏"),
        ("intolerance", rf"(?:有|是)?(?:对)?{_VALUE_ZH}{_HOW_MUCH_ZH}不耐受"),
        ("home", rf"(?:现在|目前)?(?:住在?|家住|居住在|定居在?|家在){_VALUE_ZH}"),
        ("work", rf"(?:现在|目前)?在{_VALUE_ZH}(?:上班|工作|实习|任职|就职)"),
        ("avoids", rf"(?:从来?|一直|都)?不(?:能)?(?:吃|喝|抽|碰){_VALUE_ZH}"),
        ("speaks", rf"会(?:说|讲){_VALUE_ZH}"),
        (
            "allergy",
            rf"(?i)(?:(?:is|am|i['’]?m|being) )?(?:\w+ly |very )?allergic to {_VALUE_EN}",
        ),
        ("allergy", rf"(?i)(?:(?:has|have) )?an? (?:\w+ly |bad )?{_VALUE_EN} allergy"),
        ("allergy", rf"(?i)(?:(?:has|have) )?an? allergy to {_VALUE_EN}"),
        ("home", rf"(?i)(?:lives?|living) in {_VALUE_EN}"),
        ("work", rf"(?i)works? (?:at|for) {_VALUE_EN}"),
        ("avoids", rf"(?i)(?:doesn['’]?t|don['’]?t|do not) (?:eat|drink|smoke) {_VALUE_EN}"),
        ("speaks", rf"(?i)speaks? {_VALUE_EN}"),
    )
)
_NO_VALUE = lazy_compile(
    r"[我你您他她它这那的不是吗呢吧么啊了没什谁哪]|^[对在住跟把被吃喝]"
    r"|(?i:\b(?:i|you|he|she|it|we|they|me|my|your|this|that|is|are|am|was|not|there|here|who|what"
    r"|anything|something|nothing|everything|if|because|so|sure|really|any ?more|either)\b)"
)


class Framed(NamedTuple):
    """`value` in a predicate of this kind; `start` and `end` are where it stands in the words."""

    kind: str
    value: str
    start: int
    end: int


def framed(words: str) -> Framed | None:
    """The value in a predicate of a known kind, if the words are nothing else."""
    if len(words) > _CHARS:
        return None
    for kind, frame in _FRAMES:
        found = frame.fullmatch(words)
        if found and not _NO_VALUE.search(found["value"]):
            return Framed(kind, found["value"], found.start("value"), found.end("value"))
    return None


def of_statement(text: str, subject: str) -> Framed | None:
    """The value that a statement gives its subject; `start` and `end` are of the whole text."""
    plain = text.rstrip(" .。")
    if not subject or not plain.startswith(subject):
        return None
    at = len(subject)
    at += len(plain[at:]) - len(plain[at:].lstrip())
    found = framed(plain[at:])
    return found and found._replace(start=found.start + at, end=found.end + at)


def value_alone(words: str) -> str:
    """The words if they can be a value without a predicate, else ""."""
    row = _VALUE_ZH if has_cjk(words) else _VALUE_EN
    return words if re.fullmatch(row, words) and not _NO_VALUE.search(words) else ""


def is_same_value(one: str, other: str) -> bool:
    """Whether both are one value: "peanut" and "peanuts"."""
    return one.lower().removesuffix("s") == other.lower().removesuffix("s")
