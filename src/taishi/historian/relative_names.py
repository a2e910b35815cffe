"""Another name for "my sister": two sisters, or a correction; nothing in the words says which.

"Ann's sister Lea lives in Bergen", then "Ann's sister's name is Mia"; 安的妹妹叫小美, then
安的妹妹叫小丽. Of a mother there is one, so a new name takes the place of the old one.
"""

from __future__ import annotations

import re

from ..language.gate import HAN
from ..language.lazy_regex import lazy_compile
from .fact_patterns.chinese_parts import RELATIVES as RELATIVES_ZH
from .fact_patterns.english_words import RELATIVES, alternation
from .fact_patterns.named_relatives import NAME_OF_RELATIVE_ZH

_WHICH = r"(?:(?:older|younger|elder|eldest|youngest|big|little|twin|step|half)[ -])?"
_WHO = rf"['’]s (?P<who>{_WHICH}(?:{alternation(RELATIVES)}))"
_NAME = r"(?P<name>[A-Z][\w'’-]+)"
_GIVEN = lazy_compile(rf"{_WHO}(?:['’]s name is|['’]s name['’]s| is (?:called|named)) {_NAME}\b")
_BESIDE = lazy_compile(rf"{_WHO} {_NAME} [a-z]")
_WHO_ZH = rf"(?:的|家的?)?(?P<who>{RELATIVES_ZH})"
_GIVEN_ZH = lazy_compile(
    rf"{_WHO_ZH}(?:(?:的名字)?(?:名叫|叫做?)|的名字是)(?P<name>[{HAN}·]{{2,4}}|[A-Z][A-Za-z]+)$"
)
_BESIDE_ZH = lazy_compile(rf"{_WHO_ZH}(?P<name>{NAME_OF_RELATIVE_ZH})(?=住|在|是|有|对|喜欢|讨厌)")
_NOT_A_NAME_ZH = lazy_compile(r"[一个位名的了人我你他她它]")
_ONE_ONLY = lazy_compile(r"(?:mother|mom|mum|father|dad)|妈妈?|爸爸?|母亲|父亲")
_SEVERAL = lazy_compile(
    r"(?i)\b(?:two|three|four|five|six|several|many|other|another|second|third|also|both|one of)\b"
    r"|[两二三四五六七八九几][个位名]|另|还有|第[二三四]|也"
)


def given_name(content: str, subject: str) -> tuple[str, str] | None:
    """("sister", "Mia") of "Ann's sister's name is Mia"."""
    return _named(content, subject, (_GIVEN, _GIVEN_ZH))


def known_name(content: str, subject: str) -> tuple[str, str] | None:
    """Also of "Ann's sister Mia lives in Bergen"."""
    return given_name(content, subject) or _named(content, subject, (_BESIDE, _BESIDE_ZH))


def is_one_only(who: str) -> bool:
    return _ONE_ONLY.fullmatch(who) is not None


def tells_of_several(text: str) -> bool:
    """ "I have two sisters", "my other sister"."""
    return _SEVERAL.search(text) is not None


def _named(
    content: str, subject: str, patterns: tuple[re.Pattern[str], ...]
) -> tuple[str, str] | None:
    if not subject or not content.startswith(subject):
        return None
    said = content[len(subject) :].strip(" .。")
    found = next((match for pattern in patterns if (match := pattern.match(said))), None)
    if found is None or (found["name"][0] > "\u3400" and _NOT_A_NAME_ZH.search(found["name"])):
        return None
    return found["who"], found["name"]
