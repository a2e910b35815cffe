"""Lists readings of single time words ("Friday", 周末) that `when` does not resolve.

Each function takes a text and the day it was said, and yields every day (or minute of a day) that a
kind of word in it can mean: weekdays, days of the month, lengths of time, ends of months, weekends.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from functools import cache

from .lazy_regex import lazy_compile
from .quantities import figures_in
from .stated_dates import MONTHS, mentions_in

_DAY = timedelta(days=1)
_EN_WEEKDAY = "monday tuesday wednesday thursday friday saturday sunday".split()
_ZH_WEEKDAY = "一二三四五六日"


@cache
def _weekday_words() -> re.Pattern[str]:
    english = "|".join(_EN_WEEKDAY)
    short = "mon|tues?|wed|thurs?|thu|fri|sat|sun"
    return re.compile(
        r"(?:\b(?P<en_before>last|past|previous|this|coming|next|following)\s)?"
        rf"(?:\b(?P<en>{english}|{short})\b)(?P<en_after>\s(?:after next|before last|week))?"
        r"|(?P<zh_before>(?:上上|下下|上|下|这|本)个?)?(?:周|星期|礼拜|週)(?P<zh>[一二三四五六日天])",
        re.IGNORECASE,
    )


def weekdays(text: str, today: date) -> Iterator[date]:
    """The dates of a weekday under every convention of week start, "next" and "last"."""
    last: list[date] = []
    for match in _weekday_words().finditer(text):
        found = list(_weekday(match, today))
        # "next Tuesday, back on Friday": the Friday after that Tuesday
        found += [one + (found[0].weekday() - one.weekday()) % 7 * _DAY for one in last]
        last = list(dict.fromkeys(found))[:6]
        yield from found


def _weekday(match: re.Match[str], today: date) -> Iterator[date]:
    if match["zh"]:
        number = _ZH_WEEKDAY.index(match["zh"].replace("天", "日"))
        before = (match["zh_before"] or "").removesuffix("个")
        yield from _chinese_weekday(today, number, before)
        return
    short = match["en"][:3].lower()
    number = next(index for index, day in enumerate(_EN_WEEKDAY) if day[:3] == short)
    before, after = (match["en_before"] or "").lower(), (match["en_after"] or "").strip()
    yield from _english_weekday(today, number, before, after)


def _english_weekday(today: date, number: int, before: str, after: str) -> Iterator[date]:
    ahead = (number - today.weekday()) % 7
    coming = today + (ahead or 7) * _DAY
    gone = today - ((7 - ahead) if ahead else 7) * _DAY
    monday = today - today.weekday() * _DAY
    if before in ("last", "past", "previous"):
        yield from (gone, monday + (number - 7) * _DAY)
    elif before in ("next", "following"):
        yield from (coming, monday + (number + 7) * _DAY)
    elif after:
        yield from (gone - 7 * _DAY, coming + 7 * _DAY, coming)
    else:
        yield from (gone, coming, today + ahead * _DAY)
    if number == 6:  # a week that begins on Sunday
        sunday = today - (today.weekday() + 1) % 7 * _DAY
        shift = {"last": -7, "next": 7, "this": 0}.get(before)
        if shift is not None:
            yield sunday + shift * _DAY


def _chinese_weekday(today: date, number: int, before: str) -> Iterator[date]:
    monday = today - today.weekday() * _DAY
    weeks = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}.get(before)
    if weeks is not None:
        yield monday + (7 * weeks + number) * _DAY
        if number == 6:
            yield monday + (7 * weeks - 1) * _DAY
        return
    ahead = (number - today.weekday()) % 7
    yield from (
        today + ahead * _DAY,
        today + (ahead or 7) * _DAY,
        today - ((7 - ahead) % 7 or 7) * _DAY,
    )


def stated_days(text: str, today: date) -> Iterator[date]:
    """Dates as they are written; where the year is not said, of the years around."""
    for said in mentions_in(text):
        if said.kind == "date" and said.month and said.day:
            years = (said.year,) if said.year else range(today.year - 1, today.year + 2)
            days = filter(None, (date_or_none(year, said.month, said.day) for year in years))
            yield from (day for day in days if said.year or abs((day - today).days) <= 366)


def stated_months(text: str, moment: datetime) -> Iterator[tuple[int, int]]:
    for said in mentions_in(text):
        if said.kind == "date" and said.month:
            yield from ((said.year, said.month),) if said.year else _around(moment, said.month)
        if said.kind == "quarter":
            for n in range(3):
                yield from _around(moment, 3 * said.number - n)
    for word in re.findall(rf"\b(?:{'|'.join(MONTHS)})[a-z]{{0,6}}\b", text.lower()):
        yield from _around(moment, MONTHS.index(word[:3]) + 1)


def _around(moment: datetime, month: int) -> Iterator[tuple[int, int]]:
    """The month of that name before and the one after, and the present one."""
    for year in range(moment.year - 1, moment.year + 2):
        if abs((year - moment.year) * 12 + month - moment.month) <= 12:
            yield year, month


def years(text: str, moment: datetime) -> Iterator[int]:
    """Years that are said, and those that lengths of years and ages lead to."""
    yield from (int(year) for year in re.findall(r"(?<!\d)(?:1[5-9]|20|21)\d\d(?!\d)", text))
    yield from (said.year for said in mentions_in(text) if said.year)
    ages = r"\s?(?:years?\b|yrs?\b|-year|年|岁|周年)"
    for figure in figures_in(text):
        after = text[figure.end : figure.end + 8]
        before = text[max(0, figure.start - 8) : figure.start]
        if re.match(ages, after, re.I) or re.search(r"\b(?:turns?|turned|aged?) $", before):
            for value in figure.values:
                if 0 < value < 130:
                    count = int(value)
                    yield from (
                        moment.year + sign * count - late for sign in (1, -1) for late in (0, 1)
                    )


_DOM = lazy_compile(
    r"\bthe (\d{1,2})(?:st|nd|rd|th)\b|(?<![A-Za-z\d])(\d{1,2})(?:st|nd|rd|th)\b"
    r"|(?<![月\d第一二三四五六七八九十])(\d{1,2}|[一二三四五六七八九十廿]{1,3})[号號日](?![线楼门院元本])"
)


def days_of_month(text: str, today: date) -> Iterator[date]:
    for match in _DOM.finditer(text):
        written = match[1] or match[2] or match[3]
        figure = next(figures_in(written), None)
        day = int(min(figure.values)) if figure else 0
        for shift in (-1, 0, 1):
            month = _shifted(today.replace(day=1), shift)
            found = date_or_none(month.year, month.month, day)
            if found:
                yield found


_LENGTH = lazy_compile(
    r"\s?(?:多|来)?(?:(?P<day>days?\b|天|晚|日后|日前)|(?P<week>weeks?\b|个?星期|个?礼拜|周(?![一二三四五六日末]))"
    r"|(?P<month>months?\b|个多?月)|(?P<year>years?\b|年(?![级代底初中]))|(?P<fortnight>fortnight))",
    re.IGNORECASE,
)


def lengths(text: str, today: date) -> Iterator[date]:
    """Where a length of time, from when it was said, leads back and ahead: "for 6 years"."""
    for figure in figures_in(text):
        match = _LENGTH.match(text, figure.end)
        if match and match.lastgroup:
            for value in figure.values:
                yield from _moved(today, value, match.lastgroup)
    for match in re.finditer(r"\b(?:an?) (day|week|month|year|fortnight)\b|半年", text, re.I):
        unit = (match[1] or "").lower()
        yield from _moved(today, 6 if not unit else 1, unit or "month")


def _moved(today: date, count: float, unit: str) -> Iterator[date]:
    if not 0 < count < 2000:
        return
    for sign in (-1, 1):
        try:
            if unit in ("month", "year"):
                yield _shifted(today, sign * int(count * (12 if unit == "year" else 1)))
            else:
                yield today + sign * count * {"day": 1, "week": 7, "fortnight": 14}[unit] * _DAY
        except (ValueError, OverflowError):
            continue


def _shifted(day: date, months: int) -> date:
    at = day.year * 12 + day.month - 1 + months
    year, month = divmod(at, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def ends(text: str, today: date) -> Iterator[date]:
    """The end or the beginning of a month, of any month that may be meant."""
    if re.search(
        r"月底|月末|下旬|\bend of (?:the |this |next )?month\b|\bmonth['’]?s? end\b", text, re.I
    ):
        for shift in (-1, 0, 1):
            month = _shifted(today.replace(day=1), shift)
            last = calendar.monthrange(month.year, month.month)[1]
            yield from (month.replace(day=day) for day in range(25, last + 1))
    if re.search(r"月初|上旬", text):
        for shift in (-1, 0, 1):
            month = _shifted(today.replace(day=1), shift)
            yield from (month.replace(day=day) for day in range(1, 6))
    if re.search(r"年底|年末|\bend of (?:the |this )?year\b", text, re.I):
        yield from (date(today.year, 12, 31), date(today.year, 12, 1))


_NTH_WEEKEND = lazy_compile(
    r"\b(first|second|third|fourth|last) weekend (?:of|in) ([a-z]{3,9})"
    r"|([一二三四1-9]{1,2}|十[一二]?)月的?(第一|第二|第三|第四|最后)个?周末",
    re.IGNORECASE,
)
_NTH = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1}
_ZH_NTH = {"第一": 0, "第二": 1, "第三": 2, "第四": 3, "最后": -1}


def _nth_weekends(text: str, today: date) -> Iterator[date]:
    """ "The first weekend of October": its Saturday and Sunday, last year's and this year's."""
    for match in _NTH_WEEKEND.finditer(text):
        name = (match[2] or "")[:3].lower()
        figure = next(figures_in(match[3] or ""), None)
        month = (
            MONTHS.index(name) + 1 if name in MONTHS else int(min(figure.values)) if figure else 0
        )
        number = _NTH[match[1].lower()] if match[1] else _ZH_NTH[match[4]]
        for year in (today.year - 1, today.year, today.year + 1):
            days = [date_or_none(year, month, day) for day in range(1, 32)]
            saturdays = [day for day in days if day and day.weekday() == 5]
            if saturdays:
                yield from (saturdays[number], saturdays[number] + _DAY)


def weekends(text: str, today: date) -> Iterator[date]:
    yield from _nth_weekends(text, today)
    if re.search(r"weekend|周末|週末|双休", text, re.I):
        saturday = today + (5 - today.weekday()) * _DAY
        weeks = (
            (-1, 0, 1)
            if re.search(r"(?:last|next|past|coming) week|[上下]个?周末", text)
            else (-1, 0)
        )
        if today.weekday() < 5:
            weeks = (*weeks, 0)
        for week in weeks:
            yield from (saturday + (7 * week + n) * _DAY for n in (-1, 0, 1))


def date_or_none(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
