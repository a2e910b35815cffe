"""Stretches that are better said again in their own words than by two dates.

"The past three days" becomes "the three days before 2026-03-18" and 月底 2026年3月底: two dates
would be more exact than what was said.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Literal

from ..lazy_regex import lazy_compile
from .finder import TimeSpan

_MONTHS = (
    "January February March April May June July August September October November December"
).split()
_EN_STRETCH = lazy_compile(
    r"(?:the )?(?P<m>past|last|previous|next|following|coming) (?P<l>(?:\d|[a-z]+ ).*)",
    re.IGNORECASE,
)
_EN_WITHIN = lazy_compile(r"within (?:the )?(?:next )?(?P<l>.+)", re.IGNORECASE)
_ZH_STRETCH = lazy_compile(
    "(?P<m>过去|過去|最近|近|前|之前|上|未来|未來|接下来|接下來|今后|今後|往后|之后|下)(?:的|这|這)?(?P<l>[0-9一二两兩三四五六七八九十].*)"
)
_ZH_WITHIN = lazy_compile("(?P<l>.+?)(?:之内|以内|内|內)$")
_EN_EDGE = lazy_compile(
    r"(?:the )?(?P<e>end|beginning|start|middle) of\b|(?P<s>early|late|mid)\b|\beo(?P<k>[dwmy])\b",
    re.IGNORECASE,
)
_ZH_EDGE = lazy_compile("(?P<e>初|底|末|中旬|上旬|下旬)$")
_EN_PART = lazy_compile(
    r"(?P<e>early|late|earlier|later) (?:in )?(?:the )?(?P<m>this|last|next|yesterday|tomorrow)"
    r" (?P<u>morning|afternoon|evening|night|year|month|week)",
    re.IGNORECASE,
)
_ENDS = {"d": "day", "w": "week", "m": "month", "y": "year"}


def resay(span: TimeSpan, language: Literal["en", "zh"]) -> str | None:
    """The same words, told from a known day; None if the span is no such stretch."""
    begin, until = span.begin.replace(tzinfo=None), span.until.replace(tzinfo=None)
    if span.kind not in ("daterange", "datetimerange", "datetime") or not span.relative:
        return None
    if language == "zh":
        return _chinese_stretch(span.text, begin, until) or _chinese_edge(span, begin)
    return (
        _english_stretch(span.text, begin, until)
        or _english_part(span.text, begin)
        or _english_edge(span, begin)
    )


def _english_part(text: str, begin: datetime) -> str | None:
    """ "Late last night", "earlier this year"."""
    found = _EN_PART.fullmatch(text)
    if found is None:
        return None
    edge, unit = found["e"].lower(), found["u"].lower()
    if unit in ("morning", "afternoon", "evening", "night"):
        return f"{edge} on the {unit} of {begin:%Y-%m-%d}"
    if unit == "week":
        return f"{edge} in the week of {begin - timedelta(days=begin.weekday()):%Y-%m-%d}"
    whole = str(begin.year) if unit == "year" else f"{_MONTHS[begin.month - 1]} {begin.year}"
    return f"{edge} in {whole}" if edge.endswith("er") else f"{edge} {whole}"


def _english_stretch(text: str, begin: datetime, until: datetime) -> str | None:
    if within := _EN_WITHIN.fullmatch(text):
        return f"within {within['l']} of {_said(begin, 'en')}"
    found = _EN_STRETCH.fullmatch(text)
    if found is None or not re.search("s$|couple|few", found["l"]):
        return None
    if found["m"].lower() in ("past", "last", "previous"):
        return f"the {found['l']} before {_said(until, 'en')}"
    return f"the {found['l']} after {_said(_eve(begin), 'en')}"


def _chinese_stretch(text: str, begin: datetime, until: datetime) -> str | None:
    found = _ZH_STRETCH.fullmatch(text)
    if found is None:
        within = _ZH_WITHIN.fullmatch(text)
        return f"{_said(begin, 'zh')}起{within['l']}内" if within else None
    if found["m"][0] in "过過最近前上" or found["m"] == "之前":
        return f"{_said(until, 'zh')}之前的{found['l']}"
    return f"{_said(_eve(begin), 'zh')}之后的{found['l']}"


def _eve(begin: datetime) -> datetime:
    """A stretch of whole days begins the day after it was said, one of hours at once."""
    return begin if (begin.hour, begin.minute) != (0, 0) else begin - timedelta(days=1)


def _said(moment: datetime, language: str) -> str:
    day = f"{moment:%Y-%m-%d}"
    if language == "zh":
        day = f"{moment.year}年{moment.month}月{moment.day}日"
    return day if (moment.hour, moment.minute) == (0, 0) else f"{day} {moment:%H:%M}"


def _english_edge(span: TimeSpan, begin: datetime) -> str | None:
    found = _EN_EDGE.match(span.text)
    unit = _unit(span, found["k"] if found else None)
    if found is None or unit is None:
        return None
    whole = {
        "week": f"the week of {begin - timedelta(days=begin.weekday()):%Y-%m-%d}",
        "month": f"{_MONTHS[begin.month - 1]} {begin.year}",
        "year": str(begin.year),
        "day": f"{begin:%Y-%m-%d}",
    }[unit]
    if found["s"]:
        edge = found["s"].lower()
        return (
            f"mid-{whole}"
            if edge == "mid"
            else f"{edge} {whole}"
            if unit != "week"
            else (f"{edge} in {whole}")
        )
    return f"the {(found['e'] or 'end').lower()} of {whole}"


def _chinese_edge(span: TimeSpan, begin: datetime) -> str | None:
    found, unit = _ZH_EDGE.search(span.text), _unit(span, None)
    if found is None or unit not in ("month", "year"):
        return None
    whole = f"{begin.year}年" if unit == "year" else f"{begin.year}年{begin.month}月"
    return f"{whole[:-1]}年{found['e']}" if unit == "year" else f"{whole}{found['e']}"


def _unit(span: TimeSpan, short: str | None) -> str | None:
    if short:
        return _ENDS[short.lower()]
    if span.grain in ("week", "month", "year"):
        return span.grain
    return "day" if re.search(r"\bday\b", span.text, re.IGNORECASE) else None
