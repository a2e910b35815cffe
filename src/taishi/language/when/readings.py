"""What a time surely means: for text that is written down for good, a doubt is no answer.

Each expression is read by the tense of its own clause. Where that is silent, or where people who
say the same words mean different days, there is no reading and the words stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from ..lazy_regex import lazy_compile
from . import calendar as cal
from .calendar import Period, Prefer, View
from .tense import tense_at
from .time_parts import TimePart

_SMALL_HOURS = 4
_WEEKDAY = r"(?:mon|tue|wed|thu|fri|sat|sun)(?:s|rs|day|sday|nesday|rsday|urday)?\b"
_DURATION = lazy_compile(r"(?:in|within) (?!the\b)")
_AFTERWARDS = lazy_compile(r".*\b(?:later|hence)$|.*(?:后|以内|之内|内)$", re.DOTALL)
_THIS = lazy_compile(
    rf"this (?:{_WEEKDAY}|weekend|winter)\b|[这本]个?(?:周|星期|礼拜)[一二三四五六日天末1-7]"
)
_LAST_WEEKDAY = lazy_compile(rf"last {_WEEKDAY}\b")
_NEXT_WEEKEND_DAY = lazy_compile(r"next sun(?:day)?\b")
_NEIGHBOUR_OF_YEAR = lazy_compile(
    r"(?:last|next|previous|following) (?!week|month|year|night)[a-z]"
)
_MONTHLY = lazy_compile(
    r"\b(?:rent|salary|wages?|bills?|mortgage|payday|paid|allowance|subscription|period)\b|工资|房租|房贷|月供|账单|还款|信用卡"
)
_MONTH_END = lazy_compile("the month$|^月[初底末]$")
_WILL = lazy_compile(r"\b(?:will|going to|must|have to|need to)\b|['’]ll\b|要|得")
_OF_THIS_YEAR = lazy_compile("第?[一二三四1-4]季度|[上下]半年")
_NAMED = lazy_compile(r"\b(?:called|named|nicknamed) $|叫$")
_FAR = timedelta(days=330)
_WEEK = timedelta(days=7)
_LEADS_MONTH = lazy_compile(
    r"\b(?:in|of|by|since|until|till|from|to|for|before|after|during|through|around|between|and|or"
    r"|early|mid|late|is|was|on|the)[ -]$"
)
_SAME_PLAN = lazy_compile(
    r"\s*(?:,|,?\s*(?:and|or|&)|/|、|和|或者?)\s*(?:on )?|[^.;!?。；！？\n]{0,40}?"
    r"(?:\b(?:to|until|till|from)(?: the)? |[改推挪换调移延]期?(?:到|成|为|至|迟到)?(?:了|至)?)"
)
_MOVE = lazy_compile(
    r"\b(?:moved|changed|pushed|rescheduled|postponed|shifted|delayed)\b|[改推挪换调移延]"
)
_ABOUT = lazy_compile(r"\b(?:for|of|about|on)(?: the)? $")
_DAY_WORD = lazy_compile(
    r"today|tonight|tonite|2nite|tomorrow|tomorow|tmr|tmw|2moro|this (?:morning|evening)"
    "|今[天日儿早晚晨夜]|[明听][天日儿早晚晨夜]"
)
_SMALL_PART = lazy_compile("今[天日儿]凌晨")
_NUMBERED = lazy_compile(r"\d{1,2}[/.-]\d{1,2}")
_LUNAR_LOOKING = lazy_compile("[一二三四五六七八九十]+月[一二三四五六七八九十]+$")
_COUNTED_FROM = lazy_compile("[前后][0-9一二两三四五六七八九十半]")
_ABLE = lazy_compile(r"\b(?:can|could|able to|usually|always|never|record|best)\b[^.;!?]*$")
_WEEKDAYS_ONLY = lazy_compile(
    rf"(?:from |between )?{_WEEKDAY}\s*(?:-|–|to|through|thru|until|till|and)\s*{_WEEKDAY}"
    r"|从?(?:周|星期|礼拜)[一二三四五六日天](?:到|至|-)(?:周|星期|礼拜)?[一二三四五六日天]"
)
_IDIOM = lazy_compile(
    r"(?:the )?(?:last (?:minute|second)|end of (?:the )?day)$|this (?:minute|second|time)$"
)
_BOUND = lazy_compile(r"\b(?:by|until|till)(?: the)?\s+$|(?:截止到?|等到)$")
_TILL = lazy_compile(r"\bby(?: the)?\s+$")
_IN_THE = lazy_compile(r"\b(?:in|over|for|within|during) the $")
_NOUN_AFTER = lazy_compile(
    r" (?!(?:at|and|or|to|for|with|because|when|if|so|but|in|by|on|i|we|he|she|they|you|is"
    r"|was|will|it"
    r"|of|from|this|next|last|as|too|already|then|before|after|until|till|works|please)\b)[a-z]"
)
_BARE_EDGE = lazy_compile(
    "[年月](?:初|中旬?|底|末|[上下]旬)$|(?:周|星期|礼拜)末$|(?:the |at |on )?(?:the )?weekend$"
)
_SCORE_AFTER = lazy_compile(r"\s*(?:%|比分?|分(?!钟)|岁|块|元|米|斤|公里|折)")


def sure_reading(text: str, piece: TimePart, views: dict[Prefer, View]) -> Period | None:
    """The one period that these words can mean here, or None."""
    words = text[piece.start : piece.end]
    tense = tense_at(text, piece.start, piece.end)
    counts = words[-1].isdigit() and _SCORE_AFTER.match(text, piece.end)
    if counts or _is_idiom(text, piece, words) or _is_name(text, piece, words):
        return None
    if _BOUND.search(text, max(0, piece.start - 12), piece.start):
        if piece.floating and tense == "past":
            return None  # "I rented it until the 28th" may be over, or not
        tense = tense or "future"
    view = views[tense or "past"]
    if _is_doubtful(text, piece, words, tense, view):
        return None
    if _BARE_EDGE.fullmatch(words):
        return _edge(piece, tense, view)
    if piece.floating and tense == "future":
        found = _floating(piece, tense, views)
        before = text[max(0, piece.start - 60) : piece.end + 40]
        far = found is not None and found.begin - view.now > _FAR
        return None if far and not _WILL.search(before) else found
    if piece.floating or (piece.role == "range" and _floats(piece, views)):
        return _floating(piece, tense, views)
    found = _resolved(piece, view)
    if found is not None and _OF_THIS_YEAR.match(words) and _contradicts(found, tense, view):
        return None
    told_of = _ABOUT.search(text, max(0, piece.start - 12), piece.start)
    if found is None or (_THIS.match(words) and not told_of and _contradicts(found, tense, view)):
        return None
    return found


def sure_readings(
    text: str, pieces: Sequence[TimePart], views: dict[Prefer, View]
) -> Iterator[tuple[TimePart, Period]]:
    """Every piece that is sure; bare weekdays of one sentence only if all of them are.

    "Saturday's rehearsal is moved to Sunday" and "on Tuesday, Thursday and Saturday" name one week,
    and if one of the days is open or out of order, or what was moved a week away, so is the week.
    """
    found = [(piece, sure_reading(text, piece, views)) for piece in pieces]
    open_weeks: set[int] = set()
    for group in _weekday_groups(text, found):
        begins = [period.begin if period else None for _, period in group]
        known = [begin for begin in begins if begin]
        is_open = len(known) < len(begins) or known != sorted(known)
        if is_open or (_is_move(text, group) and known[-1] - known[0] >= _WEEK):
            open_weeks |= {piece.start for piece, _ in group}
    for piece, period in found:
        if period is not None and piece.start not in open_weeks:
            yield piece, period


def _weekday_groups(
    text: str, found: Sequence[tuple[TimePart, Period | None]]
) -> list[list[tuple[TimePart, Period | None]]]:
    """Bare weekdays that stand in one sentence without another verb between them."""
    groups: list[list[tuple[TimePart, Period | None]]] = []
    for piece, period in found:
        if not (piece.floating and piece.weekly):
            continue
        last = groups[-1][-1][0] if groups else None
        if last and _SAME_PLAN.fullmatch(text, last.end, piece.start):
            groups[-1].append((piece, period))
        else:
            groups.append([(piece, period)])
    return groups


def _is_move(text: str, group: Sequence[tuple[TimePart, Period | None]]) -> bool:
    """ "Moved from Friday to Saturday": the first day is not one that is over."""
    return _MOVE.search(text, group[0][0].end, group[-1][0].start) is not None


def _is_idiom(text: str, piece: TimePart, words: str) -> bool:
    """ "At the last minute", "at the end of the day"; but "by the end of the day" is a time."""
    if not _IDIOM.search(words):
        return False
    led = _TILL if "day" in words else _IN_THE
    return led.search(text, max(0, piece.start - 12), piece.start) is None


def _is_name(text: str, piece: TimePart, words: str) -> bool:
    """ "June called", "a cat called Tuesday": a bare month needs a small word before it."""
    before = text[max(0, piece.start - 10) : piece.start]
    if piece.floating and _NAMED.search(before):
        return True
    bare = piece.floating and piece.grain == "month" and words.isascii() and words.isalpha()
    return bare and not _LEADS_MONTH.search(before)


def _is_doubtful(text: str, piece: TimePart, words: str, tense: Prefer | None, view: View) -> bool:
    if _DURATION.match(words) or _AFTERWARDS.fullmatch(words):
        needs_future = not words.endswith("后") or tense == "past"
        able = _ABLE.search(text, max(0, piece.start - 60), piece.start)
        if needs_future and (tense != "future" or able):
            return True  # how long it took, or how long after something else
    if _is_past_midnight(view) and _DAY_WORD.match(words) and not _SMALL_PART.match(words):
        return tense == "past" or not words.startswith(("today", "今天", "今日"))
    monthly = piece.role == "dom" or _MONTH_END.search(words)
    if monthly and tense != "past" and _is_monthly(text, piece):
        return True  # "rent is due on the 1st": of every month
    if _NUMBERED.fullmatch(words) and _may_be_swapped(words):
        return True
    if _COUNTED_FROM.match(words):
        return True  # 婚礼前一天: from something that was not read
    if _WEEKDAYS_ONLY.fullmatch(words):
        return True  # of one week, or of every week
    if (_LUNAR_LOOKING.search(words) and words[0] not in "农阴旧") or _NEXT_WEEKEND_DAY.match(
        words
    ):
        return not (_NEXT_WEEKEND_DAY.match(words) and view.now.weekday() == 6)
    if _LAST_WEEKDAY.match(words):
        found = _resolved(piece, view)
        return found is None or (view.today - found.begin).days > 7
    if _NEIGHBOUR_OF_YEAR.match(words) and piece.grain in ("month", "season", "day"):
        found = _resolved(piece, view)
        same = found is not None and found.begin.year == view.now.year
        return same and piece.role != "weekday"
    return piece.role == "dom" and _NOUN_AFTER.match(text, piece.end) is not None


def _is_monthly(text: str, piece: TimePart) -> bool:
    around = text[max(0, piece.start - 60) : piece.end + 12]
    return bool(_MONTHLY.search(around)) and not _WILL.search(around)


def _is_past_midnight(view: View) -> bool:
    """Who is still up says "today" of the day before; exactly midnight is a date without a time."""
    since = view.now - view.today
    return timedelta() < since < timedelta(hours=_SMALL_HOURS)


def _may_be_swapped(words: str) -> bool:
    first, second = (int(number) for number in re.split("[/.-]", words))
    return first != second and first <= 12 and second <= 12


def _edge(piece: TimePart, tense: Prefer | None, view: View) -> Period | None:
    """月底, 周末: of this month or week, unless the clause tells of one that is over."""
    found = _resolved(piece, view)
    if found is None:
        return None
    unit = "weekend" if piece.grain == "weekend" else "year" if found.grain == "year" else "month"
    if tense == "past" and found.begin > view.now:
        step = {"weekend": timedelta(days=7), "month": view.now - _back(view, 1)}.get(unit)
        earlier = replace(view, now=view.now - step if step else _back(view, 12))
        return _resolved(piece, earlier)
    if tense is None and piece.grain == "weekend":
        return None
    return found if found.until > view.now or tense == "past" else None


def _back(view: View, months: int) -> datetime:
    return cal.add_months(view.now, -months)


def _floats(piece: TimePart, views: dict[Prefer, View]) -> bool:
    return _resolved(piece, views["past"]) != _resolved(piece, views["future"])


def _floating(piece: TimePart, tense: Prefer | None, views: dict[Prefer, View]) -> Period | None:
    """By tense; not if the word may mean the day, month or season that it is."""
    if tense is None:
        return None
    view = views[tense]
    found = _resolved(piece, view)
    if found is None or found.begin <= view.now < found.until:
        return None
    if piece.weekly and found.begin.date() == view.now.date():
        return None  # who means today says so
    if piece.role == "range" and found.begin <= view.now and tense == "future":
        return None
    return found


def _contradicts(found: Period, tense: Prefer | None, view: View) -> bool:
    """ "This Monday I will", said on a Wednesday: then it is not the Monday of this week."""
    if found.until <= view.now:
        return tense != "past"
    return found.begin > view.now and tense == "past"


def _resolved(piece: TimePart, view: View) -> Period | None:
    try:
        return piece.resolve(view)
    except (ValueError, OverflowError):
        return None
