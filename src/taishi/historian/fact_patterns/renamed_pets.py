"""Another name of an animal that is known: 猫不叫年糕，叫汤圆, "the cat isn't called Momo, it's
called Toto", 我家猫改名了，现在叫汤圆.

Without such words a second name may be that of a second cat.
"""

from __future__ import annotations

from typing import NamedTuple

from ...language.gate import HAN
from ...language.lazy_regex import lazy_compile
from .correction_words import without_apology
from .lost_pets import ANY_EN, ANY_ZH, kind_of, name_of

_NAME_ZH = rf"[{HAN}A-Za-z]{{1,6}}"
_DENIED_ZH = lazy_compile(
    rf"(?:家里?的?|这只|那只)?(?P<pet>{ANY_ZH})(?:的名字)?(?:其实|现在|早就|已经|并)*不(?:是)?(?:再)?叫"
    rf"(?P<old>{_NAME_ZH}?)了?[，,。！!；;\s]+(?:而|其实|应该|现在|改|是)*叫(?P<new>{_NAME_ZH}?)(?:了|啦|哦|啊)*"
)
_DENIED_EN = lazy_compile(
    rf"(?i:the) (?P<pet>(?i:{ANY_EN}))(?:['’]s name)? (?:is not|isn['’]t|is no longer)"
    r" (?:called |named )?(?P<old>[A-Z]\w+)(?: any ?more)?[,;.]?"
    r" (?:but |(?:it|s?he)(?:['’]s| is) )*(?:now )?(?:called |named )?(?P<new>[A-Z]\w+)"
)
_RENAMED = lazy_compile(
    r"改名|换了?个?(?:新)?名|改叫|现在叫|(?i:\b(?:renamed|new name|(?:is|['’]s) now called)\b)"
)


class OtherName(NamedTuple):
    """An animal of this kind is called `new`, not `old`."""

    kind: str
    old: str
    new: str


def other_name(text: str) -> OtherName | None:
    """The two names, if the text says nothing else, and not whose the animal is."""
    plain = without_apology(text.strip()).strip(" ,，.。!！~;；")
    found = _DENIED_ZH.fullmatch(plain) or _DENIED_EN.fullmatch(plain)
    if found is None or found["old"] == found["new"]:
        return None
    return OtherName(kind_of(found["pet"]), found["old"], found["new"])


def is_renaming(text: str) -> bool:
    """Whether the text says that a name has changed."""
    return _RENAMED.search(text) is not None


def is_other_name_of(statement: str, known: str) -> bool:
    """Whether two statements name an animal of one kind differently."""
    names = name_of(statement), name_of(known)
    kinds = kind_of(statement), kind_of(known)
    return bool(all(names) and all(kinds)) and kinds[0] == kinds[1] and names[0] != names[1]
