"""Joining neighbouring pieces: "next week" + "Tuesday" + "3pm", "May 5" to "May 8".

Each pass walks the pieces once from left to right, so the work stays linear in their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from ..lazy_regex import lazy_compile
from . import calendar as cal
from . import time_parts as p
from .am_pm import hour_of_day
from .calendar import Period, View
from .partial_matches import whole_ones
from .ranges import anchored, hours_on, lasting_from, offset_weekday, range_between
from .time_parts import TimePart, bridged

Join = Callable[[str, TimePart, TimePart], TimePart | None]

_WIDEST_GAP = 24
_GAP = lazy_compile(
    r"(?:['’]s|\.)?\s*[,，]?\s*(?:-\s*)?(?:(?:of|in|on|for|during)\b\s*)?(?:the\b\s*)?的?\s*"
)
_CHINESE_GAP = lazy_compile(r"\s*的?\s*(?:,\s*(?=[0-9]{4}))?")
_CLOCK_GAP = lazy_compile(
    r"\s*[,，(]?\s*(?:-|@)?\s*(?:(?:at|around|about|for|on|of|in|from|between)\b\s*)?"
    r"(?:around\s*)?(?:the\b\s*)?的?\s*"
)
_PART_FIRST_GAP = lazy_compile(r"\s*(?:(?:of|on)\b\s*)?(?:the\b\s*)?")
_CONFIRM_GAP = lazy_compile(r"\s*[,，(（-]?\s*(?:the\b\s*)?\s*")
_HAND_ON = lazy_compile(
    r"\s*,?\s*(?:before|after|no later than|later than|by|until|till|and|or|和|或者?|、)"
    r"\s*(?:around )?"
)
_BOUND = lazy_compile(r"\s*,?\s*(?:before|after|by|until|till|no later than|later than)\s*")
_LIST = lazy_compile(r"\s*(?:,|,?\s*(?:and|or|&)\b|/|、|和|或者?|及|与|跟|还有)?\s*")
_WEEKDAY_FIRST = lazy_compile("(?:mon|tue|wed|thu|fri|sat|sun)")
_EDGE_WORD = lazy_compile(r"(?:the )?(?:early|earlier|late|later)(?: (?:in|on))?")
_HOUR_BEFORE = lazy_compile(r"\b(?:at|from) $|[从在]$")
_HOUR_AFTER = lazy_compile("改|到(?!了)|开会|开始|上课|面试|考试|集合|见面|出发")
_TAIL = lazy_compile(r"[)）]")


def compose(text: str, pieces: Iterable[TimePart], *, sure: bool = False) -> list[TimePart]:
    """Join what belongs together, tightest bonds first, and drop what is no time on its own.

    If only what is `sure` counts, an hour that may be of the morning or of the afternoon stays out.
    """
    found = list(pieces)
    if sure:
        found = _without_edges_of_days(text, found)
    for join in (
        _confirm,
        _calendar,
        _calendar,
        _part,
        _calendar,
        _clock_part,
        _clock,
        _calendar,
        anchored,
        lasting_from,
        hours_on,
        offset_weekday,
        range_between,
    ):
        if sure and join is _clock:
            found = [told for piece in found if (told := _told_hour(text, piece))]
        if len(found) > 1:
            found = _fold(text, found, join)
    kept = [piece for piece in found if not piece.weak and piece.role != "length"]
    loose = [piece for piece in found if piece.weak]
    return whole_ones(text, _listed(text, _inherit(text, kept)), loose)


def _without_edges_of_days(text: str, pieces: list[TimePart]) -> list[TimePart]:
    """ "Late today" says how somebody came as often as when: the word stays as it is."""
    kept = []
    for piece, following in zip(pieces, [*pieces[1:], None], strict=True):
        is_day = following is not None and following.grain in ("day", "part", "minute")
        if not (is_day and _EDGE_WORD.fullmatch(text, piece.start, piece.end)):
            kept.append(piece)
    return kept


def _listed(text: str, pieces: list[TimePart]) -> list[TimePart]:
    """ "Next Monday and Tuesday", 下周一周二: a bare weekday after one whose week is known."""
    for index in range(len(pieces) - 2, -1, -1):  # "Mon, Wed and Fri this week"
        piece, after = pieces[index], pieces[index + 1]
        if _shares_week(text, piece, after):
            week = _week_of(after, piece)
            pieces[index] = replace(piece, resolve=week, floating=False, role="plain")
    for index in range(1, len(pieces)):
        before, piece = pieces[index - 1], pieces[index]
        both = before.role == piece.role == "weekday"
        if both and piece.floating and not before.floating and bridged(text, _LIST, before, piece):
            pieces[index] = replace(piece, resolve=_same_week(before, piece), floating=False)
    return pieces


def _shares_week(text: str, piece: TimePart, after: TimePart) -> bool:
    """Whether a bare weekday is listed before one that is followed by its week."""
    bare = piece.role == "weekday" and piece.floating
    known = after.grain == "day" and not after.floating and after.role != "weekday"
    listed = bare and known and bridged(text, _LIST, piece, after)
    return listed and _WEEKDAY_FIRST.match(text, after.start) is not None


def _week_of(after: TimePart, piece: TimePart) -> p.Resolver:
    def resolve(view: View) -> Period | None:
        day = after.resolve(view)
        return day and cal.day_at(cal.week_at(day.begin).begin + piece.weekday * cal.DAY)

    return resolve


def _same_week(before: TimePart, piece: TimePart) -> p.Resolver:
    def resolve(view: View) -> Period | None:
        day = before.resolve(view)
        if day is None or piece.weekday <= before.weekday:
            return None
        return cal.day_at(cal.week_at(day.begin).begin + piece.weekday * cal.DAY)

    return resolve


def _told_hour(text: str, piece: TimePart) -> TimePart | None:
    """The piece with its half of the day, if the sentence tells it; None if it does not."""
    if piece.role != "clock" or piece.open_hour is None:
        return piece
    hour, minute = piece.open_hour
    around = text[max(0, piece.start - 80) : piece.end + 40]
    known = hour_of_day(hour, around)
    weak = piece.weak and not _is_hour(text, piece)
    told = p.clock(known, minute, sure=True, weak=weak) if known is not None else None
    return replace(told, start=piece.start, end=piece.end) if told else None


def _is_hour(text: str, piece: TimePart) -> bool:
    """Whether a bare number is an hour beyond doubt: "from 3 to …", 3点开会; not 三点建议."""
    led = _HOUR_BEFORE.search(text, max(0, piece.start - 8), piece.start)
    return led is not None or _HOUR_AFTER.match(text, piece.end) is not None


def _inherit(text: str, pieces: list[TimePart]) -> list[TimePart]:
    """Give a bare clock time the day named just before it: "tomorrow before 5pm", "or 6pm"."""
    for index in range(1, len(pieces)):
        before, piece = pieces[index - 1], pieces[index]
        put = piece.place
        if piece.dated or not before.dated or put is None or before.role == "range":
            continue
        if before.grain in ("day", "part", "minute") and bridged(text, _HAND_ON, before, piece):
            bound = _BOUND.fullmatch(text, before.end, piece.start) and before.grain == "day"
            if bound:
                pieces[index - 1] = replace(before, weak=True)
            pieces[index] = replace(
                piece,
                start=before.start if bound else piece.start,
                resolve=_on_day_of(before, put),
                dated=True,
                relative=before.relative,
                floating=before.floating,
                weekly=before.weekly,
            )
    return [piece for piece in pieces if not piece.weak]


def _on_day_of(before: TimePart, put: p.Placer) -> p.Resolver:
    def resolve(view: View) -> Period | None:
        day = before.resolve(view)
        return put(view, cal.day_at(day.begin)) if day else None

    return resolve


def _fold(text: str, pieces: list[TimePart], join: Join) -> list[TimePart]:
    done: list[TimePart] = []
    for piece in pieces:
        if done and piece.start - done[-1].end <= _WIDEST_GAP:
            joined = join(text, done[-1], piece)
            if joined is not None:
                done[-1] = joined
                continue
        done.append(piece)
    return done


def _confirm(text: str, left: TimePart, right: TimePart) -> TimePart | None:
    """A weekday beside a date only confirms it; beside a bare day of the month it finds it."""
    if left.grain != "day" or right.grain != "day" or "weekday" not in (left.role, right.role):
        return None
    day = right if left.role == "weekday" else left
    if day.weak and day is left:
        return None  # "came third last Tuesday"
    usual = (day.role in ("plain", "dom") and day.floating) or not day.relative
    if left.role == right.role or not usual or not bridged(text, _CONFIRM_GAP, left, right):
        return None
    named = left if left.role == "weekday" else right
    closing = _TAIL.match(text, right.end)
    end = closing.end() if closing else right.end
    if day.role == "dom" and left is named:
        day = p.weekday_and_day(named.weekday, day.day)
    elif not named.floating and day.floating:
        day = replace(day, resolve=_in_year_of(named, day), floating=False)
    return replace(day, start=left.start, end=end, weak=False)


def _in_year_of(named: TimePart, day: TimePart) -> p.Resolver:
    """ "This Friday, June 15": the date of the year that Friday lies in."""
    put = day.place

    def resolve(view: View) -> Period | None:
        friday = named.resolve(view)
        return put(view, cal.year_of(friday.begin.year)) if put and friday else None

    return resolve


def _placed(inner: TimePart, outer: TimePart, left: TimePart, right: TimePart) -> TimePart:
    """Put `inner` inside `outer`; the result may itself be placed where `outer` could be."""
    put, outer_put = inner.place, outer.place

    def resolve(view: View) -> Period | None:
        whole = outer.resolve(view)
        return put(view, whole) if put and whole else None

    def place(view: View, larger: Period) -> Period | None:
        whole = outer_put(view, larger) if outer_put else None
        return put(view, whole) if put and whole else None

    return TimePart(
        left.start,
        right.end,
        inner.grain,
        resolve,
        place if outer_put else None,
        outer.inside if outer_put else p.NOWHERE,
        role="end" if inner.role == "end" else "plain" if outer.dated else inner.role,
        relative=outer.relative,
        floating=outer.floating,
        weak=inner.weak and outer.weak and not _telling(inner, outer),
        dated=outer.dated,
        weekly=outer.weekly,
        name=inner.name,
    )


def _telling(inner: TimePart, outer: TimePart) -> bool:
    """Two words that may each be something else, but together name a time: "sat morning"."""
    if inner.role == "part":
        return outer.role == "weekday"
    return inner.role in ("selector", "end", "dom") or inner.grain == "season"


def _fits(inner: TimePart, outer: TimePart) -> bool:
    return outer.grain in inner.inside and outer.role not in ("range", "length", "selector", "end")


def _calendar(text: str, left: TimePart, right: TimePart) -> TimePart | None:
    """Months in years, days in months, weekdays in weeks, and selectors in anything."""
    gap = _CHINESE_GAP if _is_chinese(text, left) else _GAP
    for inner, outer in _orders(text, left, right):
        loose = "clock" not in (inner.role, outer.role) and "part" not in (inner.role, outer.role)
        if loose and _fits(inner, outer) and bridged(text, gap, left, right):
            return _placed(inner, outer, left, right)
    return None


def _is_chinese(text: str, piece: TimePart) -> bool:
    return text[piece.end - 1] >= "一"


def _orders(text: str, left: TimePart, right: TimePart) -> tuple[tuple[TimePart, TimePart], ...]:
    """(inner, outer) as they may stand: Chinese always puts the larger unit first."""
    if _is_chinese(text, left):
        return ((right, left),)
    return ((right, left), (left, right))


def _part(text: str, left: TimePart, right: TimePart) -> TimePart | None:
    for inner, outer in _orders(text, left, right):
        if inner.role == "part" and _fits(inner, outer) and outer.role != "clock":
            gap = _CLOCK_GAP if inner is right else _PART_FIRST_GAP
            return _placed(inner, outer, left, right) if bridged(text, gap, left, right) else None
    return None


def _clock_part(text: str, left: TimePart, right: TimePart) -> TimePart | None:
    for inner, outer in reversed(_orders(text, left, right)):
        if (
            inner.role == "clock"
            and outer.grain == "part"
            and bridged(text, _CLOCK_GAP, left, right)
        ):
            return _placed(inner, outer, left, right)
    return None


def _clock(text: str, left: TimePart, right: TimePart) -> TimePart | None:
    for inner, outer in _orders(text, left, right):
        if inner.role == "clock" and outer.grain == "day" and _fits(inner, outer):
            return (
                _placed(inner, outer, left, right)
                if bridged(text, _CLOCK_GAP, left, right)
                else None
            )
    return None
