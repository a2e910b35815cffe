"""Feast days that the calendar alone decides, in both languages."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from . import calendar as cal
from .calendar import Period

Feast = Callable[[int], Period | None]


def _on(month: int, day: int) -> Feast:
    return lambda year: cal.day_of(year, month, day)


def _nth(month: int, weekday: int, nth: int, shift: int = 0) -> Feast:
    def make(year: int) -> Period | None:
        found = cal.nth_weekday(cal.months_from(year, month, 1, "month"), weekday, nth)
        return found and cal.day_at(found.begin + shift * cal.DAY)

    return make


def _easter(shift: int) -> Feast:
    return lambda year: cal.day_at(cal.easter(year) + shift * cal.DAY)


@cache
def english_feasts() -> dict[str, Feast]:
    """Lower-case names as they are written, without apostrophes."""
    return {
        "christmas eve": _on(12, 24), "xmas eve": _on(12, 24),
        "christmas day": _on(12, 25), "christmas": _on(12, 25), "xmas": _on(12, 25),
        "boxing day": _on(12, 26),
        "new years eve": _on(12, 31), "new year eve": _on(12, 31), "nye": _on(12, 31),
        "new years day": _on(1, 1), "new year day": _on(1, 1), "new years": _on(1, 1),
        "new year": _on(1, 1),
        "halloween": _on(10, 31),
        "valentines day": _on(2, 14), "valentine day": _on(2, 14), "valentines": _on(2, 14),
        "saint patricks day": _on(3, 17), "saint patrick": _on(3, 17),
        "st patricks day": _on(3, 17), "st. patricks day": _on(3, 17),
        "april fools day": _on(4, 1), "april fools": _on(4, 1),
        "earth day": _on(4, 22),
        "international workers day": _on(5, 1), "may day": _on(5, 1),
        "juneteenth": _on(6, 19), "independence day": _on(7, 4),
        "veterans day": _on(11, 11), "groundhog day": _on(2, 2),
        "martin luther king day": _nth(1, 0, 3), "mlk day": _nth(1, 0, 3),
        "presidents day": _nth(2, 0, 3), "memorial day": _nth(5, 0, -1),
        "mothers day": _nth(5, 6, 2), "fathers day": _nth(6, 6, 3),
        "labor day": _nth(9, 0, 1), "labour day": _nth(9, 0, 1),
        "columbus day": _nth(10, 0, 2),
        "thanksgiving day": _nth(11, 3, 4), "thanksgiving": _nth(11, 3, 4),
        "black friday": _nth(11, 3, 4, 1), "cyber monday": _nth(11, 3, 4, 4),
        "good friday": _easter(-2), "easter sunday": _easter(0),
        "easter monday": _easter(1), "easter": _easter(0),
    }  # fmt: skip


@cache
def chinese_feasts() -> dict[str, Feast]:
    return {
        "元旦节": _on(1, 1), "元旦": _on(1, 1), "新年": _on(1, 1),
        "情人节": _on(2, 14), "妇女节": _on(3, 8), "三八节": _on(3, 8), "植树节": _on(3, 12),
        "愚人节": _on(4, 1), "五一劳动节": _on(5, 1), "劳动节": _on(5, 1), "五一": _on(5, 1),
        "青年节": _on(5, 4), "六一儿童节": _on(6, 1), "儿童节": _on(6, 1), "六一": _on(6, 1),
        "建党节": _on(7, 1), "建军节": _on(8, 1), "八一建军节": _on(8, 1), "教师节": _on(9, 10),
        "十一国庆节": _on(10, 1), "国庆节": _on(10, 1), "国庆": _on(10, 1),
        "万圣节": _on(10, 31), "双十一": _on(11, 11), "光棍节": _on(11, 11),
        "平安夜": _on(12, 24), "圣诞节": _on(12, 25), "圣诞": _on(12, 25), "双十二": _on(12, 12),
        "母亲节": _nth(5, 6, 2), "父亲节": _nth(6, 6, 3), "感恩节": _nth(11, 3, 4),
        "复活节": _easter(0), "跨年夜": _on(12, 31),
    }  # fmt: skip
