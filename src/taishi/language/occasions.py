"""Which times of a text are to be written out as dates, and what to say for vague ones."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

from .bare_days import is_habit
from .gate import Fault, check
from .when import TimeSpan, find_times

_AROUND = "recently lately 最近 近来 近日 近期 这几天 这两天 这阵子 这段时间".split()
_JUST = "just 刚 刚刚 刚才 方才".split()
_BEFORE = [
    "the other day",
    *"前几天 前两天 前些天 前阵子 不久前 前不久 前段时间 日前".split(),
]
_AFTER = "later 稍后 待会儿 待会 等会儿 等会 等一会儿 过会儿 过一会儿 过几天 过两天 改天".split()
_AS_OF = ["currently", "nowadays", "these days", "at the moment", "如今", "眼下", "目前"]
_PAST = r"\b(?:went|was|were|did|had|met|saw|bought|came|got|left|\w{3,20}ed)\b|了|去过|来过"
_PLAN = (
    r"\b(?:will|going to|remind(?:er|ers|s)?|alarm|plan|plans|schedule|meet|appointment|deadline"
    r"|wants?|needs?|must|should|please)\b|['’]ll\b|提醒|闹钟|要|将|打算|准备|计划|约|见面|记得|别忘"
)
_BEGINS = (
    r"\b(?:starts?|begins?|ends?|opens?|closes?|moves?|leaves?|returns?|arrives?|graduates?|joins?)\b"
    r"|报到|入职|开始|毕业|出发|搬|结束|回来|去|来"
)
_YEARLY = r"\b(?:born|birthday|anniversary)\b|生日|出生|纪念日|忌日"
_ONE_OFF = f"{_PAST}|{_PLAN}|{_BEGINS}"


def relative_times(masked: str, faults: list[Fault], reference: datetime) -> list[TimeSpan]:
    """Times the gate caught, and bare ones ("in July") in a clause that tells of one occasion."""
    caught = [fault for fault in faults if fault.reason == "relative_time"]
    kept, index = [], 0
    for span in find_times(masked, reference, "near"):
        while index < len(caught) and caught[index].end <= span.start:
            index += 1
        overlaps = index < len(caught) and caught[index].start < span.end
        if not span.relative or vague_phrases(span.text):
            continue
        if overlaps:
            kept.append(span)
        elif found := _one_occasion(masked, span, reference):
            kept.append(found)
    return kept


def _one_occasion(masked: str, span: TimeSpan, reference: datetime) -> TimeSpan | None:
    """The span, if its clause tells of one occasion; moved to the next day if that was meant."""
    if check(span.text):
        return None  # the gate looked at these very words in their place, and passed them
    before, after = masked[max(0, span.start - 60) : span.start], masked[span.end : span.end + 60]
    if masked[span.end : span.end + 1] == "s" or is_habit(before, after):
        return None
    clause = re.split(r"[.;!?。；！？\n]", before)[-1] + "\0"
    clause += re.split(r"[.;!?。；！？\n]", after)[0]
    if re.search(_YEARLY, clause, re.I):
        return None
    if span.kind in ("time", "timerange"):
        return _on_its_day(span, clause, reference)
    is_day = span.grain in ("day", "hour", "minute", "part")
    return span if is_day or re.search(_ONE_OFF, clause) else None


def _on_its_day(span: TimeSpan, clause: str, reference: datetime) -> TimeSpan | None:
    """A time without a day: of the day it was said, or for a plan the next time it comes."""
    is_past = re.search(_PAST, clause) is not None
    if re.search(_PLAN, clause):
        late = span.begin < reference
        day = timedelta(days=1 if late else 0)
        return replace(span, begin=span.begin + day, until=span.until + day)
    return span if is_past and span.begin <= reference else None


def vague_phrases(word: str) -> tuple[str, str] | None:
    """What to say for a time that has no exact date, in English and in Chinese."""
    word = word.lower()
    for words, english, chinese in (
        (_AROUND, "around {day}", "{day}前后"),
        (_JUST, "at about {minute}", "{minute}左右"),
        (_BEFORE, "shortly before {day}", "{day}之前不久"),
        (_AFTER, "after {minute}", "{minute}之后"),
        (_AS_OF, "as of {day}", "截至{day}"),
    ):
        if word in words:
            return english, chinese
    return None
