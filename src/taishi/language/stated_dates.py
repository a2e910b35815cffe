"""Extracts the absolute dates, clock times and weekdays that a text states.

This reads what a text claims; what the words of a conversation can mean is in `readings`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal

from .quantities import chinese_value

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "mon tue wed thu fri sat sun".split()
_ZH_WEEKDAYS = "一二三四五六日"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_NUM = r"(?:\d{1,2}|[一二三四五六七八九十廿]{1,3})"
_YEAR = r"(?:\d{4}|[〇零一二三四五六七八九]{4})"
_TO = r"\s*(?:to|and|or|until|through|till|[-–—~/,至到和与或、])\s*"
_DATE_GROUPS = (
    ("y1", "y2", "y3", "y4", "y5", "y7"),
    ("m1", "m2", "m3", "m4", "m7"),
    ("d1", "d2", "d3", "d4", "d6"),
    ("e2", "e3", "e4"),
)  # of year, month, day and last day
_PART = "凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|晚|早"


@dataclass(frozen=True, slots=True)
class Mention:
    """A stated time: a date as far as it is stated (0 for what is not), or minutes of the day."""

    start: int
    end: int
    kind: Literal["date", "clock", "weekday", "quarter"]
    year: int = 0
    month: int = 0
    day: int = 0
    minutes: tuple[int, ...] = ()
    number: int = -1  # of the weekday (Monday is 0) or of the quarter


@cache
def _pattern() -> re.Pattern[str]:
    nth, english = "(?:st|nd|rd|th)?", r"(?:,?\s(?P<y{}>\d{{4}})\b)?"
    until = rf"(?:{_TO}(?P<e{{}}>\d{{{{1,2}}}}){nth}(?![\d:]))?"
    forms = (
        r"(?<![\dA-Za-z.-])(?P<y1>\d{4})(?P<s1>[-/.])(?P<m1>\d{1,2})"
        r"(?:(?P=s1)(?P<d1>\d{1,2}))?(?![\d-])",
        rf"(?:(?P<y2>{_YEAR})年的?)?(?<![个\d一二三四五六七八九十])(?P<m2>{_NUM})月(?!亮|球|经)"
        rf"(?:份?(?P<d2>{_NUM})(?:[日号]|(?=[至到~-]\s?{_NUM}[日号]))"
        rf"(?:{_TO}(?P<e2>{_NUM})[日号])?)?",
        rf"(?P<y5>{_YEAR})年",
        rf"(?<=[至到、和与~-])(?P<d6>{_NUM})[日号](?![楼线门院])",
        rf"\b(?P<m3>{_MONTH})\s(?P<d3>\d{{1,2}}){nth}(?![\d:])"
        + until.format(3)
        + english.format(3),
        rf"\b(?:the )?(?P<d4>\d{{1,2}}){nth}"
        + until.format(4)
        + rf"\s(?:of\s)?(?P<m4>{_MONTH})"
        + english.format(4),
        rf"\b(?P<m7>{_MONTH})(?:,?\s(?:of\s)?(?P<y7>\d{{4}})\b)?",
        r"\bq(?P<q1>[1-4])\b|(?P<q2>[一二三四1-4])季度",
        rf"(?P<part>(?:{_PART})的?)?(?<![\d.])(?P<h1>\d{{1,2}})[:：](?P<n1>\d{{2}})(?::\d\d)?(?!\d)"
        r"(?:\s?(?P<a1>[ap]\.?m\b\.?))?",
        r"\b(?P<h2>\d{1,2})\s?(?P<a2>[ap]\.?m\b\.?)",
        rf"(?P<part3>(?:{_PART})的?)?(?P<h3>{_NUM})[点點时時](?![间候差评击赞菜心餐了儿])"
        rf"(?P<n3>半|一刻|三刻|{_NUM}(?:分(?!钟))?|〇{_NUM})?",
        rf"\b(?P<w1>{_WEEKDAY})\b",
        "(?:周|星期|礼拜|週)(?P<w2>[一二三四五六日天])(?![个天月年岁千百万块])",
    )
    return re.compile("|".join(forms), re.IGNORECASE)


def mentions_in(text: str) -> Iterator[Mention]:
    """Every absolute time that a text states, in order. A range is two dates."""
    year = month = 0
    for match in _pattern().finditer(text):
        for found in _mentions(match, year, month):
            if found.kind == "date":
                year, month = found.year or year, found.month or month
            yield found


def states_time(text: str) -> bool:
    """Whether a text is nothing but a stated time."""
    first = next(mentions_in(text), None)
    return first is not None and first.start == 0 and not text[first.end :].strip()


def is_about(text: str, mention: Mention) -> bool:
    """Whether a date is said to be a rough one."""
    around = text[max(0, mention.start - 16) : mention.start] + text[mention.end : mention.end + 4]
    rough = r"\b(?:around|about|approximately|roughly|circa|or so)\b|大约|大概|左右|前后|约"
    return re.search(rough, around) is not None


def weekday_of(mention: Mention) -> int | None:
    """The weekday of a whole date; None for less than that, or a day that never was."""
    try:
        return date(mention.year, mention.month, mention.day).weekday()
    except ValueError:
        return None


def _mentions(match: re.Match[str], year: int, month: int) -> Iterator[Mention]:
    start, end = match.span()
    if match["w1"] or match["w2"]:
        yield from _weekday(match)
    elif match["q1"] or match["q2"]:
        yield Mention(start, end, "quarter", number=_number(match["q1"] or match["q2"]))
    elif match["h1"] or match["h2"] or match["h3"]:
        minutes = _clock(match)
        if minutes:
            yield Mention(start, end, "clock", minutes=minutes)
    elif match["d6"]:
        if month:
            yield Mention(start, end, "date", year, month, _number(match["d6"]))
    else:
        yield from _date(match)


def _weekday(match: re.Match[str]) -> Iterator[Mention]:
    """Sat, sun and wed are also words: a short or lower-case form needs a capital."""
    if match["w2"]:
        number = _ZH_WEEKDAYS.index(match["w2"].replace("天", "日"))
        yield Mention(*match.span(), "weekday", number=number)
    elif match["w1"][0].isupper() or match["w1"].endswith("day"):
        yield Mention(*match.span(), "weekday", number=WEEKDAYS.index(match["w1"][:3].lower()))


def _date(match: re.Match[str]) -> Iterator[Mention]:
    year, month, day, end_day = (_part(match, groups) for groups in _DATE_GROUPS)
    word = match["m7"]
    if word and not match["y7"] and (word[0].islower() or (len(word) <= 3 and word != "May")):
        return
    if word == "May" and not match["y7"] and not _follows_preposition(match):
        return
    if month > 12 or day > 31:
        return
    yield Mention(*match.span(), "date", year, month, day)
    if end_day:
        yield Mention(*match.span(), "date", year, month, end_day)


def _part(match: re.Match[str], groups: tuple[str, ...]) -> int:
    """The number in the one of these groups that took part."""
    return next((_number(found) for found in match.group(*groups) if found), 0)


def _follows_preposition(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - 12) : match.start()]
    leads = r"\b(?:in|of|by|since|until|late|early|mid|during|from|to|this|and)[ -]$"
    return re.search(leads, before) is not None


def _clock(match: re.Match[str]) -> tuple[int, ...]:
    hour = _number(match["h1"] or match["h2"] or match["h3"])
    minute = _minute(match)
    part = (match["part"] or match["part3"] or "").removesuffix("的")
    if hour > 24 or minute > 59:
        return ()
    half = (match["a1"] or match["a2"] or "").lower()[:1]
    if half == "p" or part in ("下午", "傍晚", "晚上", "夜里", "晚", "中午"):
        hour = hour + 12 if hour < 12 and not (part == "中午" and hour == 11) else hour
        midnight = (0,) if part in ("晚上", "夜里", "晚") and hour == 12 else ()
        return ((hour * 60 + minute) % 1440, *midnight)
    if half == "a" or part:
        return ((hour % 12 * 60 + minute) if hour == 12 else hour * 60 + minute,)
    if match["h3"] and hour <= 12:
        return (hour * 60 + minute, (hour + 12) % 24 * 60 + minute)
    if match["h1"] and 0 < hour < 12 and not match["h1"].startswith("0"):
        return (hour * 60 + minute, (hour + 12) * 60 + minute)
    return (hour % 24 * 60 + minute,)


def _minute(match: re.Match[str]) -> int:
    written = (match["n1"] or match["n3"] or "").removesuffix("分")
    quarters = {"": 0, "半": 30, "一刻": 15, "三刻": 45}
    return quarters[written] if written in quarters else _number(written.lstrip("〇"))


def _number(written: str) -> int:
    month = written[:3].lower()
    if month in MONTHS:
        return MONTHS.index(month) + 1
    return int(written) if written.isdecimal() else int(chinese_value(written))
