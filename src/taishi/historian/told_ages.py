"""The age of somebody else: "Ann's daughter Ida is six", 安的妈妈70岁. One has one age.

Where nothing names the one of several ("my sister is 20", then "my sister is 35") there may be two
of them, unless the words say that it is so now, or the age has gone up by one.
"""

from __future__ import annotations

from typing import NamedTuple

from ..language.gate import HAN
from ..language.lazy_regex import lazy_compile
from ..language.when.numbers import (
    CHINESE_NUMBER,
    WORD_NUMBER,
    chinese_number,
    english_number,
)
from .fact_patterns.chinese_parts import ACQUAINTANCES as ACQUAINTANCES_ZH
from .fact_patterns.chinese_parts import PARTNER, PET
from .fact_patterns.chinese_parts import RELATIVES as RELATIVES_ZH
from .fact_patterns.english_words import ACQUAINTANCES, PARTNERS, PETS, RELATIVES, alternation
from .fact_patterns.named_relatives import NAME_OF_RELATIVE_ZH
from .relative_names import is_one_only
from .statement_comparison import folded

_WHICH = (
    r"(?:(?:older|younger|elder|eldest|oldest|youngest|big|little|twin|step|half|other|new|old)"
    r"[ -])?"
)
_BEING = alternation(f"{RELATIVES} {PARTNERS} {ACQUAINTANCES} {PETS}")
_AGED = lazy_compile(
    rf"['’]s (?P<who>{_WHICH}(?:{_BEING}))(?: (?P<name>[A-Z][\w'’-]+))?"
    r" (?:is|(?:has )?turned|just turned)(?: now| already)? "
    rf"(?P<age>\d{{1,3}}|(?i:{WORD_NUMBER}|an?))"
    r"(?: (?P<unit>years?|months?|weeks?|days?)(?: old)?)?(?: (?:now|already|today))?"
)
_WHO_ZH = rf"(?:的|家的?)?(?P<who>{RELATIVES_ZH}|{PARTNER}|{ACQUAINTANCES_ZH}|{PET})"
_AGED_ZH = lazy_compile(
    rf"{_WHO_ZH}(?P<name>{NAME_OF_RELATIVE_ZH}|(?P<twice>[{HAN}])(?P=twice))?"
    r"(?:\d{4}年|今年|现在|已经?|刚|满|都|是|有)*"
    rf"(?P<age>{CHINESE_NUMBER})个?(?P<unit>岁|月|周|天)大?(?:了|啦)?"
)
_UNITS = {"岁": "year", "月": "month", "周": "week", "天": "day", "": "year"}
_NOW = lazy_compile(
    r"(?i)\b(?:now|turned|already|these days|just had (?:a|his|her) birthday)\b"
    r"|了|现在|今年|已经|刚满"
)


class Age(NamedTuple):
    who: str
    name: str
    number: int
    unit: str


def told_age(content: str, subject: str) -> Age | None:
    if not subject or not content.startswith(subject):
        return None
    said = content[len(subject) :].strip(" .。")
    if found := _AGED.fullmatch(said):
        number = english_number(found["age"].lower())
        unit = (found["unit"] or "year").removesuffix("s")
        if found["age"].lower() in ("a", "an") and not found["unit"]:
            return None
    elif found := _AGED_ZH.fullmatch(said):
        number, unit = chinese_number(found["age"]), _UNITS[found["unit"]]
    else:
        return None
    who = folded(f"x's {found['who']}" if found["who"].isascii() else f"的{found['who']}")
    return Age(who, folded(found["name"] or ""), number, unit) if number is not None else None


def is_of_one(one: Age, other: Age) -> bool:
    """Whether both are about the same one; without a name, about "my daughter"."""
    return one.who == other.who and one.name == other.name


def replaces(new: Age, old: Age, quote: str) -> bool:
    """Whether the new age surely takes the place of the old one."""
    kin = new.who.removeprefix("x's ").removeprefix("的")
    if new.name or is_one_only(kin) or _NOW.search(quote):
        return True
    return new.unit == old.unit and new.number - old.number == 1
