"""The end of a relation, told of both or by the other: "Rain and I broke up", "Marc left me",
我们分手了.

Each becomes what the speaker says of himself, so that one pattern covers all: "I broke up with
Rain". Whom it names has to be known as the partner, or it ends nothing.
"""

from __future__ import annotations

from ...language.lazy_regex import lazy_compile
from .chinese_parts import DAY, END, PARTNER
from .english_words import PARTNERS, alternation

_PARTNER_EN = alternation(PARTNERS)
_NAME_EN = r"[A-Z][\w'’-]+"
_OTHER_EN = rf"(?:[Mm]y (?:{_PARTNER_EN})(?:,? {_NAME_EN})?|{_NAME_EN}(?: {_NAME_EN})?)"
# What two do to each other. None of them has an object: "split up the bill" is no parting.
_BOTH_EN = (
    r"(?:(?:broke|broken|split) up|separated|parted(?: ways)?|got divorced"
    r"|ended (?:it|things|(?:our|the) (?:relationship|engagement|marriage))(?: between us)?"
    r"|(?:called|broke|broken) off (?:our|the) (?:engagement|wedding)"
    r"|(?:(?:are|were) (?:no longer|not)|aren['’]t|weren['’]t)"
    r" (?:together|a couple|dating|engaged|married)(?: any ?(?:more|longer))?)"
)
_FROM_THE_OTHER_EN = (
    r"(?:(?:(?:broke|broken|split) up|split|separated|parted(?: ways)?|ended (?:it|things))"
    r" (?:with|from)|dumped|divorced|got divorced from)"
)
_ADVERB_EN = r"(?:(?:have|has|just|recently|finally|officially|actually|already) |['’]ve )*"
_DAY_EN = (
    r"(?:on (?:\d|[A-Z])[\w-]*|last \w+|this (?:week|weekend|month|year|morning|evening|summer"
    r"|winter|spring|autumn|fall|\w+day)|(?:[\w-]+ ){1,3}(?:ago|before \d[\d-]*)|yesterday|today"
    r"|tonight|(?:back |early |late )?in (?:[\dA-Z][\w-]*|the (?:week|spring|summer|autumn|fall"
    r"|winter))|\d[\d-]*|for (?:good|real|ever|an?other|somebody|someone))"
)
_WHEN_EN = (
    rf"(?=\s*(?:[,;:.!—–-]|$)|\s+(?:{_DAY_EN}|again|now|over|during|after|before|when|because"
    r"|since)\b)"
)
PARTED_EN = (
    rf"(?:has |have )?(?:{_FROM_THE_OTHER_EN} (?P<value>{_NAME_EN}"
    rf"(?: (?:{_PARTNER_EN}))?(?: {_NAME_EN})?)|(?:broke|broken|split) up){_WHEN_EN}"
)
_BEGINS_EN = r"(?:^|(?<=[,;:] ))"
_TOGETHER_EN = lazy_compile(
    rf"{_BEGINS_EN}(?P<other>{_OTHER_EN}) and I {_ADVERB_EN}{_BOTH_EN}{_WHEN_EN}"
)
_LEFT_BY_EN = lazy_compile(
    rf"{_BEGINS_EN}(?P<other>{_OTHER_EN}) {_ADVERB_EN}(?:{_FROM_THE_OTHER_EN} me{_WHEN_EN}"
    rf"|left me(?=\s*(?:[,;:.!—–-]|$)|\s+{_DAY_EN}))"
)
_WE_EN = lazy_compile(rf"{_BEGINS_EN}[Ww]e {_ADVERB_EN}(?:broke|broken|split) up{_WHEN_EN}")

_BOTH_ZH = r"(?:分手|离婚|分开|分|离|解除婚约|取消婚约|退婚|掰|散|吹|断|一刀两断)"
_ADVERB_ZH = r"(?:已经?|正式|刚刚?|终于|就|又|都|彻底|和平)*"
_OTHER_ZH = rf"(?:{PARTNER}|[\u3400-\u9fffA-Za-z·]{{1,8}}?)"
_FIGURES_ZH = r"[\d一二三四五六七八九十]{1,3}"
_ANY_DAY_ZH = rf"(?:{_FIGURES_ZH}月(?:份|初|中旬?|底|{_FIGURES_ZH}[日号])?|{DAY})"
PARTED_ZH = (
    rf"{_ANY_DAY_ZH}{_ADVERB_ZH}(?:(?:和|跟|与|同)(?P<value>{_OTHER_ZH}){_ANY_DAY_ZH}"
    rf"{_ADVERB_ZH}{_BOTH_ZH}了"
    rf"|分手了?){END}"
)
_DAY_ZH = (
    r"(?:(?:大?前|昨|今|上|去|这|本|\d|[一二三四五六七八九十两几])[^，。我你他她和跟与]{0,7}?"
    r"(?:天|日|周|号|月|年|晚|前|末|[一二三四五六]))?"
)
_WE_ZH = lazy_compile(rf"我们俩?(?P<when>{_DAY_ZH}{_ADVERB_ZH})(?P<end>分手|离婚|解除婚约|退婚)了?")
_NO_SUBJECT_ZH = lazy_compile(
    rf"{_DAY_ZH}(?:和|跟|与)[^，。我你他她]{{1,8}}?{_DAY_ZH}{_ADVERB_ZH}{_BOTH_ZH}了"
)
_BY_THE_OTHER_ZH = lazy_compile(
    rf"(?P<before>{_DAY_ZH})(?P<other>[^，。我你他她]{{1,8}}?)(?P<when>{_DAY_ZH})"
    rf"(?:(?:和|跟|与|同)我{_ADVERB_ZH}(?:提出?)?(?:分手|离婚|分|离|掰|断)了?|把我甩了)"
)


def of_the_speaker_en(sentence: str) -> str:
    """ "Rain and I separated" → "I broke up with Rain"; anything else as it is."""
    sentence = _TOGETHER_EN.sub(r"I broke up with \g<other>", sentence)
    sentence = _LEFT_BY_EN.sub(r"I broke up with \g<other>", sentence)
    return _WE_EN.sub("I broke up", sentence)


def of_the_speaker_zh(clause: str) -> str:
    """我们分手了 → 我分手了; 小雨跟我分手了 → 我跟小雨分手了."""
    if found := _WE_ZH.fullmatch(clause):
        end = "离婚" if found["end"] == "离婚" else "分手"
        return f"我{found['when']}{end}了"
    if found := _BY_THE_OTHER_ZH.fullmatch(clause):
        return f"我{found['before']}{found['when']}跟{found['other']}分手了"
    return f"我{clause}" if _NO_SUBJECT_ZH.fullmatch(clause) else clause
