"""Two statements of when one thing is: "the release is on 27 November", "… is on 11 December".

Of what was on two days, or is "also" on another, both hold.
"""

from __future__ import annotations

from typing import NamedTuple

from . import analyzer
from .clauses import lemma
from .lazy_regex import lazy_compile
from .moved_plans import moves
from .stated_times import is_one_more, times_in, without_as_of, without_times

MOST_CHARS = 300
_WHAT = r"(?P<what>[A-Za-z0-9][\w'’&/ -]{1,60}?)"
_ADVERB = r"(?: (?:now|currently|again|always|usually))?"
_IS = (
    rf"(?: (?:is|are|will be)|['’]s(?= (?:now|on|at|in|by|due|scheduled|moved)\b)){_ADVERB}"
    r"(?: (?:scheduled|planned|set|due|fixed|held|booked"
    r"|moved|postponed|rescheduled))?"
    r"|(?: will)?(?: now)? (?:starts?|begins?|ends?|takes? place|opens?|closes?|launch(?:es)?"
    r"|ships?|goes live|expires?)"
    r"|(?: was| has been)? (?:moved|postponed|rescheduled|brought forward|pushed)(?: back)?"
)
_STATED = lazy_compile(
    rf"(?i){_WHAT}(?:{_IS})(?: (?:on|at|in|by|for|to|from|until|every))*(?P<when>\s.+)"
)
_STATED_ZH = lazy_compile(
    "(?P<what>[^，。；！？,;!?：:]{2,20}?)(?:现在|目前)?(?:时间)?(?:改?(?:是|在)|[定安]排?[在于]|[改挪移调]到|推迟到|提前到|开始于)?了?"
    "(?P<when>(?:每|下|本|这|周|星期|礼拜|上午|下午|早上|晚上|中午|明|后|今|\\d|[一二三四五六七八九十]{1,3}[月点]).{1,30}?)"
    "(?:开始|举行|进行|召开|开|到期|结束|发布|上线)?了?"
)
_LONGER = lazy_compile(
    r"(?i)\b(?:next|this) (?:week|weekend|month|quarter|year|spring|summer|autumn|fall|winter)\b"
    r"|\b(?:early |late |mid-?)?(?:january|february|march|april|may|june|july|august|september"
    r"|october|november|december)(?: \d{4})?\b|\bQ[1-4](?: \d{4})?\b"
    r"|\b(?:spring|summer|autumn|fall|winter)(?: \d{4})?\b|\b20\d\d\b"
    r"|[下这本]个?(?:周末?|月|季度|年)|(?:今年|明年)?(?:1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月[初中底]?"
)
_FILLERS = lazy_compile(
    r"(?i)\b(?:on|at|in|the|of|from|to|by|until|and|every|now|instead|again|sharp|about|around|cet"
    r"|utc|am|pm)\b|[\s,().年月日号每的（），、]"
)
_CLOCK = lazy_compile(
    r"(?i)[:：点]|\d ?[ap]\.?m|o['’]clock|^(?:at|to|until|till) |half|quarter"
    r"|morning|afternoon|evening|noon|night|凌晨|[早晚]上|上午|中午|下午|傍晚"
)
_NO_THING = frozenset("there it this that he she i we they today tomorrow here time what".split())
_PAST = lazy_compile(r"(?i)\b(?:was|were|had)\b(?! (?:moved|postponed|rescheduled|brought|pushed))")
_CLOSING = " \t.。!！"


class _Stated(NamedTuple):
    what: tuple[str, ...]
    days: frozenset[str]
    hours: frozenset[str]


def other_time(told: str, known: str) -> bool:
    """Whether the new statement gives another time for what the known one gives a time for."""
    new, old = told[:MOST_CHARS], known[:MOST_CHARS]
    if is_one_more(new) or is_one_more(old):
        return False
    one, other = _stated(new), _stated(old)
    if one is None or other is None:
        return moves(new, old) and _differ(_times(new), _times(old))
    return one.what == other.what and _differ(one, other)


def _differ(one: _Stated, other: _Stated) -> bool:
    return any(
        bool(first and second) and not (first <= second or second <= first)
        for first, second in ((one.days, other.days), (one.hours, other.hours))
    )


def _stated(text: str) -> _Stated | None:
    """What is when, if the statement says nothing else."""
    plain = without_as_of(text.strip()).strip(_CLOSING)
    is_chinese = analyzer.has_cjk(plain)
    found = (_STATED_ZH if is_chinese else _STATED).fullmatch(plain)
    if found is None or (not is_chinese and _PAST.search(plain)):
        return None
    rest = _LONGER.sub(" ", without_times(found["when"]))
    if _FILLERS.sub("", rest):
        return None
    times = _times(found["when"])
    what = found["what"].strip().casefold()
    if not is_chinese and what.split()[0] in _NO_THING:
        return None
    words = tuple(what) if is_chinese else tuple(lemma(word) for word in _bare(what).split())
    return times._replace(what=words) if words and (times.days or times.hours) else None


def _times(text: str) -> _Stated:
    found = times_in(text)
    hours = frozenset(one for one in found if _CLOCK.search(one))
    longer = () if found - hours else (one[0].casefold() for one in _LONGER.finditer(text))
    return _Stated((), (found - hours).union(longer), hours)


def _bare(what: str) -> str:
    first, _, rest = what.partition(" ")
    return rest if first in ("the", "our", "this") and rest else what
