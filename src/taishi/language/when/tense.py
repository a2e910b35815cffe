"""Whether a clause tells of what was or of what will be; None where it does not say.

A bare weekday, day of the month or month means the last one or the next one by nothing else, so a
clause that is silent, or that says both, leaves such a day open.
"""

from __future__ import annotations

import re
from functools import cache

from ..lazy_regex import lazy_compile
from ..text import sentence_around
from .calendar import Prefer
from .lacking import (
    NOT_DONE,
    is_reported_state,
    is_sure_to_come,
    lacks,
    without_change,
    without_remaining,
)

_IRREGULAR = (
    "went came saw met got left bought had made took ate drank slept ran swam drove flew rode wrote"
    " spoke told said found lost won sold sent paid taught caught brought thought felt kept held"
    " heard built broke fell gave began did was were knew grew threw drew wore woke forgot chose"
    " spent stood sat understood sang rang hung stuck struck shot became hid led lent meant"
    " rose sank"
    " shook stole swore tore wept dug fed fought lit slid spun swept wound didnt wasnt werent"
    " dreamt"
    " learnt burnt been done gone seen taken"
).split()
_NOT_ED = "need feed speed bed red wed hundred indeed seed weed embed exceed proceed succeed breed"
_NOT_ED += " shed sacred naked kindred led ted fred"
_SCHEDULED = (
    "leaves? starts? begins? ends? arrives? departs? lands? fl(?:y|ies) comes? moves? returns?"
    " expires? retires? graduates? launch(?:es)? ships? boards? travels?"
).split()
_ORDERS = (
    "remind call bring send come meet book buy pick pay submit finish remember tell ask check"
    " schedule cancel cook order invite drop join text email mail wake let see"
).split()
_EN_FUTURE = (
    r"\b(?:will|won['’]?t|shall|going to|gonna|about to|hop(?:e|es|ing) to|intends? to|wanna"
    r"|plan(?:s|ning)? (?:to|on)|plans? (?:for|is)|wants? to|wants|would like|['’]d like"
    r"|needs? to|ha(?:ve|s) to|gotta"
    r"|must|should|can(?:not|['’]?t)?|may|might|let['’]?s|please|see you|see ya|due|deadline"
    r"|(?<!didn['’]t )(?<!didnt )(?<!did not )ha(?:ve|s) (?:an?|another|the) (?!been)"
    r"|(?:could|would) (?:you|we|i)"
    rf"|(?:{'|'.join(_SCHEDULED)}))\b"
    r"|\b(?:i|we|you|he|she|it|they|that|there|who)['’]ll\b"
    r"|['’]s (?:coming|going|leaving|arriving|flying|visiting|returning|staying|driving)\b(?!-)"
    r"|(?:\b(?:am|is|are|isn['’]?t|aren['’]?t|im)|(?:\b(?:i['’]m|(?:we|you|they)['’]re|(?:he"
    r"|she|it|that|there|here|what|who)['’]s)))(?= )"
)
_EN_GENERIC = lazy_compile(
    r"\b(?:is|are|['’]s|['’]re) (?:always |usually )?(?:closed|open|crowded|busy|quiet|cheap"
    r"|free for"
    r"|hot|cold|fun|bad|the (?:best|worst))\b"
)
_EN_WAS_TO = lazy_compile(
    r"['’]d (?!like\b|better\b|been\b)|\bwould (?!like\b)|\b(?:it['’]?s|it is|today is) (?:on )?\0|"
    r"\b(?:was|were) (?:going|about|supposed|meant|due|planning) to\b"
)
_EN_PUT_OFF = lazy_compile(
    r"\b(?:moved|postponed|rescheduled|delayed|pushed|changed|set|booked|reserved|scheduled|planned"
    r"|fixed|arranged|invited|signed up)\b[^.,;!?]{0,40}? (?:to|for|until|till)(?: the)? $"
)
_PASSIVE = (
    r"(?:\b(?:am|is|are|be|im|gets?)|['’](?:s|m|re)) (?:\w+ )?"
    r"(?:\w+ed|paid|done|sent|sold|taken)$"
)
_EN_CANCELLED = lazy_compile(
    r"\b(?:cancell?ed|called off|postponed|rescheduled|moved|delayed|pushed back)\b"
)
_EN_CUT = lazy_compile(
    r"[.,;:!?\n()]|\b(?:and|but|because|so|while|when|whether|if|that|who|which|then|though|although"
    r"|until|before|after)\b(?! (?:the |next |last |this )?(?:\d|mon|tue|wed|thu|fri|sat|sun"
    r"|jan|feb|mar|apr|may|jun"
    r"|jul|aug|sep|oct|nov|dec|christmas|easter))"
)
_ZH_CUT = lazy_compile(
    "[,，。；;！？!?：:\n]|(?<!听)说(?!话|服|法)|告诉[我你他她]?|但是?|因为|所以|然后|不过"
)
_ZH_PAST = lazy_compile(
    "(?<![为除算罢得不])了(?![解不])|过(?![\0年节小圣中春端元国五六七清重万情母父感生来去几两敏程期滤度关]|一会)|曾经?|已经?|刚(?!好|果)"
    f"|{NOT_DONE}|(?<=[回到买去来做办弄认拍写吃看见遇职业婚生走搬])的(?=[,，。！!？?]|$)|[返食睇去買见見嚟]咗"
)
_ZH_FUTURE = lazy_compile(
    "(?<![主重需必首只])要(?![求点是素不么])|将(?![军来])|(?<![开聚约机社晚宴都学体])会(?![议计员所场儿])|打算|准备|计划"
    "|想(?![起到念法])|得(?=[去来交参做上])|记得|别忘|提醒|约(?!了|好了|会了)|可以|能(?![力源量])|截止|到期"
    "|去(?![了过年世掉的咗])|来(?![了过自着的])|回(?![了过忆答])|飞|出发(?!了|的)|报到(?!了)|见(?=$|[,，。！!？?吧哦])"
    "|不(?=[去来上用想能会要])|再(?=说|见|聊)|开学(?!了)|放假(?!了)"
)
_ZH_SOON = lazy_compile("(?:要|快|将|会|不)[^,，。；！？了]*了")
_ZH_PUT_OFF = lazy_compile(
    "(?:改|推迟|推|延期|延|提前|定|约|订|安排|挪|换)(?:到|在|至|成|为)了?$|(?:约|订|预约|预订|买|抢)(?:了|好了?)$"
)
_ZH_STILL = lazy_compile("到现在|至今|到今天还|还没缓|还在[疼痛酸]|还[疼痛酸]")
_ZH_OPEN = lazy_compile("本来|原本|原来要|\0了|才(?=[回来去到走])")
_ZH_PLANNED = lazy_compile("约了|取消|改期|推迟|延期|改到|定在|订|预约|约好|安排")
_HAN = lazy_compile("[一-鿿]")


