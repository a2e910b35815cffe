"""Finds what a person asks to forget of their own words: "forget what I said about Berlin", "take
back what I told you about my job", 忘掉我说的住址, 把我刚才说的猫的事收回.

Only a request, at the beginning of a clause: "don't forget what I said", 老板忘了我说的…… and
我忘了我说的…… ask for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...language.forget_patterns import CLAUSE_START, REPORTED, TRADITIONAL
from ...language.forget_requests import after_openings
from ...language.lazy_regex import lazy_compile

WORTH_READING = lazy_compile(
    r"(?i)forget|ignore|disregard|delet|remov|eras|scratch|strike|drop"
    r"|never ?mind|t[ao]o?ke? |withdraw|retract"
    "|[忘收撤管略视删算]|当我没说"
)

# -- English ----------------------------------------------------------------------------------

_SAID = r"(?:said|told you|mentioned|wrote|was saying)"
_THING = r"(?:what(?:ever)?|everything|anything|all(?: that)?|the (?:thing|things|part|stuff))"
_EARLIER = r"(?: (?:earlier|before|just now|yesterday|last (?:week|time|month)|the other day))?"
_TAKE_BACK = (
    r"(?:(?:i(?:['’]d| would) like to|i (?:want|have|need) to|i hereby|i|let me) )?"
    r"(?:take back|took back|withdraw|retract)"
)
_FORGET = r"(?:forget|ignore|disregard|never ?mind)(?: about)?"
_END = r"(?=\s*(?:[,;.!?—–~]|$|(?:please|pls|thanks|thank you|and|ok|okay|because|again)\b))"
_I = r"(?:that )?i(?:['’]ve| have)?(?: just| ever)?"
_ABOUT = r"(?P<about>[\w'’ -]{2,60}?)"
_ENGLISH = (
    rf"(?:{_FORGET}|(?:scratch|strike|drop)|{_TAKE_BACK}) {_THING} {_I} {_SAID}{_EARLIER}"
    rf" (?:about|regarding|on) {_ABOUT}{_EARLIER}{_END}",
    # Not what somebody wrote: "delete what I wrote about caching" is work on a file.
    rf"(?:delete|remove|erase) (?:what(?:ever)?|everything|anything|all(?: that)?) {_I}"
    rf" (?:told you|said|mentioned){_EARLIER} (?:about|regarding|on) {_ABOUT}{_EARLIER}{_END}",
    # The thing itself: "forget the address I gave you".
    rf"(?:{_FORGET}|{_TAKE_BACK}) (?:the|my|that|this|those|these) {_ABOUT} {_I}"
    rf" (?:gave|given|told|mentioned|sent|shared|described)(?: (?:to )?you)?(?: about)?"
    rf"{_EARLIER}{_END}",
)

# -- Chinese ----------------------------------------------------------------------------------

_NOW_ZH = "(?:刚才|刚刚|刚|之前|前面|上面|上次|以前|昨天)?"
_TOLD_ZH = "(?:说|讲|提|聊|(?:告诉|跟|和|给)过?你(?:说|讲|提|聊)?)(?:过|到|起)*的?"
_I_TOLD_ZH = f"(?:我{_NOW_ZH}|{_NOW_ZH}我){_TOLD_ZH}"
_ASIDE_ZH = (
    "(?:忘掉|忘记|忘却|忘了|忽略掉?|无视|收回|撤回|撤销|删掉|删除|(?:别|不用|不要|甭)再?管)(?:掉)?"
)
_ABOUT_ZH = "(?:关于|有关)?(?:那个|那些|这个)?(?P<about>[^，。；！,;!?？\\s]{1,20}?)"
_OF_IT_ZH = "(?:的?(?:事情?|事儿|话|内容|信息))?"
_POLITE_ZH = "(?:了?吧|好吗|好了|啦|哈|呗|谢谢)*(?=[，。；！,;!~～\\s]|$)"
_ALL_ZH = "(?:你|您|请|就|都|也|还是|先|全|一起|通通|统统|给我|帮我)*"
_CHINESE = (
    f"{_ASIDE_ZH}{_I_TOLD_ZH}{_ABOUT_ZH}{_OF_IT_ZH}{_POLITE_ZH}",
    # Without 我, and without 说: 忘掉关于柏林的说法
    f"{_ASIDE_ZH}{_NOW_ZH}{_TOLD_ZH}(?:关于|有关)(?P<about>[^，。；！,;!?？\\s]{{1,20}}?)"
    f"{_OF_IT_ZH}{_POLITE_ZH}",
    f"{_ASIDE_ZH}我?{_NOW_ZH}(?:关于|有关)(?P<about>[^，。；！,;!?？\\s]{{1,20}}?)"
    f"的?(?:说法|话|内容|说的话?){_POLITE_ZH}",
    f"(?:把|将)?{_I_TOLD_ZH}{_ABOUT_ZH}{_OF_IT_ZH}{_ALL_ZH}(?:忘掉|忘记吧|忘了吧|忽略掉?|收回|撤回|撤销|删掉|删除|删了(?=吧|好吗)"
    f"|(?:别|不用|不要)再?管|不算数?|作废|当我没说){_POLITE_ZH}",
)
_NO_TOPIC_ZH = lazy_compile(
    "[了吗么呢没]$|^(?:的|话|事|那|这|是|对|错|没|不|都|也|就)|什么|[谁哪]|多少|有没有|过的?$"
)

# -- what a topic is called, and the facts that are of it ----------------------------------------

_CATEGORIES = (
    (
        ("residence",),
        r"(?:home |street |postal )?address|where i live|住址|地址|住处|家庭住址|住的地方|住哪里?",
    ),
    (("employer", "job"), r"job|work|where i work|what i do|工作|职业|上班的?(?:地方)?"),
    (("employer",), r"company|employer|公司|单位|工作单位"),
    (("birthday",), r"birthday|birth ?date|date of birth|生日|出生日期"),
    (("age",), r"age|how old i am|年龄|年纪|岁数|多大"),
    (("name",), r"name|名字|姓名"),
    (("phone",), r"(?:phone|mobile)(?: number)?|number|电话(?:号码)?|手机号?码?|号码"),
    (("email",), r"e-?mail(?: address)?|邮箱|邮件地址"),
    (("partner",), r"partner|spouse|伴侣|另一半"),
)
_MY = lazy_compile(r"^(?:my|our|the|a|an)\s+|^(?:我们?|咱)(?:的|家的?)?(?=.)", re.IGNORECASE)


def _bare(words: str) -> str:
    return _MY.sub("", words.strip())


@dataclass(frozen=True, slots=True)
class WithdrawnTopic:
    """`words` name it; facts of the `categories` are of it whatever their words."""

    words: str
    categories: frozenset[str] = frozenset()

    @classmethod
    def of(cls, words: str) -> WithdrawnTopic:
        name = _bare(words)
        found = (of for of, called in _CATEGORIES if re.fullmatch(called, name, re.IGNORECASE))
        return cls(words.strip(), frozenset(next(found, ())))

    @property
    def bare(self) -> str:
        """The words without "my" or 我的."""
        return _bare(self.words)


@dataclass(frozen=True, slots=True)
class Requests:
    """What is to be forgotten, and what else is said."""

    topics: tuple[WithdrawnTopic, ...]
    rest: str


def requests_in(text: str) -> Requests:
    """The requests of a person's own words."""
    if not WORTH_READING.search(text):
        return Requests((), text)
    found = list(_found(text))
    rest = text
    for _, start, end in reversed(found):
        rest = f"{rest[:start]} {rest[end:]}"
    return Requests(tuple(WithdrawnTopic.of(words) for words, _, _ in found), rest)


def _found(text: str) -> Iterator[tuple[str, int, int]]:
    """The words of each topic, and where its request stands."""
    plain = text.translate(TRADITIONAL)
    done = 0
    for boundary in CLAUSE_START.finditer(plain):
        start = boundary.end()
        if start < done:
            continue
        if REPORTED.search(plain, max(0, start - 80), start):
            return
        at, _ = after_openings(plain, start)
        match = _match(plain, at) or _match(plain, start)
        if match is not None:
            done = match.end()
            yield text[match.start("about") : match.end("about")], start, done


def _match(plain: str, at: int) -> re.Match[str] | None:
    for row in _ENGLISH:
        if match := re.compile(row, re.IGNORECASE).match(plain, at):
            return match
    for row in _CHINESE:
        match = re.compile(row).match(plain, at)
        if match and not _NO_TOPIC_ZH.search(match["about"]):
            return match
    return None
