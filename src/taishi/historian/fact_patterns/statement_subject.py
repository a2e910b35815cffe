"""Whom a clause in absolute words is about."""

from __future__ import annotations

import re

from ...language.gate import HAN, SURNAMES
from ..participants import Participants

_NO_NAME = (
    r"(?!(?:The|This|That|These|Those|It|There|Here|If|When|What|Who|My|Your|Our|Everyone|People"
    r"|Nobody|Somebody|Someone|On|In|At|And|But|So|Please|Yes|No|Maybe|Today|Now|God|Let|Never"
    r"|Always|Not|One|Some|Any|All)\b)"
)
_NOT_EN = (
    r"(?:is not|isn['’]t|is no longer|does not|doesn['’]t|has no|has never|cannot|can['’]t|never)"
)
_NOT_ZH = r"(?:其实|根本|现在|已经|从来|并|也)*(?:不再是|不再|不是|不|没有|没)"


def subject_first(clause: str) -> str:
    """ "On Sundays I do yoga" → "I do yoga on Sundays"; 比起飞机我更喜欢高铁 → 我比起……"""
    clause = re.sub(
        r"^((?:On|Every|In|Since|After|Before|At|Most|Each|Last|For)\b[^,]{1,40}?),?"
        r" (I(?:['’]\w+)? [^,]{3,200})$",
        lambda m: f"{m[2]} {m[1][0].lower()}{m[1][1:]}",
        clause,
    )
    return re.sub(
        "^((?:比起|平时|周末|每|早上|晚上|工作日|一般|通常|从小|小时候|今年|去年|上个?月|上周"
        "|昨天|前天|睡前|饭后|坐)[^我，]{0,10})我(?!们|的)",
        r"我\1",
        clause,
    )


def subject_of(text: str, participants: Participants) -> str | None:
    """The sentence's subject: a participant, the group, or what looks like a name."""
    names = [*participants.people, *([participants.group] if participants.group else [])]
    for name in sorted(names, key=len, reverse=True):
        is_longer_word = re.match("[A-Za-z0-9_]{2}", name[-1:] + text[len(name) : len(name) + 1])
        if text.startswith(name) and not is_longer_word:
            return name
    match = re.match(
        rf"{_NO_NAME}[A-Z][a-z]{{1,30}}(?: [A-Z][a-z]{{1,30}})?"
        r"(?= (?:is (?:allergic|vegan|vegetarian|from)|likes|loves|hates|lives|works|speaks"
        r"|prefers|(?:has )?moved|has an? )|['’]s birthday)",
        text,
    ) or re.match(
        rf"(?:[小老阿][{HAN}]|[{SURNAMES}][{HAN}]{{1,2}}?)"
        "(?=很|最|特别|非常|也|喜欢|喜爱|讨厌|不喜欢|住在|搬到|对|在|养|会说|的生日)",
        text,
    )
    return match[0] if match and match[0] != participants.bot else None


def denial_of_another(text: str, subject: str | None, participants: Participants) -> str | None:
    """Of whom the speaker denies something: "Ann is not vegetarian", 小林不吃素."""
    if subject == participants.sender:
        return None
    if subject is not None:
        rest = text[len(subject) :].lstrip()
        return subject if re.match(rf"{_NOT_EN} \S|{_NOT_ZH}[{HAN}]", rest) else None
    found = re.match(rf"(?P<who>{_NO_NAME}[A-Z][a-z]{{1,30}}) {_NOT_EN} \S", text) or re.match(
        rf"(?P<who>[小老阿][{HAN}]|[{SURNAMES}][{HAN}]{{1,2}}?){_NOT_ZH}[{HAN}]", text
    )
    return found["who"] if found and found["who"] != participants.bot else None