@cache
def _english_past() -> re.Pattern[str]:
    not_past = "|".join(_NOT_ED.split())
    return re.compile(
        rf"\b(?:{'|'.join(_IRREGULAR)}|(?:did|was|were|had|could)n['’]?t|(?!(?:{not_past})\b)\w{{2,20}}ed)\b"
    )


@cache
def _english_future() -> re.Pattern[str]:
    return re.compile(_EN_FUTURE)


@cache
def _scheduled() -> re.Pattern[str]:
    return re.compile("|".join(_SCHEDULED))


_REACH = 200  # characters of a sentence that are read on either side of a time


def tense_at(text: str, start: int, end: int) -> Prefer | None:
    """The tense of the clause that holds `text[start:end]`, in lower case."""
    first, last = sentence_around(text, start, end, _REACH, semicolons=False)
    if _HAN.search(text, first, last):
        return _chinese(text, first, start, end, last)
    if _EN_PUT_OFF.search(text, max(first, start - 70), start):
        return "future"
    if is_reported_state(text[first:start]):
        return None
    begin, until = _clause(_EN_CUT, text, first, start, end, last)
    found = _english(text, begin, start, end, until)
    if found == "open":
        return None
    if found is None and (begin, until) != (first, last):
        found = _one_sided(text[first:start] + " " + text[end:last])
    return found if found != "open" else None  # type: ignore[return-value]


