"""Statements of one pattern with another value: "the deploy day is Friday", "… is Monday".

Only where something usually has one such value: somebody has several hobbies, pets and likes.
"""

from __future__ import annotations

import re

from .clauses import lemma
from .lazy_regex import lazy_compile

MOST_CHARS = 300
_VALUE = r"\s+(?P<value>\S.{0,120})$"
_RELATION = lazy_compile(
    r"(?P<head>.{1,80}?\b(?:prefers?|lives? (?:in|at|on)|works? (?:at|for|as|in)|is called|is named"
    r"|is (?:based|hosted|deployed) (?:in|at|on|by)|runs? on|starts? (?:at|on)|ends? (?:at|on)"
    rf"|takes? place (?:at|on|in)|costs?|weighs?|is due (?:on|by))){_VALUE}",
    re.IGNORECASE,
)
# "The database of the shop is …": a thing with a name of its own, not "the shop is …".
_ATTRIBUTE = lazy_compile(
    rf"(?P<head>(?:the|my|our|\w+['’]s)(?:\s[\w'’-]+){{2,10}}? (?:is|are|was|will be)){_VALUE}",
    re.IGNORECASE,
)
_RELATION_ZH = lazy_compile(
    "(?P<head>.{1,30}?(?:住在|现居|更喜欢|偏好|就职于|任职于|定在|定于|部署在|运行在|改为))(?P<value>.{1,60})$"
)
_ATTRIBUTE_ZH = lazy_compile(
    "(?P<head>.{0,30}?(?:日|天|时间|地点|地址|版本|语言|数据库|城市|名称|名字|颜色|价格|电话|邮箱|负责人"
    "|框架|系统|服务器|端口|分支)(?:现在|目前)?(?:用的)?(?:是|为|叫))(?P<value>.{1,60})$"
)
_SEVERAL = lazy_compile(
    r"\b(?:hobb(?:y|ies)|pets?|friends?|interests?|skills?|child(?:ren)?|sons?|daughters?|brothers?"
    r"|sisters?|allerg\w+|one of|another|also|second|third)\b|爱好|宠物|朋友|兴趣|过敏|之一|另",
    re.IGNORECASE,
)
# What one says of several things, each of which holds.
_ADDITIVE = lazy_compile(
    r"(?P<head>.{1,60}?\b(?:likes?|loves?|enjoys?|hates?|dislikes?|has|have|owns?|speaks?|plays?|knows?"
    r"|visited|is allergic to|(?:hobby|interest|skill|pet) is))\s+(?P<value>.{1,120})$"
    r"|(?P<head_zh>.{0,20}?(?:喜欢|爱|讨厌|不吃|会说|会|养了?|有|去过|对|爱好是|兴趣是|宠物是))(?P<value_zh>.{1,60})$",
    re.IGNORECASE,
)
_CLOSING = " \t.。!！"


def same_pattern(one: str, other: str) -> bool:
    """Whether both say a value, and not the same, of the same thing."""
    first, second = _parts(one), _parts(other)
    if first is None or second is None:
        return False
    return first[0] == second[0] and first[1] != second[1]


def may_both_hold(one: str, other: str) -> bool:
    """Whether both say the like of which there may be several, and not the same: two hobbies."""
    first, second = (
        _ADDITIVE.match(text.strip().strip(_CLOSING)[:MOST_CHARS]) for text in (one, other)
    )
    if first is None or second is None:
        return False
    heads = [(found["head"] or found["head_zh"]).casefold() for found in (first, second)]
    values = [(found["value"] or found["value_zh"]).casefold() for found in (first, second)]
    return heads[0] == heads[1] and not (values[0] in values[1] or values[1] in values[0])


def _parts(text: str) -> tuple[tuple[str, ...], str] | None:
    """What has a value, and the value."""
    plain = text.strip().strip(_CLOSING)[:MOST_CHARS]
    for pattern in (_RELATION, _ATTRIBUTE, _RELATION_ZH, _ATTRIBUTE_ZH):
        found = pattern.match(plain)
        if found is not None and not _SEVERAL.search(found["head"]):
            words = tuple(
                lemma(word) for word in re.findall(r"[A-Za-z]+|[^\sA-Za-z]", found["head"])
            )
            return words, found["value"].strip().casefold()
    return None
