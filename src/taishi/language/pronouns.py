"""Replaces pronouns ("I", "you", "we", 他) by names where it is certain who is meant."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from .lazy_regex import lazy_compile
from .text_edits import Edit, has_han
from .third_person import THIRD, Antecedents
from .verb_agreement import agree, joined
from .verb_forms import expand, is_adverb, is_past

PERSONS = {
    word: person
    for person, words in {
        "first": "i me my mine myself 我 俺 本人 偶 窝",
        "second": "you your yours yourself 你 您 妳",
        "we": "we us our ours ourselves 我们 咱们 俺们 咱 我們 咱們 我哋",
        "third": " ".join(THIRD),
    }.items()
    for word in words.split()
}
_POSSESSIVE = frozenset("my mine your yours our ours his hers".split())
_KIN = (
    "妈|爸|爷爷|奶奶|哥|姐|弟|妹|叔|姨|舅|老公|老婆|[男女]朋友|父母|家人|丈夫|妻子|儿子|女儿|孩子|朋友|同事|同学|老师|老板|医生"
    "|室友|男友|女友|娘|爹|嫂|婶|婆婆|公公|岳|表[哥姐弟妹]|堂[哥姐弟妹]|侄|闺女|对象|爱人|爱豆|偶像|师傅|徒弟|父亲|母亲|外婆|外公|姥|闺蜜|房东"
    "|领导|媳妇|邻居|导师|后[妈爸娘]|继[父母]|干[爹妈]|丈母娘|老丈人|姑|伯|大[伯姨姑舅]|前[夫妻男女]|未婚[夫妻]|孙[子女]|外孙|外甥"
    "|女婿|儿媳"
)
_OWNED_ZH = lazy_compile("的|家|" + _KIN)
_BEFORE_I = frozenset(  # as a name, each of these may also be the word: 于是我去了
    """
于是 然后 但是 可是 所以 因为 因此 而且 不过 其实 如果 要是 虽然 既然 原来 后来 本来 反正 总之
结果 幸好 可惜 果然 突然 忽然 终于 居然 竟然 当时 当然 的确 确实 也许 可能 大概 好像 显然 平时
有时 偶尔 从前 难怪 希望 感觉 听说 据说 除了 关于 对于 至于 随后 接着 同时 另外 还有 不然 否则
只是 只要 只有 除非 无论 不管 即使 哪怕 尽管 通常 一般 早上 晚上 中午 下午 上午 凌晨 傍晚 周末
周一 周二 周三 周四 周五 周六 周日 春天 夏天 秋天 冬天 喜欢 相信 讨厌 关注 支持 理解 原谅 告诉
提醒 帮助 感谢 谢谢 想念 陪伴 等待 但 可 而 那 这 就 也 又 还 都 才 却 且 则 因 若 如 虽 爱 恨
想 让 给 跟 和 与 对 向 把 被 叫 请 问 找 等 陪 帮 教 骂 打 看 听 说 在 是 有 当 除 随 凭 据
""".split()
)
_OURS = (  # "our company" is the speaker's, whoever else is in it
    r"(?:的)?(?:家(?!庭群)|公司|学校|班(?!长)|部门|团队|老板|系(?!统)|小区|单位|宿舍|城市|村|老师|领导|房东|学院|厂)"
    r"|\s+(?:company|team|school|class|boss|department|office|family|house|home|flat"
    r"|apartment|teacher|city|kids"
    r"|children|dog|cat|landlord|son|daughter|street|village|neighbou?rs?)\b"
)
_GENERIC_EN = (
    r"(?i)^(?: (?:get|are) what you\b| (?:have|has|had|need|got|gotta) to\b| (?:must"
    r"|can['’]?t|cannot|gotta)\b"
    r"| (?:always|never|only|just|usually) (?!said|told|asked|gave|made|helped|were|are|forget)\w+)"
)
_GENERIC_BEFORE_EN = (
    r"(?i)\b(?:if|when|whenever|once|unless|the more|until|things|way|where|people like) $"
)
_GENERIC_ZH = r"^(?:说(?![得的过了话给说])|得|必须|要么|越|只要|只有|不得不|总得|永远|再怎么|一旦)"
_GENERIC_BEFORE_ZH = r"(?:[让叫令使]|越是|只要|一旦|等|当)$"
_TO_ME = (
    r"(?i) (?:talk|speak|write|reply|respond|answer|text|message|explain|report|tell|remind|send"
    r"|give)"
    r"(?: things| back)?(?: to)? (?:me|us)\b"
)
_SEVERAL = lazy_compile(r"(?i) (?:guys|lot|all|two|three|people|folks|both|boys|girls|kids)\b")
_CALLED = lazy_compile(  # ", you coward", "you absolute legend"
    r"(?i) (?:(?P<kind>absolute|big|silly|little|lucky|poor|lovely|beautiful|total|complete|old"
    r"|dirty|cheeky|stupid|crazy"
    r"|clever|sneaky|lazy|sweet|dear|utter|bloody) )?(?P<noun>[a-z]{3,12})"
    r"(?=\s*(?:[.!?,;:)…]|$))"
)
_MAY_END = frozenset(  # verbs that may end a clause right after "you"
    """
