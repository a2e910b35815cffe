"""Comparing two statements by their words: the same, another value, denied, ended.

`StatementComparison` reads each statement once however often it is compared. It holds their words,
so make one for a batch and let it go.
"""

from __future__ import annotations

import re
from functools import cache

from ..language.analyzer import terms as terms
from ..language.normalise import canonical
from ..language.stated_dates import mentions_in
from .told_preferences import is_turned_round

CHARS = 400
_SAME = 0.85
_NOT = (
    r"\b(?:no longer|not|no|never|cannot|without|dislikes?|hates?|detests?|loathes?|despises?"
    r"|quit|quits|stopped)\b|n['’]t\b"
    r"|(?<!差)不(?![错仅但同久]|过(?!敏))|没(?!关)|无法|讨厌|从未|反感|厌恶|最烦|戒"
)
CHANGED = (
    r"(?i)\b(?:moved|moving|now|changed|switched|became|new|since|no longer|any ?more|instead"
    r"|left|quit|started|joined|turned|renamed)\b"
    r"|搬|改成|改为|改到|改用|换成|换了|换到|变成|现在|如今|不再|跳槽|入职|离职|新的?|开始|从此"
    r"|转到"
)
_ENDED = (
    r"(?i)\b(?:no longer|any ?more|any longer|quit|quits|stopped|gave up|given up)\b|不再|戒"
    r"|不[^，。]{1,12}了$"
)
PAST = r"(?i)\b(?:used to|formerly|previously|lived|worked|was|were|had been)\b|曾|以前|之前|原来"
_DATE = (
    r"\d{4}-\d\d-\d\d(?: \d\d:\d\d)?|\d{4}年(?:\d{1,2}月)?(?:\d{1,2}[日号])?"
    r"|\b(?:since|as of|in|on) (?:[A-Z][a-z]+ )?\d{4}\b|(?:截至|自)\s*"
)
_ORIGIN = r"(?i)\bfrom [^,;.]{1,60}?(?= to )|从[^，。；到]{1,20}?(?=搬|迁|到|换|改|跳)"
_FILLER_ZH = (
    "住在|居住在|定居在?|家住|搬到了?|搬去了?|迁到|移居到?|目前|现在|如今|已经?|上班|工作|任职"
    "|就职|入职|公司"
    "|职业|名字|姓名|本名|年龄|今年|生日|电话|手机|号码|邮箱|伴侣|丈夫|妻子|男朋友|女朋友|对象"
    "|改成了?|改为"
    "|换成了?|换到了?|变成了?|跳槽到?|是|叫做?|在|的|了|为|一[名位个]|岁"
)
_TASTE = (
    r"\b(?:dis)?(?:likes?|loves?|enjoys?)\b|\b(?:hates?|adores?|detests?|loathes?|despises?)\b"
    r"|\bfan of\b|\b(?:can['’]t|cannot) stand\b"
    r"|\binto\b|喜欢|喜爱|热爱|讨厌|反感|厌恶|最烦|受不了|爱(?=吃|喝|看|听|玩|打|读)|钟爱|偏爱"
)
_DEGREE = (
    r"\b(?:really|very|also|always|absolutely|still|especially|a lot|so much|much|quite|just|big"
    r"|huge|a|the|to|do|does|did|is|doing|again|anymore|any more|any longer)\b"
    r"|已经|早就|特别|非常|超级?|最(?=喜|爱|讨)|很|更|也|都|一直|真的|比较|挺|了$|再|太"
)


@cache
def _filler() -> frozenset[str]:
    """Words that every statement of a single-valued category may have, whatever the value."""
    return frozenset(
        terms(
            "lives living live resides resided residence home moved move moving now currently "
            "since town city works work working worked at as job company employer employed name "
            "named called is was age aged years year old birthday born phone telephone number "
            "email address mail partner wife husband girlfriend boyfriend married changed became "
            "new switched joined been has have timezone time zone"
        )
    )


_KIN = (  # words for one relative
    (r"(?<=的)(?:老?妈|妈咪|母亲)(?!妈|的?妈)", "妈妈"),
    (r"(?<=的)(?:老?爸|爹|父亲)(?!爸|妈)", "爸爸"),
    (r"(?<=的)([哥姐弟妹])(?!\1|夫|媳|妹)", r"\1\1"),
    (r"(?<=的)(?:姥姥|姥娘)", "外婆"),
    (r"(?<=的)姥爷", "外公"),
    (r"(?<='s )(?:mom|mum|mommy|mummy|mama)\b", "mother"),
    (r"(?<='s )(?:dad|daddy|papa)\b", "father"),
    (r"(?<='s )(?:grandma|granny)\b", "grandmother"),
    (r"(?<='s )(?:grandpa|grandad|granddad)\b", "grandfather"),
)


