"""Decides which times of a text become dates, and how vague ones are worded."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

from .bare_weekdays import AS_OF_WORD, is_from_now_on, is_habit
from .gate import Fault, check
from .lazy_regex import lazy_compile
from .text import ascii_lower, sentence_around
from .unresolved_times import begins_with_feast, stays_as_said
from .when import Approximate, Kind, TimeSpan, find_times, vague_offsets
from .yearly_days import is_yearly

_BEFORE = [
    "the other day",
    *"前几天 前两天 前些天 前些日子 前阵子 前一阵子 前一阵 不久前 前不久 前段时间".split(),
    *"前一段时间 前段日子 日前".split(),
]
_AFTER = "later 稍后 待会儿 待会 等会儿 等会 等一会儿 过会儿 过一会儿".split()
_PAST = r"\b(?:went|was|were|did|had|met|saw|bought|came|got|left|\w{3,20}ed)\b|了|去过|来过"
_PLAN = (
    r"\b(?:will|going to|remind(?:er|ers|s)?|alarm|plan|plans|schedule|meet|appointment|deadline"
    r"|wants?|needs?|must|should|please)\b|['’]ll\b|提醒|闹钟|要|将|打算|准备|计划|约|见面|记得|别忘"
)
_MOVED = r"\b(?:moved|changed|pushed|rescheduled|postponed|shifted|delayed)\b|[改推挪]到|提前|延"
_LED = r"(?:\b(?:at|around|about|by|since|in|from|till?|until|for)|@) ?\0|\0$"
_NO_DAY = r"^(?:in the )?(?:night|mid-?night|noon|midday)|[夜晚]|^凌晨$"
_HALF_SAID = r"[ap]\.?\s?m\b|morning|noon|evening|night|[上下中]午|晚|早|凌晨|夜|^(?:1[3-9]|2\d|0)"


_LIST_GAP = lazy_compile(r"\s*(?:,|,?\s*(?:and|or|&)\b|/|、|和|或者?|及|与|跟|还有)?\s*", re.I)
_STRETCH = lazy_compile(
    r"(?:the )?(?:past|last|next|coming)\s+\w+ \w+s$"
    r"|[过未接今往]\w{1,2}[0-9一二两三四五六七八九十]",
    re.I,
)


def relative_times(masked: str, faults: list[Fault], reference: datetime) -> list[TimeSpan]:
    """Times the gate caught, and bare ones ("in July") in a clause that tells of one occasion."""
    caught = [fault for fault in faults if fault.reason == "relative_time"]
    kept: list[TimeSpan] = []
    index = 0
    left = -1  # where the last one ends that stays as said; what is listed with it stays too
    previous = 0
    for span in find_times(masked, reference, "near"):
        follows, previous = 0 < previous == span.start, span.end
        while index < len(caught) and caught[index].end <= span.start:
            index += 1
        overlaps = index < len(caught) and caught[index].start < span.end
        if not span.relative or vague_phrases(span.text):
            continue
        if _names_something(masked, span):
            continue
        if follows and begins_with_feast(span.text):
            continue  # 明天清明: the day is told, the name stays
        after_left = left >= 0 and _LIST_GAP.fullmatch(masked, left, span.start)
        if after_left or stays_as_said(masked, span, reference):
            left = span.end
            continue
        listed = kept and span.kind == kept[-1].kind == "date"
        if overlaps or (listed and _LIST_GAP.fullmatch(masked, kept[-1].end, span.start)):
            kept.append(span)
        elif found := _one_occasion(masked, span, reference):
            kept.append(found)
    return kept


def _names_something(masked: str, span: TimeSpan) -> bool:
    """Friday Night Lights, Saturday's Kids: capitals go on after the day."""
    after = masked[span.end : span.end + 5]
    return bool(
        re.match(r"['’]s [A-Z]", after)
        or (re.search(r"day [A-Z][a-z]+$", span.text) and re.match(r" [A-Z][a-z]", after))
    )


_OF_ANY_WEEK = lazy_compile(
    r"(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:at )?\d{1,2}(?::\d\d)? ?[ap]m"
    r"|(?:周|星期|礼拜)[一二三四五六日天末]|(?:早上|上午|中午|下午|晚上)[\d一二三四五六七八九十]{1,3}点",
    re.IGNORECASE,
)
_REACH = 60  # characters that are read on either side of a time


def vague_times(masked: str, reference: datetime) -> list[Approximate]:
    """What is "a few days" or "about an hour" away, told from the day it was said."""
    return list(vague_offsets(ascii_lower(masked), reference))


def _one_occasion(masked: str, span: TimeSpan, reference: datetime) -> TimeSpan | None:
    """The span, if its clause tells of one occasion; moved to the next day if that was meant."""
    if check(span.text):
        return None  # the gate looked at these very words in their place, and passed them
    before = masked[max(0, span.start - _REACH) : span.start]
    after = masked[span.end : span.end + _REACH]
    stretch = _STRETCH.match(span.text) is not None
    if masked[span.end : span.end + 1] == "s" or (not stretch and is_habit(before, after)):
        return None
    if _OF_ANY_WEEK.match(span.text) and is_from_now_on(before, after):
        return None
    first, last = sentence_around(masked, span.start, span.end, _REACH)
    clause = f"{masked[first : span.start]}\0{masked[span.end : last]}"
    if is_yearly(clause, span.text, span.begin <= reference):
        return None
    if span.kind in ("time", "timerange"):
        return _on_its_day(span, clause, reference)
    return span


def _on_its_day(span: TimeSpan, clause: str, reference: datetime) -> TimeSpan | None:
    """A time without a day: of the day it was said, or for a plan the next time it comes.

    Where neither is sure, an hour whose half of the day the clause tells is said as such.
    """
    if not re.search(_HALF_SAID, span.text, re.IGNORECASE):
        return span if span.kind == "time" and re.search(_MOVED, clause) else None
    if re.search(_NO_DAY, span.text, re.IGNORECASE) or re.search(
        "[到至]\0|\\b(?:till|until) \0", clause
    ):
        return None
    if span.text.isascii() and not re.search(_LED, clause, re.I):
        return None  # "the 14:05 from Leeds"
    is_past = re.search(_PAST, clause) is not None
    if re.search(_PLAN, clause):
        day = timedelta(days=1 if span.begin < reference else 0)
    elif is_past and span.begin <= reference:
        day = timedelta()
    else:
        return None
    kind: Kind = "datetime" if span.kind == "time" else "datetimerange"
    return replace(span, begin=span.begin + day, until=span.until + day, kind=kind)


def vague_phrases(word: str) -> tuple[str, str] | None:
    """What to say for a time that has no exact date, in English and in Chinese."""
    word = word.lower()
    if AS_OF_WORD.fullmatch(word):
        return word + " (as of {day})", word + "（截至{day}）"
    for words, english, chinese in (
        (_BEFORE, "shortly before {day}", "{day}之前不久"),
        (_AFTER, "after {minute}", "{minute}之后"),
    ):
        if word in words:
            return english, chinese
    return None
