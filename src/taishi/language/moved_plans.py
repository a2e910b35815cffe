"""Statements that something agreed was moved, is off or was given a wrong time: "the dinner was
moved to Friday", 羽毛球改到周五了, 羽毛球不是周六是周日. The statement that agreed on it gives
another time, and is read with it.
"""

from __future__ import annotations

from collections.abc import Iterator

from . import analyzer, event_nouns
from .lazy_regex import lazy_compile
from .stated_times import begins_with_time, states_time, without_as_of, without_times

MOST_CHARS = 300
_AUX = r"(?:is|are|was|were|(?:has|have|had) been|got|gets|will be|['’]s(?: been)?)"
_ADVERB = r"(?:(?:now|just|already|again|actually) )*"
_WHAT_EN = r"(?P<what>[A-Za-z0-9][\w'’ -]{1,60}?)"
# Of what is moved or not held, whoever moved it; and of what moves by itself, if a time follows.
_MOVED_EN = lazy_compile(
    rf"(?i)(?:^|[.!?;:,]\s*){_WHAT_EN} {_AUX} {_ADVERB}"
    r"(?:moved|rescheduled|postponed|pushed|brought forward|put off|delayed|shifted|changed"
    r"|cancell?ed|called off)\b"
)
_NOW_EN = lazy_compile(
    rf"(?i)(?:^|[.!?;:,]\s*){_WHAT_EN} (?:(?:is|are) now(?: on| at)?|(?:has )?(?:moved|changed) to)"
    r" (?P<at>.+)"
)
_AS_OF_NOW_EN = lazy_compile(
    rf"(?i)(?:^|[.!?;:,]\s*){_WHAT_EN} (?:is|are|['’]s)(?: on| at)? (?P<at>[^.!?;]+?),?"
    r" (?:now|instead|from now on|these days)\s*(?:$|[.!?;,])"
)
_FROM_NOW_EN = lazy_compile(
    rf"(?i)(?:^|[.!?;,]\s*)from (?:now|\d{{4}}-\d\d-\d\d) on,? {_WHAT_EN}"
    r" (?:is|are|['’]s|will be)(?: on| at)? (?P<at>.+)"
)
_DONE_EN = lazy_compile(
    r"(?i)\b(?:moved|rescheduled|postponed|pushed|delayed|shifted|changed|cancell?ed|called off)"
    r" (?P<what>(?:the|our|my|this|that) [\w'’ -]{1,50}?)"
    r"(?= (?:to|until|till|from|by|for|back)\b|[.,;!]|$)"
)
_WHAT_ZH = r"(?P<what>[^，。；！？,;!?：:“”「」]{2,24}?)"
_ADVERB_ZH = r"(?:的?(?:时间|日期|地点|场地))?(?:又|已经|临时|现在|要|会|被|都|也|就)*"
_MOVED_ZH = lazy_compile(
    rf"(?:^|[，。；！？,;!?：:\s])(?:[^，。；！？,;!?：:\s]{{0,8}}?[把将])?{_WHAT_ZH}{_ADVERB_ZH}"
    r"(?:改[到成在为期约]|[挪移换]到|推迟|推后|延期|延后|顺延|取消)"
)
_EARLIER_ZH = lazy_compile(
    rf"(?:^|[，。；！？,;!?：:\s])(?:[^，。；！？,;!?：:\s]{{0,8}}?[把将])?{_WHAT_ZH}{_ADVERB_ZH}(?:提前|延|调整?)到?(?P<at>.+)"
)
_NOW_ZH = lazy_compile(
    rf"(?:^|[，。；！？,;!?：:\s])(?:(?:现在|以后|今后|往后)的?)?{_WHAT_ZH}"
    r"(?:(?:现在|以后|今后|往后)(?:都|就|已经)?|[都就])?(?:改?(?:是|在)|定在)了?(?P<at>.+)"
)
# One of them is in every text that tells of it, and in few others.
_SIGNS = lazy_compile(
    r"(?i)move|reschedul|postpon|push|brought|put off|delay|shift|chang|cancel|called off"
    r"|\bnow\b|\binstead\b|these days|\bfrom \d|现在|[以今往]后|[改挪移换调延]|推[迟后]|取消|提前"
)
# Another time than was said: 夜骑不是周六是周日, "badminton is on Sunday, not on Saturday".
_INSTEAD_EN = (
    lazy_compile(
        rf"(?i)(?:^|[.!?;:,]\s*){_WHAT_EN} (?:(?:is|are|was|were)(?: not|n['’]?t)|['’]s not)"
        r"(?: on| at)? (?P<was>[^.!?;,]{1,40}?),?"
        r" (?:but|it['’]?s|it is|they['’]re|they are)(?: on| at)? (?P<at>.+)"
    ),
    lazy_compile(
        rf"(?i)(?:^|[.!?;:,]\s*){_WHAT_EN} (?:is|are|['’]s|will be)(?: on| at)?"
        r" (?P<at>[^.!?;,]{1,40}?),? (?:and )?not(?: on| at)? (?P<was>.+)"
    ),
)
_INSTEAD_ZH = (
    lazy_compile(
        rf"(?:^|[，。；！？,;!?：:\s]){_WHAT_ZH}(?:的?(?:时间|日期))?(?:其实|应该|并){{0,2}}不[是在]"
        "(?P<was>[^，。；！？,;!?]{1,14}?)[，,]?(?:应该|而)?[是在](?P<at>.+)"
    ),
    lazy_compile(
        rf"(?:^|[，。；！？,;!?：:\s]){_WHAT_ZH}(?:的?(?:时间|日期))?(?:其实|应该){{0,2}}(?<!不)[是在]"
        "(?P<at>[^，。；！？,;!?]{1,14}?)[，,]?(?:而|并)?不[是在](?P<was>.+)"
    ),
)
_ONLY_ASKED = lazy_compile(r"(?i)\b(?:if|would|might|should|could)\b|如果|要是|[吗?？]|是不是|就是")
_ENGLISH = (_MOVED_EN, _NOW_EN, _AS_OF_NOW_EN, _FROM_NOW_EN, _DONE_EN)
_CHINESE = (_MOVED_ZH, _EARLIER_ZH, _NOW_ZH)
# Only thought of, asked or denied: nothing is moved.
_NOT_DONE = lazy_compile(
    r"(?i)\b(?:not|never|if|would|might|may be|should|could|can|wants?|wanted)\b|n['’]t\b"
    r"|没|不要|不用|不会|别|如果|要是|打算|考虑|想|能不能|可不可以|要不|[吗吧?？]"
)
_OWNER = lazy_compile(
    r"(?i)^(?:so|but|sorry|update|the|our|my|your|his|her|their|this|that|\w+['’]s)\s+"
    r"|^(?:那个|这个|那场|这场|我们|咱们|大家|我|咱|原定|说好|约好)?的?"
)
_GENERIC_EN = frozenset(
    "match game session class practice appointment meeting event party call time date".split()
)
_GENERIC_ZH = lazy_compile(r"(?:活动|比赛|聚会|约会|的事情?|训练)$")
_TOO_LITTLE = frozenset("it that this they all everything 时间 地点 场地 日期 安排 计划".split())