know see win lose rock rule suck bet say think mean wish want need like love hate are were was can
could will would should may might must did does have had agree care matter remember understand
decide choose try come leave stay help sleep eat drink read write work play sing dance drive pay
guess promise rest lie cheat cry laugh hurt lead follow start stop first too both also alone
""".split()
)
_YOU = lazy_compile("(?<![A-Za-z])[Yy]ou(?![A-Za-z])|[你您]")
_INTERJECTIONS = frozenset(
    """
well so ok okay hey hi hello yes no yeah yep nope sorry thanks please also honestly actually now
today tomorrow yesterday anyway oh ah hmm btw lol haha right sure fine great good first then next
finally still sometimes usually maybe perhaps however instead again and but
""".split()
)


@dataclass(frozen=True, slots=True)
class Speakers:
    """Who speaks to whom. `addressed`: whether the one who is spoken to is sure to be "you"."""

    speaker: str | None
    addressee: str | None
    group: str | None
    others: tuple[str, ...]
    addressee_is_bot: bool
    addressed: bool


class People:
    """The pronouns of one text."""

    def __init__(
        self, text: str, who: Speakers, people: Collection[str], names: Collection[str]
    ) -> None:
        self._text = text
        self._who = who
        self._people = people
        self._names = names
        self._second = None if self._tells_of_anybody() else _spoken_to(text, who)
        self._antecedents: Antecedents | None = None

    def edits(self, word: str, start: int, end: int) -> list[Edit]:
        """What to put for the pronoun at `start`, and the verbs that change with it."""
        base, _, tail = word.lower().replace("’", "'").partition("'")
        person = PERSONS.get(base)
        if person == "we" and self._text.startswith("群", end) and self._who.group:
            return [Edit(start, end + 1, self._who.group)]
        name, is_plural = self._name(base, person, start, end)
        if name is None:
            return []
        if has_han(base):
            if person == "second" and self._text.startswith(name, max(0, start - len(name))):
                return [Edit(start, end, "")]  # 小明你来吗
            if person == "first" and self._follows_own_name(name, start):
                return [Edit(start, end, self._link(person, is_plural, end))]
            return [Edit(start, end, name + self._link(person, is_plural, end))]
        if base in _POSSESSIVE or (base == "her" and self._owns(start, end)):
            return [Edit(start, end, f"{name}'s")]
        if base == "myself":
            return self._reflexive(name, start, end)
        if tail:
            after = self._text[end : end + 100]
            more = joined(self._text, end, after) if tail in ("m", "ve") and not is_plural else ()
            return [Edit(start, end, f"{name} {expand(tail, after[:40], is_plural)}"), *more]
        subject = self._emphasised(name, start, end)
        if is_plural or base not in ("i", "you"):
            return [subject]
        return [subject, *agree(self._text, start, subject.end, base)]

    def _name(self, base: str, person: str | None, start: int, end: int) -> tuple[str | None, bool]:
        """The name to put, and whether it stands for several people."""
        who, after = self._who, self._text[end : end + 40]
        if person == "first":
            return who.speaker, False
        if person == "second":
            return (None if self._is_called(start, end) else self._second), False
        if person == "third":
            is_object = base == "him" or (base == "her" and not self._owns(start, end))
            return self._third(base, start, end, is_object), False
        if person != "we" or who.speaker is None:
            return None, False
        if base not in ("we", "us", "ours", "ourselves") and re.match(_OURS, after):
            return who.speaker, False
        if who.group or who.addressee_is_bot or who.addressee is None or base == "ours":
            return None, False
        link = "和" if has_han(base) else " and "
        return f"{who.speaker}{link}{who.addressee}", True

    def _follows_own_name(self, name: str, start: int) -> bool:
        """圆圆我对青霉素过敏, said by 圆圆; not 于是我走了, whoever is called 于是."""
        first = start - len(name)
        if name in _BEFORE_I:
            return False
        begins = first == 0 or (first > 0 and not self._text[first - 1].isalnum())
        return begins and self._text.startswith(name, first)

    def _is_called(self, start: int, end: int) -> bool:
        """Whether "you" is part of what somebody is called, or one of several: no subject."""
        if self._text[start:end].lower() != "you":
            return False
        if _SEVERAL.match(self._text, end):
            return True
        found = _CALLED.match(self._text, end)
        before = self._text[max(0, start - 3) : start].rstrip()
        if found is None or (before and before[-1] not in ",.!?;:-"):
            return False
        noun = found["noun"].lower()
        is_verb = noun in _MAY_END or is_past(noun) or is_adverb(noun) or noun.endswith("ing")
        return bool(found["kind"]) or (before[-1:] == "," and not is_verb)

    def _third(self, base: str, start: int, end: int, is_object: bool) -> str | None:
        if base.endswith("self"):
            return None
        if self._antecedents is None:
            self._antecedents = Antecedents(
                self._text, self._who.speaker, self._people, self._names
            )
        is_object = is_object or (has_han(base) and not _OWNED_ZH.match(self._text, end))
        return self._antecedents.of(base, start, is_object)

    def _tells_of_anybody(self) -> bool:
        """Whether "you" may stand for people in general in this text; then it does throughout."""
        return any(self._is_anybody(*match.span()) for match in _YOU.finditer(self._text))

    def _is_anybody(self, start: int, end: int) -> bool:
        before, after = self._text[max(0, start - 16) : start], self._text[end : end + 40]
        if has_han(self._text[start:end]):
            return bool(re.match(_GENERIC_ZH, after) or re.search(_GENERIC_BEFORE_ZH, before))
        following = re.match(r" ([A-Za-z]+)", after)
        if following and is_past(following[1]):
            return False  # when you called
        if re.match(_TO_ME, after):
            return False  # when you talk to me
        return bool(re.match(_GENERIC_EN, after) or re.search(_GENERIC_BEFORE_EN, before))

    def _link(self, person: str | None, is_plural: bool, end: int) -> str:
        """我妈 → 安的妈: a name needs 的 where a pronoun does not."""
        after = self._text[end : end + 4]
        is_ours = person == "we" and not is_plural
        needs = re.match(_KIN, after) is not None or is_ours
        return "的" if needs and after[:1] not in ("的", "家") else ""

    def _owns(self, start: int, end: int) -> bool:
        """Whether "her" is followed by what is hers: her book, but not: help her move."""
        before, after = self._text[max(0, start - 8) : start], self._text[end : end + 40]
        other = "to|and|in|at|on|for|with|that|when|but|or|a|an|the|if|so|as|from|about"
        other += "|off|up|out|back|over|down|away|not|too|again|there|here|how|what|why|where|who"
        helped = r"\b(?:helps?|helped|let|made?|makes?|saw|sees?|heard?) $"
        return not re.search(helped, before) and bool(re.match(rf" (?!(?:{other})\b)[a-z]", after))

    def _emphasised(self, name: str, start: int, end: int) -> Edit:
        """I myself prefer tea; I, Ann, prefer tea."""
        myself = re.compile(f"(?i) myself|, {re.escape(name)},").match(self._text, end)
        return Edit(start, myself.end() if myself else end, name)

    def _reflexive(self, name: str, start: int, end: int) -> list[Edit]:
        before = self._text[max(0, start - 40) : start]
        if alone := re.search(r"(?i)\b(?:all )?by $", before):
            return [Edit(start - len(alone[0]), end, "alone")]
        words = before.split()
        at_end = re.match(r"\s*(?:$|[.,;!?])", self._text[end : end + 2]) is not None
        is_object = len(words) < 3 or words[-2].lower() in ("i", "to", "and", "just", "really")
        if (
            at_end
            and not is_object
            and re.match(r"[a-z]", words[-1])
            and not _takes_self(words[-1])
        ):
            return [Edit(start - 1, end, "")]
        return [Edit(start, end, name)]


def _takes_self(word: str) -> bool:
    """Words right before an object: for myself, hurt myself."""
    return is_past(word) or word in (
        *(
            "for",
            "to",
            "at",
            "of",
            "with",
            "about",
            "in",
            "on",
            "like",
            "from",
            "than",
            "hurt",
            "cut",
        ),
        *(
            "enjoy",
            "teach",
            "call",
            "see",
            "find",
            "consider",
            "ask",
            "treat",
            "trust",
            "hate",
            "love",
        ),
    )


def _spoken_to(text: str, who: Speakers) -> str | None:
    """Whom "you" means in this text; None if that is not sure."""
    known = [name for name in (who.addressee, *who.others) if name and name != who.speaker]
    called = called_by_name(text, known)
    if called:
        return called[0] if len(called) == 1 else None
    if _calls_a_stranger(text):
        return None
    return who.addressee if who.addressed else None


def called_by_name(text: str, names: Collection[str]) -> list[str]:
    """Those whom the text calls by name: @Bob, "Bob, …", "…, Bob?"."""
    if not names:
        return []
    one = "|".join(re.escape(name) for name in sorted(set(names), key=len, reverse=True))
    found = re.findall(
        rf"@({one})(?![A-Za-z0-9])"
        rf"|(?i:(?:^|[.!?。！？\n] ?)(?:hey|hi|hello|ok|嘿|嗨|哎)?[ ,，]*)({one})(?=\s*[,，:：!！])"
        rf"|(?:^|[,，。！？!?] ?|[Tt]hanks |[Tt]hank you |谢谢)({one})(?=\s*(?:[,，]|你|您))"
        rf"|(?:\band |[和、,，] ?)({one})(?=\s*[,，:：])|[,，] ?({one})(?=\s*[?？!！.。]?\s*$)",
        text[:2000],
    )
    paired = re.findall(rf"({one})(?: and |、|和|, )(?={one})", text[:2000])
    return list(dict.fromkeys([*(name for groups in found for name in groups if name), *paired]))


def _calls_a_stranger(text: str) -> bool:
    """ "Diego, could you ask?" is not said to the bot, whoever Diego is."""
    for match in re.finditer(r"(?:^|[.!?\n] ?)(?:@(\w{1,40})|([A-Z][a-z]{1,20}),)", text[:2000]):
        word = match[1] or match[2]
        if match[1] or (word.lower() not in _INTERJECTIONS and not word.endswith("ly")):
            return True
    return re.match(r"@[\w\u3400-\u9fff]", text) is not None
