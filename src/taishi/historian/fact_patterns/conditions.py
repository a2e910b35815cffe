"""What a person may do again, and which conditions are over: "I can eat peanuts again", "my asthma
is gone", 我现在可以吃花生了, 我的哮喘治好了.

Who may eat a thing again is no longer allergic to it, and what he was not able to do, he now is.
Only the very thing counts: who may eat peanut butter is still allergic to peanuts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ...language.gate import HAN
from ...language.lazy_regex import lazy_compile
from .chinese_parts import ILLNESS
from .english_words import ILLNESSES, alternation

# Who finds it out, in front of the statement itself: "the doctor says", 检查结果显示.
_FOUND_EN = lazy_compile(
    r"(?i)^(?:and |so |but |well,? )?(?:as )?(?:(?:it )?(?:turn(?:s|ed)|has turned) out"
    r"|i(?:['’]ve| have)?(?: just)? (?:found out|learn(?:ed|t)|discovered)"
    r"|(?:the|my|an?) (?:new |latest |blood |skin |allergy )*(?:doctors?|gp|allergist"
    r"|dermatologist|specialist|nurse|clinic|hospital|tests?|test results?|results?) "
    r"(?:just |now |has |have )*(?:says?|said|told me|confirm(?:s|ed)|shows?|showed|found|shown))"
    r",?(?: that)? (?=i\b|i['’])"
)
_FOUND_ZH = lazy_compile(
    r"^(?:后来|最后|结果|今天|昨天|刚刚?|去医院|去|我)*(?:原来|结果|才?发现|才?知道|检查出来?|查出来?|测出来?"
    r"|(?:医生|大夫|医院|检查|检测|化验|测试|体检|报告|过敏原)(?:的)?(?:检查|检测|化验|测试|报告|结果)*"
    r"(?:都|也)?(?:告诉我|说|确认|证实|表明|显示))+[，,：:]?(?=我)"
)
_GONE_EN = lazy_compile(
    r"(?i)(?:my (?P<one>[^,;:.!?—]{3,40}?) (?:is|has|have|are) (?:now |finally |completely |all )*"
    r"(?:gone(?: away)?|cured|healed|cleared up|disappeared|over|in the past)(?: now)?"
    r"|my (?P<two>[^,;:.!?—]{3,40}?) (?:went away|cleared up|disappeared)"
    r"|i(?:['’]ve| have|['’]m| am)?(?: finally| now| completely| fully)*"
    r" (?:outgrew|outgrown|grew out of|grown out of|got over|gotten over|got rid of|cured of"
    r"|recovered from|free of|rid of) my (?P<three>[^,;:.!?—]{3,40}))"
)
_GONE_ZH = lazy_compile(
    rf"我(?:的)?(?P<what>[{HAN}A-Za-z]{{1,10}}?(?:过敏|症|病|炎|不耐受)|{ILLNESS})"
    r"(?:现在|已经|终于|完全|彻底|都|全)*(?:治好|治愈|痊愈|康复|根治|消失|好|没有?)了"
)
_ILLNESS_EN = lazy_compile(
    rf"(?i)(?:{alternation(ILLNESSES)})|.{{2,30}} allergy|allergy to .{{2,30}}"
    r"|.{2,30} intolerance"
)
_AGAIN_EN = r"(?:again|now|after all|once more|these days|without (?:any )?(?:problems?|trouble))"
_MAY_EN = lazy_compile(
    r"(?i)i(?:(?:['’]m| am)(?: now| finally)? (?:able|allowed) to|(?: now| finally)? can"
    r"|['’]m back to)"
    rf"(?: now| finally| safely)? (?P<what>[a-z][^,;:.!?—]{{2,60}}?)(?P<again>(?: {_AGAIN_EN})*)"
)
_DO_EN = lazy_compile(
    r"(?i)i(?:['’]ve| have)?(?: just| recently| now)?(?P<began> started| begun| began)?(?: to)?"
    rf" (?P<what>(?:eat|drink|hav)(?:ing|e)? [^,;:.!?—]{{2,60}}?)(?P<again>(?: {_AGAIN_EN})*)"
)
_NO_LIMIT_EN = r"(?:only|just|never|not|hardly|barely|a little|a bit|some|small|tiny|less)\b"
_ADVERBS_ZH = r"(?:其实|现在|目前|如今|最近|已经?|终于|也|又|都|重新|总算)*"
_MAY_ZH = lazy_compile(
    rf"我{_ADVERBS_ZH}(?:(?P<may>可以|能|敢)|(?:开始|恢复))(?P<again>再|又|重新|继续|放心|正常)*"
    rf"(?P<what>[{HAN}][^，。；！,;!?？]{{1,12}}?)(?P<end>了)?"
)
_DO_ZH = lazy_compile(rf"我{_ADVERBS_ZH}(?P<what>[吃喝][^，。；！,;!?？]{{1,12}}?)了?")
_SINCE_ZH = lazy_compile("现在|如今|最近|已经|终于|又|重新|总算|开始|恢复")
_NO_LIMIT_ZH = "[一有]点|少|几|半|些"
_EATS_ZH = "[吃喝碰沾]"
_MEAT_EN = frozenset("meat beef pork chicken lamb turkey bacon ham steak sausages".split())
_ANIMAL_EN = _MEAT_EN | frozenset("fish seafood".split())
_MILK_EN = frozenset("milk dairy cheese eggs butter".split())
_MEAT_ZH = frozenset("肉 荤 牛肉 猪肉 鸡肉 羊肉 肉类 荤菜 肉菜".split())


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the speaker does or may do: the whole of it ("eat peanuts"), and, of food, the thing."""

    action: str
    thing: str = ""

    def is_of(self, text: str, subject: str) -> bool:
        """Whether a statement says that the subject does not, or may not, do just this."""
        if not subject or not text.startswith(subject):
            return False
        rest = text[len(subject) :].strip(" .。")
        return self._against_zh(rest) if re.search(f"[{HAN}]", rest) else self._against_en(rest)

    def _against_en(self, rest: str) -> bool:
        rest = rest.lower()
        action, thing = re.escape(self.action), re.escape(self.thing)
        forbids = (
            r"(?:can['’]t|cannot|can not|is not allowed to|isn['’]t allowed to|is unable to"
            r"|mustn['’]t|must not|doesn['’]t|does not|no longer|never)"
        )
        if re.fullmatch(rf"{forbids} {action}(?: any ?more| at all)?", rest):
            return True
        if not self.thing:
            return False
        diet = re.fullmatch(
            r"(?:is|became|went|turned|has been)(?: now| an?| strictly| strict| mostly)*"
            r" (vegan|vegetarian|pescatarian|pescetarian)",
            rest,
        )
        if diet:
            return self.thing in _EXCLUDED[diet[1]]
        return (
            re.fullmatch(
                rf"is(?: \w+ly| very| also| a bit)? (?:allergic to|intolerant (?:to|of)) {thing}"
                rf"|has an? (?:\w+ )?allergy to {thing}|has an? (?:\w+ )?{_singular(thing)} allergy"
                rf"|is {_singular(thing)}[ -]intolerant|(?:avoids|is off) {thing}"
                rf"|{forbids} (?:eat|drink|have|touch) {thing}(?: any ?more| at all)?",
                rest,
            )
            is not None
        )

    def _against_zh(self, rest: str) -> bool:
        forbids = (
            "(?:现在|已经|一直|从来|平时|绝对|都|也)*(?:不能|不可以|不敢|没法|不再|不|戒)(?:再|了)?"
        )
        if re.fullmatch(rf"{forbids}{re.escape(self.action)}了?", rest):
            return True
        if not self.thing:
            return False
        if re.fullmatch(
            "(?:是|一直|只|常年|现在|长期|一个|个)*(?:素食主义者|素食者|素食|吃素|吃全素|纯素)了?",
            rest,
        ):
            return self.thing in _MEAT_ZH
        thing = re.escape(self.thing)
        return (
            re.fullmatch(
                rf"(?:现在|一直|从小)*(?:对|有|吃){thing}(?:会|就|都|很|非常|特别|有点|严重|轻微|重度|轻度)*过敏"
                rf"|{thing}(?:严重|轻微|重度|轻度)?(?:过敏|不耐受)|{forbids}{_EATS_ZH}{thing}了?|戒了?{thing}",
                rest,
            )
            is not None
        )


