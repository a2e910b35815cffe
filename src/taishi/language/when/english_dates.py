"""English dates by name and number: May 5th, 5/5/2023, Q3 2019, the nineties, Christmas, 3pm."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from ..lazy_regex import lazy_compile
from . import calendar as cal
from . import time_parts as p
from .calendar import Period, View
from .holidays import english_feasts, feast_in
from .numbers import (
    english_number,
    english_year,
    full_year,
)
from .time_parts import TimePart

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
MONTH_WORDS = frozenset(
    "january february march april june july august september october november december sept".split()
) | frozenset(MONTHS)
_SURE_MONTHS = MONTH_WORDS - frozenset(MONTHS) - {"march"}
_BEFORE_MONTH = lazy_compile(
    r"\b(?:in|of|last|next|since|until|till|from|by|early|mid|late|before|after|between"
    r"|during|through|around|past|previous|coming|each|every)(?: the)?[ -]+$"
)
_NOT_MONTH_AFTER = lazy_compile(
    r"\s+(?:i|we|you|he|she|it|they|not|be|have|well|also|on|the|a|that|this|ask)\b"
)


_MODIFIER = lazy_compile(r"\b(?P<m>this|next|last) $")
_SIDES: dict[str, cal.Prefer] = {"next": "future", "last": "past"}


def month_number(name: str) -> int:
    return MONTHS.index(name[:3]) + 1


def _year(text: str | None) -> int | None:
    return english_year(text) if text else None


_SMALL_NUMBERS = tuple("one two three four five six seven eight nine ten".split())


def month_day(m: re.Match[str], _: str) -> TimePart | None:
    month, day, year = month_number(m["m"]), english_number(m["d"]), _year(m["y"])
    if m["m"] == "may" and english_number(m["d"]) and m.group().startswith(_SMALL_NUMBERS):
        return None  # "one may ask"
    if day is None or not 1 <= day <= 31:
        return None
    if year is None:
        known = day <= cal.days_in(2000, month)
        return _leaning(p.month_day(month, day), m) if known else None
    return p.fixed(cal.day_of(year, month, day))


def _leaning(piece: TimePart, m: re.Match[str]) -> TimePart:
    """ "Next 5/12", "this May 5": a modifier decides what the view would otherwise decide."""
    before = _MODIFIER.search(m.string, max(0, m.start() - 6), m.start())
    if before is None:
        return piece
    base, put, side = piece.resolve, piece.place, _SIDES.get(before["m"])

    def resolve(view: View) -> Period | None:
        if side:
            return base(replace(view, prefer=side))
        return put(view, cal.year_of(view.now.year)) if put else None

    return replace(piece, resolve=resolve, floating=False, weak=False)


def month_days(m: re.Match[str], _: str) -> TimePart | None:
    """ "November 18-19", "between 3 and 12 of Sept": two days of one month."""
    month, year = month_number(m["m"]), _year(m["y"])
    first, last = english_number(m["d"]), english_number(m["e"])
    if not first or not last or first >= last:
        return None

    def make(number: int) -> Period | None:
        begin, end = cal.day_of(number, month, first), cal.day_of(number, month, last)
        return Period(begin.begin, end.begin, "day") if begin and end else None

    piece = p.yearly("day", make, 8) if year is None else p.fixed(make(year))
    return replace(piece, role="range") if piece else None


def month_year(m: re.Match[str], _: str) -> TimePart | None:
    year = _year(m["y"])
    return p.fixed(cal.months_from(year, month_number(m["m"]), 1, "month")) if year else None


def bare_month(m: re.Match[str], original: str) -> TimePart:
    """A month's name alone; "may", "march" and short forms only where they cannot be a verb."""
    name, piece = m["m"], p.month(month_number(m["m"]))
    if name in _SURE_MONTHS or _BEFORE_MONTH.search(m.string, max(0, m.start() - 20), m.start()):
        return piece
    before = m.string[max(0, m.start() - 3) : m.start()].rstrip(" ")
    capital = (
        original[m.start()].isupper() and before and (before[-1].isalnum() or before[-1] == ",")
    )
    alone = not m.string.strip(" .?!") or m.string.strip(" .?!") == m.group()
    sure = alone or (capital and not _NOT_MONTH_AFTER.match(m.string, m.end()))
    return piece if sure else replace(piece, weak=True)


def numeric(m: re.Match[str], _: str) -> TimePart | None:
    first, second, year = int(m["a"]), int(m["b"]), int(m["y"])
    year = full_year(year) if len(m["y"]) == 2 else year
    if first > 12 or (m["s"] == "." and second <= 12):
        first, second = second, first
    return p.fixed(cal.day_of(year, first, second)) if year >= 1 else None


def stamp(m: re.Match[str], _: str) -> TimePart | None:
    """ "2024-05-01T10:30:00Z": an instant; an offset is turned into the reference's zone."""
    try:
        moment = datetime.fromisoformat(m.group().upper())
    except ValueError:
        return None

    def resolve(view: View) -> Period:
        local = moment.astimezone(view.zone) if moment.tzinfo and view.zone else moment
        local = local.replace(tzinfo=None)
        return Period(local, local, "minute")

    return TimePart(0, 0, "minute", resolve, relative=False)


