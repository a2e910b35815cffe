"""English expressions that lean on the present: what each rule's match means."""

from __future__ import annotations

import re
from dataclasses import replace

from ..lazy_regex import lazy_compile
from . import calendar as cal
from . import selectors as s
from . import time_parts as p
from .calendar import DAY, Period, View
from .english_dates import MONTHS, feast_named, month_number
from .numbers import WORD_NUMBER, english_number
from .time_parts import Length, TimePart

WEEKDAYS = "mon tue wed thu fri sat sun".split()
WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?)"
)
WEEKDAY_WORDS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday tues thur thurs".split()
) | frozenset(WEEKDAYS)
UNITS = {
    "second": Length(seconds=1),
    "sec": Length(seconds=1),
    "minute": Length(seconds=60),
    "min": Length(seconds=60),
    "hour": Length(seconds=3600),
    "hr": Length(seconds=3600),
    "h": Length(seconds=3600),
    "day": Length(days=1),
    "night": Length(days=1),
    "week": Length(days=7),
    "wk": Length(days=7),
    "fortnight": Length(days=14),
    "month": Length(months=1),
    "quarter": Length(months=3),
    "year": Length(months=12),
    "yr": Length(months=12),
    "decade": Length(months=120),
}
UNIT = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|nights?|weeks?|wks?|fortnights?"
    r"|months?|quarters?|years?|yrs?|decades?)"
)
_COUNT = rf"(?:\d{{1,4}}|{WORD_NUMBER}|an?|(?:a )?couple(?: of)?|half an?|half)"
_STEP = rf"(?:{_COUNT})(?: and a half)?[ -]?(?:{UNIT})\b(?: and a half)?"
LENGTH = rf"{_STEP}(?:(?:,|,? and)? {_STEP}){{0,3}}"
_STEPS = lazy_compile(rf"(?P<n>{_COUNT})(?P<y> and a half)?[ -]?(?P<u>{UNIT})\b(?P<x> and a half)?")
UNIT_WORDS = frozenset(w for unit in UNITS for w in (unit, unit + "s"))
BACK = r"(?:last|previous|past|prior)"
AHEAD = r"(?:next|nxt|following|coming|upcoming)"
MOD = rf"(?:this (?:past|coming|upcoming)|{BACK}|{AHEAD}|this|current)"
_DAY_WORDS = {
    "today": 0,
    "tonight": 0,
    "tonite": 0,
    "yesterday": -1,
    "tomorrow": 1,
    "tmrw": 1,
    "tmr": 1,
    "tomorow": 1,
    "2moro": 1,
    "2morrow": 1,
    "tmw": 1,
    "2nite": 0,
    "yday": -1,
    "current date": 0,
    "day before yesterday": -2,
    "day after tomorrow": 2,
}


def length_of(text: str) -> Length | None:
    """Add up "2 years 1 month and 21 days"; None when a count is not a number ("few")."""
    total = Length()
    for step in _STEPS.finditer(text):
        unit = UNITS[step["u"].rstrip("s") if step["u"] != "s" else "second"]
        count = step["n"]
        if count.startswith("half"):
            total += _half(unit)
            continue
        number = 2 if "couple" in count else english_number(count)
        if number is None:
            return None
        total += unit.times(number)
        if step["x"] or step["y"]:
            total += _half(unit)
    return total if total != Length() else None


