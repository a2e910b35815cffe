"""Who is what to the speaker, with the name first: "Rain is my girlfriend", 小雨是我女朋友."""

from __future__ import annotations

import re

from ...language.lazy_regex import lazy_compile
from .chinese_parts import ACQUAINTANCES, PARTNER, PET, RELATIVES
from .english_words import ACQUAINTANCES as ACQUAINTANCES_EN
from .english_words import PARTNERS, PETS, alternation
from .english_words import RELATIVES as RELATIVES_EN

_BEING_EN = alternation(f"{PARTNERS} {RELATIVES_EN} {ACQUAINTANCES_EN} {PETS}")
_ANYTHING_S = lazy_compile(
    r"(?:friend|assistant|baby|pet|bird)$|(?:朋友|宝宝)$"
)  # "Coffee is my friend"
_WHICH_EN = (
    r"(?:(?:new|old|older|younger|elder|eldest|youngest|big|little|twin|best|closest|only) )?"
)
_NAME_EN = (
    r"(?!(?:This|That|Who|It|He|She|They|God|Nobody|Everyone)\b)[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?"
)
_NAME_ZH = r"(?!.*[我你他她它这那谁哪都也就才真不])[\u3400-\u9fff·]{2,4}|[A-Za-z][A-Za-z .·-]{1,20}"


def of_whom(text: str, sender: str | None) -> str:
    """ "Rain is Ann's girlfriend" → "Ann's girlfriend is Rain"; "" if it is nothing of the sort."""
    if not sender:
        return ""
    who = re.escape(sender)
    found = re.fullmatch(
        rf"(?P<name>{_NAME_EN}) is {who}['’]s (?P<what>{_WHICH_EN}(?:{_BEING_EN}))", text
    )
    if found and not _ANYTHING_S.match(found["what"]):
        return f"{sender}'s {found['what']} is {found['name']}"
    being = rf"{PARTNER}|{RELATIVES}|{ACQUAINTANCES}|{PET}"
    found = re.fullmatch(rf"(?P<name>{_NAME_ZH})是{who}(?:家)?的?(?P<what>{being})", text)
    if found is None or _ANYTHING_S.match(found["what"]):
        return ""
    return f"{sender}的{found['what']}是{found['name']}"
