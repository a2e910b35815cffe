"""Joining neighbouring pieces: "next week" + "Tuesday" + "3pm", "May 5" to "May 8".

Each pass walks the pieces once from left to right, so the work stays linear in their number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from . import calendar as cal
from . import pieces as p
from .calendar import Period, View
from .pieces import Piece, bridged
from .ranges import anchored, offset_weekday, range_between

Join = Callable[[str, Piece, Piece], Piece | None]

_WIDEST_GAP = 24
_GAP = re.compile(
    r"(?:['’]s|\.)?\s*[,，]?\s*(?:-\s*)?(?:(?:of|in|on|for|during)\b\s*)?(?:the\b\s*)?的?\s*"
)
_CHINESE_GAP = re.compile(r"\s*的?\s*(?:,\s*(?=[0-9]{4}))?")
_CLOCK_GAP = re.compile(
    r"\s*[,，(]?\s*(?:-|@)?\s*(?:(?:at|around|about|for|on|of|in|from|between)\b\s*)?"
    r"(?:around\s*)?(?:the\b\s*)?的?\s*"
)
_PART_FIRST_GAP = re.compile(r"\s*(?:(?:of|on)\b\s*)?(?:the\b\s*)?")
_CONFIRM_GAP = re.compile(r"\s*[,，(（-]?\s*(?:the\b\s*)?\s*")
_HAND_ON = re.compile(r"\s*,?\s*(?:before|after|by|until|till|and|or|和|或者?|、)\s*(?:around )?")
_TAIL = re.compile(r"[)）]")


def compose(text: str, pieces: Iterable[Piece]) -> list[Piece]:
    """Join what belongs together, tightest bonds first, and drop what is no time on its own."""
    found = list(pieces)
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
        offset_weekday,
        range_between,
    ):
        if len(found) < 2:
            break
        found = _fold(text, found, join)
    kept = [piece for piece in found if not piece.weak and piece.role != "length"]
    return _inherit(text, kept)


def _inherit(text: str, pieces: list[Piece]) -> list[Piece]:
    """Give a bare clock time the day named just before it: "tomorrow before 5pm", "or 6pm"."""
    for index in range(1, len(pieces)):
        before, piece = pieces[index - 1], pieces[index]
        put = piece.place
        if piece.dated or not before.dated or put is None or before.role == "range":
            continue
        if before.grain in ("day", "part", "minute") and bridged(text, _HAND_ON, before, piece):
            pieces[index] = replace(
                piece,
                resolve=_on_day_of(before, put),
                dated=True,
                relative=before.relative,
                floating=before.floating,
                weekly=before.weekly,
            )
    return pieces


def _on_day_of(before: Piece, put: p.Placer) -> p.Resolver:
    def resolve(view: View) -> Period | None:
        day = before.resolve(view)
        return put(view, cal.day_at(day.begin)) if day else None

    return resolve


def _fold(text: str, pieces: list[Piece], join: Join) -> list[Piece]:
    done: list[Piece] = []
    for piece in pieces:
        if done and piece.start - done[-1].end <= _WIDEST_GAP:
            joined = join(text, done[-1], piece)
            if joined is not None:
                done[-1] = joined
                continue
        done.append(piece)
    return done


def _confirm(text: str, left: Piece, right: Piece) -> Piece | None:
    """A weekday beside a date only confirms it; beside a bare day of the month it finds it."""
    if left.grain != "day" or right.grain != "day" or "weekday" not in (left.role, right.role):
        return None
    day = right if left.role == "weekday" else left
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


def _in_year_of(named: Piece, day: Piece) -> p.Resolver:
    """ "This Friday, June 15": the date of the year that Friday lies in."""
    put = day.place

    def resolve(view: View) -> Period | None:
        friday = named.resolve(view)
        return put(view, cal.year_of(friday.begin.year)) if put and friday else None

    return resolve


def _placed(inner: Piece, outer: Piece, left: Piece, right: Piece) -> Piece:
    """Put `inner` inside `outer`; the result may itself be placed where `outer` could be."""
    put, outer_put = inner.place, outer.place

    def resolve(view: View) -> Period | None:
        whole = outer.resolve(view)
        return put(view, whole) if put and whole else None

    def place(view: View, larger: Period) -> Period | None:
        whole = outer_put(view, larger) if outer_put else None
        return put(view, whole) if put and whole else None

    return Piece(
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
    )


def _telling(inner: Piece, outer: Piece) -> bool:
    """Two words that may each be something else, but together name a time: "sat morning"."""
    if inner.role == "part":
        return outer.role == "weekday"
    return inner.role in ("selector", "end", "dom") or inner.grain == "season"


def _fits(inner: Piece, outer: Piece) -> bool:
    return outer.grain in inner.inside and outer.role not in ("range", "length", "selector", "end")


def _calendar(text: str, left: Piece, right: Piece) -> Piece | None:
    """Months in years, days in months, weekdays in weeks, and selectors in anything."""
    gap = _CHINESE_GAP if _is_chinese(text, left) else _GAP
    for inner, outer in _orders(text, left, right):
        loose = "clock" not in (inner.role, outer.role) and "part" not in (inner.role, outer.role)
        if loose and _fits(inner, outer) and bridged(text, gap, left, right):
            return _placed(inner, outer, left, right)
    return None


def _is_chinese(text: str, piece: Piece) -> bool:
    return text[piece.end - 1] >= "一"


def _orders(text: str, left: Piece, right: Piece) -> tuple[tuple[Piece, Piece], ...]:
    """(inner, outer) as they may stand: Chinese always puts the larger unit first."""
    if _is_chinese(text, left):
        return ((right, left),)
    return ((right, left), (left, right))


def _part(text: str, left: Piece, right: Piece) -> Piece | None:
    for inner, outer in _orders(text, left, right):
        if inner.role == "part" and _fits(inner, outer) and outer.role != "clock":
            gap = _CLOCK_GAP if inner is right else _PART_FIRST_GAP
            return _placed(inner, outer, left, right) if bridged(text, gap, left, right) else None
    return None


def _clock_part(text: str, left: Piece, right: Piece) -> Piece | None:
    for inner, outer in reversed(_orders(text, left, right)):
        if (
            inner.role == "clock"
            and outer.grain == "part"
            and bridged(text, _CLOCK_GAP, left, right)
        ):
            return _placed(inner, outer, left, right)
    return None


def _clock(text: str, left: Piece, right: Piece) -> Piece | None:
    for inner, outer in _orders(text, left, right):
        if inner.role == "clock" and outer.grain == "day" and _fits(inner, outer):
            return (
                _placed(inner, outer, left, right)
                if bridged(text, _CLOCK_GAP, left, right)
                else None
            )
    return None
