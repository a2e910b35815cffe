"""A plan that its owner cancels: "the Lima trip is off", "I cancelled dinner with Tom", 利马不去了,
周五的聚餐取消了.

What is cancelled is named by words ("Lima", 聚餐) or only by its kind ("the trip"), and perhaps
by a day. What is not done after all (我不搬了) is read in `dropped_plans`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from ...language.analyzer import has_cjk, terms
from ...language.lazy_regex import lazy_compile
from ...language.text import sentences
from ...language.when import find_times
from .clauses import without_leading
from .dropped_plans import Dropped, dropped
from .own_words import is_a_joke, is_not_serious, is_not_stated, own_words

_CHARS = 300
_CLAUSE = lazy_compile(r"\s*(?:[,;:.!—，；。！：]+|\s-\s)\s*")
_WHAT_EN = r"(?P<{}>[^,;:.!?—]{{2,60}}?)"
_END_EN = r"(?: (?:now|after all|again|today|yesterday|any ?more|for good|unfortunately|sadly))*"
_ENDS_EN = tuple(
    lazy_compile(rf"(?i){row}{_END_EN}")
    for row in (
        rf"(?:the |my |our |this |that )?{_WHAT_EN.format('what')}(?: is| was| has been| got| are"
        r"| were| have been|['’]s)(?: now| been| all)* (?:cancell?ed|called off|off"
        r"|not happening|no longer happening)",
        r"(?:i|we)(?:['’]ve| have| had to| just)* (?:cancell?ed|cancel|called off|call off)"
        rf" (?:the |my |our )?{_WHAT_EN.format('what')}",
        r"(?:i|we)(?:['’]ve| have| had to| just)* call(?:ed)? (?:the |my |our )?"
        rf"{_WHAT_EN.format('what')} off",
        r"(?:i['’]m|i am|we['’]re|we are) (?:no longer|not) (?:going|flying|travell?ing|driving)"
        r" to (?P<what>(?-i:[A-Z])[^,;:.!?—]{1,40}?)",
    )
)
_ALREADY_ZH = "(?:也|都|已经|又|被|临时|全部?|突然|最后|还是|就|我们?|咱们?)*"
_WHAT_ZH = r"(?P<what>[^，。；！,;!?？]{2,16}?)"
_ENDS_ZH = tuple(
    lazy_compile(row)
    for row in (
        rf"{_WHAT_ZH}{_ALREADY_ZH}(?:取消|泡汤|作废|黄|吹)了",
        rf"(?:我们?|咱们?)?(?:已经)?(?:把{_WHAT_ZH}给?取消|取消了?(?P<other>[^，。；！,;!?？]{{2,16}}?))了?",
        rf"{_WHAT_ZH}{_ALREADY_ZH}(?:不去|去不成|去不了|不办|办不成|不搞|不开|不飞|不(?:做|弄|约|聚|爬|拍|参加))了",
        rf"(?:我们?|咱们?)(?:已经|都|又|最后|还是|就)*不(?:去|飞){_WHAT_ZH}了",
    )
)
_KINDS_EN = frozenset(
    terms(
        "trip flight flights plan plans visit journey ticket tickets booking reservation travel"
        " travels hotel holiday vacation appointment event"
    )
)
_KIND_ZH = "之行|行程|旅行|旅游|航班|飞机|机票|车票|酒店|出差|计划|安排|活动|约会|预约|的事情?"
_LIGHT_EN = frozenset(terms("the my our a an to in on with for of at that this from not and"))
_NOT_EN = lazy_compile(r"(?i)\b(?:not|never|n['’]t)\b")
_AHEAD = lazy_compile(
    r"(?i)\b(?:going to|plans? to|planning|will|booked|flying|travell?ing)\b"
    r"|打算|计划|准备|要去|想去"
)
_NO_WORDS_ZH = lazy_compile(r"^[我你您他她它]|不|没|谁|什么")


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The words of what is cancelled; `is_kind`: only of what kind it is; its days, if any; and a
    pattern of the verb that its plan has to have."""

    words: frozenset[str]
    is_kind: bool
    days: frozenset[date]
    verb: str = ""

    def is_of(self, plan: str) -> bool:
        """Whether a statement has all these words."""
        if not re.search(self.verb, plan):
            return False
        found = frozenset(terms(plan))
        return all(word in (plan if has_cjk(word) else found) for word in self.words)


