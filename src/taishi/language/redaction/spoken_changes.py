"""Finds changed passwords: "changed from X to Y", 以前是X，现在是Y.

The old one matters too: people go back to it, and use it elsewhere. A value counts here only if no
sentence would hold it, since the words between the name and the value say little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .placeholders import is_placeholder
from .value_shapes import is_numbered_thing, looks_chosen

Span = tuple[int, int, str]

_SIGNS = r"[!#-+\--:=?-~]"
_NAME = r"(?<![a-z])(?:pass?words?|pass(?:wd|code|phrase|wrd|owrd|wrod)|pwd|pw|pin)(?![a-z])"
_FOR = r"(?:[ ](?:for|on|of|to|at)(?:[ ][\w@.'’&/-]{1,20}){1,4}?)?"
_QUOTE = r"[\"'“‘`]?"
_X, _Y = rf"{_QUOTE}(?P<x>{_SIGNS}{{4,64}}+)", rf"{_QUOTE}(?P<y>{_SIGNS}{{4,64}}+)"
_THEN = (
    r"[\"'”’`]?[ ]?[,;(.-]{0,2}[ ]{0,2}(?:and |but |so |which )?(?:i )?(?:"
    r"(?:changed|switched|updated|set|reset) (?:it )?to"
    r"|(?:it's |it is |is )?now(?: it's| it is| is|:)?"
    r"|(?:the )?(?:new|old|current|previous|other|last) (?:one|password|pw)(?:'s| is| was|:)"
    r"|(?:it )?(?:was|used to be)(?: always)?"
    r"|(?:it )?(?:previously|formerly|before(?: that)?(?: it was)?)"
    r"|instead of|rather than|no longer)[ ]"
)
_IS = r"(?:'s|[ ](?:is|was|used to be|has been|is now|was always)|[:=])[ ]{0,2}"
_WAS = r"(?:it )?(?:was|used to be|before it was|from)[ ]"
_ENGLISH = tuple(
    re.compile(_FOR + pattern)
    for pattern in (
        rf"(?:[ ][a-z]{{2,9}}){{0,2}}?[ ]from[ ]{_X}[\"'”’`]?[ ](?:over )?to[ ]{_Y}",
        rf"{_IS}{_X}{_THEN}{_Y}",
        rf"(?:[ ][a-z]{{2,9}}){{1,4}}?[,;.:-]{{1,2}}[ ]{_WAS}{_X}{_THEN}{_Y}",
    )
)
_SOME = r"(?:[ ][a-z]{2,10}){0,3}?[ ]"
_ACCOUNTS = (
    _SOME + r"(?:accounts?|logins?|sites?|websites?|apps?|devices?|everything|services?|of them)"
)
_SET = r"(?:sets?|changed?|reset|switched|made)[ ](?:every|all|each|both|most)"
_USE = r"(?:use|using|used|reuse|reusing|put|type)[ ]"
_REUSED = tuple(
    re.compile(r"(?<![a-z])" + pattern)
    for pattern in (
        rf"{_SET}{_ACCOUNTS}[ ]to[ ]{_X}",
        rf"{_USE}{_X}[ ](?:everywhere|(?:for|on|as|in|across|with){_ACCOUNTS})(?![a-z])",
    )
)
# `log in as admin with …`; a tool or a device may stand there as well.
_LOGIN = re.compile(
    r"(?<![a-z])(?:log(?:ged)?|sign(?:ed)?)[ -]?in as [\w.@-]{2,40}"
    rf"(?: and| with| using|,| /)[ ]{_X}"
)
_ROUTER = re.compile(
    r"(?:(?<![a-z])(?:wi-?fi|router)|路由器|后台|热点|无线)"
    r"(?:[ ]?(?:login|admin page|账号|网络|登录))?(?:[ ]?[:：]|是|[ ])?[ ]?"
    rf"(?P<user>[\w-]{{2,32}})[ ]?[/|][ ]?{_X}"
)
_EITHER = re.compile(rf"(?:it's|it is|is|was) either {_X},?[ ]or[ ]{_Y}")
_USERS = ("admin", "root", "user", "guest", "administrator")
_SIGN = re.compile(r"[!@#$%^&*+=~]")
_TALK = re.compile(r"pass?w|passcode|login|log in|sign in|account")

_PASSWORD = re.compile("pass?word")
_THE_PASSWORD = re.compile(r"(?:the|my|his|her|our) (?:\w{1,12} )?pass?word(?! [a-hj-z])")

_CN_NAME = "(?:密码|口令|(?<![a-z])pin码?)"
_CN_X, _CN_Y = rf"[“「\"']?(?P<x>{_SIGNS}{{4,64}}+)", rf"[“「\"']?(?P<y>{_SIGNS}{{4,64}}+)"
_CN_OLD = "(?:以前|原来|原先|之前|从前|旧的?|老的?|过去|本来|上一个|一开始|最早|最开始)"
_CN_NEW = "(?:现在|如今|后来|新的?|目前|今天|昨天|刚刚?|刚才|这次|最近|然后)"
_CN_IS = "(?:的)?(?:密码)?(?:就|都|一直)?(?:是|为|用的?是?|叫|[:：])"
_CN_MADE = "(?:被|给)?(?:我|他|她)?(?:改|换|变|更新|设|重置)(?:成|为|到|了[，,]?是)了?"
_CN_BETWEEN = r"[”」\"']?[ ]?[，,。；;、]?[ ]?"
_CN_WORDS, _CN_LINK = r"[^!-~\r\n。]{0,10}", "(?:是|为|[:：])?[ ]?"
_CN_NOW = rf"(?:{_CN_NEW}(?:{_CN_IS}|{_CN_MADE})|{_CN_MADE})[ ]?"
_CHINESE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_CN_NAME}{_CN_WORDS}{_CN_OLD}{_CN_IS}[ ]?{_CN_X}{_CN_BETWEEN}{_CN_NOW}{_CN_Y}",
        rf"{_CN_NAME}{_CN_WORDS}{_CN_NOW}{_CN_X}{_CN_BETWEEN}{_CN_OLD}{_CN_IS}[ ]?{_CN_Y}",
        rf"{_CN_NAME}{_CN_WORDS}[从由][ ]?{_CN_X}{_CN_BETWEEN}{_CN_MADE}[ ]?{_CN_Y}",
        rf"{_CN_OLD}{_CN_NAME}{_CN_LINK}{_CN_X}{_CN_BETWEEN}"
        rf"{_CN_NEW}{_CN_NAME}?{_CN_LINK}{_CN_Y}",
        rf"{_CN_NAME}不再?是[ ]?{_CN_X}{_CN_BETWEEN}(?:而?是|[改换]成了?)[ ]?{_CN_Y}",
        rf"(?:用|输|填|试|设成|写)(?:的是|一下)?[ ]?{_CN_X}"
        rf"[ ]?(?:这一?个|那个|这串|那串|当|做|作为?)(?:的|我|统一)?{_CN_NAME}"
        r"(?![学器表哈破本管框策机验加柜锁箱盒])",
    )
)
_NAMED, _DIGIT = re.compile(_NAME), re.compile("[0-9]")
NEAR = 120


def find_changed(text: str, lowered: str) -> Iterator[Span]:
    """Old and new passwords, and one that is used everywhere, in English."""
    for named in _NAMED.finditer(lowered):
        if not _DIGIT.search(lowered, named.end(), named.end() + NEAR):
            continue
        for pattern in _ENGLISH:
            if match := pattern.match(lowered, named.end()):
                yield from _values(text, match, numbers=True)
    for pattern in _REUSED:
        for match in pattern.finditer(lowered):
            near = max(0, match.start() - NEAR), match.end() + NEAR
            if _TALK.search(lowered, *near):
                yield from _reused(text, match, lowered)
    for match in _EITHER.finditer(lowered):
        if _THE_PASSWORD.search(lowered, max(0, match.start() - 40), match.end() + 40):
            yield from _values(text, match, numbers=False)
    for match in _LOGIN.finditer(lowered):
        for start, end, label in _values(text, match, numbers=False):
            value = text[start:end]
            mixed = re.search("[A-Z]", value) and re.search("[0-9][A-Za-z]", value)
            if len(value) >= 8 and (_SIGN.search(value) or mixed):
                yield start, end, label


def find_router_pairs(text: str, lowered: str) -> Iterator[Span]:
    """`wifi: NAME / …`, 路由器后台admin/…: after another name than a user's only with a sign."""
    for match in _ROUTER.finditer(lowered):
        for start, end, label in _values(text, match, numbers=False):
            digits = re.search("[0-9]{2}", text[start:end])
            if _SIGN.search(text, start, end) or (digits and match["user"] in _USERS):
                yield start, end, label


