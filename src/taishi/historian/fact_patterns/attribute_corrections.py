"""Corrections that name the attribute and give the right value: 我生日说错了，是6月19号, "I got my
birthday wrong, it's June 19".

Put as a plain statement (我生日是6月19号), they are read like any other.
"""

from __future__ import annotations

from typing import NamedTuple

from ...language.lazy_regex import lazy_compile

MOST_CHARS = 80
_WHAT_ZH = "(?:(?:阳历|阴历|农历|公历)?生日|名字|大名|职业|时区)"
_EARLIER_ZH = "(?:刚才|刚刚|刚|之前|前面|上次|昨天|那天|我|是|好像)*"
_WRONG_ZH = (
    "(?:[说打讲记搞弄写报填][错反](?:了)?|[记搞弄][混岔]了?|说得?不对|不对|有误|错了|是错的)"
)
_IS_ZH = "(?:其实|应该|实际上?|正确的?|真正的?|准确地?说)*(?P<is>是|在|叫|为)?"
_VALUE_ZH = r"(?P<value>(?!不|没)[^，。！？!?；,;\s]{1,16}?)(?:才对|啦|哦|啊|哈|了)*[。！!~～\s]*"
_ZH = (
    lazy_compile(
        rf"(?:你们?)?(?:把)?(?P<me>我(?:的)?)?(?P<what>{_WHAT_ZH}){_EARLIER_ZH}{_WRONG_ZH}[，,。！!；;：:\s]+{_IS_ZH}{_VALUE_ZH}"
    ),
    lazy_compile(
        rf"(?P<me>我)?(?:刚才|刚刚|刚|之前|上次|昨天|那天)*(?:我)?把?[说打讲记搞弄写报填]错了?(?P<of>我的?)?(?P<what>{_WHAT_ZH})"
        rf"了?[，,。！!；;：:\s]+{_IS_ZH}{_VALUE_ZH}"
    ),
)
_WHAT_EN = r"birthday|name|job|time ?zone"
_SO_EN = (
    r"\s*[,.;:!—–-]+\s*(?:(?:it['’]?s|it is|it was|it should be|that should be|should be|actually"
    r"|i was born on|it['’]?s really)\s+)+(?P<value>(?!not\b)[^,.;!?]{2,40}?)[.!\s]*"
)
_EN = (
    lazy_compile(
        r"(?i)(?:sorry,? |oops,? )?(?P<me>i|you)(?:['’]ve| have)?(?: just| probably| must have)?"
        r" (?:got|gave you|gave|told you|said|wrote|had|typed|put)"
        rf" (?:my (?P<mine>{_WHAT_EN}) (?:wrong|incorrectly|mixed up)"
        rf"|(?:you |me )?the wrong (?P<wrong>{_WHAT_EN})){_SO_EN}"
    ),
    lazy_compile(
        rf"(?i)(?:sorry,? |oops,? )?(?P<me>my) (?P<mine>{_WHAT_EN}) (?:is|was) (?:wrong|incorrect)"
        rf"(?: (?:there|above|in your notes))?{_SO_EN}"
    ),
    lazy_compile(
        rf"(?i)(?:sorry,? |oops,? )?(?:that['’]?s the )?wrong (?P<wrong>{_WHAT_EN}){_SO_EN}"
    ),
)


class Attribute(NamedTuple):
    """The statement that is meant; `is_own`: it says that it is about the speaker."""

    statement: str
    is_own: bool


def corrected_attribute(text: str) -> Attribute | None:
    """The attribute with its right value, if the text says nothing else."""
    plain = text.strip()
    if len(plain) > MOST_CHARS:
        return None
    for row in _ZH:
        if found := row.fullmatch(plain):
            is_own = bool(found["me"] or found.groupdict().get("of"))
            return Attribute(f"我{found['what']}{found['is'] or '是'}{found['value']}", is_own)
    for row in _EN:
        if found := row.fullmatch(plain):
            groups = found.groupdict()
            what = (groups.get("mine") or groups.get("wrong") or "").lower()
            return Attribute(f"My {what} is {found['value']}", bool(groups.get("me")))
    return None
