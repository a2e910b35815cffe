"""Facts by pattern, for when no model is configured: few kinds, but hardly ever wrong (H4).

A sentence counts only if it is absolute, begins with somebody's name and has one of the shapes
below. Everything else is left to a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from ..language.gate import HAN, SURNAMES, check
from ..language.when import find_times
from ..types import Job
from .cast import Cast, clean, is_chinese, local_time
from .draft import FactDraft

MOST_FACTS = 8
_MOST_ITEMS = 40
_READ_CHARS = 4000
_CONTENT_CHARS = 300
_QUOTE_CHARS = 400


@dataclass(frozen=True, slots=True)
class _Shape:
    """What follows the subject, what it tells, and how to say it (None: as it was said)."""

    pattern: re.Pattern[str]
    category: str
    life: str = "lasting"
    saying: str | None = None


_REMEMBER = (
    r"(?i)^(?:please[ ,]+)?remember (?:this|that)[:,]?\s*|[,;.:—-]?\s*(?:please )?remember this\W*$"
    r"|^(?:请|麻烦)?(?:你|您|帮我)?(?:一定)?要?记住(?:这个|这点|这件事|这一点|了)?[:：，,\s]*"
    r"|[，。；,;]?\s*(?:请|要)?记住这(?:个|点|件事|一点)[!！。.]*$"
)
_ADVERB = r"(?:(?:really|also|always|absolutely|still|especially) ){0,3}"
_MOOD = (
    r"tired|exhausted|happy|sad|angry|upset|stressed|bored|excited|nervous|anxious|lonely|sleepy"
    r"|sick|ill|in a (?:good|bad) mood"
)
_MOOD_ZH = (
    "累|困|开心|高兴|难过|伤心|生气|郁闷|烦|焦虑|紧张|激动|无聊|心情不?好|心情很?差|不舒服|疲惫"
)
_THINGS = "cat|dog|horse|rabbit|parrot|pet|car|bike|motorbike|boat|house|flat|piano|guitar|camera"
_PLACE = r"(?P<value>[A-Z][^,;:()]{1,60}?)"
_UNTIL = r"(?= (?:on|in|since|from|with|for|at|by|because|and|after|before|as of|around) |$)"
_VALUE_ZH = r"(?P<value>[^，,。；;：:（）()\s]{1,20}?)"
_MOVED_ZH = rf"(?:从[^，。；到]{{1,20}})?(?:搬家?|迁居?|移居|搬迁)(?:到|去|至|来)了?{_VALUE_ZH}"

_TELLING_CLAUSE = (
    rf"[A-Z][a-z]+ (?:is|has|likes|lives|works|prefers|hates)\b|[{HAN}]{{2,4}}(?:喜欢|对|住在)"
)
_SHORT_OF_ITSELF = "过敏$|allergic to [^,]{1,40}$"


@cache
def _english() -> tuple[_Shape, ...]:
    rows = (
        (rf"{_ADVERB}moved (?:from [^,;]{{1,60}}? )?to {_PLACE}{_UNTIL}",
         "residence", "lasting", "{who} lives in {value}"),
        (rf"(?:lives|is living|resides) in {_PLACE}{_UNTIL}",
         "residence", "lasting", "{who} lives in {value}"),
        (r"(?:works|is working) (?:at|for) (?!home|night|noon|least|present|free|fun|the mo)\S",
         "employer"),
        (r"(?:works|is working) as (?:an? )?\S", "job"),
        (rf"{_ADVERB}(?:likes|loves|enjoys|prefers|dislikes|hates) \S", "user_preference"),
        (r"(?:doesn['’]t|does not|can['’]t stand|cannot stand) (?:like |enjoy )?\S", "negative"),
        (r"(?:is|has been) (?:a )?(?:vegan|vegetarian)\b", "user_preference"),
        (r"is(?: \w+ly)? allergic to \S|has an allergy to \S", "health"),
        (r"(?:was born on|has a birthday on) \S|['’]s birthday is \S", "birthday"),
        (rf"owns \S|has (?:an? |two |three |\d+ )(?:\w+ )?(?:{_THINGS})s?\b", "possession"),
        (r"speaks \S", "language"),
        (rf"(?:is|feels|was) (?:\w+ )?(?:{_MOOD})\b", "mood", "mood"),
        (r"(?:has )?decided \S", "decision", "decision"),
        (r"(?:would like|wants)\b.{1,80}\b(?:this time|for now)\b",
         "user_preference", "preference"),
        (r"(?:will|needs to|has to|must|should|is going to)"
         r" (?:call|send|bring|check|write|reply|ask|pay|pick|return|visit|meet|buy|book|finish"
         r"|submit)\b.*\d",
         "plan", "follow_up"),
    )  # fmt: skip
    return tuple(_Shape(re.compile(row[0]), *row[1:]) for row in rows)


@cache
def _chinese() -> tuple[_Shape, ...]:
    end = r"(?=[了啦呢]?(?:$|[，,。；;]))"
    day = r"(?:(?:于|在)?\d{4}年[^，。；喜爱讨]{1,14}?)?"
    rows = (
        (rf"{day}(?:已经?|刚)?{_MOVED_ZH}{end}", "residence", "lasting", "{who}住在{value}"),
        (rf"(?:目前|一直|现在)?(?:住在|居住在|定居(?:在)?|家住){_VALUE_ZH}{end}",
         "residence", "lasting", "{who}住在{value}"),
        (r"在[^，。；]{1,30}?(?:上班|工作|任职|就职)(?!了一)", "employer"),
        (r"(?:的职业是|的工作是|是一?[名位个])[^，。；]{1,20}?(?:师|员|医生|护士|程序员|教授|经理|律师|设计|警察|司机|学生)",
         "job"),
        (r"(?:很|最|特别|非常|也|一直|更|超|比较|真的|都)*(?:喜欢|喜爱|热爱|爱(?=吃|喝|看|听|玩|打|读|喝)|偏爱|偏好|讨厌|不喜欢|不爱|受不了|更想喝)",
         "user_preference"),
        (r"(?:是|一直)?(?:素食者|吃素|不吃\S)", "user_preference"),
        (r"(?:对[^，。；]{1,20}过敏|有[^，。；]{1,20}过敏)", "health"),
        (r"的?生日(?:是|在)\S|出生于\S", "birthday"),
        (r"(?:养了?|有|买了)[一二两三四五六七八九十\d]+(?:只|条|辆|台|套|匹|部|架|把|个(?=孩子|女儿|儿子))\S",
         "possession"),
        (r"(?:会说|会讲|能说|说)\S{0,8}(?:语|话|文)", "language"),
        (rf"{day}(?:觉得|感到|感觉)?(?:很|好|有点|非常|特别|太|真)?(?:{_MOOD_ZH})", "mood", "mood"),
        (rf"{day}(?:已经?|最终)?(?:决定|定下来?)了?\S", "decision", "decision"),
        (r"这次[^，。；]{0,10}(?:想|要)\S", "user_preference", "preference"),
        (rf"{day}(?:要|得|会|记得|别忘了|需要|打算|准备)[^，。；]{{0,16}}"
         r"(?:打电话|联系|回复|提交|交|寄|还|买|取|预约|付|开会|见|参加|检查)",
         "plan", "follow_up"),
    )  # fmt: skip
    return tuple(_Shape(re.compile(row[0]), *row[1:]) for row in rows)


def facts_by_rule(new_info: Sequence[str], job: Job) -> tuple[FactDraft, ...]:
    """What can safely be learned from statements already made absolute.

    `new_info` is what `job.new_info` became, item by item; the original is the evidence.
    """
    originals = [clean(item).strip() for item in job.new_info if clean(item).strip()]
    if len(originals) != len(new_info):
        return ()
    cast = Cast.of(job)
    local, _ = local_time(job)
    found: dict[str, FactDraft] = {}
    for statement, original in list(zip(new_info, originals, strict=True))[:_MOST_ITEMS]:
        for fact in _facts(statement[:_READ_CHARS], original, cast, local):
            found.setdefault(fact.content, fact)
    return tuple(found.values())[:MOST_FACTS]


def _facts(statement: str, original: str, cast: Cast, local: datetime) -> Iterator[FactDraft]:
    asked = re.search(_REMEMBER, original[:_READ_CHARS]) is not None
    told = re.sub(_REMEMBER, "", statement).strip() if asked else statement
    for sentence in _statements(told):
        if not 3 <= len(sentence) <= _CONTENT_CHARS or check(sentence, cast.names):
            continue
        who = _subject(sentence, cast)
        fact = _matched(sentence, who, local) if who else _reminder(sentence, cast)
        if fact is None and asked:
            fact = FactDraft(sentence, "other", who or "", confidence=0.9)
        if fact:
            life = "lasting" if asked else fact.life
            confidence = 0.9 if asked else fact.confidence
            yield _evidenced(fact, original, life, confidence)


def _statements(text: str) -> Iterator[str]:
    """Sentences; and of one with commas its clauses, unless it begins with a condition."""
    for sentence in re.split(r"[;!?。；！？\n]+|\.(?=\s|$)", text):
        sentence = sentence.strip(" ,，")
        if re.match("(?i)(?:if|when|unless|while) |如果|要是|假如|等", sentence):
            continue
        clauses = [clause.strip() for clause in re.split("[,，]", sentence)]
        told = [clause for clause in clauses[1:] if re.match(_TELLING_CLAUSE, clause)]
        if told or re.search(_SHORT_OF_ITSELF, clauses[0]):
            yield from (clauses[0], *told)
        else:
            yield sentence


def _evidenced(fact: FactDraft, original: str, life: str, confidence: float) -> FactDraft:
    return FactDraft(
        fact.content,
        fact.category,
        fact.subject,
        original[:_QUOTE_CHARS],
        confidence,
        fact.valid_from,
        fact.valid_to,
        life,
        fact.tags,
    )


def _subject(sentence: str, cast: Cast) -> str | None:
    """Whose sentence it is: somebody of the conversation, or what looks like a name."""
    for name in sorted(cast.people, key=len, reverse=True):
        joined = re.match("[A-Za-z0-9_]{2}", name[-1:] + sentence[len(name) : len(name) + 1])
        if sentence.startswith(name) and not joined:
            return name
    found = re.match(
        r"(?!(?:The|This|That|These|Those|It|There|Here|If|When|What|Who|My|Your|Everyone|People"
        r"|Nobody|Somebody|Someone|On|In|At)\b)[A-Z][a-z]{1,30}(?: [A-Z][a-z]{1,30})?(?=[ '’])",
        sentence,
    ) or re.match(
        rf"(?:[小老阿][{HAN}]|[{SURNAMES}][{HAN}]{{1,2}}?)"
        "(?=很|最|特别|非常|也|喜欢|喜爱|讨厌|不喜欢|住在|搬到|对|在|养|会说|决定|的生日|从)",
        sentence,
    )
    return found[0] if found else None


def _reminder(sentence: str, cast: Cast) -> FactDraft | None:
    """ "Remember to …", 记得……: somebody's errand, and the sender is the one who knows of it."""
    if not re.match("(?i)remember to |do(?:n['’]t| not) forget |记得|别忘了|不要忘了", sentence):
        return None
    return FactDraft(sentence, "plan", cast.sender or "", confidence=0.7, life="follow_up")


def _matched(sentence: str, who: str, local: datetime) -> FactDraft | None:
    rest = sentence[len(who) :]
    for shape in _chinese() if is_chinese(rest) else _english():
        match = shape.pattern.match(rest.lstrip())
        if match is None:
            continue
        content = sentence
        if shape.saying:
            content = shape.saying.format(who=who, value=match["value"].strip())
        category = "user_preference" if shape.category == "negative" else shape.category
        if shape.category == "negative" and not re.search("like|enjoy|stand", match[0]):
            return None
        since = _date_in(sentence, local)
        if category == "residence" and not since and re.search("moved|搬|迁|移居", sentence):
            since = f"{local:%Y-%m-%d}"
        return FactDraft(
            content,
            category,
            who,
            confidence=0.8,
            valid_from=since if category != "birthday" else "",
            life=shape.life,
        )
    return None


def _date_in(sentence: str, local: datetime) -> str:
    """The first whole date of the sentence; the statements here are absolute already."""
    for span in find_times(sentence, local):
        if re.search(r"\d{4}", span.text) and span.kind in ("date", "daterange", "datetime"):
            return f"{span.begin:%Y-%m-%d}" if span.begin.year >= 1000 else ""
    return ""
