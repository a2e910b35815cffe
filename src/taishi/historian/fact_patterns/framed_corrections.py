"""Corrections that say of which predicate they are: 不是猕猴桃过敏，是菠萝, 说错了，是对芒果过敏,
"it's not a kiwi allergy, it's pineapple".

The predicate stands beside one of the two values, or beside both, and holds for both. It says what
is corrected, at any time. Without the wrong value the words have to say that something was wrong,
and only one such statement may be known.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...language.gate import HAN
from ...language.lazy_regex import lazy_compile
from .correction_words import says_was_wrong, without_apology
from .not_but import says_how
from .value_frames import framed, is_same_value, value_alone

MOST_CHARS = 80
_WORDS_ZH = rf"[{HAN}A-Za-z0-9·]{{1,16}}?"
_NOT_ZH = "不是(?![只光仅单])"
_NOT_EN = r"not (?!(?:only|just|simply|merely|always|quite|really)\b)"
_ME_ZH = r"(?P<me>我)?(?:其实|应该|实际上|确实|根本|并|真正)*"
_END_ZH = r"(?:的|才对|啦|哦|啊|哈|了)*"
_BUT_ZH = r"(?:而|我|其实|应该|实际上)*"
_ROWS_ZH = tuple(
    lazy_compile(row)
    for row in (
        rf"{_ME_ZH}{_NOT_ZH}(?P<old>{_WORDS_ZH})[，,。！!；;\s]*{_BUT_ZH}是(?P<new>{_WORDS_ZH}){_END_ZH}",
        rf"{_ME_ZH}{_NOT_ZH}(?P<old>{_WORDS_ZH})[，,。！!；;\s]+(?P<new>{_WORDS_ZH}){_END_ZH}",
        rf"{_ME_ZH}是(?P<new>{_WORDS_ZH}){_END_ZH}[，,。！!；;\s]+(?:而|并)?{_NOT_ZH}(?P<old>{_WORDS_ZH}){_END_ZH}",
    )
)
_ALONE_ZH = lazy_compile(rf"{_ME_ZH}(?P<focus>是)?(?P<new>{_WORDS_ZH}){_END_ZH}")
_WRONG_ZH = lazy_compile(r"^[，,。！!\s]*(?:不对|不是的|错了)[，,。！!\s]")
_WORDS_EN = r"[a-zA-Z][\w'’-]*(?: [\w'’-]+){0,5}?"
_ME_EN = (
    r"(?:(?P<me>i['’]?m|i am|i have|i)(?: actually| really)? "
    r"|(?:it['’]?s|it is|it was|that['’]?s|it should be|should be|i meant?|i meant to say)"
    r"(?: actually)? )?"
)
_BUT_EN = (
    r"(?:(?:but|rather|it['’]?s|it is|it should be|i['’]?m|i am|i have|i meant?)(?: actually)? )*"
)
_ROWS_EN = tuple(
    lazy_compile(f"(?i){row}")
    for row in (
        rf"{_ME_EN}{_NOT_EN}(?P<old>{_WORDS_EN}) ?[,.;!—–-]+ ?{_BUT_EN}(?P<new>{_WORDS_EN})",
        rf"{_ME_EN}{_NOT_EN}(?P<old>{_WORDS_EN}),? but (?P<new>{_WORDS_EN})",
        rf"{_ME_EN}(?P<new>{_WORDS_EN}) ?[,.;!—–-]+ ?(?:and |so )?{_NOT_EN}(?P<old>{_WORDS_EN})",
    )
)
_ALONE_EN = lazy_compile(rf"(?i){_ME_EN}(?P<new>{_WORDS_EN})")


# What somebody has or does instead is nothing to be allergic to: 不是花生过敏，是湿疹.
_NO_ALLERGEN = lazy_compile(
    r"[病炎疹症怕爱想会能很太只装]|感冒|发烧|发热|流感|心理|作用|反应|耐受|中毒|消化|怀孕|体质|哮喘|讨厌|挑食|单纯|上火|遗传|故意"
    r"|玩笑|误会|吓|骗|演"
    r"|(?i:\b(?:just|only|simply|merely|rather|more|very|a|an|the|fever|asthma|eczema|cold|flu|rash"
    r"|reaction|intolerance|disease|syndrome|infection|virus|poisoning|preference|choice|careful"
    r"|afraid|picky|vegan|vegetarian)\b|\w+ing\b|\w+ly\b)"
)
_SEVERAL = ("allergy", "intolerance", "avoids")  # of one value alone the later one holds anyway
_MOST_ALLERGEN_ZH, _MOST_ALLERGEN_EN = 4, 2


class FramedCorrection(NamedTuple):
    """`new` is meant, in a predicate of this kind, instead of `old`, or of the only known value;
    `is_own`: it says that it is about the speaker."""

    kind: str
    old: str
    new: str
    is_own: bool


def framed_correction(text: str) -> FramedCorrection | None:
    """The values and their predicate, if the text says nothing else."""
    plain = without_apology(text.strip()).strip(" ,，.。!！~;；")
    plain = re.sub(r"^(?:不对|不是的)+[，,。！!\s]*", "", plain)
    if not plain or len(plain) > MOST_CHARS:
        return None
    for row in (*_ROWS_ZH, *_ROWS_EN):
        found = row.fullmatch(plain)
        if found and (correction := _of(found["old"], found["new"], found["me"] is not None)):
            return correction
    return _alone(text, plain)


def _of(old: str, new: str, is_own: bool) -> FramedCorrection | None:
    wrong, right = _part(old), _part(new)
    if wrong is None or right is None:
        return None
    kinds = {kind for kind, _ in (wrong, right) if kind}
    if len(kinds) != 1 or is_same_value(wrong[1], right[1]):
        return None
    if not right[0] and not _may_be_allergen(wrong[0], right[1]):
        return None
    return FramedCorrection(kinds.pop(), wrong[1], right[1], is_own)


def _may_be_allergen(kind: str, value: str) -> bool:
    """Whether a value without a predicate may stand in this one: of where somebody lives it may as
    well be what he does there (不是住江北，是路过)."""
    if kind != "allergy" or _NO_ALLERGEN.search(value) or says_how(value):
        return False
    is_chinese = re.search(f"[{HAN}]", value) is not None
    return (
        len(value) <= _MOST_ALLERGEN_ZH if is_chinese else len(value.split()) <= _MOST_ALLERGEN_EN
    )


def _part(words: str) -> tuple[str, str] | None:
    """("allergy", "kiwi") of "a kiwi allergy", ("", "kiwi") of "kiwi"."""
    words = re.sub(r"(?i)^to ", "", words.strip())
    if found := framed(words):
        return found.kind, found.value
    value = value_alone(words)
    return ("", value) if value else None


def _alone(text: str, plain: str) -> FramedCorrection | None:
    found = _ALONE_ZH.fullmatch(plain) or _ALONE_EN.fullmatch(plain)
    part = framed(found["new"]) if found else None
    if found is None or part is None:
        return None
    if part.kind not in _SEVERAL:
        return None
    is_wrong = says_was_wrong(text) or (
        _WRONG_ZH.match(text) is not None and bool(found.groupdict().get("focus"))
    )
    is_own = found["me"] is not None
    return FramedCorrection(part.kind, "", part.value, is_own) if is_wrong else None
