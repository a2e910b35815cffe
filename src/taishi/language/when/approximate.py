"""Amounts that are not exact: "a few days ago", "in about three hours", 几个月后.

They are told from the day they were said on ("a few days before 2026-03-18"): a date would be a
guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from ..lazy_regex import lazy_compile
from .numbers import WORD_NUMBER
from .tense import tense_at

_EN_UNIT = r"(?:second|minute|min|hour|hr|day|night|week|month|year|decade)s?"
_EN_NUMBER = rf"(?:\d{{1,4}}|{WORD_NUMBER}|an?|half an?)"
_EN_AMOUNT = (
    rf"(?:(?:about|around|roughly|approximately|approx\.?|nearly|almost|over|more than"
    rf"|less than|at least"
    rf"|some) {_EN_NUMBER}(?: and a half)? {_EN_UNIT}"
    rf"|(?:just )?(?:(?:a |the last )?few|(?:a )?couple(?: of)?|several|some"
    rf"|many) (?:more )?{_EN_UNIT}"
    rf"|{_EN_NUMBER}(?: ?- ?| or | to ){_EN_NUMBER} {_EN_UNIT}"
    rf"|(?:an?|one) {_EN_UNIT} or (?:two|so))"
)
_ZH_UNIT = "(?:秒钟?|分钟|刻钟|个?小时|个?钟头|天|周|个?星期|个?礼拜|个月|年)"
_ZH_AMOUNT = (
    "(?:(?:好几|十几|几十|几|数|两三|三四|三五|四五|五六|一两)" + _ZH_UNIT + "|"
    rf"[0-9一二两三四五六七八九十]{{1,3}}(?:多|来){_ZH_UNIT}|[0-9一二两三四五六七八九十]{{1,3}}{_ZH_UNIT}多)"
)
_BY_THE_CLOCK = lazy_compile(r"\b(?:second|minute|min|hour|hr)s?\b|秒|分钟|刻钟|小时|钟头")


@dataclass(frozen=True, slots=True)
class Approximate:
    """A place in the text and the words that say the same from a known day."""

    start: int
    end: int
    text: str


@cache
def _english() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:(?P<in>in )(?P<ahead>{_EN_AMOUNT})(?:['’]? time)?(?! of\b)"
        rf"|(?P<amount>{_EN_AMOUNT}) (?P<way>ago|back|from now))\b"
    )


@cache
def _chinese() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![0-9第日号的零一二三四五六七八九十])(?P<amount>{_ZH_AMOUNT})"
        "(?P<way>之前|以前|前(?![端锋台沿言途提缀景置任后往面])|之后|以后|后(?![端台代续缀卫备门果勤期来面]))"
    )


def vague_offsets(text: str, reference: datetime) -> Iterator[Approximate]:
    """What is a vague amount of time away, in lower-case text, in order."""
    for match in _english().finditer(text):
        amount = match["ahead"] or match["amount"]
        if match["in"] and tense_at(text, *match.span()) != "future":
            continue  # "in about three hours" may be how long it took
        way = "before" if match["way"] in ("ago", "back") else "after"
        yield Approximate(*match.span(), f"{amount} {way} {_anchor(amount, reference, 'en')}")
    for match in _chinese().finditer(text):
        behind = "前" in match["way"]
        if not behind and tense_at(text, *match.span()) == "past":
            continue  # 几天后他回来了: after something else
        anchor = _anchor(match["amount"], reference, "zh")
        yield Approximate(*match.span(), f"{anchor}的{match['amount']}{match['way']}")


def _anchor(amount: str, reference: datetime, language: str) -> str:
    day = f"{reference:%Y-%m-%d}"
    if language == "zh":
        day = f"{reference.year}年{reference.month}月{reference.day}日"
    return f"{day} {reference:%H:%M}" if _BY_THE_CLOCK.search(amount) else day
