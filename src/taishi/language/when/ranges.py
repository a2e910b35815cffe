"""Times joined by a direction: from X to Y, two weeks after X, for three days from X."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from ..lazy_regex import lazy_compile
from . import calendar as cal
from . import time_parts as p
from .calendar import Period, View
from .time_parts import TimePart, bridged

_WEEKDAY_GAP = lazy_compile(r"[\s,]*(?:on\s+)?")
_TO_GAP = lazy_compile(
    r"\s*(?:-|–|—|~|～|to|until|till|through|thru|up to|开始到|起到|到|至|直到|一直到)"
    r"\s*(?:the\b\s*)?"
)
_AND_GAP = lazy_compile(r"\s*(?:and|和|与|跟)\s*(?:the\b\s*)?")
_FROM = lazy_compile(r"(?:\b(?:from|between)(?: the)?\s+|[从自]\s*)$")
_BETWEEN = lazy_compile(r"\bbetween(?: the)?\s+$")
_BETWEEN_AFTER = lazy_compile(r"\s*之?间")
_ANCHOR_GAP = lazy_compile(r"\s+(?P<d>after|from|since|before)\s+(?:the\b\s*)?")
_LASTING = lazy_compile(r"\s*(?:,\s*)?(?:starting|beginning|from)(?: on| from)?\s+")
_MOVED = lazy_compile(
    r"\b(?:moved|changed|pushed|rescheduled|postponed|shifted|delayed)\b[^.;!?]*$"
)
_FOR_GAP = lazy_compile(r"\s*,?\s*for\s+")
_FOR = lazy_compile(r"\bfor\s+$")


def anchored(text: str, left: TimePart, right: TimePart) -> TimePart | None:
    """ "Two days after tomorrow", "2 weeks before Christmas", "for 3 days from today"."""
    counted = left.role == "length" or (left.role == "offset" and left.length != p.Length())
    if not counted or right.role == "length":
        return None
    lasting = _LASTING.fullmatch(text, left.end, right.start)
    led = _FOR.search(text, max(0, left.start - 6), left.start)
    how = _ANCHOR_GAP.fullmatch(text, left.end, right.start)
    if not (how or lasting):
        return None
    length, anchor = left.length, right
    sign = -1 if how and how["d"] == "before" else 1
    if length.seconds and right.grain != "minute":
        return None
    stays = lasting is not None and (led is not None or how is None)
    if not right.dated and not (stays and right.role == "clock"):
        return None

    def resolve(view: View) -> Period | None:
        ahead = anchor.floating and not view.sure
        start = anchor.resolve(replace(view, prefer="future") if ahead else view)
        if start is None:
            return None
        moved = p.shifted(view, start.begin, length, sign)
        if stays:
            return Period(start.begin, moved, "hour" if length.seconds else "day")
        return Period(moved, moved, "minute") if length.seconds else cal.day_at(moved)

    return TimePart(
        left.start,
        right.end,
        "day",
        resolve,
        role="range" if stays else "offset",
        relative=right.relative,
        floating=right.floating,
        dated=right.dated,
    )


def hours_on(text: str, left: TimePart, right: TimePart) -> TimePart | None:
    """ "On 14 Feb for 7 hours from 9:30": hours of the day before them."""
    if left.grain != "day" or not left.dated or left.role == "range":
        return None
    if right.role != "range" or right.dated or not bridged(text, _FOR_GAP, left, right):
        return None

    def resolve(view: View) -> Period | None:
        day, hours = left.resolve(view), right.resolve(view)
        if day is None or hours is None:
            return None
        shift = day.begin - cal.midnight(hours.begin)
        return Period(hours.begin + shift, hours.until + shift, hours.grain)

    return replace(left, end=right.end, grain="hour", resolve=resolve, place=None, role="range")


def lasting_from(text: str, left: TimePart, right: TimePart) -> TimePart | None:
    """ "From 10 am for three hours", "tomorrow at 9:30 for 7 hours"."""
    hours = right.role == "length" and right.length.seconds > 0
    if not hours or left.grain not in ("minute", "hour") or left.role == "range":
        return None
    if not bridged(text, _FOR_GAP, left, right):
        return None

    def resolve(view: View) -> Period | None:
        start = left.resolve(view)
        if start is None or start.begin != start.until:
            return None
        return Period(start.begin, p.shifted(view, start.begin, right.length, 1), "hour")

    return replace(left, end=right.end, resolve=resolve, place=None, role="range", weak=False)


def offset_weekday(text: str, left: TimePart, right: TimePart) -> TimePart | None:
    """ "Monday two weeks from now": the Monday of the week that day falls in."""
    named, offset = (left, right) if left.role == "weekday" else (right, left)
    if named.role != "weekday" or not named.floating or offset.role != "offset":
        return None
    if not bridged(text, _WEEKDAY_GAP, left, right):
        return None

    def resolve(view: View) -> Period | None:
        day = offset.resolve(view)
        return day and cal.day_at(cal.week_at(day.begin).begin + named.weekday * cal.DAY)

    return TimePart(left.start, right.end, "day", resolve, relative=offset.relative)


def range_between(text: str, left: TimePart, right: TimePart) -> TimePart | None:
    """From one time to another. The stretch ends where the second one begins."""
    # No range of ranges, either: "2026-2026-2026-…" would be as deep as it is long.
    if not {"length", "selector", "range"}.isdisjoint((left.role, right.role)):
        return None
    if (left.dated != right.dated and "day" in (left.grain, right.grain)) or (
        not left.dated and right.grain not in ("minute", "hour")
    ):
        return None
    start, end = left.start, right.end
    if not left.dated and _MOVED.search(text, max(0, start - 30), start):
        return None  # "moved from three to four" are two hours, not one stretch
    lead = _FROM.search(text, max(0, start - 14), start)
    if not bridged(text, _TO_GAP, left, right):
        if not bridged(text, _AND_GAP, left, right):
            return None
        after = _BETWEEN_AFTER.match(text, end)
        if not after and not (lead and _BETWEEN.search(text, max(0, start - 14), start)):
            return None
        end = after.end() if after else end
    if left.weak and right.weak and not lead:
        return None
    return TimePart(
        lead.start() if lead else start,
        end,
        right.grain,
        lambda view: _between(view, left, right),
        role="range",
        relative=(left.relative or right.relative) and not _has_whole_end(left, right),
        dated=left.dated or right.dated,
    )


def _has_whole_end(left: TimePart, right: TimePart) -> bool:
    """2026年3月2日至8日: the one date with its year tells the other."""
    whole, other = (right, left) if left.relative else (left, right)
    return not whole.relative and other.floating


def _between(view: View, left: TimePart, right: TimePart) -> Period | None:
    """Resolve both ends; an end without its own year or month follows from the other."""
    first: Period | None
    if left.floating and not right.floating:
        last = right.resolve(view)
        first = last and left.resolve(replace(view, now=last.begin, prefer="past"))
    else:
        first = left.resolve(_current(view, left, right))
        if right.floating or not right.dated:
            ahead = first and replace(view, now=first.begin, prefer="future")
            last = right.resolve(ahead) if ahead else None
        else:
            last = right.resolve(view)
    if first is None or last is None:
        return None
    begin, until = _bound(first, left), _bound(last, right)
    if not right.dated and until <= begin:
        later = until + cal.DAY / 2
        until = later if later > begin and until.hour < 12 else until + cal.DAY
    grain = last.grain
    if first.grain == "day" and grain in ("minute", "hour") and until == view.now:
        until, grain = view.today, "day"
    return Period(begin, until, grain) if begin < until else None


def _current(view: View, left: TimePart, right: TimePart) -> View:
    """Looking ahead, a stretch that has begun and is not over comes before the next one."""
    if view.prefer == "past" or not (left.floating and right.floating):
        return view
    back = replace(view, prefer="past")
    first = left.resolve(back)
    last = first and right.resolve(replace(view, now=first.begin))
    return back if last and last.until > view.now else view


def _bound(period: Period, piece: TimePart) -> datetime:
    return period.until if piece.role == "end" else period.begin
