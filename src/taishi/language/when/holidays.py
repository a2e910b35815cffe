"""Feast days, in both languages: by the calendar, by the moon, or by the country.

What differs by country is asked of the `holidays` package, which is loaded when such a name is
first read outside the United States; without a known country the name stays as it was said.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from . import calendar as cal
from .calendar import Period, View
from .countries import country_of
from .lunar import lunar_feast, solar_term

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
    """Lower-case names as they are written, without apostrophes; local ones as in the US."""
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
        "earth day": _on(4, 22), "juneteenth": _on(6, 19), "groundhog day": _on(2, 2),
        "cinco de mayo": _on(5, 5), "guy fawkes night": _on(11, 5), "bonfire night": _on(11, 5),
        "international workers day": _on(5, 1), "may day": _on(5, 1),
        "black friday": _nth(11, 3, 4, 1), "cyber monday": _nth(11, 3, 4, 4),
        "good friday": _easter(-2), "easter sunday": _easter(0), "palm sunday": _easter(-7),
        "easter monday": _easter(1), "easter": _easter(0), "ash wednesday": _easter(-46),
        "chinese new year": lunar_feast(1, 1), "lunar new year": lunar_feast(1, 1),
        "mid-autumn festival": lunar_feast(8, 15), "dragon boat festival": lunar_feast(5, 5),
        "qingming": solar_term("清明"),
    } | _of_the_states()  # fmt: skip


def _of_the_states() -> dict[str, Feast]:
    return {
        "independence day": _on(7, 4), "veterans day": _on(11, 11),
        "martin luther king day": _nth(1, 0, 3), "mlk day": _nth(1, 0, 3),
        "presidents day": _nth(2, 0, 3), "memorial day": _nth(5, 0, -1),
        "mothers day": _nth(5, 6, 2), "fathers day": _nth(6, 6, 3),
        "labor day": _nth(9, 0, 1), "labour day": _nth(9, 0, 1),
        "columbus day": _nth(10, 0, 2),
        "thanksgiving day": _nth(11, 3, 4), "thanksgiving": _nth(11, 3, 4),
    }  # fmt: skip


_MAY_MOTHERS = frozenset(
    "US CA AU NZ DE AT CH IT NL BE DK FI CN HK TW JP SG MY PH IN BR ZA".split()
)
_JUNE_FATHERS = frozenset("US CA GB IE FR NL CN HK JP SG MY PH IN ZA MX".split())
_OFFICIAL = {
    "labour day": "labor day", "thanksgiving": "thanksgiving day",
    "presidents day": "washington", "martin luther king day": "martin luther king",
    "mlk day": "martin luther king",
}  # fmt: skip


def feast_in(view: View, name: str, year: int) -> Period | None:
    """The feast of a year where the speaker is; by the US if the country does not matter."""
    make = english_feasts().get(name)
    country = country_of(view.zone)
    if make is None or name not in _of_the_states() or country == "US":
        return make(year) if make else None
    if country is None:
        return None if view.sure else make(year)
    if name in ("mothers day", "fathers day"):
        return _family_day(name, country, year)
    return _national(country, year, _OFFICIAL.get(name, name))


def _family_day(name: str, country: str, year: int) -> Period | None:
    """No public holidays, so no calendar of holidays lists them."""
    if name == "mothers day":
        if country in ("GB", "IE"):
            return _easter(-21)(year)
        return _nth(5, 6, 2)(year) if country in _MAY_MOTHERS else None
    if country in ("AU", "NZ"):
        return _nth(9, 6, 1)(year)
    return _nth(6, 6, 3)(year) if country in _JUNE_FATHERS else None


@cache
def _national(country: str, year: int, name: str) -> Period | None:
    """The first day that a country's own calendar calls by this name."""
    from holidays import country_holidays

    try:
        found = country_holidays(country, years=year, language="en_US")
    except NotImplementedError:
        return None
    days = [day for day, title in found.items() if name in title.lower().replace("labour", "labor")]
    named = sorted(day for day in days if "observed" not in found[day])
    return cal.day_of(named[0].year, named[0].month, named[0].day) if named else None


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
        "春节": lunar_feast(1, 1), "大年三十": lunar_feast(12, -1), "年三十": lunar_feast(12, -1),
        "除夕夜": lunar_feast(12, -1), "除夕": lunar_feast(12, -1),
        "元宵节": lunar_feast(1, 15), "元宵": lunar_feast(1, 15), "龙抬头": lunar_feast(2, 2),
        "端午节": lunar_feast(5, 5), "端午": lunar_feast(5, 5),
        "七夕节": lunar_feast(7, 7), "七夕": lunar_feast(7, 7), "中元节": lunar_feast(7, 15),
        "中秋节": lunar_feast(8, 15), "中秋": lunar_feast(8, 15),
        "重阳节": lunar_feast(9, 9), "重阳": lunar_feast(9, 9), "腊八节": lunar_feast(12, 8),
        "腊八": lunar_feast(12, 8), "清明节": solar_term("清明"), "清明": solar_term("清明"),
        "冬至": solar_term("冬至"),
    }  # fmt: skip


def is_movable(name: str) -> bool:
    """Whether the date of a feast must be said because its year alone does not tell it."""
    plain = name.lower().replace("'", "").replace("’", "")
    make = english_feasts().get(plain) or chinese_feasts().get(name)
    if make is None:
        return True
    days = [period.begin for year in (2025, 2026) if (period := make(year))]
    return len({(day.month, day.day) for day in days}) != 1


def is_at_year_end(name: str) -> bool:
    """除夕 and 腊八 of "this year" may be last winter's or the next one's."""
    return name.startswith(("除夕", "大年三十", "年三十", "腊八"))
