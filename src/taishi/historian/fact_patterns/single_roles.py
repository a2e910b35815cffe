"""Roles that one person holds at a time for the speaker: a boss, a landlord. Who is the new one is
the one there is: "my new boss is called Karim", "I have a new boss, Karim", 我的新老板叫李刚."""

from __future__ import annotations

from ...language.gate import HAN
from ...language.lazy_regex import lazy_compile

SINGLE_ROLES = r"(?:(?:line )?manager|boss|supervisor|landlord|landlady)"
SINGLE_ROLES_ZH = "(?:老板|领导|上司|房东|导师|班主任)"
_NAME = r"(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof)\b\.? )?[A-Z][a-z][\w'’-]*(?: [A-Z][\w'’-]+){0,2}"
_NEW = lazy_compile(rf"\b(?P<my>[Mm]y) (?:new|current) (?={SINGLE_ROLES}\b)")
_GOT_A_NEW = lazy_compile(
    rf"\b(?:I|We|we)(?:['’]ve| have|)(?: just| now)*(?: got| have)? a new (?P<role>{SINGLE_ROLES})"
    rf"(?:,| called| named| now,|:| -)(?: (?:s?he['’]s|s?he is|it['’]s)(?: called)?)?"
    rf" (?P<name>{_NAME})$"
)
_NEW_ZH = lazy_compile(rf"^我(?:的|们的?|家的?)?(?:新来?的?|现任)(?={SINGLE_ROLES_ZH})")
_CHANGED_ZH = lazy_compile(
    rf"^我(?P<of>(?:的|家的?)?{SINGLE_ROLES_ZH})(?:已经)?(?:换成|变成|改成)了?(?P<name>[{HAN}]{{2,4}}?)了?$"
)


def of_the_new_one_en(sentence: str) -> str:
    """ "I have a new boss, Karim" → "My boss is called Karim"."""
    sentence = _GOT_A_NEW.sub(r"my \g<role> is called \g<name>", sentence)
    return _NEW.sub(r"\g<my> ", sentence)


def of_the_new_one_zh(clause: str) -> str:
    """我的新老板叫李刚 → 我的老板叫李刚; 我老板换成李刚了 → 我老板是李刚."""
    return _CHANGED_ZH.sub(r"我\g<of>是\g<name>", _NEW_ZH.sub("我的", clause))
