"""Whether something said later may be about the same matter as a fact, so that both are shown.

Rules that cannot correct a fact leave it as it was: whoever reads it has to see what was said
since.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..language.lazy_regex import lazy_compile
from .salience import subject_words

_HOME = "residence"
_WORK = "work"
_WORDS = {  # by what a category is about: the words that tell of it, whatever the value is
    _HOME: lazy_compile(
        r"搬|住[在到了进]?|新家|租|回老家|\b(?:moved?|moving|liv(?:e|es|ed|ing)|relocat\w+|lease|rent)\b"
    ),
    _WORK: lazy_compile(
        r"上班|工作|公司|入职|离职|辞职|辞了|裸辞|跳槽|被裁|裁员|失业|退休|转岗|升职|offer|实习"
        r"|\b(?:jobs?|works?|worked|working|quit|fired|hired|joined|join|laid off|resigned|retired"
        r"|promoted|employer|company)\b"
    ),
    "partner": lazy_compile(
        r"男朋友|女朋友|男友|女友|对象|老公|老婆|未婚[夫妻]|分手|分开|结婚|离婚|复合|单身|脱单|掰"
        r"|\b(?:girlfriend|boyfriend|wife|husband|partner|fianc[eé]e?|married|single|divorced|dating"
        r"|broke up|split up|engaged|my ex)\b"
    ),
    "birthday": lazy_compile(r"生日|出生|\b(?:birthday|born)\b"),
    "age": lazy_compile(r"岁|生日|\b(?:years old|turned|birthday)\b"),
    "pet": lazy_compile(r"宠物|\b(?:pets?|animals?)\b"),
    "name": lazy_compile(r"名字|改名|叫我|\b(?:name|call me)\b"),
}
_OF = {"residence": _HOME, "employer": _WORK, "job": _WORK}
_ANIMAL = lazy_compile(
    r"[猫狗鸟鱼兔龟马]|仓鼠|鹦鹉|\b(?:cat|dog|bird|fish|rabbit|hamster|horse|turtle|kitten|puppy)"
)


def is_about(text: str, category: str) -> bool:
    """Whether a text has words that tell of what a category of facts is about."""
    words = _WORDS.get(_OF.get(category, category))
    return words is not None and words.search(text.lower()) is not None


@dataclass(frozen=True, slots=True)
class Matter:
    """What a statement is about, without its subject: its words, and the animals in it."""

    words: frozenset[str]
    animals: frozenset[str]

    @classmethod
    def of(cls, text: str, subject: str = "") -> Matter:
        about = text.replace(subject, " ") if subject else text
        return cls(subject_words(about), frozenset(_ANIMAL.findall(about.lower())))

    def touches(self, other: Matter) -> bool:
        """Whether both have a word or an animal in common."""
        return not (self.words.isdisjoint(other.words) and self.animals.isdisjoint(other.animals))
