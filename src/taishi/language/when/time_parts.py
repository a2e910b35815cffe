"""The parts time expressions are built of, and the ways to make one.

A piece knows how to resolve itself against a view, and, when something larger may stand next to it
("Tuesday" beside "next week", "3pm" beside "tomorrow"), how to place itself inside that.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from . import calendar as cal
from .calendar import Grain, Period, View

Resolver = Callable[[View], Period | None]
Placer = Callable[[View, Period], Period | None]
Role = Literal[
    "plain", "weekday", "dom", "part", "clock", "length", "selector", "end", "range", "offset"
]

NOWHERE: frozenset[Grain] = frozenset()
IN_YEAR: frozenset[Grain] = frozenset({"year"})
IN_MONTH: frozenset[Grain] = frozenset({"month"})
IN_WEEK: frozenset[Grain] = frozenset({"week"})
IN_DAY: frozenset[Grain] = frozenset({"day"})
IN_DAY_OR_PART: frozenset[Grain] = frozenset({"day", "part"})

PARTS = {
    "dawn": (0, 6),
    "early": (5, 9),
    "morning": (6, 12),
    "noon": (11, 13),
    "afternoon": (12, 18),
    "evening": (18, 22),
    "night": (18, 24),
    "daytime": (8, 18),
}


@dataclass(frozen=True, slots=True)
class Length:
    """A length of time, kept in the units that do not convert into each other."""

    months: int = 0
    days: int = 0
    seconds: int = 0

    def __add__(self, other: Length) -> Length:
        return Length(
            self.months + other.months, self.days + other.days, self.seconds + other.seconds
        )

    def times(self, count: int) -> Length:
        return Length(self.months * count, self.days * count, self.seconds * count)


@dataclass(frozen=True, slots=True)
class TimePart:
    """One recognised part of the text, from `start` to `end`.

    `inside` lists the grains of a neighbour it can be placed in; a `floating` piece has no year,
    month or week of its own and follows the view's preference (a `weekly` one comes every week); a
    `weak` one (a bare number, "the month") is a time only beside another piece. An hour that may
    be of the morning or of the afternoon is kept in `open_hour`, with its minute. A feast or a
    lunar date has a `name`, which is worth keeping beside its date.
    """

    start: int
    end: int
    grain: Grain
    resolve: Resolver
    place: Placer | None = None
    inside: frozenset[Grain] = NOWHERE
    role: Role = "plain"
    relative: bool = True
    floating: bool = False
    weak: bool = False
    dated: bool = True
    weekly: bool = False
    weekday: int = -1
    day: int = 0
    length: Length = Length()
    open_hour: tuple[int, int] | None = None
    name: str = ""

    def at(self, match: re.Match[str]) -> TimePart:
        return replace(self, start=match.start(), end=match.end())


def bridged(text: str, gap: re.Pattern[str], left: TimePart, right: TimePart) -> bool:
    return gap.fullmatch(text, left.end, right.start) is not None


def fixed(period: Period | None) -> TimePart | None:
    """A piece that means the same whenever it is said; None where the calendar has no such day."""
    if period is None:
        return None
    return TimePart(0, 0, period.grain, lambda _: period, relative=False)


def deictic(grain: Grain, resolve: Resolver, *, weak: bool = False) -> TimePart:
    """A piece that depends on the moment it is said, without being ambiguous."""
    return TimePart(0, 0, grain, resolve, weak=weak)


def yearly(grain: Grain, make: Callable[[int], Period | None], reach: int = 1) -> TimePart:
    """A period that comes once a year: a month, a date without a year, a holiday."""
    return TimePart(
        0,
        0,
        grain,
        lambda view: cal.nearest(view, make, view.now.year, reach),
        lambda _, year: make(year.begin.year),
        IN_YEAR,
        floating=True,
    )


def yearly_there(make: Callable[[View, int], Period | None]) -> TimePart:
    """A feast whose day depends on where the speaker is."""
    return TimePart(
        0,
        0,
        "day",
        lambda view: cal.nearest(view, lambda year: make(view, year), view.now.year, 2),
        lambda view, year: make(view, year.begin.year),
        IN_YEAR,
        floating=True,
    )


def month_day(month: int, day: int) -> TimePart:
    return yearly("day", lambda year: cal.day_of(year, month, day), reach=8)


def month(number: int) -> TimePart:
    return yearly("month", lambda year: cal.months_from(year, number, 1, "month"))


def day_of_month(day: int, *, weak: bool = False) -> TimePart:
    def make(index: int) -> Period | None:
        return cal.day_of(index // 12, index % 12 + 1, day)

    return TimePart(
        0,
        0,
        "day",
        lambda view: cal.nearest(view, make, view.now.year * 12 + view.now.month - 1, 3),
        lambda _, month: cal.day_of(month.begin.year, month.begin.month, day),
        IN_MONTH,
        role="dom",
        floating=True,
        weak=weak,
        day=day,
    )


def weekday(number: int, *, weak: bool = False) -> TimePart:
    def resolve(view: View) -> Period:
        ahead = (number - view.today.weekday()) % 7
        return cal.day_at(view.today + (ahead if view.prefer == "future" else ahead - 7) * cal.DAY)

    return TimePart(
        0,
        0,
        "day",
        resolve,
        lambda _, week: cal.day_at(week.begin + number * cal.DAY),
        IN_WEEK,
        role="weekday",
        floating=True,
        weak=weak,
        weekly=True,
        weekday=number,
    )


def weekday_and_day(number: int, day: int) -> TimePart:
    """ "Monday 21": the nearest month in which the 21st is a Monday."""

    def make(index: int) -> Period | None:
        found = cal.day_of(index // 12, index % 12 + 1, day)
        return found if found and found.begin.weekday() == number else None

    def resolve(view: View) -> Period | None:
        return cal.nearest(view, make, view.now.year * 12 + view.now.month - 1, 30)

    return TimePart(0, 0, "day", resolve, floating=True)


def part_of_day(name: str, *, weak: bool = False, edge: str = "") -> TimePart:
    first, last = PARTS[name]
    middle = (first + last) // 2
    first, last = {"early": (first, middle), "late": (middle, last)}.get(edge, (first, last))

    def place(_: View, day: Period) -> Period:
        start = cal.midnight(day.begin)
        return Period(start + timedelta(hours=first), start + timedelta(hours=last), "part")

    return TimePart(
        0,
        0,
        "part",
        lambda view: place(view, cal.day_at(view.now)),
        place,
        IN_DAY,
        role="part",
        weak=weak,
        dated=False,
    )


def clock(
    hour: int, minute: int = 0, second: int = 0, *, sure: bool = False, weak: bool = False
) -> TimePart | None:
    """A time of day; unless `sure`, an hour up to 12 may yet be moved by "evening" or 下午."""
    if not (0 <= hour <= 24 and 0 <= minute < 60 and 0 <= second < 60):
        return None

    def place(view: View, day: Period) -> Period | None:
        part = day.begin.hour if day.grain == "part" and not sure else -1
        if view.sure and part >= 18 and (hour == 12 or hour < 5):
            return None  # "tonight at one" is of the next day for some
        if view.sure and sure and hour < 5 and day.grain == "part" and day.begin.hour >= 18:
            day = cal.day_at(day.begin + cal.DAY)  # "last night at 2am"
        shifted = hour + 12 if part >= 11 and hour < min(part, 12) else hour
        if part >= 18 and (hour == 12 or hour < 5):
            shifted = 24 if hour == 12 else hour
        elif 0 <= part < 6 and hour == 12:
            shifted = 0
        start = cal.midnight(day.begin) + timedelta(hours=shifted, minutes=minute, seconds=second)
        return Period(start, start, "minute" if minute or second else "hour")

    return TimePart(
        0,
        0,
        "minute",
        lambda view: place(view, cal.day_at(view.now)),
        place,
        IN_DAY_OR_PART,
        role="clock",
        weak=weak,
        dated=False,
        open_hour=(hour, minute) if not sure and 1 <= hour <= 12 and not second else None,
    )


def span_of_length(length: Length) -> TimePart:
    """A bare length ("3 days"): a time only beside a direction and an anchor."""
    return TimePart(0, 0, "day", lambda _: None, role="length", weak=True, length=length)


def select(
    choose: Callable[[Period], Period | None],
    grain: Grain,
    inside: frozenset[Grain],
    role: Role = "selector",
) -> TimePart:
    """ "The first week of", 上半年: picks a stretch out of the period beside it."""
    return TimePart(
        0, 0, grain, lambda _: None, lambda _, whole: choose(whole), inside, role=role, weak=True
    )


def shifted(view: View, moment: datetime, length: Length, sign: int) -> datetime:
    """Move by calendar months and days, then by hours that really pass."""
    moved = cal.add_months(moment, sign * length.months) + sign * length.days * cal.DAY
    return view.elapse(moved, sign * length.seconds) if length.seconds else moved


def after_now(length: Length, sign: int) -> TimePart:
    """ "Three days ago", 两小时后: a day, or an instant when the length has hours or minutes.

    The grain tells how exact that day is meant: "three years ago" names a year, not a date.
    """
    grain = _grain_of(length)

    def resolve(view: View) -> Period:
        if length.seconds:
            moment = shifted(view, view.now, length, sign)
            return Period(moment, moment, "minute")
        return replace(cal.day_at(shifted(view, view.now, length, sign)), grain=grain)

    piece = deictic("minute" if length.seconds else "day", resolve)
    return piece if length.seconds else replace(piece, role="offset", length=length)


def stretch(length: Length, sign: int, *, whole_days: bool = True) -> TimePart:
    """ "The past three days", 未来两周: up to today, or from tomorrow on."""
    grain = _grain_of(length)

    def resolve(view: View) -> Period:
        if length.seconds:
            ends = sorted((view.now, shifted(view, view.now, length, sign)))
            return Period(ends[0], ends[1], grain)
        if sign < 0:
            return Period(shifted(view, view.today, length, -1), view.today, grain)
        begin = view.today + cal.DAY if whole_days else view.today
        return Period(begin, shifted(view, begin, length, 1), grain)

    return replace(deictic(grain, resolve), role="range")


def _grain_of(length: Length) -> Grain:
    if length.seconds:
        return "hour" if length.seconds % 3600 == 0 else "minute"
    if length.days:
        return "week" if length.days % 7 == 0 and not length.months else "day"
    return "year" if length.months % 12 == 0 else "month"
