"""Days of the Chinese lunar calendar, and the solar terms that are feasts.

The package that knows the calendar is loaded when the first such day is read: most texts have none.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Any

from . import calendar as cal
from .calendar import Period

FIRST_YEAR, LAST_YEAR = 1900, 2100
_BEYOND_MONTHS = 11
"""Lunar months from the eleventh on may end in the next civil year."""


@cache
def lunar_day(year: int, month: int, day: int) -> Period | None:
    """A day of a lunar year; a negative one counts from the month's end.

    None where there is no such day: a lunar month has 29 or 30.
    """
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    lunar = _lunar()
    length: int = lunar.LunarMonth.fromYm(year, month).getDayCount()
    day = day if day > 0 else length + 1 + day
    if day > length:
        return None
    solar = lunar.Lunar.fromYmd(year, month, day).getSolar()
    return cal.day_of(solar.getYear(), solar.getMonth(), solar.getDay())


def lunar_year_of(moment: datetime) -> int:
    """The lunar year that a civil day belongs to: in January it is still the last one."""
    new_year = lunar_day(moment.year, 1, 1)
    return moment.year - 1 if new_year and moment < new_year.begin else moment.year


def spans_new_year(month: int) -> bool:
    return month >= _BEYOND_MONTHS


def lunar_feast(month: int, day: int) -> Callable[[int], Period | None]:
    """A feast by the year it is said of; the last day of the year is the eve of the one said."""
    if (month, day) == (12, -1):
        return lambda year: lunar_day(year - 1, 12, -1)
    return lambda year: lunar_day(year, month, day)


def solar_term(name: str) -> Callable[[int], Period | None]:
    """清明 and 冬至, which the sun decides."""

    @cache
    def make(year: int) -> Period | None:
        if not FIRST_YEAR <= year <= LAST_YEAR:
            return None
        for lunar_year in (year, year + 1):  # a lunar year's table begins with the last winter
            found = _lunar().Lunar.fromYmd(lunar_year, 6, 1).getJieQiTable()[name]
            if found.getYear() == year:
                return cal.day_of(year, found.getMonth(), found.getDay())
        return None

    return make


def _lunar() -> Any:
    import lunar_python  # type: ignore[import-untyped]

    return lunar_python
