"""The rewriter that needs no model: who, when and where, put into the words themselves (H4).

It starts from what the gate caught and replaces what it can be sure of. A pronoun or a time it
cannot be sure of stays as it is and the text is marked: a wrong name in memory is worse than an
open question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from .drift import drift
from .gate import Fault, check, mask
from .occasions import relative_times
from .time_edits import PREPOSITION as _PREPOSITION
from .time_edits import is_chinese as _is_chinese
from .time_edits import like as _like
from .time_edits import time_edits, vague_word
from .when import TimeSpan


@dataclass(frozen=True, slots=True)
class Setting:
    """Who speaks, to whom, when and where; `others` are people known in the conversation."""

    reference: datetime
    speaker: str | None
    addressee: str | None = None
    group_name: str | None = None
    location: str | None = None
    others: tuple[str, ...] = ()
    addressee_is_bot: bool = False  # a bot that is told "we" is not one of them

    @property
    def names(self) -> tuple[str, ...]:
        given = (self.speaker, self.addressee, self.group_name, self.location, *self.others)
        return tuple(dict.fromkeys(name for name in given if name))

    def only_real_names(self) -> Setting:
        """The same without nicknames that name nobody."""

        def real(name: str | None) -> str | None:
            return name if name and names_somebody(name) else None

        return replace(
            self,
            speaker=real(self.speaker),
            addressee=real(self.addressee),
            group_name=real(self.group_name),
            location=real(self.location),
            others=tuple(filter(names_somebody, self.others)),
        )


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The text in absolute words, what is still relative in it, and the times that were read."""

    text: str
    is_absolute: bool
    faults: tuple[Fault, ...]
    spans: tuple[TimeSpan, ...]


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    text: str


_REACH = 50_000


def rewrite(text: str, setting: Setting) -> Rewritten:
    """Replace what points at the conversation by names, dates and places.

    Only the first `_REACH` characters are rewritten: what is longer is no statement about a turn.
    The whole is checked.
    """
    setting = setting.only_real_names()
    names, text, rest = setting.names, text[:_REACH], text[_REACH:]
    masked = mask(text, names)
    faults = check(text, names)
    spans = relative_times(masked, faults, setting.reference)
    edits = [_Edit(*edit) for edit in time_edits(text, masked, spans, setting.reference)]
    people = _People(text, setting, faults)
    for fault in faults:
        if fault.reason == "pronoun":
            edits += people.edits(fault)
        elif fault.reason == "relative_time":
            edits += [_Edit(*edit) for edit in vague_word(fault, masked, setting.reference)]
        else:
            edits += _place_edits(fault, text, setting)
    result = _apply(text, edits) + rest
    left = tuple(check(result, names))
    return Rewritten(result, not left, left, tuple(spans))


def names_somebody(name: str) -> bool:
    """Whether a nickname tells who it is; 我 or "you" as a nickname does not."""
    return bool(name.strip()) and not any(f.word == name.strip() for f in check(name))


def _apply(text: str, edits: list[_Edit]) -> str:
    parts, position = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= position:
            parts.append(text[position : edit.start])
            parts.append(_spaced("".join(parts[-2:]), edit.text))
            position = edit.end
    return "".join([*parts, text[position:]])


def _spaced(before: str, text: str) -> str:
    """我昨天 is one word after another; "Ann2026年" would be an id."""
    runs_on = re.fullmatch("[A-Za-z0-9]{2}", before[-1:] + text[:1])
    return f" {text}" if runs_on else text


# Where

_GROUP_WORDS = ["本群", "这个群", "本频道", "这个频道", "this group", "this channel", "this chat"]
_HERE_WORDS = [*"这里 这儿 这边 此处 此地 這裡 這邊 這兒".split(), "here", "here's", "here’s"]
_LOCAL_WORDS = ["本地", "locally"]
_TOWARDS = (  # moved here is moved to, not moved in
    r"\b(?:mov(?:e|es|ed|ing)|relocat(?:e|es|ed|ing)|c[ao]mes?|coming|go(?:es|ing)?|went|travel(?:s|l?ed)?"
    r"|fl(?:y|ies|ew)|dr(?:ive|ives|ove)|return(?:s|ed)?|bring|brings|brought|sen[dt]|gets?|got)"
    r"(?: (?:back|over|down|up))? $"
)


def _place_edits(fault: Fault, text: str, setting: Setting) -> list[_Edit]:
    word = fault.word.lower()
    location, group = setting.location, setting.group_name
    place: str | None = None
    if word in _GROUP_WORDS:
        place = group
    elif word in _HERE_WORDS:
        place = location or (None if _tells_of_living(fault, text) else group)
    elif word in _LOCAL_WORDS:
        place = location
    if place is None:
        return []
    if not _is_chinese(word) and word not in _GROUP_WORDS:
        before = text[max(0, fault.start - 24) : fault.start]
        link = "to" if re.search(_TOWARDS, before, re.I) else "in"
        if not re.search(_PREPOSITION, before, re.I):
            place = _like(fault.word, f"{link} {place}")
        place += " is" if word.endswith("s") else ""
    return [_Edit(fault.start, fault.end, place)]


