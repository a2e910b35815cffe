"""What somebody prefers to what, and whether a later statement turns it round: "prefers tabs over
spaces", then "prefers spaces over tabs"; 更喜欢简短的回答, then 现在更喜欢详细的回答.

Both have the same words, or none in common but "prefers": only the order and the pair tell. Where
each has a circumstance of its own ("in Go", 写Go时) both hold.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ..language.analyzer import has_cjk, terms
from ..language.common_prefix import common_prefix_length
from ..language.lazy_regex import lazy_compile
from ..language.normalise import canonical
from ..language.stated_times import is_one_more
from ..language.text import sentences

_CHARS = 300
_ADVERBS = r"(?:(?:now|really|still|definitely|much|generally|usually|strongly|always|also) )*"
_WHEN = (
    r"(?P<scope> (?:in|for|when|whenever|at|on|with|while|if|during|before|after|as)\b(?! well).*)?"
)
_REASON = lazy_compile(r" (?:because|since)\b.*$|[(（][^)）]*[)）]| (?:now|these days|nowadays)\b")
_PREFERS_EN = (
    lazy_compile(
        rf"(?P<head>.{{1,60}}?) {_ADVERBS}(?:prefers?|favou?rs?) (?P<more>.{{1,80}}?)"
        rf"(?: (?:over|to|rather than|instead of|than) (?P<less>.{{1,80}}?))?{_WHEN}"
    ),
    lazy_compile(
        rf"(?P<head>.{{1,60}}?) {_ADVERBS}(?:likes?|loves?|enjoys?) (?P<more>.{{1,80}}?)"
        rf" (?:more|better) than (?P<less>.{{1,80}}?){_WHEN}"
    ),
)
_LIKES_ZH = r"(?:喜欢|喜爱|偏好|偏爱|中意|倾向于?|爱(?=[吃喝看听玩用]))"
_PREFERS_ZH = (
    lazy_compile(
        r"(?P<head>.{1,30}?)(?:比起|相比)(?P<less>[^，。]{1,20}?)(?P<scope>)(?:现在|还是|就|要)*"
        rf"(?:更|比较)?{_LIKES_ZH}(?P<more>.{{1,20}}?)了?"
    ),
    lazy_compile(
        rf"(?P<head>.{{1,30}}?)(?P<scope>)(?:现在|还是|就|要)*(?:更|比较)?{_LIKES_ZH}(?P<more>.{{1,20}}?)"
        r"[，,]?(?:而不是|而非|胜过|多过|超过|不是)(?P<less>[^，。]{1,20}?)了?"
    ),
    lazy_compile(
        rf"(?P<head>.{{1,30}}?)(?P<scope>)(?P<less>)(?:现在|还是|就|要)*(?:更{_LIKES_ZH}|偏好|偏爱)"
        r"(?P<more>.{1,20}?)了?"
    ),
)
_VERB_ZH = r"^(?:使?用|喝|吃|看|听|玩|坐|养|穿)(?=.)"
_CHANGED = lazy_compile(
    r"(?i)\b(?:now|these days|nowadays|any ?more)\b|现在|如今|反而|了[。！!~]?$"
)
_OTHER_MIND = lazy_compile(r"(?i)\bchanged my mind\b|改变?了?主意")
# What one takes instead of the other; of each only the word in which both differ.
_OPPOSITES = (
    (
        "short brief concise terse succinct 简短 简洁 精简 短 简",
        "long detailed verbose thorough lengthy 详细 详尽 详 长",
    ),
    ("tab tabs 制表符 tab键", "space spaces 空格"),
    ("dark 深色 深 暗色 暗", "light bright 浅色 浅 亮色 亮"),
    ("tea 茶", "coffee 咖啡"),
    ("cat cats 猫", "dog dogs 狗"),
    ("window 靠窗 窗边", "aisle 靠过道 过道 靠走道"),
    ("morning mornings early 早上 早", "evening evenings night nights late 晚上 晚"),
    ("hot warm 热", "cold iced 冷 冰 凉"),
    ("spicy 辣", "mild 清淡 不辣"),
    ("sweet 甜", "savoury savory salty 咸"),
    ("summer 夏天 夏", "winter 冬天 冬"),
    ("city 城市", "countryside country 乡下 农村 乡村"),
    ("formal 正式", "informal casual 随意 轻松"),
    ("single 单", "double 双"),
    ("written text 文字", "spoken voice audio 语音"),
    ("email emails 邮件", "call calls phone 电话"),
    ("paper printed 纸质", "digital ebook ebooks electronic 电子"),
    ("online remote 线上 远程", "offline in-person onsite 线下"),
    ("beer 啤酒", "wine 红酒 葡萄酒"),
    ("quiet 安静", "loud lively noisy 热闹"),
    ("big large 大", "small little 小"),
    ("simple plain 简单", "complex elaborate fancy 复杂"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Preference:
    """`more` is preferred to `less`, which may be empty; `head` and `scope`: by whom and when.
    `words` of an English value in their order."""

    head: str
    more: frozenset[str]
    less: frozenset[str]
    scope: frozenset[str]
    words: tuple[str, ...]


def is_turned_round(one: str, other: str) -> bool:
    """Whether both cannot hold: what one prefers is what the other likes less."""
    first, second = _preference(one), _preference(other)
    if first is None or second is None or not _is_of_one_matter(first, second):
        return False
    if first.less and first.less == second.more:
        return not second.less or second.less == first.more
    return bool(second.less) and second.less == first.more and not first.less


def is_changed_to(now: str, before: str, quote: str) -> bool:
    """Whether what is preferred now takes the place of what was before: turned round, its
    opposite, or, if the `quote` says that something changed, another one of the kind."""
    first, second = _preference(now), _preference(before)
    if first is None or second is None or not _is_of_one_matter(first, second):
        return False
    told = [one for one in sentences(quote) if _says(one, first)]
    if any(is_one_more(one.replace("还是", "")) for one in told):
        return False
    if is_turned_round(now, before):
        return True
    if first.less or second.less or first.more == second.more:
        return False
    says_so = _OTHER_MIND.search(quote) or any(_CHANGED.search(one) for one in told)
    return _is_opposite(first, second) or (bool(says_so) and _is_of_one_kind(first, second))


def _is_of_one_matter(one: _Preference, other: _Preference) -> bool:
    return one.head == other.head and one.scope == other.scope


def _says(sentence: str, preference: _Preference) -> bool:
    plain = canonical(sentence)
    return all(word in plain for word in preference.words)


def _preference(text: str) -> _Preference | None:
    plain = _REASON.sub("", canonical(text[:_CHARS])).strip(" .。!！")
    is_chinese = has_cjk(plain)
    for pattern in _PREFERS_ZH if is_chinese else _PREFERS_EN:
        found = pattern.fullmatch(plain)
        if found is None:
            continue
        more, less = (_value(found[name] or "", is_chinese) for name in ("more", "less"))
        if more:
            scope = frozenset(terms(found["scope"] or ""))
            return _Preference(
                found["head"].strip(), frozenset(more), frozenset(less), scope, tuple(more)
            )
    return None


def _value(text: str, is_chinese: bool) -> list[str]:
    if is_chinese:
        plain = re.sub(_VERB_ZH, "", text.strip())
        return [plain] if plain else []
    plain = re.sub(r"\b(?:to|a|an|the|using|and|or|very)\b", " ", text)
    return list(terms(plain))


@cache
def _sides() -> dict[str, tuple[int, int]]:
    """Of each word its pair and its side."""
    return {
        form: (number, side)
        for number, pair in enumerate(_OPPOSITES)
        for side, words in enumerate(pair)
        for word in words.split()
        for form in (word, *terms(word)[:1])
    }


def _is_opposite(one: _Preference, other: _Preference) -> bool:
    first, second = _apart(one, other)
    sides = _sides()
    if not first or not second or not all(word in sides for word in (*first, *second)):
        return False
    pairs = {sides[word][0] for word in (*first, *second)}
    new, old = ({sides[word][1] for word in words} for words in (first, second))
    return len(pairs) == len(new) == len(old) == 1 and new != old


def _is_of_one_kind(one: _Preference, other: _Preference) -> bool:
    """ "Aisle seats" and "window seats", 靠窗的座位 and 过道的座位."""
    if not has_cjk(one.words[-1]):
        is_named = len(one.words) > 1 and len(other.words) > 1
        return is_named and one.words[-1] == other.words[-1]
    first, second = one.words[0], other.words[0]
    shared = common_prefix_length(first[::-1], second[::-1])
    return shared >= 2 and shared < min(len(first), len(second))


def _apart(one: _Preference, other: _Preference) -> tuple[set[str], set[str]]:
    """The words in which the two differ."""
    if not has_cjk(one.words[0] + other.words[0]):
        return set(one.more - other.more), set(other.more - one.more)
    first, second = one.words[0], other.words[0]
    if first in _sides() and second in _sides():
        return {first}, {second}
    end = common_prefix_length(first[::-1], second[::-1])
    first, second = first[: len(first) - end], second[: len(second) - end]
    start = common_prefix_length(first, second)
    return {first[start:].removesuffix("的")}, {second[start:].removesuffix("的")}