_EXCLUDED = {
    "vegan": _ANIMAL_EN | _MILK_EN,
    "vegetarian": _ANIMAL_EN,
    "pescatarian": _MEAT_EN,
    "pescetarian": _MEAT_EN,
}


def without_finding(sentence: str) -> str:
    """Without who found it out: "the doctor says I'm not allergic" → "I'm not allergic"."""
    return _FOUND_ZH.sub("", _FOUND_EN.sub("", sentence, count=1), count=1)


def allowed(clause: str) -> Allowed | None:
    """What the speaker may do again, or does, by a clause of his."""
    if found := _MAY_EN.fullmatch(clause):
        if re.search(rf"(?i)\b{_NO_LIMIT_EN}", found["what"]):
            return None
        is_again = bool(found["again"]) or not clause.lower().startswith(("i can ", "i now can"))
        return _english(found["what"], is_again)
    if found := _DO_EN.fullmatch(clause):
        is_again = bool(found["again"] or found["began"])
        if not is_again or re.search(rf"(?i)\b{_NO_LIMIT_EN}", found["what"]):
            return None
        return _english(re.sub("(?i)^(eat|drink|hav)(?:ing|e)?", _infinitive, found["what"]), True)
    if found := _MAY_ZH.fullmatch(clause):
        is_again = bool(found["end"] or found["again"] or _SINCE_ZH.search(clause))
        return _chinese(found["what"]) if is_again else None
    if found := _DO_ZH.fullmatch(clause):
        doing = _chinese(found["what"]) if _SINCE_ZH.search(clause) else None
        # 我又吃花生了 may tell of an accident; who eats meat again has given up his diet.
        return doing and replace(doing, thing=doing.thing if doing.thing in _MEAT_ZH else "")
    return None


