"""Days that come back every year: of a birth, of a wedding.

"I was born on June 19" names no year, and the last June 19 is surely not meant. Such a day stays
as it was said, and needs no year to be understood. 昨天生的 and "got married last year" say when.
"""

from __future__ import annotations

from .lazy_regex import lazy_compile

_ANY = r"\b(?:born|birthday|anniversary)\b|生日|出生|纪念日|忌日"
_NUMBERED = lazy_compile(
    r"\d|[A-Z][a-z]|[一二三四五六七八九十正冬腊]月|初[一二三四五六七八九十]|廿"
)
_PART_ZH = "(?:凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|半夜|夜里|那天|当天)?"
_HAPPENED_ZH = (
    f"{_PART_ZH}(?:出?生(?:下来)?的(?![病气火])|出?生人"
    "|[^，。；！？,;!?了\\n]{0,6}(?:结婚的|结的婚|成亲的|成的亲|办的婚[礼宴]|领的证|领证的))"
)
_WEDDING_EN = (
    r"(?:(?:got|was|were) married\b|(?:\b(?:i|we|he|she|they)|\ufffc) married\b|\btied the knot\b"
    r"|\bwedding (?:was|took place)\b)"
)
_BETWEEN_EN = (
    r"(?:(?!\b(?:and|but|so|then|that|before|after|when|while|because)\b)[^,.;:!?\n\0]){0,40}"
)
_DAY_ZH = "[日号月份夕秋午节旦庆初廿一二三四五六七八九十]"

_SAID = lazy_compile(rf"(?i){_ANY}")
_HAPPENED = lazy_compile(
    rf"(?i)\0{_HAPPENED_ZH}|{_WEDDING_EN}{_BETWEEN_EN}\0|\0,?{_BETWEEN_EN}{_WEDDING_EN}"
)
NEEDS_NO_YEAR_ZH = f"(?<={_DAY_ZH}){_HAPPENED_ZH}"
NEEDS_NO_YEAR_EN = _WEDDING_EN


def is_yearly(clause: str, day: str, is_over: bool) -> bool:
    """Whether a clause with \\0 in the place of `day`, which has no year, tells of a day of every
    year. `is_over`: the last such day is meant, if any is; a wedding to come has its year."""
    if _SAID.search(clause) and _NUMBERED.search(day):
        return True
    return is_over and _HAPPENED.search(clause) is not None