def _reused(text: str, match: re.Match[str], lowered: str) -> Iterator[Span]:
    """Tools are used for all accounts, too: a sign, a digit inside, or "password" said nearby."""
    for start, end, label in _values(text, match, numbers=False):
        value = text[start:end]
        made_up = re.search(r"[!@#$%^&*_+=~]|[a-zA-Z][0-9]+[a-zA-Z]", value) and len(value) >= 7
        named = _PASSWORD.search(lowered, max(0, match.start() - NEAR), match.end() + NEAR)
        if made_up or (named and re.search("[0-9]{2}", value) and "365" not in value):
            yield start, end, label


def find_changed_chinese(text: str, lowered: str) -> Iterator[Span]:
    for pattern in _CHINESE:
        for match in pattern.finditer(lowered):
            yield from _values(text, match, numbers=True)


def _values(text: str, match: re.Match[str], *, numbers: bool) -> Iterator[Span]:
    """The values of a match; of two, both must look like passwords."""
    spans = [_trimmed(text, *match.span(group)) for group in "xy" if group in match.re.groupindex]
    if all(_is_password(text[start:end], numbers) for start, end in spans):
        yield from ((start, end, "password") for start, end in spans)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the signs that end a sentence; one `!` may be a part of the password."""
    value = text[start:end].rstrip(".,;:?)]}>\"'`")
    bare = value.rstrip("!")
    return start, start + min(len(value), len(bare) + 1)


def _is_password(value: str, numbers: bool) -> bool:
    if is_placeholder(value) or is_numbered_thing(value):
        return False
    return (numbers and value.isdigit() and len(value) <= 12) or looks_chosen(value, 5)
