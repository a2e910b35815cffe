"""Finds lock combinations without the word "code": "the safe opens with …", 报警器输….

Digits beside a door are often a house number, a price or a year. So either the way of opening is
said (punch in, dial, 输, 按), or the thing is nothing but a lock (a lockbox, 密码锁) and the number
ends the clause. Every look around a lock is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .spoken_codes import ENDS_CLAUSE, UNIT

Span = tuple[int, int, str]

_ONLY_A_LOCK = (
    r"lock ?box|key ?box|key ?safe|key ?pad|padlock"
    r"|(?:combination|combo|number|bike|cycle|luggage|suitcase|smart|door) lock"
)
_LOCK = (
    rf"(?:{_ONLY_A_LOCK}|safe|vault|locker|lock|alarm|burglar alarm|security system|gate|garage"
    r"|doors?|door ?bell|intercom|entrance|entry|shed|suitcase|briefcase|barrier)"
)
_DIGITS = r"[#*]?[0-9]{4,8}[#*]?"
_DIAL = r"[0-9]{1,2}(?:(?:, ?|[ /-]| - )[0-9]{1,2}){2,4}"
_VALUE = rf"(?P<value>{_DIAL}|{_DIGITS})(?![0-9A-Za-z%:/]|[.,][0-9])"
_PRESS = (
    r"(?:punch(?:ing)?(?: in)?|press(?:ing)?|typ(?:e|ing)(?: in)?|enter(?:ing)?|key(?:ing)? in"
    r"|dial(?:l?ing)?|tap(?:ping)?(?: in)?|put(?:ting)? in|hit(?:ting)?|input|buzz)"
)
_OPENS = r"(?:opens?|unlocks?|disarms?|arms?|is opened|is unlocked)(?: up)? (?:with|using|by)"
# The lock ends the clause: "at the gate of the park" is a place.
_CLAUSE_END = (
    r"(?=[ ]?(?:[.,;!?)\r\n]|$)|[ ](?:and|if|when|then|but|so|or|keypad|panel"
    r"|pad|door|code)(?![a-z]))"
)
_THE_LOCK = rf"(?:the |my |our |your )?(?:[a-z]{{2,10}} )?{_LOCK}(?![a-z]){_CLAUSE_END}"
_NOUN = re.compile(rf"(?<![a-z0-9])(?:(?P<only>{_ONLY_A_LOCK})|{_LOCK})(?![a-z])")
_AFTER_NOUN = tuple(
    re.compile(pattern)
    for pattern in (
        rf"[^0-9.!?\r\n]{{0,40}}?(?<![a-z]){_PRESS}[ ](?:in |the code )?{_VALUE}",
        rf"[^0-9.!?\r\n]{{0,24}}?{_OPENS}[ ]{_VALUE}",
    )
)
_IS = re.compile(rf"(?:'s|,? it's|[ ](?:is|was|is now|is still)|:|[ ]=)[ ]{_VALUE}")
# What must occur, and the pattern.
_PLACES = tuple(
    (literals, re.compile(r"(?<![a-z0-9])" + pattern))
    for literals, pattern in (
        (
            ("",),
            r"(?:punch(?: in)?|press|type(?: in)?|enter|key in|dial|tap(?: in)?)[ ]"
            rf"{_VALUE}(?:[ ](?:again|twice|in))?[ ](?:on|at|into|in)[ ]{_THE_LOCK}",
        ),
        (
            ("punch", "type", "key in", "dial"),
            rf"(?:punch(?: in)?|type(?: in)?|key in|dial)[ ]{_VALUE}[ ]for[ ]{_THE_LOCK}",
        ),
        (
            ("opens ", "unlocks ", "disarms "),
            rf"{_VALUE}[ ](?:opens|unlocks|disarms)[ ]{_THE_LOCK}",
        ),
        (
            ("unlocks with", "opens with"),
            r"(?:phone|iphone|ipad|tablet|laptop|computer|watch)(?![a-z])(?: screen)?[ ]"
            rf"(?:unlocks|opens)[ ]with[ ]{_VALUE}",
        ),
        (
            (" in with ", " in using "),
            r"(?:gets?|let (?:your|him|her|them)sel(?:f|ves))[ ]in[ ](?:with|using)[ ]"
            rf"{_VALUE}(?=[^.\r\n]{{0,80}}(?<![a-z])(?:smart lock|lock|keypad|code)(?![a-z]))",
        ),
    )
)
_TURN = r"(?:left|right|(?:anti-?|counter-?)?clockwise|cw|ccw)(?: to| at)?[ ][0-9]{1,2}(?![0-9])"
_NEXT = r"[,;]? (?:and |then |and then )?(?:back )?"
_TURNS = re.compile(rf"(?<![a-z]){_TURN}(?:{_NEXT}{_TURN}){{2,3}}")
_MEASURED = re.compile("[ ]?(?:degrees?|°|met|feet|ft|yards?|steps?|m\\b|米|步|度|公里)")
_ONE_TURN = re.compile(r"[0-9]{1,2}")
_TURNED_LOCK = re.compile(r"(?:safe|vault|lock|locker|padlock|combination|combo)")
_CARD = re.compile(
    r"(?:three|four|3|4)[ -](?:digits?|numbers?|digit (?:code|number))(?: printed)?"
    r" (?:on|at) (?:the |its )?"
    r"(?:front|back|reverse|signature strip)(?: of (?:the|my|that) (?:[a-z]{2,8} )?card)?"
    r"(?:[ ](?:is|are|say|read)|[ ]?[:=]|,)[ ]([0-9]{3,4})(?![0-9])"
)

_CN_ONLY = "密码锁|数字锁|门禁|钥匙盒|密码箱|密码盒|密码柜"
_CN_LOCK = (
    f"(?:{_CN_ONLY}|保险[箱柜]|报警器|警报器?|安防|防盗|撤防|布防|储物柜|寄存柜|快递柜|更衣柜|"
    "行李箱|智能锁|电子锁|指纹锁|门锁|锁|大门|院门|单元门|楼下门|车库|闸机|对讲|柜子|房门|防盗门)"
)
_CN_VALUE = r"(?P<value>[0-9]{1,2}(?:-[0-9]{1,2}){2,4}|[#*]?[0-9]{4,8}[#*]?)(?![0-9A-Za-z:.%])"
# 按 is also "according to" and 打 also a discount: they need a sign of the keypad after the digits.
_CN_THEN = r"(?<=[#*])|[ ]?(?:就|再|然后|键|确认|解|开|进|撤|，等)"
_CN_PRESS = "(?:输入?|摁|敲|键入|(?P<weak>拨|按下?|转到|打))(?:一下|了|上|个|数字)?"
_CHINESE = re.compile(rf"{_CN_LOCK}[^0-9。！？!?\r\n]{{0,14}}?{_CN_PRESS}[ ]?{_CN_VALUE}")
_CN_BACK = re.compile(
    rf"{_CN_PRESS}[ ]?{_CN_VALUE}[ ]?(?:就能|就可以|就|可以|能|来)?(?:开|打开|解锁|解除|撤防)"
)
_CN_IS = re.compile(
    rf"(?:(?P<only>{_CN_ONLY})|{_CN_LOCK})(?:的)?(?:现在|还|就|都|已经|其实)?"
    rf"(?:就?是|[:：]|改成了?|换成了?|设的?是)[ ]?{_CN_VALUE}"
)
_CN_TURN = "[左右](?:转|拧|旋|边|圈)?(?:到|至)?[ ]?[0-9]{1,2}(?![0-9])"
_CN_TURNS = re.compile(
    rf"{_CN_TURN}(?:[，、,；; ]{{0,2}}(?:再|然后|最后)?(?:向|往)?{_CN_TURN}){{2,3}}"
)
_CN_TURNED = re.compile("保险|锁|转盘|密码|箱|柜")
_CN_CARD = re.compile(
    r"(?:背面|后面|反面|正面|签名[栏条])(?:的|那|上)?(?:的|那)?[三四34](?:位|个)(?:数字?|码|号码)?"
    r"[ ]?(?:就?是|为|[:：])[ ]?([0-9]{3,4})(?![0-9])"
)
_CN_UNITS = tuple("位个字次天年月的种把条分秒小行元块倍人米寸％%级层楼号房平公家户点多万千百一下")
_CN_ENDS = re.compile(
    r"[ ]?(?:[，。！？,.;；、）)\r\n]|$|[哦啊呀吧了哈嘛哟呢]|就|然后|再|别|记|千万|不要|进)"
)
# Locks of luggage have three digits.
_LUGGAGE = re.compile(
    r"(?:suitcase|luggage|briefcase)(?: lock)?(?:'s)?(?: (?:code|combo|combination|number))?"
    r"(?: is|:| opens with| =)[ ]([0-9]{3})(?![0-9])(?=[ ]?(?:[.,;!]|$))"
)
_CN_AFTER = re.compile(_CN_THEN)
_CN_LUGGAGE = re.compile(
    r"(?:行李箱|拉杆箱|旅行箱|密码箱|箱子)的?(?:密码锁?|锁|密码)(?:就?是|[:：]|改成了?)"
    r"[ ]?([0-9]{3})(?![0-9])(?=[ ]?(?:[，。！,.；;]|$|[哦啊呀吧了哈]))"
)
_DIGIT = re.compile("[0-9]")
NEAR, CLOSE = 120, 72


def find_lock_codes(text: str, lowered: str) -> Iterator[Span]:
    """Codes of locks in English; `lowered` is as long as `text`."""
    has = lowered.__contains__
    for noun in _NOUN.finditer(lowered):
        if _DIGIT.search(lowered, noun.end(), noun.end() + CLOSE):
            yield from _after_noun(lowered, noun)
    for literals, pattern in _PLACES:
        if any(map(has, literals)):
            for match in pattern.finditer(lowered):
                if not UNIT.match(lowered, match.end("value")):
                    yield *match.span("value"), "code"
    if has("digit") or has("numbers"):
        yield from ((*match.span(1), "code") for match in _CARD.finditer(lowered))
    if has("case") or has("luggage"):
        yield from ((*match.span(1), "code") for match in _LUGGAGE.finditer(lowered))
    if has("left ") or has("right ") or has("cw ") or has("wise "):
        yield from _turns(_TURNS, _TURNED_LOCK, lowered)


def _after_noun(lowered: str, noun: re.Match[str]) -> Iterator[Span]:
    for pattern in _AFTER_NOUN:
        match = pattern.match(lowered, noun.end())
        if match and not UNIT.match(lowered, match.end("value")):
            yield *match.span("value"), "code"
    if told := _IS.match(lowered, noun.end()):
        value = told["value"]
        telling = noun["only"] or value[0] in "0#*" or value[-1] in "#*"
        if telling and ENDS_CLAUSE.match(lowered, told.end("value")):
            yield *told.span("value"), "code"


def find_lock_codes_chinese(text: str) -> Iterator[Span]:
    for match in (*_CHINESE.finditer(text), *_CN_BACK.finditer(text)):
        end = match.end("value")
        sure = not match["weak"] or _CN_AFTER.match(text, end)
        if sure and not text.startswith(_CN_UNITS, end):
            yield *match.span("value"), "code"
    for match in _CN_IS.finditer(text):
        value = match["value"]
        telling = match["only"] or value[0] in "0#*" or value[-1] in "#*" or len(value) == 6
        if telling and _CN_ENDS.match(text, match.end("value")):
            yield *match.span("value"), "code"
    for match in (*_CN_CARD.finditer(text), *_CN_LUGGAGE.finditer(text)):
        yield *match.span(1), "code"
    yield from _turns(_CN_TURNS, _CN_TURNED, text)


def _turns(pattern: re.Pattern[str], lock: re.Pattern[str], text: str) -> Iterator[Span]:
    """Each number of "left 44, right 12, left 61", where a lock is spoken of nearby."""
    for match in pattern.finditer(text):
        if not _MEASURED.match(text, match.end()) and lock.search(
            text, max(0, match.start() - NEAR), match.end() + NEAR
        ):
            for number in _ONE_TURN.finditer(text, match.start(), match.end()):
                yield *number.span(), "code"
