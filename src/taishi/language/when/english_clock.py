"""English times of day: 3pm, 14:30, half past seven, noon, in the evening, from 5 to 6pm."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from . import calendar as cal
from . import time_parts as p
from .calendar import Period, View
from .numbers import NUMBER_WORDS, WORD_NUMBER, english_number
from .rules import DIGIT, Rule, rule
from .time_parts import TimePart

_HALF = r"(?:\s*(?P<h>[ap])(?:\.\s?m\b\.?|\s?m\b|(?<=\d[ap])(?P<l>\b(?!\w))))"
_HOUR_WORD = "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_MINUTE_WORD = rf"(?:oh[ -]\w+|{WORD_NUMBER})"
_AT = re.compile(r"(?:\b(?:at|around|about|by|for|from)|@)\s*$")
_OF = re.compile(r"\s+(?:of|in)\s+(?!the (?:morning|afternoon|evening))")
_DAY_AFTER = re.compile(r"\s(?:next|tomorrow)\b")
_DAY_BEFORE = re.compile(r"(?:day|morning|afternoon|evening|tomorrow)\s$")
_DASH = r"\s*(?:-|–|~|to|until|till|through|(?<=\d )and(?= \d))\s*"
HOUR_WORDS = frozenset("one two three four five six seven eight nine ten eleven twelve".split())
PART_WORDS = frozenset(
    "morning mornings afternoon afternoons evening evenings night nights daytime".split()
)


def _hour(hour: int, half: str | None) -> int | None:
    if not half:
        return hour
    if not 1 <= hour <= 12:
        return hour if hour <= 24 else None
    return hour % 12 + (12 if half == "p" else 0)


def _clock(m: re.Match[str], _: str) -> TimePart | None:
    hour = _hour(int(m["a"]), m["h"])
    if hour is None:
        return None
    sure = bool(m["h"]) or hour > 12 or m["a"].startswith("0")
    weak = m["l"] is not None and not m["b"]
    return p.clock(hour, int(m["b"] or 0), int(m["c"] or 0), sure=sure, weak=weak)


def _word_clock(m: re.Match[str], _: str) -> TimePart | None:
    """ "Six pm", "seven o'clock"; without either ("nine thirty") only beside a date."""
    hour, minute = english_number(m["a"]), english_number(m["b"]) if m["b"] else 0
    if hour is None or minute is None or hour > 12:
        return None
    moved = _hour(hour, m["h"])
    weak = not m["h"] and not m["o"]
    return moved if moved is None else p.clock(moved, minute, sure=bool(m["h"]), weak=weak)


def _past(m: re.Match[str], _: str) -> TimePart | None:
    hour = english_number(m["a"])
    minute = {"half": 30, "quarter": 15, "a quarter": 15}.get(m["b"]) or english_number(m["b"])
    if hour is None or minute is None or hour > 12:
        return None
    if m["t"] in ("to", "till", "before"):
        hour, minute = (hour - 1 or 12), 60 - minute
    moved = _hour(hour, m["h"])
    return moved if moved is None else p.clock(moved, minute, sure=bool(m["h"]))


def _bare_hour(m: re.Match[str], _: str) -> TimePart | None:
    """ "At 7", "around 4": a time only beside a date or a part of the day."""
    near = _AT.search(m.string, max(0, m.start() - 8), m.start())
    return p.clock(int(m["a"]), int(m["b"] or 0), weak=True) if near or m["c"] is not None else None


def _named(m: re.Match[str], _: str) -> TimePart | None:
    return p.clock(0 if "night" in m["n"] else 12, sure=True)


def _part(m: re.Match[str], _: str) -> TimePart:
    edge = {"early": "early", "earlier": "early", "late": "late", "later": "late"}
    return p.part_of_day(m["n"], weak=not m["i"], edge=edge.get(m["e"] or m["i"] or "", ""))


def _half_day(m: re.Match[str], _: str) -> TimePart:
    """ "Today pm"."""
    return p.part_of_day("morning" if m["n"] == "am" else "afternoon", weak=True)


def _clock_range(m: re.Match[str], _: str) -> TimePart | None:
    """ "From 5 to 6pm", "2:00 - 2:30 pm": the second half of the day holds for both if it can."""
    if " and " in m.group() and not m.group().startswith("between"):
        return None
    last = _hour(int(m["d"]), m["i"])
    first = _hour(int(m["a"]), m["h"])
    if first is None or last is None:
        return None
    if m["i"] == "p" and not m["h"] and first < 12 and first + 12 <= last:
        first += 12
    sure = bool(m["h"] or m["i"]) or max(first, last) > 12
    begin = p.clock(first, int(m["b"] or 0), sure=sure)
    end = p.clock(last, int(m["e"] or 0), sure=sure)
    if begin is None or end is None:
        return None
    if _OF.match(m.string, m.end()):
        return None  # days of a month
    led = m.group().startswith(("from", "between", "at"))
    beside = _DAY_BEFORE.search(m.string, max(0, m.start() - 12), m.start())
    if not (
        m["h"] or m["i"] or led or m["b"] or m["e"] or beside or _DAY_AFTER.match(m.string, m.end())
    ):
        return None  # a score, sizes, pages
    return span_between(begin, end, weak=not sure and not (m["b"] or m["e"]))


def span_between(begin: TimePart, end: TimePart, *, weak: bool = False) -> TimePart:
    """A stretch of one day between two clock times; an end before the begin is the next day's."""
    start_at, end_at = begin.place, end.place

    def place(view: View, day: Period) -> Period | None:
        first = start_at(view, day) if start_at else None
        last = end_at(view, day) if end_at else None
        if first is None or last is None:
            return None
        until = last.begin
        if view.sure and until <= first.begin and day.grain == "part":
            return None
        if until <= first.begin:
            late = until.replace(hour=until.hour + 12) if until.hour < 12 else until
            until = late if late > first.begin else cal.DAY + until
        return Period(first.begin, until, "hour")

    is_open = begin.open_hour is not None and end.open_hour is not None
    return replace(
        begin,
        resolve=lambda view: place(view, cal.day_at(view.now)),
        place=place,
        weak=weak,
        open_hour=(0, 0) if is_open else None,
    )