def over(clause: str) -> str:
    """The illness or allergy that a clause says is over, as what the speaker had; "" if none."""
    if found := _GONE_EN.fullmatch(clause):
        what = next(filter(None, found.groups()))
        return f"has {what}" if _ILLNESS_EN.fullmatch(what) else ""
    found = _GONE_ZH.fullmatch(clause)
    return f"有{found['what']}" if found else ""


def plain_condition(words: str) -> str:
    """A condition in one form: "has a nut allergy", "is severely allergic to nut" → "is allergic
    to nut"; 有花生过敏, 花生严重过敏 → 对花生过敏."""
    words = re.sub(r"(?i)\b(?:\w+ly|very|also|quite|a bit) (?=allergic\b)", "", words)
    words = re.sub(
        r"(?i)^ha(?:s|ve) (?:an? )?(?:(?:severe|mild|bad|slight) )?allergy to ",
        "is allergic to ",
        words,
    )
    words = re.sub(
        r"(?i)^ha(?:s|ve) (?:an? )?(?:(?:severe|mild|bad) )?(\w+(?: \w+)?) allergy$",
        r"is allergic to \1",
        words,
    )
    words = _VEGETARIAN_ZH.sub("吃素", words)
    return _ALLERGY_ZH.sub(r"对\1过敏", words)


_VEGETARIAN_ZH = lazy_compile(
    r"^(?:(?:是|一直|只|常年|长期|一个|个)*(?:素食主义者?|素食者|吃素的?人?|吃全素|纯素主义者?)|是素食|纯素)$"
)


_ALLERGY_ZH = lazy_compile(
    r"^(?:[有是](?!对))?(?:对|吃)?([^，。对有是吃]{1,12}?)(?:会|就|都|很|非常|特别|有点|严重|轻微|重度|轻度)*过敏过?$"
)


def _infinitive(found: re.Match[str]) -> str:
    return "have" if found[1].lower() == "hav" else found[1].lower()


def _english(what: str, is_again: bool) -> Allowed:
    action = re.sub(r"^(\w+) (?:the |any |all )", r"\1 ", what.lower())
    food = re.fullmatch(r"(?:eat|drink|have|tolerate|digest) (.{2,40})", action)
    return Allowed(action, food[1] if food and is_again else "")


def _chinese(what: str) -> Allowed | None:
    what = what.removesuffix("了")
    if re.match(rf"{_EATS_ZH}?(?:{_NO_LIMIT_ZH})", what) or what.startswith("不"):
        return None
    food = re.fullmatch(rf"{_EATS_ZH}(.{{1,10}})", what)
    return Allowed(what, food[1] if food else "")


def _singular(thing: str) -> str:
    """ "peanuts" as in "a peanut allergy", whichever is said."""
    return f"{thing.removesuffix('s')}s?"
