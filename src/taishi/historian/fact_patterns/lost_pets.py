"""An animal that somebody has no longer: 我把猫送人了, 布丁去世了, "we gave the cat away".

Said of an animal of the speaker's, by its kind or by its name. With several of a kind it is not
sure which one is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...language.gate import HAN
from ...language.lazy_regex import lazy_compile
from .own_words import is_a_joke, is_not_serious, is_not_stated

_KINDS_ZH = {  # by the word for the kind: all words for such an animal
    "猫": "小?猫咪?|橘猫|布偶猫?|英短|美短|喵星人",
    "狗": "小?狗狗?|柯基|金毛|泰迪|哈士奇|拉布拉多|柴犬|边牧|萨摩耶|贵宾|比熊|土狗",
    "鸟": "小?鸟|鹦鹉",
    "鱼": "小?金?鱼",
    "兔": "小?兔子?",
    "龟": "小?乌龟",
    "鼠": "仓鼠|龙猫",
}
_KINDS_EN = {
    "cat": "cats?|kittens?|kitty|kitties",
    "dog": "dogs?|puppy|puppies|retriever|corgi|poodle|labrador|beagle|husky",
    "bird": "birds?|parrots?|budgies?|canary|canaries",
    "fish": "fish|goldfish",
    "rabbit": "rabbits?|bunny|bunnies",
    "hamster": "hamsters?|guinea pigs?",
    "horse": "horses?|pony|ponies",
    "turtle": "turtles?|tortoises?",
}
ANY_ZH = "|".join(_KINDS_ZH.values())
ANY_EN = "|".join(_KINDS_EN.values())
_ANY_KIND = lazy_compile(rf"{ANY_ZH}|(?i:\b(?:{ANY_EN})\b)")
_GIVEN_ZH = r"送(?:给了?[^，。]{1,6}|人|走|掉)了?|送养了?|转让了|弄丢了|卖了"
_DEAD_ZH = r"去世了?|过世了?|死了|没了|走了|病死了|老死了|去(?:喵|汪)星了?"
_ENDS_ZH = tuple(
    lazy_compile(row)
    for row in (
        rf"(?:我们?|我家)?(?:已经|昨天|前天|上周|上个?月|最近|刚|只好)*把(?:我们?家?的?|家里的?|这只|那只)?(?P<what>{ANY_ZH}|[{HAN}]{{2,4}}?)"
        rf"(?:也|都|已经|给)?(?:{_GIVEN_ZH})",
        rf"(?:我们?家?的?|家里的?)(?P<what>{ANY_ZH})(?:[{HAN}]{{0,4}}?)(?:昨天|前天|上周|上个?月|今天|已经|也|都)*"
        rf"(?:{_DEAD_ZH}|{_GIVEN_ZH}|跑丢了|走丢了)",
        rf"(?P<what>[{HAN}]{{2,4}}?)(?:昨天|前天|上周|上个?月|今天|已经)*(?:去世|过世|病死|老死)了",
        rf"我(?:家|们)?(?:现在|已经|目前|早就?)*(?:没有?|不(?:再)?养)(?P<what>{ANY_ZH})了?",
    )
)
_AFTER_EN = (
    r"(?=$| (?:yesterday|today|last|this|on|in|because|after|when|and|so|a (?:week|month|year))\b)"
)
_WHOSE_EN = r"(?:my|our|the)"
_HAVE_EN = r"(?:i|we)(?:['’]ve| have)?(?: just| already| finally| sadly| recently| had to)*"
_NAME_EN = r"(?-i:(?P<name>[A-Z]\w+))"
_ENDS_EN = tuple(
    lazy_compile(rf"(?:sadly |unfortunately )?(?i:{row}){_AFTER_EN}")
    for row in (
        rf"{_HAVE_EN} (?:gave|give|given) (?:{_WHOSE_EN} (?P<what>{ANY_EN})|{_NAME_EN})"
        rf" (?:away|up for adoption|to (?!the vet|a bath)[\w' ]{{2,30}})",
        rf"{_HAVE_EN} (?:rehomed?|put(?: down)?|lost|buried) {_WHOSE_EN}"
        rf" (?P<what>{ANY_EN})(?: down)?",
        rf"(?:my|our) (?P<what>{ANY_EN})(?: (?-i:[A-Z]\w+))? (?:has |sadly |just )*"
        r"(?:died|passed away|is (?:dead|gone))",
        rf"{_NAME_EN} (?:has |sadly |just )*(?:passed away|died)",
        r"(?:i|we) (?:no longer have|don['’]?t have|do not have) (?:a |any |the )?"
        rf"(?P<what>{ANY_EN})(?: any ?more| any longer| now)?",
    )
)
_CLAUSE = re.compile(r"[,;.!?，。；！？\n]+")
_UNSURE = re.compile(r"一(?:只|条)$|[吗呢么]$|想|打算|要是|准备")
_SEVERAL = re.compile(
    r"[两二三四五六七八九几\d][只条]|\b(?:two|three|four|five|six|several|\d+) |\bcats\b|\bdogs\b"
)
_NAMED = re.compile(rf"叫(?P<zh>[{HAN}A-Za-z]{{1,8}})|\b(?:called|named) (?P<en>[A-Z]\w+)")


@dataclass(frozen=True, slots=True)
class LostPet:
    """The kind of the animal, or its name."""

    kind: str = ""
    name: str = ""

    def is_of(self, statement: str) -> bool:
        """Whether a fact about somebody's possessions is about this animal."""
        if self.name:
            return (
                self.name in statement
                and re.search(rf"{ANY_ZH}|(?i:\b(?:{ANY_EN})\b)", statement) is not None
            )
        words = _KINDS_ZH.get(self.kind)
        pattern = words if words else rf"(?i)\b(?:{_KINDS_EN[self.kind]})\b"
        return re.search(pattern, statement) is not None