def _half(unit: Length) -> Length:
    if unit.months == 1:
        return Length(days=15)
    if unit.days == 1:
        return Length(seconds=43200)
    return Length(unit.months // 2, unit.days // 2, unit.seconds // 2)


def direction(modifier: str) -> int:
    if re.fullmatch(rf"{BACK}|this past", modifier):
        return -1
    return 1 if re.fullmatch(rf"{AHEAD}|this (?:coming|upcoming)", modifier) else 0


def day_word(m: re.Match[str], _: str) -> TimePart:
    word = re.sub(r"^the ", "", m["w"])
    shift = _DAY_WORDS[word]
    piece = p.deictic("day", lambda view: cal.day_at(view.today + shift * DAY))
    if word in ("tonight", "tonite", "2nite"):
        return _part_on(shift, "night")
    return piece


def _part_on(shift: int, part: str, edge: str = "") -> TimePart:
    inner = p.part_of_day(part, edge=edge).place

    def resolve(view: View) -> Period | None:
        return inner(view, cal.day_at(view.today + shift * DAY)) if inner else None

    return replace(p.deictic("part", resolve))


def this_part(m: re.Match[str], _: str) -> TimePart:
    edge = {"e": "early", "l": "late"}.get((m["e"] or " ")[0], "")
    return _part_on(direction(m["m"]), m["n"], edge)


def present(m: re.Match[str], _: str) -> TimePart:
    return p.deictic("minute", lambda view: Period(view.now, view.now, "minute"))


def ago(m: re.Match[str], _: str) -> TimePart | None:
    length = length_of(m["l"])
    return p.after_now(length, -1) if length else None


def hence(m: re.Match[str], _: str) -> TimePart | None:
    if "-" in m["l"] and not m.group().endswith(("later", "now", "hence")):
        return None  # "in 25-minute steps" says how long, not when
    length = length_of(m["l"])
    return p.after_now(length, 1) if length else None


def bare_length(m: re.Match[str], _: str) -> TimePart | None:
    length = length_of(m["l"])
    return p.span_of_length(length) if length else None


_VERB_LAST = lazy_compile(
    r"(?:n['’]t|\b(?:will|to|should|would|can|could|may|might|must|does|did|only|not|usually))\s$"
)


def stretch(m: re.Match[str], _: str) -> TimePart | None:
    """ "The past three days"; quarters and decades are whole ones, the rest count from today."""
    sign = direction(m["m"])
    if m["m"] == "last" and _VERB_LAST.search(m.string, max(0, m.start() - 12), m.start()):
        return None  # "it should last two hours"
    unit = re.findall(r"[a-z]+", m["l"])[-1].rstrip("s")
    length = length_of(m["l"])
    if sign == 0 or length is None:
        return None
    if unit in ("quarter", "decade") and length.months:
        count = length.months // UNITS[unit].months

        def whole(view: View) -> Period:
            first, last = (1, count) if sign > 0 else (-count, -1)
            return Period(
                cal.period_at(view.now, unit, first).begin,
                cal.period_at(view.now, unit, last).until,
                "quarter" if unit == "quarter" else "decade",
            )

        return replace(p.deictic("decade", whole), role="range")
    return p.stretch(length, sign)


def within(m: re.Match[str], _: str) -> TimePart | None:
    length = length_of(m["l"])
    return p.stretch(length, 1, whole_days=False) if length else None


def this_unit(m: re.Match[str], _: str) -> TimePart | None:
    shift, unit = direction(m["m"]), m["u"]
    if unit in ("hour", "minute"):
        return p.stretch(UNITS[unit], shift) if shift else None
    if unit == "day":
        return None
    if unit in ("workweek", "working week", "work week"):
        return replace(p.deictic("week", lambda view: _workdays(view, shift)), role="range")
    unit = unit.removeprefix("calendar ")
    grain = {"fortnight": "week"}.get(unit, unit)
    return p.deictic(grain, lambda view: cal.period_at(view.now, unit, shift))  # type: ignore[arg-type]


def _workdays(view: View, shift: int) -> Period:
    week = cal.week_at(view.now, shift)
    return Period(week.begin, week.begin + 5 * DAY, "week")


def repeated(m: re.Match[str], _: str) -> TimePart:
    """ "Every Monday" is no particular Monday."""
    return p.span_of_length(Length())


def the_unit(m: re.Match[str], _: str) -> TimePart | None:
    """ "The month": this month, but only as part of "the end of the month"."""
    unit = m["u"]
    if m.group() == "week" and re.search(r"day $", m.string[max(0, m.start() - 4) : m.start()]):
        return None  # "Tuesday week" is a week later
    led = re.search(r"\bfor $", m.string[max(0, m.start() - 4) : m.start()])
    weak = unit != "weekend" and not (led and m.group().startswith("the"))
    piece = p.deictic(unit, lambda view: cal.period_at(view.now, unit), weak=weak)  # type: ignore[arg-type]
    if m.group() != "weekend":
        return piece
    around = s.weekend_around()
    return replace(piece, place=around.place, inside=around.inside)


def after_next(m: re.Match[str], _: str) -> TimePart:
    """ "The week after next", "the month before last"."""
    unit, shift = m["u"], 2 if m["k"] == "after next" else -2
    return p.deictic(unit, lambda view: cal.period_at(view.now, unit, shift))  # type: ignore[arg-type]


def weekday_after_next(m: re.Match[str], _: str) -> TimePart:
    """ "The Monday after next": surely only if this week's is over, or for "before last" to"
    " come."""
    number, ahead = WEEKDAYS.index(m["w"][:3]), m["k"] == "after next"

    def resolve(view: View) -> Period | None:
        gap = number - view.today.weekday()
        if view.sure and (gap > 0 if ahead else gap < 0):
            return None  # the next one may be this week's or next week's
        week = cal.week_at(view.now, 2 if ahead else -2)
        return cal.day_at(week.begin + number * DAY)

    return p.deictic("day", resolve)


def weekday_day(m: re.Match[str], _: str) -> TimePart | None:
    """ "Friday 23", with nothing after it that the number could count."""
    day = int(m["d"])
    return p.weekday_and_day(WEEKDAYS.index(m["w"][:3]), day) if 1 <= day <= 31 else None


def this_weekday(m: re.Match[str], _: str) -> TimePart:
    """Last and next mean the neighbouring calendar week; past and coming mean the nearest one."""
    number, modifier = WEEKDAYS.index(m["w"][:3]), m["m"]

    def resolve(view: View) -> Period:
        if modifier in ("past", "this past"):
            return cal.day_at(view.today - ((view.today.weekday() - number - 1) % 7 + 1) * DAY)
        if modifier in ("coming", "upcoming", "this coming", "this upcoming"):
            return cal.day_at(view.today + ((number - view.today.weekday() - 1) % 7 + 1) * DAY)
        week = cal.week_at(view.now, direction(modifier))
        return cal.day_at(week.begin + number * DAY)

    return replace(p.deictic("day", resolve), role="weekday", weekday=number)


def this_yearly(m: re.Match[str], _: str) -> TimePart | None:
    """ "Last May", "next summer", "this Christmas": the nearest one on that side."""
    name, shift = m["w"], direction(m["m"])
    feast = feast_named(name)
    if feast is not None:
        base = feast
    elif name in ("spring", "summer", "autumn", "fall", "winter"):
        season = "autumn" if name == "fall" else name
        base = p.yearly("season", lambda year: cal.season_of(year, season))
    elif name[:3] in MONTHS:
        base = p.month(month_number(name))
    else:
        return None  # "next valentine" is no feast's name

    def resolve(view: View) -> Period | None:
        if shift == 0:
            return base.place(view, cal.year_of(view.now.year)) if base.place else None
        side: cal.Prefer = "past" if shift < 0 else "future"
        found = base.resolve(replace(view, prefer=side))
        if found and found.begin <= view.now < found.until and base.place:
            return base.place(view, cal.year_of(found.begin.year + shift))
        return found

    return replace(p.deictic(base.grain, resolve), name=base.name)


def weekday(m: re.Match[str], original: str) -> TimePart:
    """Short forms ("sat", "sun", "wed") are days when capitalised, or after "on" and the like."""
    name = m["w"]
    number = WEEKDAYS.index(name[:3])
    if name.endswith("day"):
        return p.weekday(number)
    before = m.string[max(0, m.start() - 8) : m.start()]
    led = re.search(r"\b(?:on|by|until|till|since|from|before|after|or|week)\s+$", before)
    capital = original[m.start()].isupper() and not re.search(r"\bthe\s+$", before)
    return p.weekday(number, weak=not (led or (capital and before.strip(" "))))


def weekdays_away(m: re.Match[str], _: str) -> TimePart | None:
    """ "Two Sundays ago": counted from today, which is not one of them."""
    count, number = english_number(m["n"]), WEEKDAYS.index(m["w"][:3])
    if not count or count > 999:
        return None
    sign = -1 if m["k"] == "ago" else 1

    def resolve(view: View) -> Period:
        gap = (sign * (number - view.today.weekday()) - 1) % 7 + 1
        return cal.day_at(view.today + sign * (gap + 7 * (count - 1)) * DAY)

    return p.deictic("day", resolve)


def edge(m: re.Match[str], _: str) -> TimePart:
    word = m["e"]
    which = {
        "early": "early",
        "earlier": "early",
        "beginning": "start",
        "start": "start",
        "mid": "mid",
        "middle": "mid",
        "late": "late",
        "later": "late",
        "end": "end",
        "rest": "rest",
        "remainder": "rest",
        "remaining": "rest",
    }[word]
    if which == "rest":
        return s.rest()
    return s.edge(which, clipped=word.endswith("er"), grains=s.DIVISIBLE_OR_DAY)


def nth(m: re.Match[str], _: str) -> TimePart | None:
    nth = -1 if m["n"] == "last" else english_number(m["n"])
    if nth is None:
        return None
    if m["w"]:
        return s.nth_weekday(WEEKDAYS.index(m["w"][:3]), nth)
    return s.nth_unit(m["u"].rstrip("s"), nth)


def first_few(m: re.Match[str], _: str) -> TimePart | None:
    count = english_number(m["c"])
    return s.nth_unit(m["u"].rstrip("s"), 1 if m["n"] == "first" else -1, count) if count else None


def acronym(m: re.Match[str], _: str) -> TimePart:
    """ "EOD", "EOM", "EOY" and "end of day" without an article."""
    unit = m["f"] or {"d": "day", "w": "week", "m": "month", "y": "year"}[m["k"]]

    def resolve(view: View) -> Period:
        return s.edge_of(cal.period_at(view.now, unit), "end")

    return p.deictic("part", resolve)


def to_date(m: re.Match[str], _: str) -> TimePart:
    unit = m["u"]
    return p.deictic(
        "day",
        lambda view: Period(cal.period_at(view.now, unit).begin, view.today, "day"),
    )


def inner_stretch(m: re.Match[str], _: str) -> TimePart | None:
    """ "The 5 past years": the same as "the past 5 years"."""
    length = length_of(m["l"].replace(f" {m['m']} ", " "))
    return p.stretch(length, direction(m["m"])) if length else None
