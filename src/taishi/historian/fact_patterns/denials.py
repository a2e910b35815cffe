"""Plain denials: "I don't live in Porto", "I'm not allergic to nuts", 我对花生不过敏, 我没有姐姐.

What is denied is compared, word by word, with what is known: "I don't live in Porto because of the
rain" denies nothing that anybody said. The other way round, "I eat meat again" ends "doesn't eat
meat".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ...language.gate import HAN
from ...language.normalise import squeezed
from ...language.text import sentences
from .. import statement_comparison
from ..participants import is_chinese
from .chinese_parts import PARTNER, RELATIVES
from .clauses import standard_spelling, without_leading
from .conditions import Allowed, allowed, over, plain_condition, without_finding
from .correction_words import without_mark
from .english_words import PARTNERS, alternation
from .english_words import RELATIVES as KIN_EN
from .own_words import is_a_joke, is_not_serious, is_not_stated

_CHARS = 300
_CLAUSE = re.compile(r"\s*(?:[,;:.!—–，；。！：]+|\s-+\s|\s(?:and|but)\s+(?=(?:[Ii]|my)\b))\s*")
_MORE = r"(?: (?:any ?more|any longer|at all|either|now|anyway|after all))*"
_NOT_EN = re.compile(
    rf"(?i)(?:actually |really |in fact )?(?:i(?:['’]m| am) (?P<be>not|no longer)"
    rf"|i (?P<do>do not|don['’]t|no longer)|i (?P<can>cannot|can['’]t|can not))"
    rf" (?!(?:just|only|simply|merely|even|always|usually|often|quite|all|so|really|exactly)\b)"
    rf"(?P<what>[^,;:.!?—]{{2,80}}?){_MORE}"
)
_NEVER_EN = re.compile(
    rf"(?i)i(?: was never|(?: have|['’]ve) never been)(?: really| actually)?"
    rf" (?P<what>[^,;:.!?—]{{2,80}}?){_MORE}"
)
_IS_EN = re.compile(
    r"(?i)i (?:now |do )?(?P<what>(?:eat|drink|smoke|use|drive|like|play|watch|cook|wear)\b"
    r"[^,;:.!?—]{2,60}?)"
    r"(?: (?:again|now|after all|every \w+|daily|regularly|a lot|these days))+"
)
_DOES_EN = re.compile(
    r"(?i)(?:actually |of course )?i (?:(?:do|really|actually) )*(?P<what>(?:eat|drink|smoke|use"
    r"|drive|like|love|play|watch|cook|wear|own|have|live|work|speak)\b[^,;:.!?—]{2,60}?)"
)
_STARTED_EN = re.compile(
    r"(?i)i(?:['’]ve| have)? (?:just |recently |now )?(?:started|begun|began)(?: to)?"
    r" (?P<what>(?:eat|drink|smok|us|driv|lik|play|watch|cook|wear)(?:ing|e)?\b[^,;:.!?—]{2,60}?)"
    r"(?: (?:again|now|recently|lately|these days|every \w+|daily))*"
)
# A condition on what is said: "I can eat peanuts now, but only roasted", 但只能吃一点.
_LIMITED = re.compile(
    r"(?i)\b(?:but only|only if|as long as|provided|except|in moderation|in small)\b"
    r"|只要|只能|除了|除非"
)
_LIGHT = frozenset("a an the any also currently now really still".split())
_FORMS = {"have": "has", "do": "does", "go": "goes", "am": "is", "are": "is", "own": "owns"}
_OFTEN_EN = frozenset("everi daili often regularli twice onc most each".split())  # as stems
_OFTEN_ZH = re.compile(
    "^(?:每(?:天|日|晚|周|月|年|次)|天天|经常|常常|总是|平时|周末|正?在(?=学|练|读|用))(?:都|会)*"
)
_COUNTED = frozenset("one two three four five six several some no my".split())
_NAMED_EN = frozenset("name call who which that with in and from".split())

_ADVERB_ZH = (
    r"(?:其实|根本|现在|目前|如今|最近|近来|已经?|早就?|真的|并|从来|家|又|也|还|都|重新|开始|可以"
    r"|能)*"
)
_NOT_ZH = re.compile(
    rf"我{_ADVERB_ZH}(?:从[^，。]{{1,8}}(?:起|开始))?{_ADVERB_ZH}"
    rf"(?P<not>不再是|不再|不是|没有|没在|没|不|哪(?=[会能有是吃喝在住养]))(?P<what>[^，。；！,;!?？]{{1,20}})"
)
_OBJECT_FIRST_ZH = re.compile(
    rf"(?P<what>[{HAN}]{{1,6}})我(?P<does>{_ADVERB_ZH}(?:吃|喝|抽|用|玩|碰|穿))(?:的|了)?"
)
_EMPHATIC_EN = re.compile(
    r"(?i)(?:actually |of course |but )?i (?:actually )?do (?:actually )?(?P<what>(?:eat|drink"
    r"|smoke|use|drive|like|play|watch|cook|wear)\b[^,;:.!?—]{2,60}?)"
)
_NO_ALLERGY_ZH = re.compile(
    rf"我{_ADVERB_ZH}(?P<what>[对吃][^，。；！,;]{{1,16}}?)(?:其实|根本|完全|已经|现在|早就?|也|并|都|就)*"
    r"不(?:会|再)?过敏了?"
)
_IS_ZH = re.compile(
    rf"我{_ADVERB_ZH}(?P<what>(?:吃|喝|抽|用|开|穿|看|玩)(?![完饱好过了着到])[^，。；！,;!?？]{{1,12}})"
)
_COUNT_ZH = (
    r"(?:[一二两三四五六七八九十几\d]+)?(?:个|只|条|辆|台|位|名|口|套|部|匹|头|把|架)(?=[^人])"
)
_LIGHT_ZH = re.compile(rf"{_COUNT_ZH}|现在|目前|已经|了|着|很|也|(?<=住)在|\d{{4}}年|今年")
_TAIL_ZH = re.compile("(?:了|啦|的|啊|哦|呢|呀|吧)+$")


@dataclass(frozen=True, slots=True)
class Predicate:
    """What is said of a subject, as words in one form; `is_denied`: that it is not so."""

    words: tuple[str, ...]
    is_denied: bool = False

    def is_of(self, text: str, subject: str) -> bool:
        """Whether a statement about the subject says just this."""
        if not self.is_denied and _is_of_kin(self.words, text, subject):
            return True
        known = predicate(text, subject)
        if known is None or known.is_denied != self.is_denied:
            return False
        return (
            known.words == self.words
            or _is_had(self.words, known.words)
            or (self.words[:1] == ("can",) and known.words == self.words[1:])
            or (not self.is_denied and _how_often(known.words) == self.words)
        )


class Denial(NamedTuple):
    """What is denied, and the clause that says so."""

    what: Predicate | Allowed
    said: str


def denied(text: str, contradicts: bool = False) -> Iterator[Denial]:
    """What the speaker denies, or states against a denial, clause by clause. `contradicts`: it is
    said against somebody, so that "I eat meat" is against "doesn't eat meat" without an "again"."""
    if is_not_serious(text[:_CHARS]) or is_a_joke(text):
        return
    for sentence in sentences(text[:_CHARS]):
        plain = without_finding(without_leading(without_mark(sentence).strip()))
        if is_not_stated(plain) or _LIMITED.search(plain):
            continue
        for clause in _CLAUSE.split(standard_spelling(without_leading(plain.strip()))):
            clause = _in_order(without_leading(clause.strip()))
            found = _in_chinese(clause) if is_chinese(clause) else _in_english(clause, contradicts)
            yield from (Denial(what, clause) for what in found)
            if may := allowed(clause):
                yield Denial(may, clause)
            if condition := over(clause):
                yield from (Denial(what, clause) for what in _had(condition))


def _in_order(clause: str) -> str:
    """香菜我其实能吃: 我其实能吃香菜; without the "actually" at the end."""
    if found := _OBJECT_FIRST_ZH.fullmatch(clause):
        return f"我{found['does']}{found['what']}"
    return re.sub(r"(?i) (?:actually|in fact|though)$", "", clause)


def _had(condition: str) -> Iterator[Predicate]:
    """Having an illness, however it was said: 有哮喘, 患哮喘, 是哮喘."""
    if is_chinese(condition):
        yield from (
            Predicate((_chinese(f"{verb}{condition[1:]}"),)) for verb in ("有", "", "患", "得")
        )
    else:
        yield Predicate(_english(condition))


def predicate(text: str, subject: str) -> Predicate | None:
    """What a statement in absolute words says of its subject."""
    if not subject or not text.startswith(subject):
        return None
    rest = text[len(subject) :].strip(" .。")
    if re.search(f"[{HAN}]", rest):
        return _of_chinese(rest)
    without = re.match(r"(?:doesn['’]t|does not|don['’]t|no longer|never) (.+)", rest)
    words = _english(without[1] if without else rest)
    return Predicate(words, without is not None) if words else None


def _in_english(clause: str, contradicts: bool) -> Iterator[Predicate]:
    if found := _NEVER_EN.fullmatch(clause):
        yield Predicate(_english(f"is {found['what']}"))
    elif found := _NOT_EN.fullmatch(clause):
        first = "is " if found["be"] else "can " if found["can"] else ""
        yield Predicate(_english(f"{first}{found['what']}"))
    elif found := (
        _IS_EN.fullmatch(clause)
        or _STARTED_EN.fullmatch(clause)
        or _EMPHATIC_EN.fullmatch(clause)
        or (_DOES_EN.fullmatch(clause) if contradicts else None)
    ):
        yield Predicate(_english(found["what"]), is_denied=True)


def _english(text: str) -> tuple[str, ...]:
    words = re.findall(r"[\w'’-]+", statement_comparison.folded(plain_condition(text)))
    kept = [_FORMS.get(word, word) for word in words if word not in _LIGHT]
    return tuple(" ".join(statement_comparison.terms(word)) or word for word in kept)


def _in_chinese(clause: str) -> Iterator[Predicate]:
    if found := _NO_ALLERGY_ZH.fullmatch(clause):
        yield Predicate((_chinese(f"{found['what']}过敏"),))
    elif found := _NOT_ZH.fullmatch(clause):
        said = found["what"]
        more = {"不是": "是", "不再是": "是", "没有": "有", "没": "有"}.get(found["not"])
        yield from (Predicate((_chinese(f"{first}{said}"),)) for first in {more or "", ""})
    elif found := _IS_ZH.fullmatch(clause):
        yield Predicate((_chinese(found["what"]),), is_denied=True)


def _of_chinese(rest: str) -> Predicate | None:
    is_denied = re.match("(?:从来?|一直|平时|都|也|现在|已经)*不(?:再)?", rest)
    words = _chinese(rest[is_denied.end() :] if is_denied else rest)
    return Predicate((words,), is_denied is not None) if words else None


def _chinese(text: str) -> str:
    return plain_condition(_LIGHT_ZH.sub("", _TAIL_ZH.sub("", squeezed(text[:_CHARS]))))


def _how_often(known: tuple[str, ...]) -> tuple[str, ...]:
    """Without how often: who does not drink coffee does not drink it every day."""
    if len(known) == 1:
        return (_OFTEN_ZH.sub("", known[0]),)
    at = next((at for at, word in enumerate(known) if at and word in _OFTEN_EN), len(known))
    return known[:at]


def _is_had(wanted: tuple[str, ...], known: tuple[str, ...]) -> bool:
    """ "Has a dog" in "has two old dogs named Rex and Bo", 养猫 in 养了一只橘猫."""
    if wanted[:1] == ("has",) == known[:1] and len(wanted) > 1:
        things = known[1:]
        ends = [at for at, word in enumerate(things) if word in _NAMED_EN]
        things = things[: ends[0]] if ends else things
        things = tuple(word for word in things if word not in _COUNTED)
        return things[-len(wanted[1:]) :] == wanted[1:]
    if len(wanted) == len(known) == 1 and wanted[0][:1] in "有养" and len(wanted[0]) > 1:
        thing = re.split("叫|名叫", known[0])[0]
        return known[0][:1] == wanted[0][:1] and thing.endswith(wanted[0][1:])
    return False


_HAVING_KIN_ZH = re.compile(rf"有(?P<kin>{PARTNER}|{RELATIVES})")
_ONE_WORD_ZH = (
    (r"女友|女朋友", "女朋友"),
    (r"男友|男朋友", "男朋友"),
    (r"([哥姐弟妹爸妈])\1", r"\1"),
)
_NO_KIN_EN = re.compile(rf"(?i)(?:{alternation(f'{PARTNERS} {KIN_EN}')})")


def _is_of_kin(denied: tuple[str, ...], text: str, subject: str) -> bool:
    """Whether a statement is about the very person whom the subject does not have: who has no
    girlfriend has none of any name."""
    if not subject or not text.startswith(subject):
        return False
    rest = text[len(subject) :]
    if len(denied) == 1 and (having := _HAVING_KIN_ZH.fullmatch(denied[0])):
        known = re.match(rf"的(?P<kin>{PARTNER}|{RELATIVES})(?:的名字)?(?:名?叫|是|姓)", rest)
        return known is not None and _one_word(having["kin"]) == _one_word(known["kin"])
    if len(denied) == 2 and denied[0] == "has":
        named = re.match(r"['’]s (?P<kin>[a-z-]+)(?:['’]s name)? (?:is|was)\b", rest)
        if named and _NO_KIN_EN.fullmatch(named["kin"]):
            return _english(named["kin"]) == denied[1:]
    return False


def _one_word(kin: str) -> str:
    for words, one in _ONE_WORD_ZH:
        kin = re.sub(rf"^(?:{words})$", one, kin)
    return kin
