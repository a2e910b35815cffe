"""Recognises questions that name a period and no matter: "What did I tell you last week?",
我上周跟你说了什么. No record has their words: what was told in the period is the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ..language.lazy_regex import lazy_compile
from ..language.when import find_times
from ..ports import RecordFilter
from ..times import to_epoch
from .query import TOO_FINE, TimeMention

MAX_CHARS = 120
_WORD = lazy_compile(r"[^\W_]+(?:['’][^\W_]+)?")
_ASKS = frozenset(
    "what what's whats anything everything something did have has do show list recap summarise"
    " summarize summary remember recall".split()
)
# Words that name no matter. "there" is one: "was I there last week?" asks about a place.
_FILLERS = frozenset(
    "i i've we we've you you've me us my our your the a an of from for to with about on in at over"
    " during between around since and or that which all any things thing stuff else been was were"
    " is are had told tell telling said say saying mention mentioned talk talked talking speak"
    " spoke discuss discussed discussing chat chatted conversation conversations chats talks"
    " topics memories memory events notes happen happened happening do done doing go went"
    " going up know known"
    " learn learned learnt give please can could would will every each other together period time"
    " back ago then again so ok okay hey hi well".split()
)
_TELLERS = frozenset("i i've we we've you you've that".split())
_ZH_FILLERS = lazy_compile(
    "[我们咱你您跟和对给向说讲聊告诉提到谈过了的都有什么哪些啥事情内容话题记得还吗呢发生做干在里那这个"
    "时候期间请帮列出一下总结回顾所全部切任何东西是关于与呀啊哈吧来着间段，,。？?！!、\\s]+"
)
_DEEDS = lazy_compile(r"\b(?:happen|do\b|done\b|doing\b)|发生|做|干")
_ZH_ASKS = lazy_compile("(?:什么|哪些|哪件|啥)(?![都也])|吗|总结|回顾|列出|所有|全部|一切")


@dataclass(frozen=True, slots=True)
class Period:
    """From `begin` to `until`, in seconds; None: open. `of_deeds`: the question is about what
    happened then, which may have been told later as well."""

    begin: float | None
    until: float | None
    of_deeds: bool = False


def period_asked(
    text: str, now: datetime, time_from: float | None = None, time_to: float | None = None
) -> Period | None:
    """The period, if the question asks for nothing but what was told in it. `time_from` and
    `time_to` are limits that were given beside it."""
    has_limits = time_from is not None or time_to is not None
    if len(text) > MAX_CHARS:
        return None
    if has_limits and not text.strip():
        return Period(time_from, time_to)
    spans = [one for one in find_times(text, now) if one.grain not in TOO_FINE]
    if len(spans) > 1 or not (spans or has_limits):
        return None
    rest = text
    for span in spans:
        if span.begin > now:
            return None
        rest = f"{text[: span.start]} {text[span.end :]}"
    if not _names_nothing(rest):
        return None
    of_deeds = _DEEDS.search(rest.lower()) is not None
    if not spans:
        return Period(time_from, time_to, of_deeds)
    begin, until = to_epoch(spans[0].begin, UTC), to_epoch(spans[0].until, UTC)
    return Period(
        begin if time_from is None else max(begin, time_from),
        until if time_to is None else min(until, time_to),
        of_deeds,
    )


def period_of(
    text: str, now: datetime, wanted: RecordFilter, moments: Sequence[TimeMention]
) -> Period | None:
    """The same, of a question whose times were read: most questions name none."""
    limits = wanted.time_from, wanted.time_to
    return period_asked(text, now, *limits) if moments or limits != (None, None) else None


def _names_nothing(rest: str) -> bool:
    """Whether the words ask, and name no matter."""
    if not rest.isascii() and _ZH_ASKS.search(rest):
        return _ZH_FILLERS.fullmatch(rest) is not None
    words = [word.replace("’", "'") for word in _WORD.findall(rest.lower())]
    if words[:1] and words[0] in _TELLERS and not rest.rstrip().endswith("?"):
        return False  # "I told you everything yesterday."
    return any(word in _ASKS for word in words) and all(
        word in _ASKS or word in _FILLERS for word in words
    )