def moves(told: str, earlier: str) -> bool:
    """Whether a statement tells that what the earlier one gives a time for was moved or is off."""
    return any(gives_time_for(earlier, what) for what in moved(told))


def moved(told: str) -> tuple[str, ...]:
    """What a statement says was moved or is off, as it calls it."""
    text = without_as_of(told[:MOST_CHARS])
    is_told = _SIGNS.search(text) and not _NOT_DONE.search(text)
    return tuple(_named(text)) if is_told else ()


def retimed(told: str) -> tuple[str, ...]:
    """What a statement says was moved or is off, or to be at one time and not at another."""
    text = without_as_of(told[:MOST_CHARS])
    return tuple(dict.fromkeys((*moved(told), *_given_another_time(text))))


def gives_time_for(statement: str, what: str) -> bool:
    text = statement[:MOST_CHARS]
    return _is_about(text, what) and states_time(text)


def _named(text: str) -> Iterator[str]:
    for pattern in _CHINESE if analyzer.has_cjk(text) else _ENGLISH:
        for found in pattern.finditer(text):
            if "at" not in found.groupdict() or begins_with_time(found["at"].lstrip()):
                yield from _bare(found["what"])


def _given_another_time(text: str) -> Iterator[str]:
    if _ONLY_ASKED.search(text):
        return
    for pattern in _INSTEAD_ZH if analyzer.has_cjk(text) else _INSTEAD_EN:
        for found in pattern.finditer(text):
            if all(begins_with_time(found[time].lstrip()) for time in ("at", "was")):
                yield from _bare(found["what"])


def _bare(named: str) -> Iterator[str]:
    """What is named, without its owner and its time, if that says what it is."""
    what = without_times(named).strip()
    bare = _OWNER.sub("", _OWNER.sub("", what)).strip()
    if bare and bare.casefold() not in _TOO_LITTLE:
        yield bare


def _is_about(statement: str, what: str) -> bool:
    if analyzer.has_cjk(what):
        names = (what, _GENERIC_ZH.sub("", what))
        if any(len(name) > 1 and name in statement for name in names):
            return True
        return any(verb in statement for verb in event_nouns.verbs_of(what))
    words = set(analyzer.terms(what))
    special = words - {term for word in _GENERIC_EN for term in analyzer.terms(word)}
    told = set(analyzer.terms(statement))
    return bool(words) and all(
        word in told or event_nouns.verb_terms(word) & told for word in special or words
    )
