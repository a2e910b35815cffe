"""Resolves "he" or 她 where the text leaves only one candidate.

Candidates are people named in the text and relatives of the speaker ("my mom", 我妈). Anybody else
who is mentioned without a name ("a friend", 老师) makes it uncertain, and then nobody is chosen.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from .drift import drift
from .first_names import Gender, gender_of, is_first_name
from .known_names import known_names
from .lazy_regex import lazy_compile
from .text_edits import has_han

_SHE = frozenset("she her hers herself 她".split())
_HE = frozenset("he him his himself 他".split())
THIRD = _SHE | _HE
_GENDERS: tuple[Gender, ...] = ("f", "m")
_KIN_EN = (
    r"(?:(?:great-){0,3}(?:grand|god|step-?|half-|foster[- ]|ex-))?"
    r"(?:(?P<f>mother|mom|mum|mama|grandma|grandmother|sister|daughter|wife|aunt|girlfriend|niece)"
    r"|(?P<m>father|dad|papa|grandpa|grandfather|brother|son|husband|uncle|boyfriend|nephew)"
    r"|(?:partner|cousin|friend|colleague|coworker|boss|manager|teacher|doctor|roommate|flatmate"
    r"|neighbou?r|landlord|child|kid|baby|student|therapist|dentist))(?:[- ]in[- ]law)?"
)
_KIN_ZH = (
    "(?P<zf>岳母|丈母娘|婆婆|[后後]妈|后娘|继母|干妈|[姑姨舅婶]妈|嫂子|嫂嫂|弟妹|弟媳|婶婶|儿媳妇?|外?孙女|侄女|外甥女|[前未婚]{1,2}妻"
    "|[前]女友|[表堂][姐妹]|妈妈|妈|母亲|奶奶|外婆|姥姥|姐姐|姐|妹妹|妹|女儿|老婆|妻子|女朋友|女友|阿姨|姑姑|媳妇)"
    "|(?P<zm>岳父|老丈人|公公|[后後]爸|继父|干[爹爸]|[姐妹]夫|[姑姨]父|姑丈|伯伯|大伯|女婿|外?孙子|侄子|外甥(?!女)|前夫|未婚夫|前男友"
    "|[表堂][哥弟]|爸爸|爸|父亲|爷爷|外公|姥爷|哥哥|哥|弟弟|弟|儿子|老公|丈夫|男朋友|男友|叔叔|舅舅)"
    "|(?:朋友|同事|同学|老师|老板|医生|室友|领导|经理|房东|邻居|孩子|闺蜜|导师)"
)
_PERSON = lazy_compile(
    r"(?P<my>\b[Mm]y (?:(?:old(?:er)?|young(?:er)?|best|big|little|late|new) )?|我的?)?"
    rf"(?:\b(?i:{_KIN_EN})\b|{_KIN_ZH})"
)
_OTHER_PEOPLE = (
    r"(?i)\b(?:man|woman|boy|girl|guy|lady|someone|somebody|anyone|everyone|people|parents|(?:friend|kid|parent"
    r"|brother|sister|son|daughter|child|colleague|cousin)(?:s|ren)|who)\b|父母|家人|有人|大家|别人|人家|客户|对方|某人"
)
_PLACE_BEFORE = r"\b(?:in|at|to|from|near|of|called|named|for|on) $|[在去到]$"
_NOT_PEOPLE = (
    r"(?i)\d|^[《「“\"]|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:january|february|march|april|june|july"
    r"|august|september|october|november|december|christmas|easter|english|french|german|greek|dutch"
    r"|arabic|turkish|spanish|polish|irish|swedish|danish|finnish|[a-z]{2,9}(?:ese|ian))$"
    r"|^[零一二两三四五六七八九十百千万亿]+$"
)
_DOES_ZH = "说|喜欢|告诉|问|打算|觉得|先生|女士"
_OTHER_CLAUSE = (
    r"[.,;:!?()\n，。；：！？、]|['’]s\b|\b(?:I|you|we|they|it|and|but|or|because|so|that|if|when|while"
    r"|who|what|how|where|why|whether|before|after|until|since|though|as|than|says?|said|thinks?|thought)\b"
    r"|[我你您咱]|说|覺得|觉得|认为|以为|知道|希望|因为|所以|但|告诉|问|表示|想|时候|提到|发现|的"
)
_REACH = 300


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody a text names, where, and whether he or she is known to be a man or a woman."""

    name: str
    start: int
    gender: Gender | None


