"""Lists every date that the time words of a conversation can mean (H7).

Rules that write must choose one reading or none; a check must know them all: "next Thursday" is
this week's or the week's after, "at 7" is morning or evening, "since six years" names a year.
What the finder resolves, looking back and ahead, is taken as it is; the readings that it leaves
aside are added.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal

from . import time_words
from .clock_words import clocks
from .stated_dates import Mention, is_about
from .time_words import date_or_none
from .when import TimeSpan, find_times

_DAY = timedelta(days=1)
_ROUGH_DAYS = 3
_MOST_SPANS = 200
_LEANINGS: tuple[Literal["past", "future", "near"], ...] = ("past", "future", "near")
_DAY_WORDS = (
    time_words.weekdays,
    time_words.stated_days,
    time_words.days_of_month,
    time_words.lengths,
    time_words.ends,
    time_words.weekends,
)
# Holidays that move: the days on which they can fall. Used where the finder does not know better.
_MOVING = (
    ("春节|年初一|大年初|chinese new year|lunar new year", (1, 20), (2, 22)),
    ("除夕|年三十|小年", (1, 12), (2, 20)),
    ("元宵|lantern festival", (2, 4), (3, 7)),
    ("清明", (4, 4), (4, 6)),
    ("端午|dragon boat", (5, 27), (6, 26)),
    ("七夕", (7, 31), (8, 30)),
    ("中元", (8, 8), (9, 7)),
    ("中秋|mid-autumn", (9, 7), (10, 8)),
    ("重阳", (10, 1), (10, 31)),
    ("冬至", (12, 21), (12, 23)),
    ("腊八", (12, 31), (1, 27)),
    ("easter|good friday", (3, 20), (4, 26)),
    ("thanksgiving|感恩节", (10, 8), (11, 28)),
    ("mother['’]s day|母亲节", (5, 8), (5, 14)),
    ("father['’]s day|父亲节", (6, 15), (6, 21)),
    ("labor day|labour day", (5, 1), (9, 7)),
    (
        "ramadan|eid|hanukkah|diwali|passover|农历|阴历|[初廿][一二三四五六七八九十]",
        (1, 1),
        (12, 31),
    ),
)


@dataclass(frozen=True, slots=True)
class TimeReadings:
    """The days, months, years and minutes of the day that words can mean."""

    days: frozenset[date] = frozenset()
    months: frozenset[tuple[int, int]] = frozenset()
    years: frozenset[int] = frozenset()
    minutes: frozenset[int] = frozenset()
    windows: tuple[tuple[date, date], ...] = ()

    def allow(self, mention: Mention, text: str) -> bool:
        """Whether a stated time is among them."""
        if mention.kind == "clock":
            return not self.minutes.isdisjoint(mention.minutes)
        if mention.kind == "weekday":
            return any(day.weekday() == mention.number for day in self.days)
        if mention.kind == "quarter":
            return any((month - 1) // 3 + 1 == mention.number for _, month in self.months)
        return self._allows_date(mention, text)

    def _allows_date(self, said: Mention, text: str) -> bool:
        if not said.month:
            return said.year in self.years
        if not said.day:
            return any(
                said.month == month and said.year in (0, year) for year, month in self.months
            )
        if any(_fits(day, said) for day in self.days):
            return True
        stated = self._possible(said)
        if is_about(text, said):
            return any(abs(day - one) <= _ROUGH_DAYS * _DAY for day in self.days for one in stated)
        return any(first <= one <= last for first, last in self.windows for one in stated)

    def _possible(self, said: Mention) -> list[date]:
        years = (said.year,) if said.year else self.years
        made = (date_or_none(year, said.month, said.day) for year in years)
        return [day for day in made if day]


def times_in(texts: Iterable[tuple[str, datetime]], now: datetime) -> TimeReadings:
    """What all of these texts, each said at its moment, can mean."""
    days, minutes, years = {now.date()}, {now.hour * 60 + now.minute}, {now.year}
    utc = now.astimezone(UTC)
    minutes.add(utc.hour * 60 + utc.minute)
    months: set[tuple[int, int]] = set()
    windows: list[tuple[date, date]] = []
    for text, moment in texts:
        days.add(moment.date())
        minutes.add(moment.hour * 60 + moment.minute)
        spans = list(_spans(text, moment))
        for span in spans:
            days.update(_edges(span))
            minutes.update(_minutes(span))
        for found in _DAY_WORDS:
            days.update(found(text, moment.date()))
        months.update(time_words.stated_months(text, moment))
        years.update(time_words.years(text, moment))
        minutes.update(clocks(text))
        windows.extend(_windows(text, moment.date(), spans))
    months |= {(day.year, day.month) for day in days}
    years |= {year for year, _ in months}
    return TimeReadings(
        frozenset(days), frozenset(months), frozenset(years), frozenset(minutes), tuple(windows)
    )


def _fits(day: date, said: Mention) -> bool:
    return (day.month, day.day) == (said.month, said.day) and said.year in (0, day.year)


def _spans(text: str, moment: datetime) -> Iterator[TimeSpan]:
    for lean in _LEANINGS:
        yield from find_times(text, moment, lean)[:_MOST_SPANS]


def _edges(span: TimeSpan) -> Iterator[date]:
    """The days that name a span: its only one, or its first and last, and of a few days each."""
    begin, last = span.begin.date(), span.until.date()
    if span.until > span.begin and span.until.time() == datetime.min.time():
        if span.kind == "daterange" and span.grain == "day":
            yield last  # "from Monday to Wednesday" ends where Wednesday begins
        last -= _DAY
    if (last - begin).days <= 4:
        yield from (begin + n * _DAY for n in range((last - begin).days + 1))
    yield begin
    yield last
    if (last - begin).days in range(25, 400):
        yield from _month_starts(begin, last)


def _month_starts(first: date, last: date) -> Iterator[date]:
    at = first
    while at <= last:
        yield at
        at = (at.replace(day=1) + 32 * _DAY).replace(day=1)


def _minutes(span: TimeSpan) -> Iterator[int]:
    if span.kind in ("datetime", "time", "datetimerange", "timerange"):
        for edge in (span.begin, span.until):
            yield edge.hour * 60 + edge.minute
            if span.kind in ("datetime", "time") and edge.hour < 12:
                yield (edge.hour + 12) * 60 + edge.minute


def _windows(text: str, today: date, spans: list[TimeSpan]) -> Iterator[tuple[date, date]]:
    """The days of a moving holiday, unless the finder knows which day it was."""
    for words, first, last in _MOVING:
        match = re.search(words, text, re.I)
        if match and not any(span.start <= match.start() < span.end for span in spans):
            for year in range(today.year - 1, today.year + 2):
                ends = year + (1 if last < first else 0)
                yield date(year, *first), date(ends, *last)
