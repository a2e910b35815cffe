"""Chinese time expressions: what each rule's match means."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from . import calendar as cal
from . import selectors as s
from . import time_parts as p
from .calendar import DAY, Period, View
from .english_clock import span_between
from .holidays import chinese_feasts, is_at_year_end
from .lunar import lunar_day, lunar_year_of, spans_new_year
from .numbers import CHINESE_NUMBER, chinese_number, full_year
from .time_parts import Length, TimePart

_Match = re.Match[str]
_DAYS = {
    "大前天": -3,
    "大前儿": -3,
    "前天": -2,
    "前日": -2,
    "前儿": -2,
    "大后天": 3,
    "大后儿": 3,
    "后天": 2,
    "后日": 2,
    "后儿": 2,
    "昨": -1,
    "今": 0,
    "明": 1,
    "听": 1,
    "寻": -1,
    "琴": -1,
}
_YEARS = {
    "大前年": -3,
    "前年": -2,
    "去年": -1,
    "上一年": -1,
    "今年": 0,
    "本年": 0,
    "本年度": 0,
    "明年": 1,
    "下一年": 1,
    "后年": 2,
    "大后年": 3,
}
_SHIFTS = {"上上": -2, "上": -1, "这": 0, "本": 0, "今": 0, "下": 1, "下下": 2}
_WEEKDAYS = "一二三四五六日"
_PARTS = {
    "凌晨": "dawn",
    "半夜": "dawn",
    "午夜": "dawn",
    "清晨": "early",
    "中午": "noon",
    "正午": "noon",
    "午后": "afternoon",
    "下午": "afternoon",
    "傍晚": "evening",
    "晏昼": "afternoon",
}
_EDGES = {
    "初": "start",
    "上旬": "start",
    "中": "mid",
    "中旬": "mid",
    "底": "end",
    "末": "end",
    "下旬": "end",
}
_UNITS = {
    "秒": Length(seconds=1),
    "分": Length(seconds=60),
    "刻": Length(seconds=900),
    "小时": Length(seconds=3600),
    "钟": Length(seconds=3600),
    "天": Length(days=1),
    "日": Length(days=1),
    "周": Length(days=7),
    "星期": Length(days=7),
    "礼拜": Length(days=7),
    "月": Length(months=1),
    "季度": Length(months=3),
    "年": Length(months=12),
}
_HALVES = {1: Length(days=15), 3: Length(days=45), 12: Length(months=6)}


@cache
def _steps() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<n>{CHINESE_NUMBER}|半)\s*个?(?P<h>半)?"
        r"(?P<u>秒|分|刻|小时|钟|天|日|周|星期|礼拜|月|季度|年)[钟头]*(?P<x>半)?"
    )


def length_of(text: str) -> Length | None:
    """Add up 一年又三个月20天; None when a count cannot be read."""
    total = Length()
    for step in _steps().finditer(text):
        unit = _UNITS[step["u"]]
        half = _HALVES.get(unit.months) or Length(0, unit.days // 2, unit.seconds // 2)
        if unit.days == 1:
            half = Length(seconds=43200)
        if step["n"] == "半":
            total += half
            continue
        number = chinese_number(step["n"])
        if number is None or re.fullmatch("[一二两三四五六七八九]{2,}", step["n"]):
            return None  # 两三天 is two or three
        total += unit.times(number) + (half if step["h"] or step["x"] else Length())
    return total if total != Length() else None


def _on_day(shift: int) -> TimePart:
    return p.deictic("day", lambda view: cal.day_at(view.today + shift * DAY))


def day_word(m: _Match, _: str) -> TimePart:
    """昨天, 后天; and 去年的今天, the same day of another year."""
    word = m["w"].removesuffix("个")
    shift = _DAYS[word if word in _DAYS else word[0]]
    if shift:
        return _on_day(shift)
    return replace(
        _on_day(0),
        place=lambda view, of: cal.day_of(of.begin.year, view.now.month, view.now.day),
        inside=p.IN_YEAR,
    )


def repeated(m: _Match, _: str) -> TimePart:
    """每周三 is no particular Wednesday."""
    return p.span_of_length(Length())


def short_part(m: _Match, _: str) -> TimePart | None:
    shift = {"今": 0, "当": 0, "昨": -1, "明": 1, "前": -2, "后": 2, "听": 1, "寻": -1, "琴": -1}[
        m["d"]
    ]
    part_of_day = m["p"][0]
    if m["d"] in "前后" and part_of_day != "晚":
        return None
    inner = p.part_of_day("morning" if part_of_day in "早晨" else "night").place

    def resolve(view: View) -> Period | None:
        return inner(view, cal.day_at(view.today + shift * DAY)) if inner else None

    return p.deictic("part", resolve)


def now(m: _Match, _: str) -> TimePart:
    return p.deictic("minute", lambda view: Period(view.now, view.now, "minute"))


def recently(m: _Match, _: str) -> TimePart:
    return _on_day(0)


def _year_number(text: str) -> int | None:
    number = chinese_number(text)
    return full_year(number) if number is not None and len(text) == 2 else number


def month_day(m: _Match, _: str) -> TimePart | None:
    month, day = chinese_number(m["m"]), chinese_number(m["d"])
    if not month or not day or day > cal.days_in(2000, month):
        return None
    year = _year_number(m["y"]) if m["y"] else None
    return p.month_day(month, day) if year is None else p.fixed(cal.day_of(year, month, day))


def day_of_month(m: _Match, _: str) -> TimePart | None:
    day = chinese_number(m["d"])
    return p.day_of_month(day) if day and day <= 31 else None


def _weekday_number(char: str) -> int:
    return int(char) - 1 if char.isdigit() else _WEEKDAYS.index("日" if char == "天" else char)


def weekday_in_week(m: _Match, _: str) -> TimePart:
    number, shift = _weekday_number(m["d"]), _SHIFTS[m["s"]]
    piece = p.deictic(
        "day", lambda view: cal.day_at(cal.week_at(view.now, shift).begin + number * DAY)
    )
    return replace(piece, role="weekday", weekday=number)


def weekday(m: _Match, _: str) -> TimePart:
    return p.weekday(_weekday_number(m["d"]))


def weekend(m: _Match, _: str) -> TimePart:
    shift = _SHIFTS[m["s"] or "本"]
    return p.deictic("weekend", lambda view: cal.period_at(view.now, "weekend", shift))


def week(m: _Match, _: str) -> TimePart:
    shift = _SHIFTS[m["s"]]
    return p.deictic("week", lambda view: cal.week_at(view.now, shift))


def shifted_unit(m: _Match, _: str) -> TimePart:
    shift = _SHIFTS[m["s"]]
    unit = {"月": "month", "季度": "quarter", "半年": "half"}[m["u"]]
    return p.deictic(
        "month" if unit == "month" else "quarter", lambda view: cal.period_at(view.now, unit, shift)
    )


def year_word(m: _Match, _: str) -> TimePart:
    shift = _YEARS[m["w"]]
    return p.deictic("year", lambda view: cal.year_of(view.now.year + shift))


def year(m: _Match, _: str) -> TimePart | None:
    number = _year_number(m["y"])
    return p.fixed(cal.year_of(number)) if number else None


def year_month(m: _Match, _: str) -> TimePart | None:
    of, month_number = _year_number(m["y"]), chinese_number(m["m"])
    if not of or not month_number:
        return None
    return p.fixed(cal.months_from(of, month_number, 1, "month"))


def month(m: _Match, _: str) -> TimePart | None:
    number = chinese_number(m["m"])
    return p.month(number) if number else None


def quarter_or_half(m: _Match, _: str) -> TimePart | None:
    """第三季度, 上半年: of the year beside it, or of this one."""
    if m["h"]:
        first, step = (1 if m["h"] in "上前" else 7), 6
    else:
        first, step = (chinese_number(m["n"].removeprefix("第")) or 1) * 3 - 2, 3
    piece = p.yearly("quarter", lambda of: cal.months_from(of, first, step, "quarter"))
    return replace(
        piece,
        resolve=lambda view: cal.months_from(view.now.year, first, step, "quarter"),
        floating=False,
    )


def half_unit(m: _Match, _: str) -> TimePart:
    which = "early" if m["h"] in "上前" else "late"
    unit = "month" if "月" in m["u"] else "week"
    edge = s.edge(which, grains=p.IN_MONTH if unit == "month" else p.IN_WEEK)
    return replace(
        edge, resolve=lambda view: s.edge_of(cal.period_at(view.now, unit), which), weak=False
    )


def season(m: _Match, _: str) -> TimePart:
    name = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}[m["s"]]
    return replace(p.yearly("season", lambda of: cal.season_of(of, name)), weak=True)


def bare_edge(m: _Match, _: str) -> TimePart:
    unit, which = ("month" if m["u"] == "月" else "year"), _EDGES[m["e"]]
    return p.deictic("part", lambda view: s.edge_of(cal.period_at(view.now, unit), which))


def edge(m: _Match, _: str) -> TimePart:
    return s.edge(_EDGES[m["e"]])


def decade(m: _Match, _: str) -> TimePart | None:
    number = chinese_number(m["d"])
    if number is None:
        return None
    if number >= 1000:
        return p.fixed(cal.decade_of(number))
    if m["c"] and m["c"].startswith("上"):
        return p.deictic("decade", lambda v: cal.decade_of(v.now.year // 100 * 100 - 100 + number))
    if m["c"]:
        century = chinese_number(m["c"].removesuffix("世纪"))
        return p.fixed(cal.decade_of((century - 1) * 100 + number)) if century else None

    def resolve(view: View) -> Period | None:
        return cal.nearest(view, lambda c: cal.decade_of(c * 100 + number), view.now.year // 100, 1)

    return replace(p.deictic("decade", resolve), floating=True)


def century(m: _Match, _: str) -> TimePart | None:
    number = chinese_number(m["c"])
    return p.fixed(cal.century_of(number)) if number and number <= 99 else None


def nth(m: _Match, _: str) -> TimePart | None:
    last = m["n"].startswith("最后")
    number = -1 if last else 1 if m["n"] == "头一" else chinese_number(m["n"][1:])
    if not number:
        return None
    if m["w"]:
        return s.nth_weekday(_weekday_number(m["w"]), number)
    units = {"月": "month", "季度": "quarter", "天": "day"}
    return s.nth_unit(units.get(m["u"], "week"), number)


def from_now(m: _Match, _: str) -> TimePart | None:
    length = length_of(m["l"])
    return p.after_now(length, -1 if "前" in (m["k"] or "后") else 1) if length else None


def stretch(m: _Match, _: str) -> TimePart | None:
    """过去三天, 未来两周; but 去年的前10天 are its first ten days, and 国庆前三天 is one day."""
    length = length_of(m["l"])
    if length is None:
        return None
    back = m["k"] in ("过去", "最近", "近", "前", "之前", "上")
    piece = p.stretch(length, -1 if back else 1)
    if m["k"] not in ("前", "后"):
        return piece
    first = _counted(m["l"], 1) if back else None
    counted = first.place if first else None

    def place(view: View, host: Period) -> Period | None:
        if host.grain == "day":
            return cal.day_at(p.shifted(view, host.begin, length, -1 if back else 1))
        return counted(view, host) if counted else None

    inside = p.IN_DAY | (first.inside if first else p.NOWHERE)
    return replace(piece, place=place, inside=inside, role="plain", grain="century")


def last_stretch(m: _Match, _: str) -> TimePart | None:
    """去年的最后三周; alone, 最后三天 names no known days."""
    return _counted(m["l"], -1) if m["l"] else None


def _counted(text: str, side: int) -> TimePart | None:
    step = _steps().fullmatch(text)
    unit = {"天": "day", "周": "week", "星期": "week", "月": "month"}.get(step["u"] if step else "")
    count = chinese_number(step["n"]) if step and step["n"] != "半" else None
    return s.nth_unit(unit, side, count) if unit and count else None


def within(m: _Match, _: str) -> TimePart | None:
    length = length_of(m["l"])
    return p.stretch(length, 1, whole_days=False) if length else None


def neighbour_hour(m: _Match, _: str) -> TimePart:
    unit = Length(seconds=60 if "分" in m.group() else 3600)
    return p.stretch(unit, -1 if m["l"] else 1)


def part(m: _Match, _: str) -> TimePart:
    name = m["p"]
    fallback = "morning" if name[0] in "早上" else "night"
    return p.part_of_day(_PARTS.get(name, fallback))


def clock(m: _Match, _: str) -> TimePart | None:
    """Hours and minutes; a bare 一点, 两点, 三点 ("a bit", "three points") needs a neighbour."""
    hour = chinese_number(m["a"])
    minute = 30 if m["q"] == "半" else {"一": 15, "三": 45}[m["q"][0]] if m["q"] else 0
    if m["b"]:
        minute = chinese_number(m["b"].lstrip("零〇") or "零") or 0
        shown = m.group().endswith("分") or "秒" in m.group()
        if not shown and not m["b"].isdigit() and "十" not in m["b"] and m["b"][0] not in "零〇":
            return None
    if hour is None:
        return None
    bare = m["k"] in ("点", "时") and not m["q"] and not m["b"]
    weak = bare and ((hour <= 3 and m["a"] not in ("零", "0")) or m["k"] == "时")
    second = chinese_number(m["c"]) if m["c"] else 0
    return p.clock(hour, minute, second or 0, sure=hour > 12 or hour == 0, weak=weak)


def clock_range(m: _Match, _: str) -> TimePart | None:
    first, last = chinese_number(m["a"]), chinese_number(m["c"])
    if first is None or last is None:
        return None
    begin = p.clock(first, 30 if m["b"] else 0, sure=first > 12)
    end = p.clock(last, 30 if m["d"] else 0, sure=last > 12)
    return span_between(begin, end) if begin and end else None


def feast(m: _Match, _: str) -> TimePart:
    name = m["f"]
    make = chinese_feasts()[name]
    piece = replace(p.yearly("day", make, 2), name=name)
    if not is_at_year_end(name):
        return piece
    return replace(piece, place=lambda view, year: None if view.sure else make(year.begin.year))


def lunar_date(m: _Match, _: str) -> TimePart | None:
    """农历八月十五, 腊月廿三, 大年初三; beside 去年, of the lunar year that is last."""
    month = {"正": 1, "冬": 11, "腊": 12}.get(m["m"] or "正") or chinese_number(m["m"])
    day = chinese_number(m["d"].removeprefix("初"))
    if not month or not day or day > 30:
        return None
    if m["y"]:
        year = _year_number(m["y"])
        return p.fixed(lunar_day(year, month, day)) if year else None
    name = m.group() if m.group()[0] in "农阴旧正冬腊大" else f"农历{m.group()}"

    def place(view: View, of: Period) -> Period | None:
        shift = of.begin.year - view.now.year
        unclear = spans_new_year(month) and lunar_year_of(view.now) != view.now.year
        if view.sure and unclear:
            return None
        return lunar_day(view.now.year + shift, month, day)

    piece = p.yearly("day", lambda year: lunar_day(year, month, day), 2)
    return replace(piece, place=place, name=name)
