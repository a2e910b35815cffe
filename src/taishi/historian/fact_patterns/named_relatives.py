"""What is said of somebody right after the name was given: "my sister's name is Lea, she lives in
Bergen", 我妹妹叫小美，她住在青岛.

The pronoun becomes "my sister Lea", 我妹妹小美: only if it fits, and only after words that name one
person.
"""

from __future__ import annotations

import re

from ...language.gate import HAN, SURNAMES
from ...language.lazy_regex import lazy_compile
from .chinese_parts import ACQUAINTANCES, PARTNER, PET, RELATIVES
from .english_words import ACQUAINTANCES as ACQUAINTANCES_EN
from .english_words import PARTNERS, PETS, alternation
from .english_words import RELATIVES as RELATIVES_EN

_BEING_EN = alternation(f"{PARTNERS} {RELATIVES_EN} {ACQUAINTANCES_EN} {PETS}")
_PET_EN = lazy_compile(rf"(?:.* )?(?:{alternation(PETS)})")
_SHE_EN = lazy_compile(
    r"(?:.* )?(?:step|grand|god)?(?:wife|girlfriend|fianc[eé]e|mother|mom|mum|sister|daughter|aunt"
    r"|grandma|granny|niece)(?:[ -]in[ -]law)?$"
)
_HE_EN = lazy_compile(
    r"(?:.* )?(?:step|grand|god)?(?:husband|boyfriend|father|dad|brother|son|uncle|grandpa|nephew)"
    r"(?:[ -]in[ -]law)?$"
)
_NAMED_EN = lazy_compile(
    rf"[Mm]y (?P<who>(?:(?:older|younger|elder|big|little|twin|best|new|old) )?(?:{_BEING_EN}))"
    r"(?:(?P<given>['’]s name(?: is|['’]s)|(?: is|['’]s) (?:called|named))| is|['’]s)"
    r" (?P<name>[A-Z][\w'’-]+)(?: [A-Z][\w'’-]+){0,2}(?=,|\s+(?:and|but)\b)"
)
_GOES_ON_EN = lazy_compile(
    r"(?P<joint>,\s*(?:and |but )?|\s+(?:and|but)\s+)(?P<pronoun>he|she)"
    r"(?:(?P<has>['’]s (?=been|got|had))|(?P<be>['’]s\b)|\b)"
)
_REMARK_EN = lazy_compile(r",\s*(?:it|that|which)(?:['’]s| is| was)\b[^,;]*$")

NAME_OF_RELATIVE_ZH = rf"(?:[小阿老][{HAN}]|[{SURNAMES}][{HAN}]{{1,2}})"
_NAMED_ZH = lazy_compile(
    rf"(?P<who>我(?:的|家的?)?(?P<what>{PARTNER}|{RELATIVES}|{ACQUAINTANCES}|{PET}))"
    rf"(?:的名字)?(?:名叫|叫做?|名?是)"
    rf"(?P<name>(?!.*[我你他她它谁])[{HAN}·]{{1,5}}|[A-Za-z][A-Za-z .·-]{{0,20}})"
)
_SHE_ZH = r"妈|母|奶|婆|姥姥|姐|妹|姨|姑|女|闺|婶|嫂|妻|老婆|太太|媳"
_HE_ZH = r"爸|父|爷|公$|哥|弟|叔|舅|儿子|伯|爹|丈夫|老公|男|先生"
_PRONOUN_ZH = lazy_compile(
    rf"(?P<pronoun>[他她它])(?=(?:现在|目前|今年|也|还|很|最|特别|非常|超|挺|不)*"
    rf"(?:住|在|是|有|会|对|喜欢|讨厌|爱|来自|养|姓|属|上|\d|[{HAN}]{{1,2}}岁))"
)


def with_relative_en(sentence: str) -> str:
    """ "My sister's name is Lea, she's a nurse" → "…, my sister Lea is a nurse"."""
    found = _NAMED_EN.match(sentence)
    if found is None:
        return sentence
    who, rest = found["who"], sentence[found.end() :]
    if _REMARK_EN.fullmatch(rest):
        return found[0]
    wrong = "he" if _SHE_EN.match(who) else "she" if _HE_EN.match(who) else ""

    def named(match: re.Match[str]) -> str:
        if match["pronoun"] == wrong:
            return match[0]
        verb = " has " if match["has"] else " is" if match["be"] else ""
        is_name = found["given"] and not _PET_EN.fullmatch(who)  # "my sister is French, she …"
        name = f" {found['name']}" if is_name else ""
        return f"{match['joint']}my {who}{name}{verb}"

    return f"{found[0]}{_GOES_ON_EN.sub(named, rest)}"


def relative_before_zh(part: str, before: str) -> str:
    """我妹妹小美 for 她 after 我妹妹叫小美; "" if it is not sure who is meant."""
    named, found = _NAMED_ZH.fullmatch(before), _PRONOUN_ZH.match(part)
    if named is None or found is None:
        return ""
    what, pronoun = named["what"], found["pronoun"]
    if (re.fullmatch(PET, what) is not None) != (pronoun == "它"):
        return ""
    if pronoun == "他" and re.search(_SHE_ZH, what) and not re.search(_HE_ZH, what):
        return ""
    if pronoun == "她" and re.search(_HE_ZH, what) and not re.search(_SHE_ZH, what):
        return ""
    is_plain = re.fullmatch(NAME_OF_RELATIVE_ZH, named["name"]) and pronoun != "它"
    return f"{named['who']}{named['name']}" if is_plain else named["who"]