def _clause(
    cut: re.Pattern[str], text: str, first: int, start: int, end: int, last: int
) -> tuple[int, int]:
    begin = first
    for found in cut.finditer(text, first, start):
        if found.end() < start - 1 or text[found.start()] in ",;:.!?()，；：":
            begin = found.end()
    after = cut.search(text, end, last)
    return begin, after.start() if after else min(last, len(text))


def _english(text: str, begin: int, start: int, end: int, until: int) -> str | None:
    before, after = without_remaining(text[begin:start]), without_remaining(text[end:until])
    clause = f"{before}\0{after}"
    if _EN_WAS_TO.search(clause) or _EN_GENERIC.search(clause):
        return "open"
    of_thing = re.match(r"['’]s|\s[a-z]+ (?:was|has been|got|is) ", after)
    if of_thing and _EN_CANCELLED.search(clause):
        return "open"
    if _tells_a_plan(before):
        return "open"
    past = [m.end() for m in _english_past().finditer(before)]
    future = [
        m.end()
        for m in _english_future().finditer(before)
        if not (past and past[0] < m.start() and _scheduled().fullmatch(m[0]))
    ]
    if past or future:
        if past and (not future or past[-1] > future[-1]) and not _is_passive(before, past[-1]):
            return "past"
        return "future"
    if re.match(rf"\s*(?:{'|'.join(_ORDERS)}|don['’]?t|do not|be)\b", before):
        return "future"
    return _one_sided(after)


def _is_passive(before: str, end: int) -> bool:
    """ "Is booked", "are invited": the participle of a present."""
    return re.search(_PASSIVE, before[:end]) is not None


def _tells_a_plan(before: str) -> bool:
    """ "She promised to come on Friday": the promise is past, the Friday may not be."""
    return (
        re.search(
            r"\b(?:decided|planned|agreed|promised|offered|wanted|hoped|asked|told \w+"
            r"|arranged) (?:\w+ )?to\b",
            before,
        )
        is not None
        or re.search(
            r"\b(?:booked|bought|got|reserved|ordered) [^.;!?]*\b(?:tickets?|flights?|tables?"
            r"|rooms?|seats?)\b",
            before,
        )
        is not None
    )


def _one_sided(text: str) -> str | None:
    past, future = _english_past().search(text), _english_future().search(text)
    if past and future:
        return "open" if not _is_passive(text, past.end()) else "future"
    if past:
        return "past"
    return "future" if future else None


def _chinese(text: str, first: int, start: int, end: int, last: int) -> Prefer | None:
    if _ZH_PUT_OFF.search(text, max(first, start - 12), start):
        return "future"
    begin, until = _clause(_ZH_CUT, text, first, start, end, last)
    found = _chinese_clause(text[begin:start], text[end:until])
    if found is None and text[until : until + 1] in ("说", "告"):
        return None  # what was said has a tense of its own
    if found is None and not _HAN.search(text[begin:start] + text[end:until]):
        found = _chinese_clause(text[first:start], text[end:last])
    if found == "future" and _ZH_STILL.search(text, end, last):
        return None  # what is still felt has happened
    return found if found != "open" else None  # type: ignore[return-value]


def _chinese_clause(before: str, after: str) -> str | None:
    clause = without_change(f"{before}\0{after}")
    past, future = _ZH_PAST.search(clause), _ZH_FUTURE.search(clause)
    if _ZH_OPEN.search(clause):
        return "open"
    if past and (_ZH_PLANNED.search(clause) or after.startswith("的")):
        return "open"
    if past and not _ZH_SOON.search(clause):
        return "past"
    if lacks(clause) and not any(map(is_sure_to_come, _ZH_FUTURE.finditer(clause))):
        return "open"
    return "future" if future else None
