"""Absolute words for a resolved span, to stand in a rewritten sentence."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Literal

from ..lazy_regex import lazy_compile
from . import calendar as cal
from .finder import TimeSpan
from .holidays import is_movable
from .rephrase import resay
from .time_parts import PARTS

_MONTHS = (
    "January February March April May June July August September October November December"
).split()
_DAY = timedelta(days=1)
_TWO_ENDS = lazy_compile(
    r"\b(?:to|until|till|through|thru|between)\b|[~–—到至]|之间"
    r"|(?<!mi)[a-z月年] ?- ?[a-z0-9]|\d{4} ?- ?\d{4}",
    re.IGNORECASE,
)
_PART_NAMES = {
    "dawn": ("small hours", "凌晨"),
    "early": ("early morning", "清晨"),
    "morning": ("morning", "上午"),
    "noon": ("noon hours", "中午"),
    "afternoon": ("afternoon", "下午"),
    "evening": ("evening", "晚上"),
    "night": ("night", "晚上"),
}
_SEASON_NAMES = {
    3: ("spring", "春天"),
    6: ("summer", "夏天"),
    9: ("autumn", "秋天"),
    12: ("winter", "冬天"),
}


def render(span: TimeSpan, language: Literal["en", "zh"]) -> str:
    """Say a span without leaning on the present: "2026-02-20", 2026年2月16日至22日这一周.

    It is said no more exactly than it was meant: "three years ago" becomes a year.
    """
    begin, until = span.begin.replace(tzinfo=None), span.until.replace(tzinfo=None)
    if span.name and span.kind == "date":
        return _feast(span.name, begin, language)
    if resaid := resay(span, language):
        return resaid
    if begin == until:
        return _instant(begin, language)
    if span.grain in ("minute", "hour", "part"):
        return _part(begin, until, language) or _hours(begin, until, language)
    if until - begin == _DAY and span.kind == "date":
        meant = _meant(begin, span.grain)
        if meant is None:
            return _day(begin, language)
        begin, until = meant.begin, meant.until
    whole = None if _TWO_ENDS.search(span.text) else _whole(begin, until, span, language)
    return whole or _between(begin, until, span, language)


def _feast(name: str, day: datetime, language: str) -> str:
    """The name stays, with the year; with the date where that is not the same in every year."""
    is_date = name.startswith(("农历", "阴历", "旧历", "正月", "冬月", "腊月", "大年初"))
    if language == "zh":
        told = name if is_date else f"{day.year}年{name}"
        return f"{told}（{_day(day, 'zh')}）" if is_movable(name) else told
    return f"{name} {day.year} ({_day(day, 'en')})" if is_movable(name) else f"{name} {day.year}"


def _meant(day: datetime, grain: cal.Grain) -> cal.Period | None:
    """The week, month or year a day stands for; None if the day itself is meant."""
    if grain not in ("week", "month", "year"):
        return None
    try:
        return cal.period_at(day, grain)
    except (ValueError, OverflowError):
        return None  # it would reach beyond the calendar's last year


def _part(begin: datetime, until: datetime, language: str) -> str | None:
    """Name a part of one day: "the morning of 2026-02-20", 2026年2月20日上午."""
    day = cal.midnight(begin)
    hours = (begin - day, until - day)
    for name, (first, last) in PARTS.items():
        if hours == (timedelta(hours=first), timedelta(hours=last)) and name in _PART_NAMES:
            english, chinese = _PART_NAMES[name]
            if language == "zh":
                return f"{_day(day, 'zh')}{chinese}"
            return f"the {english} of {_day(day, 'en')}"
    return None


def _day(day: datetime, language: str) -> str:
    if language == "zh":
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.year:04d}-{day.month:02d}-{day.day:02d}"


def _clock(moment: datetime) -> str:
    return f"{moment.hour:02d}:{moment.minute:02d}"


def _instant(moment: datetime, language: str) -> str:
    return f"{_day(moment, language)} {_clock(moment)}"


def _hours(begin: datetime, until: datetime, language: str) -> str:
    to = "至" if language == "zh" else " to "
    closes_day = until - cal.midnight(begin) == _DAY
    if closes_day or until.date() == begin.date():
        return f"{_instant(begin, language)}{to}{'24:00' if closes_day else _clock(until)}"
    return f"{_instant(begin, language)}{to}{_instant(until, language)}"


def _whole(begin: datetime, until: datetime, span: TimeSpan, language: str) -> str | None:
    """Name a complete calendar week, weekend, month, quarter, year, decade or century."""
    zh = language == "zh"
    days = (until - begin).days
    if days == 7 and begin.weekday() == 0 and span.grain == "week":
        tail = _short(until - _DAY, begin)
        return f"{_day(begin, 'zh')}至{tail}这一周" if zh else f"the week of {_day(begin, 'en')}"
    if span.grain == "month" and begin.month == (until - _DAY).month:
        return _part_of_month(begin, until, language)
    if begin.day != 1 or until.day != 1:
        return None
    months = (until.year - begin.year) * 12 + until.month - begin.month
    if months == 1:
        return _month(begin, language)
    if months == 3 and begin.month % 3 == 1 and span.grain == "quarter":
        number = begin.month // 3 + 1
        return f"{begin.year}年第{number}季度" if zh else f"Q{number} {begin.year}"
    if months == 3 and span.grain == "season":
        english, chinese = _SEASON_NAMES[begin.month]
        return f"{begin.year}年{chinese}" if zh else f"{english} {begin.year}"
    if months == 6 and begin.month in (1, 7) and span.grain in ("quarter", "year"):
        first = begin.month == 1
        if zh:
            return f"{begin.year}年{'上' if first else '下'}半年"
        return f"the {'first' if first else 'second'} half of {begin.year}"
    if months == 4 and span.grain == "year":
        english, chinese = {1: ("early ", "年初"), 5: ("mid-", "年中"), 9: ("late ", "年底")}[
            begin.month
        ]
        return f"{begin.year}{chinese}" if zh else f"{english}{begin.year}"
    if begin.month == 1 and months == 12:
        return f"{begin.year}年" if zh else str(begin.year)
    if begin.month == 1 and months == 120 and begin.year % 10 == 0 and span.grain == "decade":
        return f"{begin.year}年代" if zh else f"the {begin.year}s"
    return None


def _short(last: datetime, begin: datetime) -> str:
    return f"{last.day}日" if last.month == begin.month else f"{last.month}月{last.day}日"


def _month(day: datetime, language: str) -> str:
    if language == "zh":
        return f"{day.year}年{day.month}月"
    return f"{_MONTHS[day.month - 1]} {day.year}"


def _part_of_month(begin: datetime, until: datetime, language: str) -> str | None:
    """A whole month, or its first half, middle or second half; None for other stretches."""
    names = {
        (1, 1): ("", ""),
        (1, 16): ("the first half of ", "上半月"),
        (10, 21): ("mid-", "中旬"),
        (16, 1): ("the second half of ", "下半月"),
    }
    found = names.get((begin.day, until.day))
    if found is None:
        return None
    month = _month(begin, language)
    return f"{month}{found[1]}" if language == "zh" else f"{found[0]}{month}"


def _between(begin: datetime, until: datetime, span: TimeSpan, language: str) -> str:
    """A stretch by its two ends, in years or months where both fall on such a boundary."""
    to = "至" if language == "zh" else " to "
    last = until
    if span.grain == "weekend":
        last = until - _DAY
        if last - begin == _DAY:
            return (
                f"{_day(begin, 'zh')}至{_short(last, begin)}"
                if language == "zh"
                else (f"the weekend of {_day(begin, 'en')}")
            )
    if span.grain == "year" and begin.timetuple().tm_yday == until.timetuple().tm_yday == 1:
        year = "年" if language == "zh" else ""
        return f"{begin.year}{year}{to}{until.year}{year}"
    if span.grain == "month" and begin.day == until.day == 1:
        return f"{_month(begin, language)}{to}{_month(until, language)}"
    return f"{_day(begin, language)}{to}{_day(last, language)}"