def cancelled(text: str, sender: str | None, local: datetime) -> Iterator[Cancelled]:
    """What the speaker cancels, clause by clause."""
    own = own_words(text[:_CHARS], sender)
    if is_not_serious(own) or is_a_joke(own):
        return
    for sentence in sentences(own):
        plain = without_leading(sentence.strip())
        if is_not_stated(sentence, plain):
            continue
        for clause in _CLAUSE.split(plain):
            rows = _ENDS_ZH if has_cjk(clause) else _ENDS_EN
            found = next((match for row in rows if (match := row.fullmatch(clause))), None)
            if found:
                one = _named(next(filter(None, found.groups())), local)
            else:
                plan = dropped(clause, plain)
                one = _not_done(plan, local) if plan else None
            if one:
                yield one


def days_of(text: str, local: datetime) -> frozenset[date]:
    """The days that a text names."""
    return frozenset(
        span.begin.date()
        for span in find_times(text, local, prefer="future")
        if span.kind in ("date", "datetime")
    )


def is_planned(text: str, told: datetime, now: datetime) -> bool:
    """Whether a statement tells of what was still to come when it was told, and is yet to come."""
    days = days_of(text, told)
    if days:
        return min(days) > told.date() and max(days) >= now.date()
    return _AHEAD.search(text) is not None or _names_a_time_ahead(text, told, now)


def _names_a_time_ahead(text: str, told: datetime, now: datetime) -> bool:
    """我2026年4月搬去鄞州: a month or a week that had not begun and is not over."""
    return any(
        span.kind == "daterange" and span.begin > told and span.until > now
        for span in find_times(text, told, prefer="future")
    )


def only_one(plans: Sequence[frozenset[date]], one: Cancelled) -> bool:
    """Whether the plans that it may mean, by their days, are one and the same."""
    return len({days for days in plans if days}) <= 1 and (len(plans) <= 1 or not one.is_kind)


def _not_done(plan: Dropped, local: datetime) -> Cancelled | None:
    """One that is named by its verb alone is of a kind: of several plans nobody knows which."""
    if not plan.verb:
        one = _named(plan.what, local)
        return replace(one, is_kind=len(one.words) == 1) if one else None
    days = days_of(plan.what, local)
    if days:
        return None  # 今天不搬了 says nothing of another day
    topic = re.sub("^(?:[这那][个次回]?)|的?(?:事[情儿]?|计划|打算)?$", "", plan.what)
    if _NO_WORDS_ZH.search(topic):
        return None
    words = plan.besides | ({topic} if topic else set())
    return Cancelled(words, not words, days, plan.verb)


def _named(what: str, local: datetime) -> Cancelled | None:
    days = days_of(what, local)
    for span in reversed(find_times(what, local, prefer="future")):
        what = f"{what[: span.start]} {what[span.end :]}"
    if _NOT_EN.search(what):
        return None
    if has_cjk(what):
        return _named_chinese(re.sub(r"\s+", "", what), days)
    found = frozenset(terms(what)) - _LIGHT_EN
    words = found - _KINDS_EN
    return Cancelled(words or found, not words, days) if found else None


def _named_chinese(what: str, days: frozenset[date]) -> Cancelled | None:
    what = re.sub("^(?:我们?|咱们?)?(?:的|和|跟|去|在)*|的$", "", what)
    if _NO_WORDS_ZH.search(what):
        return None
    words = re.sub(f"的?(?:{_KIND_ZH})+$|的", "", what)
    if len(words) >= 2:
        return Cancelled(frozenset((words,)), False, days)
    return Cancelled(frozenset((what,)), True, days) if len(what) >= 2 else None
