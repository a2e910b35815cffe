"""Stretches picked out of a larger period: its beginning, its third week, its last ten days."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from . import calendar as cal
from .calendar import DAY, WEEK, Grain, Period, View
from .time_parts import Role, TimePart, select

DIVISIBLE: frozenset[Grain] = frozenset({"week", "month", "quarter", "season", "year", "decade"})
DIVISIBLE_OR_DAY: frozenset[Grain] = DIVISIBLE | {"day"}
_MONTHS_OR_MORE: frozenset[Grain] = frozenset({"month", "quarter", "season", "year"})
_YEARS: frozenset[Grain] = frozenset({"year"})


def edge_of(period: Period, which: str) -> Period:
    """Return the early, mid or late stretch of a period.

    Months split at the middle with a wide "mid"; weeks before and after Thursday; longer periods
    in halves for "early" and "late" and in thirds for "start", "mid" and "end".
    """
    begin, until = period.begin, period.until
    if period.grain == "day":
        last = until - timedelta(seconds=1)
        noon = begin + DAY / 2
        cuts = {"late": (noon, until), "end": (last, last)}
        first, second = cuts.get(which, (begin, noon))
        return Period(first, second, "part" if first != second else "minute")
    if period.grain in ("week", "month"):
        early_end, mid_begin, mid_end, late_begin = (
            (begin + 3 * DAY, begin + DAY, begin + 4 * DAY, begin + 3 * DAY)
            if period.grain == "week"
            else (begin + 15 * DAY, begin + 9 * DAY, begin + 20 * DAY, begin + 15 * DAY)
        )
    else:
        months = (until.year - begin.year) * 12 + until.month - begin.month
        share = 2 if which in ("early", "late") else 3
        early_end = cal.add_months(begin, months // share)
        late_begin = cal.add_months(until, -(months // share))
        mid_begin, mid_end = early_end, late_begin
    if which in ("early", "start"):
        return Period(begin, early_end, period.grain)
    if which == "mid":
        return Period(mid_begin, mid_end, period.grain)
    return Period(late_begin, until, period.grain)


def edge(which: str, *, clipped: bool = False, grains: frozenset[Grain] = DIVISIBLE) -> TimePart:
    """ "Early", "mid-", "the end of", 月底; clipped ones stop or start at the present moment."""

    def place(view: View, whole: Period) -> Period | None:
        found = edge_of(whole, which)
        if not clipped or not whole.begin <= view.now < whole.until:
            return found
        if which == "late":
            return replace(found, begin=max(found.begin, view.today))
        return replace(found, until=max(min(found.until, view.today), found.begin + DAY))

    role: Role = "end" if which in ("late", "end") and not clipped else "selector"
    return TimePart(0, 0, "part", lambda _: None, place, grains, role=role, weak=True)


def rest() -> TimePart:
    """ "The rest of the week": from today to its end."""

    def place(view: View, whole: Period) -> Period | None:
        begin = max(whole.begin, view.today)
        return Period(begin, whole.until, "day") if begin < whole.until else None

    return TimePart(0, 0, "part", lambda _: None, place, DIVISIBLE, role="selector", weak=True)


def nth_unit(unit: str, nth: int, count: int = 1) -> TimePart | None:
    """The nth (negative: the last) `count` weeks, months, days or quarters of a period."""
    if unit == "week":
        return select(lambda whole: _weeks(whole, nth, count), "week", _MONTHS_OR_MORE)
    if unit == "day":
        return select(lambda whole: _days(whole, nth, count), "day", _MONTHS_OR_MORE | {"week"})
    step = {"month": 1, "quarter": 3, "half": 6}.get(unit)
    if step is None:
        return None
    grain: Grain = "month" if step == 1 else "quarter"
    if unit == "half":
        return select(lambda whole: _half(whole, nth), grain, _YEARS | {"month"})
    return select(lambda whole: _months(whole, nth, count, step, grain), grain, _YEARS)


def _half(whole: Period, nth: int) -> Period | None:
    if whole.grain == "month":
        return edge_of(whole, "early" if nth == 1 else "late")
    return _months(whole, nth, 1, 6, "quarter")


def _weeks(whole: Period, nth: int, count: int) -> Period | None:
    mondays = cal.weeks_in(whole)
    index = nth - 1 if nth > 0 else len(mondays) - count
    if not 0 <= index < len(mondays):
        return None
    return Period(mondays[index], mondays[index] + count * WEEK, "week")


def _days(whole: Period, nth: int, count: int) -> Period | None:
    first = whole.begin + (nth - 1) * DAY if nth > 0 else whole.until - count * DAY
    return _if_inside(Period(first, first + count * DAY, "day"), whole)


def _months(whole: Period, nth: int, count: int, step: int, grain: Grain) -> Period | None:
    if nth > 0:
        first = cal.add_months(whole.begin, (nth - 1) * step)
    else:
        first = cal.add_months(whole.until, -count * step)
    return _if_inside(cal.months_from(first.year, first.month, step * count, grain), whole)


def _if_inside(found: Period, whole: Period) -> Period | None:
    return found if whole.begin <= found.begin and found.until <= whole.until else None


def nth_weekday(weekday: int, nth: int) -> TimePart:
    return select(lambda whole: cal.nth_weekday(whole, weekday, nth), "day", _MONTHS_OR_MORE)


def week_around() -> TimePart:
    """ "The week of May 5": the calendar week that holds the day."""
    return select(lambda day: cal.week_at(day.begin), "week", frozenset({"day"}))


def weekend_around() -> TimePart:
    """ "Halloween weekend": the weekend nearest to the day, stretched to hold it."""

    def choose(day: Period) -> Period:
        weekend = cal.weekend_of(cal.week_at(day.begin, -1 if day.begin.weekday() < 3 else 0))
        return Period(min(weekend.begin, day.begin), max(weekend.until, day.until), "weekend")

    return select(choose, "weekend", frozenset({"day"}))