def _tells_of_living(fault: Fault, text: str) -> bool:
    """Nobody moves to a chat group: such a "here" is a town that was not named."""
    before = text[max(0, fault.start - 16) : fault.start]
    living = (
        r"\b(?:liv(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|came|come|arrived|born|stay|stayed) (?:\w+ )?$"
    )
    return re.search(rf"[搬住到来回生][^，。；！？]{{0,3}}$|{living}", before) is not None


# Who

_PERSONS = {
    word: person
    for person, words in {
        "first": "i me my mine myself 我 俺 本人",
        "second": "you your yours yourself 你 您 妳",
        "we": "we us our ours ourselves 我们 咱们 俺们 咱 我們 咱們",
        "third": "he him his himself she her hers herself 他 她",
    }.items()
    for word in words.split()
}
_POSSESSIVE = frozenset("my mine your yours our ours his hers".split())
_KIN = (
    r"妈|爸|爷爷|奶奶|哥|姐|弟|妹|叔|姨|舅|老公|老婆|[男女]朋友|父母|家人|丈夫|妻子|儿子|女儿|孩子|朋友|同事|同学|老师|老板|医生|室友|男友|女友"
    r"|\b(?:mother|mom|mum|father|dad|brother|sister|son|daughter|wife|husband|partner|uncle|aunt|cousin"
    r"|(?:boy|girl)?friend|colleague|coworker|boss|manager|teacher|doctor|roommate|neighbou?r|man|woman|boy"
    r"|girl|guy|child|kid|baby|parent|student|someone|somebody)s?\b"
)
_OURS = (  # "our company" is the speaker's, whoever else is in it
    r"(?:的)?(?:家|公司|学校|班|部门|团队|老板|系|小区|单位|宿舍|城市|村)|\s+(?:company|team|school|class|boss"
    r"|department|office|family|house|home|flat|teacher|city|kids|children|dog|cat|landlord)\b"
)
_SINGULAR = {
    "am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "go": "goes",
    "aren't": "isn't", "weren't": "wasn't", "haven't": "hasn't", "don't": "doesn't",
}  # fmt: skip
_VERBS = frozenset(
    """
like love live work want need think know feel eat drink play prefer hate use study speak own run
drive ride swim cook write plan hope believe enjoy collect teach learn sleep stay travel take make
get see mean remember forget understand agree wish keep start wear watch listen walk visit buy sell
pay call help try come look bring give find hear tell say ask wake practice practise train dream
dislike miss trust support recommend guess suggest expect manage lead build grow raise commute smoke
sing dance paint draw owe park rent deserve admire appreciate avoid bake belong borrow carry catch
choose clean climb close count cover decide depend design develop doubt earn envy exercise explain
fear finish fish fix follow garden handle hike hold ignore imagine intend invest join jog keep knit
lack leave lend lose maintain meditate meet move object offer open order organise organize perform
photograph pick pray prepare produce promise promote publish pull push receive refuse rely
repair represent research respect rest return review row sail save score seem sew share shop show
skate ski spend stand stop store struggle suffer supervise suspect tend thank translate treat turn
tutor value volunteer vote wait wash wonder worry
""".split()
)
_ADVERBS = (
    r"(?:\s+(?:also|really|always|never|often|still|usually|only|sometimes|already|now|just)){0,2}"
)
_ASKED = (
    r"(?i)\b((?:are|were|have|do)n['’]t|am|are|were|have|do|did|can|could|will|would|should|may) $"
)
_JOINED = (  # a second verb of the same subject, unless an infinitive or another subject is near
    r"(?i)(?:(?!\b(?:to|will|can|would|that|I|you)\b)[^.;:!?\n]){0,60}?\band ([a-z]+(?:['’]t)?)\b"
)
_BARE_AFTER = r"(?:(?<!,) and|\bor|\b(?:help|let|make|see|hear|watch)s?) $"


def _third_singular(verb: str) -> str | None:
    """The verb after a name instead of after "I"; None if it stays."""
    plain = verb.lower().replace("’", "'")
    if plain in _SINGULAR:
        return _SINGULAR[plain]
    if plain not in _VERBS:
        return None
    if re.search(r"[^aeiou]y$", plain):
        return plain[:-1] + "ies"
    return plain + ("es" if re.search(r"(?:[sxz]|ch|sh|o)$", plain) else "s")


