"""Corrections that name two values and no statement: "Not Rome. Milan.", 不是罗马，是米兰.

What they put right has to be found among what was said before. "I gave you the wrong birthday, it's
not May 3, it's May 13" also says what it is about.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...language.analyzer import has_cjk
from ...language.common_words import common_words
from ...language.courtesies import says_nothing
from ...language.gate import HAN
from ...language.lazy_regex import lazy_compile
from ...language.verb_forms import is_past
from .. import statement_comparison
from .correction_words import says_was_wrong, without_apology

MOST_CHARS = 80
_FIGURES_ZH = "〇零一二两三四五六七八九十百千\\d"
_VALUE_ZH = rf"[{HAN}A-Za-z0-9·]{{2,12}}?"
_OLD_ZH, _NEW_ZH = rf"(?P<old>{_VALUE_ZH})", rf"(?P<new>{_VALUE_ZH})"
_IS_ZH = r"(?:而|应该|其实|应当)*(?:是|为)"
_CONTRASTS_ZH = (
    rf"(?:其实|应该|其实应该)?是{_NEW_ZH}[，,。！!；;]?(?:而|并)?不是{_OLD_ZH}",
    rf"(?:其实)?不是{_OLD_ZH}[，,。！!；;]*{_IS_ZH}{_NEW_ZH}",
    rf"把?{_OLD_ZH}(?:应该)?(?:改成|改为){_NEW_ZH}",
)
# One character is a value only in words that say that something was wrong: 说错了，不是虾，是蟹.
_SHORT_ZH = tuple(row.replace("{2,12}?", "{1,12}?") for row in _CONTRASTS_ZH[:2])
# Without 是 only if it is said in the same form: 不是三只。四只。
_SAME_FORM_ZH = rf"不是{_OLD_ZH}[，,。！!；;]+{_NEW_ZH}"
_VALUE_EN = r"(?P<{}>[\w'’-]+(?: [\w'’-]+){{0,3}}?)"
_OLD_EN, _NEW_EN = _VALUE_EN.format("old"), _VALUE_EN.format("new")
_SAYS_SO = (
    r"(?:it['’]?s|it is|it was|that['’]?s|that should be|it should be|should be|should say"
    r"|make that|i mean|i meant(?: to say)?|(?:her|his|its|their) name(?: is|['’]s)(?: spelled)?)"
)
_IT_IS = rf"(?:{_SAYS_SO} )?"
_CONTRASTS_EN = (
    rf"{_IT_IS}{_NEW_EN},? (?:and )?not {_OLD_EN}",
    rf"{_IT_IS}not {_OLD_EN},? (?:but )?{_IT_IS}{_NEW_EN}",
    rf"{_IT_IS}not {_OLD_EN} ?[.!;:—–-]+ ?{_IT_IS}{_NEW_EN}",
    rf"{_IT_IS}{_NEW_EN} ?[.!;:—–-]+ ?not {_OLD_EN}",
)
# Of somebody else, in one frame: "My brother doesn't live in Oslo, he lives in Bergen".
_OF_OTHERS = (
    rf"(?:actually,? )?my (?P<about>[\w'’ -]{{2,40}}?) (?:does not|doesn['’]t) (?P<does>live|work)"
    rf" (?P<at>in|at|for) {_OLD_EN},? (?:but )?(?:he |she )?(?P=does)s (?P=at) {_NEW_EN}",
    rf"(?:其实)?我(?:的|家的?)?(?P<about>[{HAN}]{{1,6}}?)(?:现在|其实|并)*不(?:是)?(?P<does>住在|在)"
    rf"{_OLD_ZH}[，,；;]+(?:他|她|而|其实)*(?:是)?(?P=does){_NEW_ZH}",
)
_NAMES = lazy_compile(r"(?i)\b(?:her|his|its|their) name(?: is|['’]s)\b")
_NAMING = frozenset(statement_comparison.terms("called named name"))
# No value, but a statement or a word that points somewhere.
_NO_VALUE = lazy_compile(
    r"[我你他她它这那的不是吗呢]|^[对在住]"
    r"|(?i:\b(?:i|you|he|she|it|we|they|me|my|your|this|that|is|are|am|was|not|there|here|"
    r"lives?|works?|likes?|loves?|because|if|so|sure|true|really)\b)"
)
_PRESENT = lazy_compile(r"[a-z]{2,}[a-rt-z]s")
_EXCLAIMED = frozenset(
    "yikes duh damn dang bummer oops whoops nah meh phew gee geez jeez gosh wow argh ouch crap"
    " shoot yay hooray tut ahem eek yuck ew psst shh voila bingo".split()
)
# 之前生日说错了，……; "I gave you the wrong birthday, …"
_TOPIC = lazy_compile(
    r"(?P<about>[^，。；：,;:!！]{2,30}?(?:[说打讲记搞弄写]错了?|有误|不对|错了|是错的))[，。；：,;:!！\s]+(?P<rest>.+)"
    r"|(?P<topic>[^.!;:]{2,80}?\b(?i:wrong|incorrect|mistaken|mixed up|a mistake|an error)\b"
    r"[^,.!;:—–]{0,40})\s*[,.!;:—–-]+\s*(?P<then>.+)",
    re.DOTALL,
)


class Contrast(NamedTuple):
    """`new` was meant instead of `old`; `topic` are words that say of what, if any do."""

    old: str
    new: str
    topic: frozenset[str] = frozenset()


def contrast(text: str) -> Contrast | None:
    """Haidian and Chaoyang of "Chaoyang, not Haidian", if the text says nothing else."""
    plain = _stripped(text)
    rows = _SHORT_ZH if says_was_wrong(text) else ()
    if len(plain) <= MOST_CHARS and (found := _values(plain, rows)):
        return found
    if len(plain) <= MOST_CHARS and (found := _of_others(plain)):
        return found
    said = _TOPIC.fullmatch(text.strip(" ,，.。!！~;；")) if len(text) <= 3 * MOST_CHARS else None
    if said is None:
        return None
    found = _values(_stripped(said["rest"] or said["then"]))
    topic = statement_comparison.core(said["about"] or said["topic"])
    topic = frozenset(one for one in topic if len(one) > 1)
    return Contrast(found.old, found.new, topic) if found and topic else None


def _of_others(plain: str) -> Contrast | None:
    said = next((m for row in _OF_OTHERS if (m := re.fullmatch(row, plain, re.IGNORECASE))), None)
    if said is None or not _is_meant(said):
        return None
    return Contrast(said["old"], said["new"], statement_comparison.core(said["about"]))


def _stripped(text: str) -> str:
    return without_apology(text.strip()).strip(" ,，.。!！~;；啊呀哦哈")


def _values(plain: str, more: tuple[str, ...] = ()) -> Contrast | None:
    for row in (*_CONTRASTS_ZH, _SAME_FORM_ZH, *more):
        found = re.fullmatch(row, plain)
        if found and _is_meant(found) and (row != _SAME_FORM_ZH or _has_same_form(found)):
            return Contrast(found["old"], found["new"])
    for row in _CONTRASTS_EN:
        found = re.fullmatch(row, plain, re.IGNORECASE)
        if found and _is_meant(found) and _is_of_one_sort(found, plain):
            is_name = _NAMES.search(plain) is not None
            return Contrast(found["old"], found["new"], _NAMING if is_name else frozenset())
    return None


def _is_meant(found: re.Match[str]) -> bool:
    if _is_statement(found["new"]) and not _is_statement(found["old"]):
        return False
    return not any(_NO_VALUE.search(found[key]) for key in ("old", "new"))


def _is_statement(value: str) -> bool:
    """Whether it says something of a name: "Joana came from Booking" is no other Zalando."""
    first, *rest = value.split()
    if len(rest) < 2 or not first[:1].isupper():
        return False
    return is_past(rest[0]) or _PRESENT.fullmatch(rest[0]) is not None


def _has_same_form(found: re.Match[str]) -> bool:
    """三只 and 四只: another number of the same."""
    figures = rf"[{_FIGURES_ZH}]+"
    forms = [re.sub(figures, "#", found[key]) for key in ("old", "new")]
    return "#" in forms[0] and forms[0] == forms[1]


def _is_of_one_sort(found: re.Match[str], plain: str) -> bool:
    """Whether the second may be put for the first: a name for a name, a figure for a figure.
    "Not Rome, sorry" and "Not Rome. Seriously." name no other town."""
    old, new = found["old"], found["new"]
    if says_nothing(new) or has_cjk(old) != has_cjk(new):
        return False
    if any(char.isdigit() for char in old):
        return any(char.isdigit() for char in new)
    if old[:1].isupper() and not new[:1].isupper():
        return False
    if re.search(rf"(?i)\b{_SAYS_SO} {re.escape(new)}", plain):
        return True
    begins = re.search(rf"(?:^|[.!;:—–-] ?){re.escape(new)}", plain) is not None
    is_name = old[:1].isupper() and not begins  # a capital in the middle of a sentence
    # At its beginning any word has one: only what is no common word can be a name.
    return is_name or not old[:1].isupper() or not is_common(new)


def is_common(value: str) -> bool:
    """Whether each word is a common one, or made of one: "honestly"."""
    known = common_words().parts
    return all(
        word in known
        or word in _EXCLAIMED
        or word.removesuffix("ly") in known
        or word.removesuffix("y") in known
        for word in value.lower().split()
    )


def with_value(text: str, old: str, new: str) -> str:
    """The text with another value; one in Latin letters is a word of its own there, and a figure a
    whole one."""
    before = after = ""
    if re.match("[A-Za-z0-9]", old):
        before, after = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"
    elif re.match(f"[{_FIGURES_ZH}]", old):
        before = f"(?<![{_FIGURES_ZH}])"
    return re.sub(rf"{before}{re.escape(old)}{after}", lambda _: new, text, flags=re.IGNORECASE)
