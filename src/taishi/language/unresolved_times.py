"""Finds times that could be computed but may not be what the speaker meant: they stay as said.

"Next Friday" on a Tuesday, "last night" at two in the morning, 年底 in January, "I'd quit tomorrow
if I won": each has a date in any calendar and a second reading in any chat.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache

from .lazy_regex import lazy_compile
from .text import ascii_lower, sentence_around
from .verb_forms import is_past
from .when import TimeSpan
from .when.holidays import chinese_feasts
from .when.tense import tense_at

_WEEKDAYS = "mon tue wed thu fri sat sun".split()
_NEXT_DAY = lazy_compile(rf"next ({'|'.join(_WEEKDAYS)})", re.IGNORECASE)
_LAST_NIGHT = lazy_compile(r"\blast night|昨[晚夜]|昨天[晚夜]", re.IGNORECASE)
_DAYBREAK = 5
_AROUND = 400  # more than a clause's tense is looked for in
_YEAR_END = lazy_compile(r"年底|年末|(?:the )?end of (?:the )?year|year[- ]end|eoy", re.IGNORECASE)
_MONTH_END = lazy_compile(
    r"月底|月末|(?:the )?end of (?:the )?month|month[- ]end|eom", re.IGNORECASE
)
_DUE = lazy_compile(r"\b(?:by|until|till|before|due)(?: the)? $|[到至]$", re.IGNORECASE)
_FIRST_DAYS = 5
_OF_QUARTER = lazy_compile(
    r"\b(?:end|start|beginning|middle|close) of (?:the )?(?:this |next |last |\w+ )?"
    r"(?:q[1-4]|h[12]|quarter|half)\b|\beoq\b|(?:季度?|半年)[末底初]",
    re.IGNORECASE,
)
_YEAR = lazy_compile(r"\d{4}")
_NTH = lazy_compile(r"the \d{1,2}(?:st|nd|rd|th)", re.IGNORECASE)
_TAKES_DAY = lazy_compile(
    r"\b(?:goes|go|went|about|celebrat\w+|lov(?:e|es|ed)|hat(?:e|es|ed)|miss(?:es|ed)?|like[sd]?"
    r"|dread\w*|enjoy\w*|fear\w*|forget|forgot|remember\w*) $",
    re.IGNORECASE,
)
_REACH = 160  # characters of a sentence that are read on either side of a time
_WISH = lazy_compile(r"\b(?:i|we) wish\b|\bif only\b|\bas (?:if|though)\b", re.IGNORECASE)
_IF = lazy_compile(r"\bif [\w'’\ufffc]+ ((?:[\w'’]+ ){1,3})", re.IGNORECASE)
_SUPPOSED = frozenset("were was had did didn't could".split())
_WOULD = lazy_compile(r"\b(?:would|could|might)\b|['’]d\b", re.IGNORECASE)
_IF_ZH = "要是|如果|假如|假设|倘若|若是|就算|即使|哪怕"
_EQUATED = lazy_compile(f"(?:{_IF_ZH})\0(?:真的?|就|才)?是")
_WISHED = lazy_compile(
    f"(?:{_IF_ZH}|真希望|巴不得|恨不得).{{0,60}}(?:就好了|多好|该多)|巴不得|恨不得"
)
# 前 and 后 may belong to what stands before them: 下班后天天 is "every day after work".
_AFTER_EVENT = lazy_compile("[以之今最班饭课婚节会职学业假睡觉餐赛试战病孕产酒考演休术床]$")
_OTHER_WORD = lazy_compile(
    "天(?:气|天(?![气空亮黑没还快])|都?快?[黑亮]|[晴阴])"
    "|年(?:终|假|薪|会|夜|货|检|级|年(?![底初中末]))"
    "|晚(?:上|饭|餐|会|班|自习|到|起|睡|年)"
)
_SAFE_BEFORE = lazy_compile(
    r"(?:^|[^\u3400-\u9fff]|[我你他她它咱您们的了在到从是就和跟与或至约说等要有还也都于给让那这])$"
)
_DAY_WORDS = lazy_compile("[今明昨前后][天日晚儿]$")


def stays_as_said(masked: str, span: TimeSpan, reference: datetime) -> bool:
    """Whether the words of a span have a second reading that its clause does not rule out."""
    before = masked[max(0, span.start - 16) : span.start]
    return (
        _may_be_this_week(span, reference)
        or (reference.hour < _DAYBREAK and _LAST_NIGHT.search(span.text) is not None)
        or _may_be_over(masked, span, reference, before)
        or _is_edge_of_quarter(span, before)
        or (_NTH.fullmatch(span.text) is not None and _TAKES_DAY.search(before) is not None)
        or _is_counterfactual(masked, span)
        or _may_follow_event(masked, span)
    )


def _may_follow_event(masked: str, span: TimeSpan) -> bool:
    """下班后晚上, 婚后天天: 后晚 and 后天 are no words there, or may be none."""
    if span.text[0] not in "前后" or span.text[1:2] not in ("天", "日", "年", "晚"):
        return False
    before = masked[max(0, span.start - 4) : span.start]
    if _AFTER_EVENT.search(before):
        return True
    splits = _OTHER_WORD.match(masked, span.start + 1)
    return splits is not None and not (_SAFE_BEFORE.search(before) or _DAY_WORDS.search(before))


def begins_with_feast(text: str) -> bool:
    """清明, or 清明，早上七点."""
    return _feast().match(text) is not None


@cache
def _feast() -> re.Pattern[str]:
    return re.compile("|".join(sorted(map(re.escape, chinese_feasts()), key=len, reverse=True)))


def _may_be_this_week(span: TimeSpan, reference: datetime) -> bool:
    """ "Next Friday" on a Tuesday; on a Sunday some are in the old week, others in the new one."""
    found = _NEXT_DAY.match(span.text)
    if found is None:
        return False
    ahead = (_WEEKDAYS.index(found[1].lower()) - reference.weekday()) % 7
    is_this_week = reference.weekday() + ahead < 7 or reference.weekday() == 6
    return ahead >= 2 and is_this_week


def _may_be_over(masked: str, span: TimeSpan, reference: datetime, before: str) -> bool:
    """年底 in January, 月底 in the first days of a month: the last one or the next."""
    is_early = reference.day <= _FIRST_DAYS and _MONTH_END.fullmatch(span.text)
    is_early = is_early or (reference.month == 1 and _YEAR_END.fullmatch(span.text))
    if not is_early or _DUE.search(before):
        return False
    first = max(0, span.start - _AROUND)
    around = ascii_lower(masked[first : span.end + _AROUND])
    return tense_at(around, span.start - first, span.end - first) is None


def _is_edge_of_quarter(span: TimeSpan, before: str) -> bool:
    """ "By end of Q1": a quarter has no month, and a bare one no year."""
    found = any(m.end() > len(before) for m in _OF_QUARTER.finditer(before + span.text))
    return found and not _YEAR.search(span.text)


def _is_counterfactual(masked: str, span: TimeSpan) -> bool:
    """ "If I won I'd quit tomorrow", 要是明天就是世界末日: no day is meant."""
    first, last = sentence_around(masked, span.start, span.end, _REACH)
    sentence = f"{masked[first : span.start]}\0{masked[span.end : last]}"
    if any(wish.search(sentence) for wish in (_EQUATED, _WISHED, _WISH)):
        return True
    words = (word for found in _IF.finditer(sentence) for word in found[1].lower().split())
    supposed = any(is_past(word) or word in _SUPPOSED for word in words)
    return supposed and _WOULD.search(sentence) is not None