def may_be_one(statements: Sequence[str]) -> bool:
    """Whether all these statements can be about one animal."""
    names = {match["zh"] or match["en"] for one in statements for match in _NAMED.finditer(one)}
    return len(names) <= 1 and not any(_SEVERAL.search(one) for one in statements)


def lost_pets(text: str) -> Iterator[LostPet]:
    """The animals that the speaker says to have no longer, clause by clause."""
    if is_not_serious(text) or is_a_joke(text):
        return
    for clause in map(str.strip, _CLAUSE.split(text)):
        if clause and not is_not_stated(clause) and not _UNSURE.search(clause):
            yield from _of_clause(clause)


def _of_clause(clause: str) -> Iterator[LostPet]:
    for pattern in _ENDS_ZH:
        if found := pattern.fullmatch(clause):
            yield _lost(found["what"], _KINDS_ZH)
            return
    for pattern in _ENDS_EN:
        if found := pattern.match(clause):
            named = found.groupdict()
            yield (
                LostPet(name=named["name"])
                if named.get("name")
                else _lost(named["what"], _KINDS_EN)
            )
            return


def _lost(what: str, kinds: dict[str, str]) -> LostPet:
    kind = next((kind for kind, words in kinds.items() if re.fullmatch(rf"(?i){words}", what)), "")
    return LostPet(kind=kind) if kind else LostPet(name=what)


def kind_of(statement: str) -> str:
    """The one kind of animal that a statement is about; "" if none, or several."""
    of_zh = [kind for kind, words in _KINDS_ZH.items() if re.search(words, statement)]
    of_en = [
        kind for kind, words in _KINDS_EN.items() if re.search(rf"(?i)\b(?:{words})\b", statement)
    ]
    found = [*of_zh, *of_en]
    return found[0] if len(found) == 1 else ""


def name_of(statement: str) -> str:
    """The one name that a statement gives an animal; "" if none, or several."""
    names = [match["zh"] or match["en"] for match in _NAMED.finditer(statement)]
    return names[0] if len(names) == 1 else ""