class Antecedents:
    """Whom the third-person pronouns of one text stand for."""

    def __init__(
        self, text: str, speaker: str | None, people: Collection[str], names: Collection[str]
    ) -> None:
        self._text = text
        self._speaker = speaker
        found = _people(text, speaker, [name for name in people if name != speaker], names)
        # Nobody calls himself "he".
        self._people = found and [person for person in found if person.name != speaker]
        self._fitting = {gender: self._only(gender) for gender in _GENDERS}

    def of(self, pronoun: str, start: int, is_object: bool = False) -> str | None:
        """The one person whom the pronoun at `start` can be; None if in doubt."""
        fitting = self._fitting["f" if pronoun in _SHE else "m"]
        if fitting is None:
            return None
        name, places = fitting
        if not places[0] < start < places[0] + _REACH:
            return None
        last = places[bisect_left(places, start) - 1]
        return None if is_object and self._may_be_subject(last, start) else name

    def _only(self, gender: Gender) -> tuple[str, list[int]] | None:
        """The one person of this gender, and where the text names him or her."""
        people = self._people or []
        names = {person.name for person in people if person.gender in (None, gender)}
        if len(names) != 1:
            return None
        (name,) = names
        return name, sorted(person.start for person in people if person.name == name)

    def _may_be_subject(self, place: int, start: int) -> bool:
        """ "Tom dumped him": whoever is the subject of the clause is not its object."""
        between = self._text[place:start]
        other = f"|{re.escape(self._speaker)}" if self._speaker else ""
        return re.search(_OTHER_CLAUSE + other, between) is None


def _people(
    text: str, speaker: str | None, known: Collection[str], names: Collection[str]
) -> list[Person] | None:
    """Everybody in the text; None if there is somebody who cannot be named.

    `names` are words that name no stranger: the people in `known`, the bot, the group, the place.
    """
    if re.search(_OTHER_PEOPLE, text):
        return None
    kin = list(_PERSON.finditer(text))
    if any(not match["my"] or speaker is None for match in kin):
        return None
    people = [_relative(match, speaker or "") for match in kin]
    people += [person for name in known for person in _named(text, name)]
    people += [
        Person(match[0], match.start(), gender_of(match[0]))
        for match in re.finditer(r"(?<![\w'’])[A-Z][a-z]+(?!\w|['’]t)", text)
        if is_first_name(match[0])
    ]
    kin_starts = [match.start() for match in kin]
    for stranger in drift(text, "", names):
        if re.search(_NOT_PEOPLE, stranger.word) or known_names().fullmatch(stranger.word):
            continue
        index = bisect_right(kin_starts, stranger.start) - 1
        if index >= 0 and stranger.start < kin[index].end():
            continue
        if has_han(stranger.word) and re.compile(_DOES_ZH).match(text, stranger.end):
            people.append(Person(stranger.word, stranger.start, None))
            continue
        before = text[max(0, stranger.start - 8) : stranger.start]
        if not is_first_name(stranger.word) and not re.search(_PLACE_BEFORE, before):
            return None
    return people


def _relative(match: re.Match[str], speaker: str) -> Person:
    gender: Gender | None = None
    if match["f"] or match["zf"]:
        gender = "f"
    elif match["m"] or match["zm"]:
        gender = "m"
    if has_han(match[0]):
        return Person(f"{speaker}的{match[0].removeprefix(match['my'])}", match.start(), gender)
    return Person(f"{speaker}'s {match[0][3:]}", match.start(), gender)


def _named(text: str, name: str) -> Iterator[Person]:
    edge = "" if has_han(name) else r"(?![A-Za-z])"
    for match in re.finditer(rf"(?<![A-Za-z]){re.escape(name)}{edge}", text):
        yield Person(name, match.start(), gender_of(name))