def folded(text: str) -> str:
    """One spelling for comparisons; "mum" and "mother", 妈 and 妈妈 are one relative."""
    plain = canonical(text[:CHARS])
    if "的" not in plain and "'s " not in plain:
        return plain
    for words, kin in _KIN:
        plain = re.sub(words, kin, plain)
    return plain


class StatementComparison:
    """Compares the statements of one batch with each other."""

    def __init__(self) -> None:
        self.is_denied = cache(is_denied)
        self.core = cache(core)
        self._terms = cache(_terms)
        self._figures = cache(_figures)

    def is_same(self, one: str, other: str) -> bool:
        """The same words but for a few more, the same numbers, and both or neither denied; of a
        preference in the same order."""
        if self.is_denied(one) != self.is_denied(other):
            return False
        if self._figures(one) != self._figures(other):
            return False
        first, second = self._terms(one), self._terms(other)
        if not first or not second:
            return False
        is_one_taste = is_taste(one) and is_taste(other) and self.core(one) == self.core(other)
        return (_is_alike(first, second) or is_one_taste) and not is_turned_round(one, other)

    def is_denial_of(self, one: str, other: str) -> bool:
        """The same statement, one of the two denied."""
        if self.is_denied(one) == self.is_denied(other):
            return False
        first, second = self.core(one), self.core(other)
        if not first or not second:
            return False
        if _eaten(one) == _eaten(other) != "":
            return True
        if is_taste(one) and is_taste(other):
            return first == second
        if is_taste(one) or is_taste(other):
            return False  # not to like working there is no denial of working there
        return _is_alike(first, second)

    def is_end_of(self, one: str, other: str) -> bool:
        """ "Ann no longer drinks coffee" ends "Ann drinks coffee every day"."""
        if not re.search(_ENDED, folded(one)) or self.is_denied(other):
            return False
        first = self.core(one)
        return len(first) >= 2 and first <= self.core(other)


# Who does not eat a thing does not like to eat it; who has stopped may still like it.
_EATEN = (
    r"(?:(?:其实|从来|从|一直|平时|都|最|很|特别|非常|也|超|可)*(?:喜欢|爱|不)(?P<zh>[吃喝][^，。；了再]{1,8})"
    r"|(?:actually |really )?(?:likes?|loves?|enjoys?|doesn['’]?t|does not|don['’]?t) (?:to )?"
    r"(?P<en>(?:eat|drink)(?:ing)? (?!.*\b(?:any ?more|any longer|now|much|often|a lot)\b)"
    r"[\w' -]{2,40}))[.。]?$"
)


def _eaten(text: str) -> str:
    """What a statement says that somebody likes to eat, or does not eat."""
    found = re.search(_EATEN, folded(text))
    if found is None:
        return ""
    return re.sub(r"^(eat|drink)ing\b", r"\1", found["zh"] or found["en"]).strip()


def _is_alike(first: frozenset[str], second: frozenset[str]) -> bool:
    """Mostly the same words, one with a few more. Where each has a word of its own, one thing was
    put in the place of another: roasted lentils are not roasted sardines."""
    if first - second and second - first:
        return False
    return len(first & second) / max(len(first), len(second)) >= _SAME


def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(folded(text[:CHARS])))


