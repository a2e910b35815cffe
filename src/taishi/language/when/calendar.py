"""Arithmetic on local calendar fields.

Everything here is naive on purpose: a day is a day on the wall calendar, whatever the clocks did
that night. The zone is attached once, when a span is handed out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal

Grain = Literal[
    "minute",
    "hour",
    "part",
    "day",
    "week",
    "weekend",
    "month",
    "quarter",
    "season",
    "year",
    "decade",
    "century",
]
Prefer = Literal["past", "future"]

DAY = timedelta(days=1)
WEEK = timedelta(days=7)
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of the wall calendar, `until` excluded; an instant has `until == begin`."""

    begin: datetime
    until: datetime
    grain: Grain


@dataclass(frozen=True, slots=True)
class View:
    """Where the speaker stands: the wall clock at the reference, and which way to look.

    With `sure`, what may mean two things has no answer.
    """

    now: datetime
    prefer: Prefer = "past"
    zone: tzinfo | None = None
    sure: bool = False

    @property
    def today(self) -> datetime:
        return midnight(self.now)

    def elapse(self, moment: datetime, seconds: int) -> datetime:
        """Move by time that really passes: across a clock change, three hours are three hours."""
        if self.zone is None:
            return moment + timedelta(seconds=seconds)
        there = moment.replace(tzinfo=self.zone).astimezone(UTC) + timedelta(seconds=seconds)
        return there.astimezone(self.zone).replace(tzinfo=None)


def midnight(moment: datetime) -> datetime:
    return datetime(moment.year, moment.month, moment.day)


def day_at(moment: datetime) -> Period:
    begin = midnight(moment)
    return Period(begin, begin + DAY, "day")


def day_of(year: int, month: int, day: int) -> Period | None:
    """Return that day, or None where the calendar has no such day."""
    try:
        return day_at(datetime(year, month, day))
    except ValueError:
        return None


def add_months(moment: datetime, months: int) -> datetime:
    """Move by months; the 31st becomes the last day of a shorter month."""
    index = moment.year * 12 + moment.month - 1 + months
    year, month = index // 12, index % 12 + 1
    return moment.replace(year=year, month=month, day=min(moment.day, days_in(year, month)))


def days_in(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def months_from(year: int, month: int, count: int, grain: Grain) -> Period:
    begin = datetime(year, month, 1)
    return Period(begin, add_months(begin, count), grain)


def week_at(moment: datetime, shift: int = 0) -> Period:
    begin = midnight(moment) - moment.weekday() * DAY + shift * WEEK
    return Period(begin, begin + WEEK, "week")


def weekend_of(week: Period) -> Period:
    return Period(week.begin + 5 * DAY, week.begin + 7 * DAY, "weekend")


def month_at(moment: datetime, shift: int = 0) -> Period:
    first = add_months(moment.replace(day=1), shift)
    return months_from(first.year, first.month, 1, "month")


def quarter_at(moment: datetime, shift: int = 0, count: int = 1) -> Period:
    first = add_months(datetime(moment.year, (moment.month - 1) // 3 * 3 + 1, 1), shift * 3)
    return months_from(first.year, first.month, 3 * count, "quarter")


def half_at(moment: datetime, shift: int = 0) -> Period:
    first = add_months(datetime(moment.year, 1 if moment.month < 7 else 7, 1), shift * 6)
    return months_from(first.year, first.month, 6, "quarter")


def season_of(year: int, name: str) -> Period:
    return months_from(year, SEASONS[name], 3, "season")


def year_of(year: int) -> Period:
    return months_from(year, 1, 12, "year")


def decade_of(first_year: int, count: int = 1) -> Period:
    return months_from(first_year, 1, 120 * count, "decade")


def century_of(number: int) -> Period:
    return months_from(max(1, (number - 1) * 100), 1, 1200 if number > 1 else 1188, "century")


def period_at(moment: datetime, unit: str, shift: int = 0) -> Period:
    """Return the calendar unit holding `moment`, moved by `shift` units."""
    match unit:
        case "day":
            return day_at(moment + shift * DAY)
        case "week":
            return week_at(moment, shift)
        case "weekend":
            return weekend_of(week_at(moment, shift))
        case "fortnight":
            begin = week_at(moment, 2 * shift).begin
            return Period(begin, begin + 2 * WEEK, "week")
        case "month":
            return month_at(moment, shift)
        case "quarter":
            return quarter_at(moment, shift)
        case "half":
            return half_at(moment, shift)
        case "year":
            return year_of(moment.year + shift)
        case "decade":
            return decade_of(moment.year // 10 * 10 + shift * 10)
        case "century":
            return century_of(moment.year // 100 + 1 + shift)
    raise ValueError(f"unknown calendar unit {unit!r}: use one of day, week, month, year")


def weeks_in(period: Period) -> list[datetime]:
    """Mondays of the weeks that belong to a month or year: those whose Thursday lies in it."""
    monday = week_at(period.begin).begin
    if monday + 3 * DAY < period.begin:
        monday += WEEK
    count = (period.until - 3 * DAY - monday + 6 * DAY).days // 7 + 1
    mondays = [monday + i * WEEK for i in range(count)]
    return [start for start in mondays if start + 3 * DAY < period.until]


def nth_weekday(period: Period, weekday: int, nth: int) -> Period | None:
    """Return the nth (from 1; -1 is the last) such weekday inside a period."""
    if nth > 0:
        first = period.begin + ((weekday - period.begin.weekday()) % 7) * DAY
        found = first + (nth - 1) * WEEK
    else:
        last = period.until - DAY
        found = last - ((last.weekday() - weekday) % 7) * DAY
    return day_at(found) if period.begin <= found < period.until else None


def nearest(
    view: View, make: Callable[[int], Period | None], around: int, reach: int
) -> Period | None:
    """Pick among repeating periods, numbered `around` ± `reach`, the one the view prefers."""
    step = -1 if view.prefer == "past" else 1
    for index in range(-1, reach + 1):
        try:
            period = make(around + index * step)
        except (ValueError, OverflowError):
            continue  # beyond the calendar's edge: no candidate there
        if period is None:
            continue
        if view.prefer == "past" and period.begin <= view.now:
            return period
        if view.prefer == "future" and period.until > view.now:
            return period
    return None


def easter(year: int) -> datetime:
    """Easter Sunday of the Gregorian calendar."""
    golden, century = year % 19, year // 100
    epact = (century - century // 4 - (8 * century + 13) // 25 + 19 * golden + 15) % 30
    epact -= (epact // 28) * (1 - (29 // (epact + 1)) * ((21 - golden) // 11))
    weekday = (year + year // 4 + epact + 2 - century + century // 4) % 7
    offset = epact - weekday
    month = 3 + (offset + 40) // 44
    return datetime(year, month, offset + 28 - 31 * (month // 4))