def _at_word(m: re.Match[str], original: str) -> TimePart | None:
    return (
        _word_clock(m, original) if _AT.search(m.string, max(0, m.start() - 8), m.start()) else None
    )


def _past_sure(m: re.Match[str], original: str) -> TimePart | None:
    """ "Five to seven" may be a range; only "past", "quarter" and "half" are surely a clock."""
    sure = m["t"] == "past" or m["b"] in ("half", "quarter", "a quarter")
    return _past(m, original) if sure else None


@cache
def clock_rules() -> tuple[Rule, ...]:
    """Rules for the time of day."""
    hour = r"(?<![\w$£€.:/-])(?P<a>[012]?\d)"
    pm = r"(?:\s*(?P<h>[ap])(?:\.\s?m\b\.?|\s?m\b))"
    return (
        rule(hour + r"(?:[:.](?P<b>[0-5]\d)(?::(?P<c>[0-5]\d))?)?" + _HALF, _clock, (DIGIT,)),
        rule(
            hour + r":(?P<b>[0-5]\d)(?::(?P<c>[0-5]\d))?(?P<h>)(?P<l>)(?![\d:])", _clock, (DIGIT,)
        ),
        rule(
            rf"\b(?P<a>{_HOUR_WORD}|\d\d?)(?:[ -](?P<b>{_MINUTE_WORD}))?"
            rf"(?:{pm}|(?P<o>\s?o\s?['’]?\s?clock\b))",
            _word_clock,
            HOUR_WORDS | {DIGIT},
            ("am", "pm", "a", "p", "clock", "oclock"),
        ),
        rule(
            rf"\b(?P<a>{_HOUR_WORD})[ -](?P<b>{_MINUTE_WORD})\b(?P<h>)(?P<o>)(?: minutes)?",
            _word_clock,
            HOUR_WORDS,
        ),
        rule(rf"\b(?P<a>{_HOUR_WORD})\b(?P<b>)(?P<h>)(?P<o>)", _at_word, HOUR_WORDS),
        rule(
            rf"\b(?P<b>half|(?:a )?quarter|{WORD_NUMBER}|[0-5]?\d)(?: ?min(?:ute)?s?)?"
            rf" (?P<t>past|to|till|after) (?P<a>{_HOUR_WORD}|1[0-2]|[1-9])\b(?!:)"
            rf"(?:\s?o['’]?clock)?{pm}?",
            _past_sure,
            NUMBER_WORDS | {DIGIT, "half", "quarter", "a"},
            ("past", "quarter", "half"),
        ),
        rule(
            r"(?<![\w$£€.:/-])(?P<a>1\d|2[0-4]|\d)(?:[.](?P<b>[0-5]\d))?(?![\w%/]|[.:,]\d)"
            r"(?P<c>(?=,? ?tonight))?",
            _bare_hour,
            (DIGIT,),
        ),
        rule(r"(?<=day |row )(?P<n>am|pm)\b", _half_day, ("am", "pm")),
        rule(
            r"\b(?P<n>noon|midday|mid[ -]?night)(?:ish)?\b",
            _named,
            ("noon", "midday", "midnight", "mid", "noonish"),
        ),
        rule(
            r"\b(?:(?P<i>in the|in|early in the|late in the|later in the) )?"
            r"(?:(?P<e>early|late) )?(?P<n>morning|afternoon|evening|night|daytime)\b",
            _part,
            PART_WORDS | {"in", "early", "late", "later"},
            PART_WORDS,
        ),
        rule(
            r"(?<![\w$£€.:/-])(?:(?:from|between|at) )?(?P<a>[012]?\d)(?::(?P<b>[0-5]\d))?"
            rf"{pm}?{_DASH}(?P<d>[012]?\d)(?::(?P<e>[0-5]\d))?"
            r"(?:\s*(?P<i>[ap])(?:\.\s?m\b\.?|\s?m\b))?(?![\w/%]|[.,:-]\d)",
            _clock_range,
            {DIGIT, "from", "between", "at"},
            (DIGIT,),
        ),
    )
