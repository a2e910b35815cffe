"""Who holds a role that one person has at a time: the boss, the landlord.

"My boss is Karim now" and "my new boss is called Karim" put another in the place of Tess. Without
such a word nothing says which of the two holds. Of friends, brothers, colleagues and doctors there
may be several: they are not compared.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..language.first_names import is_first_name
from ..language.gate import HAN, SURNAMES
from ..language.lazy_regex import lazy_compile
from .fact_patterns.correction_words import denied_value, puts_right
from .fact_patterns.english_words import DEMONYMS, PROFESSIONS
from .fact_patterns.relations import of_whom
from .fact_patterns.single_roles import SINGLE_ROLES, SINGLE_ROLES_ZH

_TITLE = r"(?:(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof)\b\.? )"
_NAME = rf"{_TITLE}?[A-Z][a-z][\w'’-]*(?: [A-Z][\w'’-]+){{0,2}}"
_HELD = lazy_compile(
    rf"['’]s (?:new |current )?(?P<role>{SINGLE_ROLES})"
    rf"(?:(?P<given>['’]s name(?: is|['’]s)| is (?:called|named))| is) (?P<name>{_NAME})(?: again)?"
)
_HELD_ZH = lazy_compile(
    rf"(?:的|家的?)?(?:新|现任)?(?P<role>{SINGLE_ROLES_ZH})(?:的名字)?(?P<given>名?叫做?|姓|名?是)"
    rf"(?P<name>(?:[小老阿][{HAN}]|[{SURNAMES}][{HAN}]{{0,3}}|[A-Z][A-Za-z]+))了?"
)
_NO_NAME = frozenset(
    f"""
    {DEMONYMS} {PROFESSIONS} African Asian European Arab Catholic Christian Muslim Jewish Hindu
    Buddhist Protestant Sikh Orthodox President Director Head Chief Vice Senior Junior Managing
    Executive Minister Partner Aries Taurus Gemini Cancer Leo Virgo Libra Scorpio Sagittarius
    Capricorn Aquarius Pisces The My Our This That Not Now Very So Always Also In On At
    """.lower().split()
)
_CALLED_ZH = lazy_compile(
    "^[小老阿](?=.$)|(?<=^.)(?:总|董|工|导|[姐哥叔]|阿姨|先生|女士|太太|小姐|经理|主任|老师|老板)$"
)
_NOW_EN = r"\b(?:new|now|again|currently|these days|nowadays|from now on)\b"
_NOW_ZH = "新|现在|目前|如今|换|现任"
_CLAUSE = lazy_compile(
    r"(?:(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bProf)[.](?=\s)|[;!?\n。！？；])+"
)


class Holder(NamedTuple):
    role: str
    name: str


def role_holder(content: str, subject: str) -> Holder | None:
    """("boss", "Karim") of "Ann's boss is Karim"."""
    content = of_whom(content, subject) or content  # "Karim is Ann's boss"
    if not subject or not content.startswith(subject):
        return None
    said = content[len(subject) :].strip(" .。")
    if found := _HELD_ZH.fullmatch(said):
        return Holder(found["role"], found["name"])
    found = _HELD.fullmatch(said)
    if found is None or (not found["given"] and not _may_be_name(found["name"])):
        return None
    return Holder(found["role"].lower(), found["name"])


def is_same_person(one: Holder, other: Holder) -> bool:
    """ "Tess" may be "Tess Miller", "Okafor" Mr. Okafor, 老王 王强; Mr. Byrne is not Mrs. Byrne."""
    if re.search(f"[{HAN}]", one.name + other.name):
        short, long = sorted((_CALLED_ZH.sub("", each.name) for each in (one, other)), key=len)
        return long.startswith(short)
    titles = [re.match(_TITLE, each.name) for each in (one, other)]
    if all(titles) and len({title[0].strip(" .") for title in titles if title}) > 1:
        return False
    first, second = (
        set(re.sub(f"^{_TITLE}", "", each.name).casefold().split()) for each in (one, other)
    )
    return first <= second or second <= first


def takes_over(new: Holder, old: Holder, quote: str) -> bool:
    """Whether the words say that it is so since now, or put it right: "now", "my new boss", "not
    Tess", "sorry, …"."""
    if denied_value(quote) == old.name or puts_right(quote):
        return True
    now = _NOW_ZH if re.search(f"[{HAN}]", new.role) else _NOW_EN
    return any(
        new.name in part and new.role in part.lower() and re.search(now, part) is not None
        for part in _CLAUSE.split(quote)
    )


def _may_be_name(name: str) -> bool:
    """Whether a word with a capital is a name, and not what somebody is: "my boss is Danish"."""
    if re.match(_TITLE, name):
        return True
    words = name.casefold().split()
    if is_first_name(words[0]):
        return True
    return not any(
        word in _NO_NAME or re.search("(?:ish|ist|ian|ese)$", word) is not None for word in words
    )