def _figures(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\d+", folded(re.sub(_DATE, " ", text[:CHARS]))))


def is_denied(text: str) -> bool:
    return len(re.findall(_NOT, folded(text))) % 2 == 1


def is_taste(text: str) -> bool:
    return re.search(_TASTE, folded(text)) is not None


def core(content: str) -> frozenset[str]:
    """What a statement is about, without how much, since when, and whether or not."""
    text = folded(re.sub(_DATE, " ", content[:CHARS]))
    for pattern in (_TASTE, _NOT, _DEGREE):
        text = re.sub(pattern, " ", text)
    return frozenset(terms(text))


def value_terms(content: str, subject: str) -> set[str]:
    """What is said of the subject, without the words that every such statement has."""
    text = re.sub(_ORIGIN, " ", re.sub(_DATE, " ", content[:CHARS]))
    text = folded(text).replace(folded(subject), " ")
    return set(terms(re.sub(_FILLER_ZH, " ", text))) - _filler()


_FAVOURITE = (
    r"{who}['’]s (?:all-time |absolute |new )?fav(?:ou?rite)? (?P<slot>[\w -]{{2,30}}?)"
    r"(?: is| are|['’]s) (?P<value>.+)",
    r"(?P<value>.{{1,60}}?) (?:is|are) {who}['’]s (?:all-time |absolute |new )?fav(?:ou?rite)?"
    r" (?P<slot>[\w -]{{2,30}})",
    r"{who}的?最(?:喜欢|爱|喜爱|中意)的?(?P<slot>[^，。是有改换变]{{1,8}})"
    r"(?:是|改成了?|改为了?|换成了?|变成了?)(?P<value>.+?)了?",
)
# One has one mother, who lives in one place.
_ONE_KIN = (
    r"{who}['’]s (?P<slot>(?:mother|father|wife|husband) (?:lives|works)) (?:in|at|for)"
    r" (?P<value>.+)",
    r"{who}(?:的|家)(?P<slot>(?:妈妈|爸爸|老公|老婆|丈夫|妻子)(?:现在)?住)在?(?P<value>[^，。]+?)了?",
)
_SO_MANY = (
    r"{who} has (?P<value>two|three|four|five|six|seven|eight|nine|ten|\d+)"
    r" (?P<slot>[\w-]+(?: [\w-]+)?)",
    r"{who}家?(?:有|养了?)(?P<value>[两二三四五六七八九十\d]+)[个只条辆台位匹头]"
    r"(?P<slot>[^，。叫]{{1,6}})",
)


def single_value(content: str, subject: str) -> tuple[str, frozenset[str]] | None:
    """("editor", {"vim"}) of "Ann's favourite editor is Vim", ("cat", {"2"}) of "has 2 cats": one
    has one favourite of a kind, and so many cats."""
    text, who = folded(content).strip(" .。"), re.escape(folded(subject))
    for pattern in (*_FAVOURITE, *_ONE_KIN, *_SO_MANY):
        if subject and (found := re.fullmatch(pattern.format(who=who), text)):
            value = re.sub(r"\b(?:now|currently)\b|现在", " ", found["value"])
            slot = found["slot"].strip()
            slot = slot.removesuffix("s") if pattern in _SO_MANY else slot
            return slot, frozenset(terms(re.sub(_DATE, " ", value)))
    return None


_CALLED = (
    r"(?P<who>.{2,60}?)(?:['’]s name(?: is|['’]s)(?: spelled| spelt)?| (?:is|are) (?:called|named))"
    r" (?P<value>.{1,40})",
    r"(?P<who>.{2,20}?)(?:的名字)?(?:叫做?|是叫|名叫)(?P<value>.{1,12})",
)


_PLACED = (
    r"(?P<who>.{2,60}?) (?P<does>lives in|works at|works for) (?P<value>.{1,40})",
    r"(?P<who>.{2,20}?)(?:现在)?(?P<does>住在|在)(?P<value>.{1,12}?)(?:工作|上班)?",
)


def placed(content: str) -> tuple[str, str] | None:
    """("ann's brother lives in", "oslo"): who does what, and where."""
    text = folded(content).strip(" .。")
    found = next((m for row in _PLACED if (m := re.fullmatch(row, text))), None)
    return (f"{found['who']} {found['does']}", found["value"]) if found else None


def called(content: str) -> tuple[str, str] | None:
    """("ann's dog", "rex"): of whom the name is said, and the name."""
    text = folded(content).strip(" .。")
    found = next((m for row in _CALLED if (m := re.fullmatch(row, text))), None)
    return (found["who"], found["value"]) if found else None


def day_terms(content: str) -> frozenset[str]:
    """{"month 5", "day 3"} of "3 May", 5月3号 and "born on May 3rd"; with the year, if any."""
    found = next((one for one in mentions_in(content[:CHARS]) if one.kind == "date"), None)
    if found is None or not found.day:
        return frozenset()
    parts = (("year", found.year), ("month", found.month), ("day", found.day))
    return frozenset(f"{name} {number}" for name, number in parts if number)


def head(content: str, subject: str) -> str | None:
    """Whom a statement is about: "ann", or "ann's sister"."""
    text, name = folded(content), re.escape(folded(subject))
    relative = "妈|爸|哥|姐|弟|妹|父|母|儿|女|朋友|同事|爷|奶|老婆|老公"
    last = "" if re.search(r"[^\x00-\x7f]$", subject) else "(?![a-z0-9])"  # 安然2026年30岁
    pattern = rf"(?<![a-z0-9]){name}{last}(?:['’]s \w+|的(?:{relative}).)?"
    found = re.search(pattern, text)
    return re.sub("['’]s birthday$", "", found[0]) if found else None