def iso_day(m: re.Match[str], _: str) -> TimePart | None:
    return p.fixed(cal.day_of(int(m["y"]), int(m["a"]), int(m["b"])))


_ON = lazy_compile(
    r"(?:\b(?P<w>on|by|from|until|till|since|before|after|between|this|next|to)|(?:day,?))\s+$"
)


def slashed(m: re.Match[str], _: str) -> TimePart | None:
    """ "5/12" may be a date, a score or a fraction: only a preposition makes the last two dates."""
    first, second = int(m["a"]), int(m["b"])
    fraction = first <= second <= 10 or (first, second) == (24, 7)
    led = _ON.search(m.string, max(0, m.start() - 10), m.start())
    by_weekday = led is not None and led["w"] is None and m["s"] == "."
    sure = led is not None and (m["s"] == "/" or led["w"] == "on" or by_weekday)
    if first > 12:
        first, second = second, first
    if not (1 <= first <= 12 and 1 <= second <= cal.days_in(2000, first)):
        return None
    if not sure and m["s"] != "/":
        return None  # a score, a size or hours
    weak = not sure and fraction
    return _leaning(replace(p.month_day(first, second), weak=weak), m)


def numeric_month(m: re.Match[str], _: str) -> TimePart | None:
    month = int(m["b"])
    return p.fixed(cal.months_from(int(m["y"]), month, 1, "month")) if 1 <= month <= 12 else None


_BEFORE_YEAR = lazy_compile(
    r"(?:\b(?:in|of|since|until|till|from|by|early|mid|late|before|after|between|during|through"
    r"|around|year|years|than|for|back in|and|or|to|on|not|but|cy|only|at|summer|winter|spring"
    r"|autumn|fall)|[=<>(,~–-])(?: the)?(?: year)?\s*$"
)
_AFTER_YEAR = lazy_compile(r"\s*(?:$|[.,;:!?)\]~–-](?!\d)|(?:and|or|to|through|till)\b)")
_LABELLED = lazy_compile(
    r"\b(?:room|no\.?|number|flight|page|version|code|pin|bus|route|model|id)\s*$"
)
_AFTER_COUNT = lazy_compile(
    r"\s*(?:%|km|kg|mg|ml|mm|cm|usd|dollars?|people|pieces?|points?|times|words|[a-z]+s\b)"
)


def bare_year(m: re.Match[str], _: str) -> TimePart | None:
    """Four digits are a year after a preposition or standing free, not when they count things."""
    year = _year(m["y"])
    if not year:
        return None
    text = m.string
    lead = _BEFORE_YEAR.search(text, max(0, m.start() - 20), m.start())
    counted = _AFTER_COUNT.match(text, m.end()) and not _AFTER_YEAR.match(text, m.end())
    free = _AFTER_YEAR.match(text, m.end())
    if _LABELLED.search(text, max(0, m.start() - 10), m.start()):
        return None
    if m["y"].isdigit() and not m["w"] and (counted or not (lead or free)):
        return replace(p.deictic("year", lambda _: cal.year_of(year), weak=True), relative=False)
    if not m["y"].isdigit() and not lead and not m["w"]:
        return None
    return p.fixed(cal.year_of(year))


def decade(m: re.Match[str], _: str) -> TimePart | None:
    if m["w"]:
        tens = "twenties thirties forties fifties sixties seventies eighties nineties".split()
        digits = 20 + 10 * tens.index(m["w"])
    else:
        digits = int(m["n"])
        if len(m["n"]) == 4:
            return p.fixed(cal.decade_of(digits))

    def resolve(view: View) -> Period | None:
        return cal.nearest(view, lambda c: cal.decade_of(c * 100 + digits), view.now.year // 100, 1)

    return replace(p.deictic("decade", resolve), floating=True)


def century(m: re.Match[str], _: str) -> TimePart | None:
    number = english_number(m["n"])
    return p.fixed(cal.century_of(number)) if number and number <= 99 else None


def quarter(m: re.Match[str], _: str) -> TimePart | None:
    number, half = int(m["n"]), m["k"] == "h"
    if number > (2 if half else 4):
        return None
    step = 6 if half else 3
    year = _year(m["y"] or m["z"])

    def make(of: int) -> Period:
        return cal.months_from(of, (number - 1) * step + 1, step, "quarter")

    return p.fixed(make(year)) if year else p.yearly("quarter", make)


def season(m: re.Match[str], _: str) -> TimePart:
    name = "autumn" if m["s"] == "fall" else m["s"]
    return replace(p.yearly("season", lambda year: cal.season_of(year, name)), weak=True)


def feast(m: re.Match[str], _: str) -> TimePart | None:
    return feast_named(m["f"])


def feast_named(words: str) -> TimePart | None:
    name = re.sub(r"['’]", "", words)
    if name not in english_feasts():
        return None
    return replace(p.yearly_there(lambda view, year: feast_in(view, name, year)), name=words)


def ordinal_day(m: re.Match[str], original: str) -> TimePart | None:
    day = english_number(m["d"])
    if not day or day > 31 or m.group().endswith("day"):
        return None
    led = _ON.search(m.string, max(0, m.start() - 10), m.start())
    on = (led and led["w"] not in ("to", "this", "next", "from")) or m.group().startswith("the")
    return p.day_of_month(day, weak=not on or not m["d"][0].isdigit())