class _People:
    """Who each pronoun of one text is, as far as that is certain."""

    def __init__(self, text: str, setting: Setting, faults: list[Fault]) -> None:
        self._text = text
        self._speaker = setting.speaker
        self._addressee = setting.addressee
        listener = None if setting.addressee_is_bot else self._addressee
        self._group = setting.group_name
        self._company = setting.group_name or listener
        pronouns = {fault.word.lower() for fault in faults if fault.reason == "pronoun"}
        self._third = _antecedent(text, setting, pronouns) if pronouns & _THIRD else None

    def edits(self, fault: Fault) -> list[_Edit]:
        base, _, tail = fault.word.lower().replace("’", "'").partition("'")
        after = self._text[fault.end : fault.end + 40]
        person = None if base == "ours" else _PERSONS.get(base)  # whose, with a group, is unclear
        name, is_plural = self._name(person, fault, after)
        if name is None:
            return []
        if person == "we" and after.startswith("群") and self._group:
            return [_Edit(fault.start, fault.end + 1, self._group)]
        if _is_chinese(base):
            link = "的" if re.match(_KIN, after) or (person == "we" and not is_plural) else ""
            return [_Edit(fault.start, fault.end, name + link * (after[:1] not in ("的", "家")))]
        if base in _POSSESSIVE or (base == "her" and self._owns(fault, after)):
            return [_Edit(fault.start, fault.end, f"{name}'s")]
        if tail:
            return [_Edit(fault.start, fault.end, f"{name} {_expanded(tail, after, is_plural)}")]
        return [_Edit(fault.start, fault.end, name), *self._agreement(base, fault, is_plural)]

    def _name(self, person: str | None, fault: Fault, after: str) -> tuple[str | None, bool]:
        """The name to put, and whether it stands for several people."""
        if person == "first":
            return self._speaker, False
        if person == "second":
            return self._addressee, False
        if person == "third" and self._third and self._third[1] < fault.start:
            return self._third[0], False
        if person != "we" or self._speaker is None:
            return None, False
        if fault.word.lower() not in ("we", "us") and re.match(_OURS, after):
            return self._speaker, False
        if self._company is None:
            return None, False
        link = "和" if _is_chinese(fault.word) else " and "
        return f"{self._speaker}{link}{self._company}", True

    def _owns(self, fault: Fault, after: str) -> bool:
        """Whether "her" is followed by what is hers: her book, but not: help her move."""
        before = self._text[max(0, fault.start - 8) : fault.start]
        other = "to|and|in|at|on|for|with|that|when|but|or|a|an|the|if|so|as|from|about"
        helped = r"\b(?:helps?|helped|let|made?|makes?|saw|sees?|heard?) $"
        return not re.search(helped, before) and bool(re.match(rf" (?!(?:{other})\b)[a-z]", after))

    def _agreement(self, base: str, fault: Fault, is_plural: bool) -> Iterator[_Edit]:
        """I am → Ann is, do you like → does Bob like, I live and work → Ann lives and works."""
        if base not in ("i", "you") or is_plural:
            return
        before = self._text[max(0, fault.start - 12) : fault.start]
        asked = re.search(_ASKED, before)
        if asked:
            verb = _third_singular(asked[1])
            if verb:
                start = fault.start - len(before) + asked.start(1)
                yield _Edit(start, start + len(asked[1]), _like(asked[1], verb))
            return
        following = re.compile(rf"(?i){_ADVERBS}\s+([a-z]+(?:['’]t)?)\b").match(
            self._text, fault.end
        )
        verb = _third_singular(following[1]) if following else None
        if following is None or verb is None or re.search(_BARE_AFTER, before):
            return
        yield _Edit(following.start(1), following.end(1), verb)
        joined = re.compile(_JOINED).match(self._text, following.end(1))
        second = _third_singular(joined[1]) if joined else None
        if joined and second:
            yield _Edit(joined.start(1), joined.end(1), second)


_THIRD = frozenset(word for word, person in _PERSONS.items() if person == "third") | {
    f"{word}{mark}{tail}" for word in ("he", "she") for mark in "'’" for tail in ("s", "ll", "d")
}


def _expanded(tail: str, after: str, is_plural: bool) -> str:
    is_perfect = re.match(r" (?:been|gone|seen|got|had|done|better|\w{2,20}ed)\b", after)
    if tail in ("s", "m", "re"):
        return "are" if is_plural else "has" if tail == "s" and is_perfect else "is"
    if tail == "ve":
        return "have" if is_plural else "has"
    return "will" if tail == "ll" else "had" if is_perfect else "would"


def _antecedent(text: str, setting: Setting, pronouns: set[str]) -> tuple[str, int] | None:
    """The only person whom "he" or "she" can be, and where the name stands; None if in doubt."""
    if {p[:3] in ("she", "her") or p == "她" for p in pronouns & _THIRD} == {True, False}:
        return None
    places = {setting.location, setting.group_name}
    people = [name for name in setting.names if name not in places]
    present = [
        (name, found.start())
        for name in people
        if (found := re.search(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", text))
    ]
    if len(present) != 1 or re.search(_KIN, text, re.I):
        return None
    for stranger in drift(text, "", setting.names):
        before = text[max(0, stranger.start - 6) : stranger.start]
        if not re.search(r"\d", stranger.word) and not re.search(
            r"\b(?:in|at|to|from|near) $|[在去到]$", before
        ):
            return None
    return present[0]
