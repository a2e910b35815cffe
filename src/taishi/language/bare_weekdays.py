"""Finds ambiguous dates: weekdays without a week, days of the month without a month.

"On Friday" and 二十九号 are as relative as "tomorrow". They pass beside a date ("Friday,
2026-03-06"), as a habit ("on Fridays", 每周五), as a stretch of the week ("Monday to Friday") and
in a name ("Black Friday").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from .lazy_regex import lazy_compile
from .text import ascii_lower

_EN_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_EN_MONTH = (
    r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)"
    r"(?:uary|ruary|ch|il|ust|t?ember|ober|ember)?"
)
_EN_LEAD = (
    r"(?:the|on|by|until|till|from|before|after|since|for|and|or|to|but|then|so|yes|no|ok|is)"
)
_EN_DATE_AFTER = (
    r"\s*[,(]?\s*(?:(?:before|after) )?(?:the )?(?:\d{4}[-/.]|\d{1,2}[-/.]\d"
    rf"|\d{{1,2}}(?:st|nd|rd|th)\b|{_EN_MONTH}\b|\d{{1,2}} (?:of )?{_EN_MONTH}\b)"
)
_EN_DATE_BEFORE = r"(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d(?:st|nd|rd|th)?|\b\d{4})[,)]?\s*\(?$"
_EN_CHOSEN = (
    r"\b(?:last|next|this|coming|past|every|each|any|some|an?|most|other|alternate|first|second|third"
    r"|fourth|fifth|following|previous|one) (?:other )?$"
)
_EN_STRETCH_AFTER = rf"\s*(?:-|–|to|through|thru|until|till)\s*{_EN_DAY}"
_EN_STRETCH_BEFORE = rf"{_EN_DAY}\s*(?:-|–|to|through|thru|until|till)\s*$"
_EN_OF_MONTH_AFTER = r"(?! (?!(?:at|and|or|to|for|with|because|when|if|so|but|in the|by)\b)[a-z])"

_ZH_DAY = (
    "(?:[周週]|星期|[礼禮]拜)(?:一(?![定起直样共切般下些边律块鸣])|[二三四五]|六(?!日)|天(?!气)|日(?![常程记期本报]))"
    "(?![个天月年岁千百万块])"
)
_ZH_OF_MONTH = (
    "(?:二十[一二三四五六七八九]?|三十一?|十[一二三四五六七八九]?|[一二三四五六七八九]"
    "|3[01]|[12][0-9]|[1-9])[号號]"
)
_ZH_DATE = r"[日号號](?:[（(，, 是]|的)?$"
_ZH_DATE_AFTER = (
    r"\s*[（(，,]?(?:即|也就是)?(?:\d{4}年|\d{1,2}月\d|[一二三四五六七八九十]{1,2}月|\d{4}-)"
)
_ZH_STRETCH_AFTER = "(?:[到至~-]|[、和及与])(?:[周週]|星期|[礼禮]拜)?[一二三四五六日天]"
_ZH_STRETCH_BEFORE = "(?:[周週]|星期|[礼禮]拜)[一二三四五六日天](?:[到至~-]|[、和及与])$"

_HABIT = (
    r"每|(?<![非正日])常|总(?![结共部监经公体统理数算])|一般|通常|固定|习惯|逢|都"
    r"|\b(?:every|each|usually|always|often|never|sometimes|regularly|normally|typically|weekly)\b"
)
FROM_NOW_ON_EN = (
    r"\b(?:from (?:now|here|\d{4}-\d\d-\d\d) on(?: out)?|going forward|henceforth"
    r"|in future(?=,? (?:i|we|it|the|our|my)\b)"
    r"|(?:starting|from) next (?:week|month|year)(?: on)?)\b"
)
_FROM_NOW_ON_ZH = lazy_compile(
    r"(?:^|[，。！？；：,!?;:」\s\ufffc]|我们?|咱们?|大家|那|就)"
    r"(?:(?:从今)?(?:以后|今后|往后)(?![的再看])|从[^，。！？；,!?;从]{1,24}[周月年日期拜](?:起|开始))"
    r"[，, ]?(?:我们?|咱们?|大家)?[^，。！？；,!?;要想等回见再了看到]{0,6}"
    r"(?:(?:改|换|定|放|挪)[到成在为])?$"
)
_EN_PRESENT = (
    "(?:right |just )?now|just|currently"
    "|nowadays|these days|at the moment|at present|recently|lately"
)
_ZH_PRESENT = (
    "现在|現在|如今|眼下|目前|当前|當前|此刻|而家|最近|近来|近來|近日|近期|[这這近](?:几|幾|两|兩)天|近些天|[这這](?:几|幾|两|兩)年[来來]?"
    "|[这這]阵子|[这這]段时间|[刚剛][刚剛才]?|方才"
)
AS_OF_WORD = lazy_compile(f"{_EN_PRESENT}|{_ZH_PRESENT}")
"""Words for the present that stay, with the day they were said on behind them."""
DATED_WORD = (
    rf"\b(?i:{_EN_PRESENT}) \(as of \d{{4}}-\d\d-\d\d\)"
    rf"|(?:{_ZH_PRESENT})（截至\d{{4}}年\d{{1,2}}月\d{{1,2}}日）"
)
_CLAUSE_END = r"[.;!?,。；！？，\n]"


@cache
def _days() -> re.Pattern[str]:
    leads = "".join(
        f"(?<=\\b{lead} )|" for lead in ("on", "by", "until", "till", "before", "after", "since")
    )
    return re.compile(
        rf"(?<![a-z0-9_-])(?P<en>{_EN_DAY})(?![a-z0-9_-])"
        rf"|(?:{leads[:-1]})(?P<nth>the \d{{1,2}}(?:st|nd|rd|th))\b{_EN_OF_MONTH_AFTER}"
        rf"|(?<![每第一二两三四五六七八九十几0-9双单上下本这个])(?P<zh>{_ZH_DAY})"
        rf"|(?<=[到至在于等])(?P<of_month>{_ZH_OF_MONTH})(?![线楼院门店选码车机房桌位员公馆厅])"
        rf"|(?<![0-9第月零一二三四五六七八九十百#])(?P<before>{_ZH_OF_MONTH})"
        r"(?=早上|上午|中午|下午|晚上|晚|凌晨|之前|以前|之后|以后|[去来到出见](?![线站]))"
    )


def bare_days(masked: str) -> Iterator[tuple[int, int]]:
    """Spans of ambiguous days."""
    lower = ascii_lower(masked)
    may_repeat = re.search(rf"{_HABIT}|以后|今后|往后|起|开始|from|future|forward|hence", lower)
    for match in _days().finditer(lower):
        kind, start, end = match.lastgroup or "", *match.span()
        before, after = lower[max(0, start - 40) : start], lower[end : end + 40]
        if may_repeat and (is_habit(before, after) or is_from_now_on(before, after)):
            continue
        if kind == "en":
            if _is_dated_english(before, after) or _is_name(masked, start, end):
                continue
        elif kind == "zh" and _is_dated_chinese(before, after):
            continue
        yield start, end


def is_habit(before: str, after: str) -> bool:
    """Whether the clause describes a habit."""
    clause = re.split(_CLAUSE_END, before)[-1] + "\0" + re.split(_CLAUSE_END, after)[0]
    found = re.search(_HABIT, clause, re.IGNORECASE)
    # 都 makes a habit only right after the day: 周五都休息, but not 周五大家都来了.
    return found is not None and (found[0] != "都" or "\0都" in clause)


def is_from_now_on(before: str, after: str) -> bool:
    """Whether a day or an hour holds from now on: 以后改成周六, "from now on we meet on Friday"."""
    if _FROM_NOW_ON_ZH.search(before) and not re.match("(?:之|以)?前", after):
        return True
    if re.search(r"\b(?:by|until|till|before|since) $", before, re.IGNORECASE):
        return False
    near = re.split(r"[.;!?\n]", before)[-1] + "\0" + re.split(r"[.;!?\n]", after)[0]
    return re.search(FROM_NOW_ON_EN, ascii_lower(near)) is not None


def _is_dated_english(before: str, after: str) -> bool:
    near = before[-24:]
    return bool(
        re.match(_EN_DATE_AFTER, after)
        or re.search(_EN_DATE_BEFORE, near)
        or re.search(_EN_CHOSEN, near)
        or re.match(_EN_STRETCH_AFTER, after)
        or re.search(_EN_STRETCH_BEFORE, near)
        or re.match(r" (?:of|in) \w", after)
    )


def _is_name(text: str, start: int, end: int) -> bool:
    """Black Friday, Wednesday Addams; not: On Friday, on Friday Sam comes."""
    if not text[start].isupper():
        return False
    before = re.search(r"([A-Za-z]+) $", text[max(0, start - 24) : start])
    if before and re.fullmatch(_EN_LEAD, before[1], re.IGNORECASE):
        return False
    surname = re.match(r" [A-Z][a-z]", text[end : end + 3]) is not None
    return surname or (before is not None and before[1][0].isupper())


def _is_dated_chinese(before: str, after: str) -> bool:
    return bool(
        re.search(_ZH_DATE, before)
        or re.match(_ZH_DATE_AFTER, after)
        or re.match(_ZH_STRETCH_AFTER, after)
        or re.search(_ZH_STRETCH_BEFORE, before)
    )
