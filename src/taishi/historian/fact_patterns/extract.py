"""Facts by pattern, for when no model is configured: hardly ever wrong (H4).

A sentence counts only if it is the speaker's own and meant (`own_words`), absolute, begins with
somebody's name or the group's, and has one of the shapes. Everything else is left to a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ...domain.drafts import FactDraft
from ...language.gate import HAN, SURNAMES, check
from ...language.rewriter import RewriteContext, rewrite
from ...language.text import one_line, sentences, storable
from ...types import Job
from ..categories import INSTRUCTION, SINGLE_VALUED
from ..participants import Participants, clean_name, is_chinese, local_time
from .chinese import chinese_shapes
from .chinese_parts import KIN, KNOWN
from .clauses import clauses
from .english import english_shapes
from .instructions import CONDITIONAL, FOR_ALL, Instruction, instruction_in
from .names import name_in
from .own_words import (
    READ_CHARS,
    is_not_serious,
    is_question,
    is_reported,
    is_supposed,
    own_words,
    without_asking_back,
)
from .shapes import Shape
from .validity import validity

MOST_FACTS = 8
_MOST_ITEMS = 40
_CONTENT_CHARS = 300
_MOST_CLAUSES = 300
_CLAUSE_CHARS = 600  # a longer one says more than one thing
_QUOTE_CHARS = 400
_OF_OTHERS = frozenset(  # what may be learned of somebody who is only mentioned
    (
        "user_preference",
        "residence",
        "employer",
        "job",
        "health",
        "birthday",
        "possession",
        "language",
    )
)
_OF_RELATIVES = frozenset(("relationship", "partner", "possession"))
_UNDATED = frozenset(("habit", "user_preference", "skill", "language", "timezone"))
_TIMELESS = frozenset(("birthday", "plan", "goal", "decision", "history"))
_REMEMBER = (
    r"(?i)^(?:please[ ,]+)?remember (?:this[:,]?\s*|that[:,]?\s+(?=(?:i|my|we|our)\b))"
    r"|[,;.:—-]?\s*(?:please )?remember this\W*$"
    r"|^(?:请|麻烦)?(?:你|您|帮我)?(?:一定)?要?记住(?:这个|这点|这件事|这一点|了)?[:：，,\s]*"
    r"|[，。；,;]?\s*(?:请|要)?记住这(?:个|点|件事|一点)[!！。.]*$"
)
_REMINDER = "(?i)remember to |do(?:n['’]t| not) forget |记得|别忘了|不要忘了"
_ERRAND = (  # "remember to breathe" is none
    r"\d|(?i:\b(?:call|send|bring|check|write|reply|ask|pay|pick|return|visit|meet|buy|book"
    r"|finish|submit)\b)"
    "|打电话|联系|回复|提交|交|寄|还|买|取|预约|付|开会|见|参加|检查|带"
)
_GROUP_WORDS = r"(?i:\b(?:our|this) (?:group|channel|club|server)\b)|(?:我们|咱们|咱|本|这个)群"
_FOLLOWS = (  # begins another thought; anything else after a comma may be of a list
    r"(?:so|but|and (?:I|you|we|it|that|now)|you|I|which|who|because|please|though|nice|thanks"
    r"|right|lol|as|when|if|do"
    r"|don['’]t|what|how|it|that|this|he|she|we|they|then|yet|especially|too|actually|even|since"
    r"|thank|can|could|any|no|yes"
    r"|hence|therefore|let|not|ok)\b|[^\x00-\x7f]"
)
_DANGLING = (
    r"(?i)\b(?:to|and|of|with|a|an|the|or|for|in|at|that|my|is|are)$|\b(?:to|of|in|about|like"
    r"|with) that\b"
)
_NO_NAME = (
    r"(?!(?:The|This|That|These|Those|It|There|Here|If|When|What|Who|My|Your|Our|Everyone|People"
    r"|Nobody|Somebody|Someone|On|In|At|And|But|So|Please|Yes|No|Maybe|Today|Now|God|Let|Never"
    r"|Always|Not|One|Some|Any|All)\b)"
)


@dataclass(frozen=True, slots=True)
class _Turn:
    """Who speaks, when, and what the rewriter needs of it."""

    cast: Participants
    local: datetime
    setting: RewriteContext


def facts_by_rule(job: Job) -> tuple[FactDraft, ...]:
    """What can safely be learned from what is new in a turn; the original is the evidence."""
    cast = Participants.of(job)
    local, _ = local_time(job)
    found: dict[tuple[str, str], FactDraft] = {}
    for item in job.new_info[:_MOST_ITEMS]:
        original = storable(item).strip()
        speaker = replace(cast, sender=_speaker(original, job) or cast.sender)
        if speaker.sender == cast.bot:
            continue  # what the bot says of itself, or of others, is no evidence
        turn = _Turn(speaker, local, speaker.setting(local, told_by_bot=False))
        for fact in _facts(original, turn):
            told = replace(fact, quote=original[:_QUOTE_CHARS], by_self=_is_own(fact, turn))
            found.setdefault((fact.category, fact.content), told)
    return tuple(found.values())[:MOST_FACTS]


def _speaker(item: str, job: Job) -> str | None:
    """Who wrote the message that this was copied from, if exactly one person did."""
    plain = one_line(item)
    speakers = {
        clean_name(message.get("speaker"))
        for message in job.recent_messages
        if len(plain) > 3 and plain in one_line(str(message.get("text") or ""))
    }
    return speakers.pop() if len(speakers) == 1 else None


def _is_own(fact: FactDraft, turn: _Turn) -> bool:
    return bool(fact.subject) and fact.subject == turn.cast.sender


def _facts(original: str, turn: _Turn) -> Iterator[FactDraft]:
    original = original[:READ_CHARS]
    asked = re.search(_REMEMBER, original) is not None
    told = re.sub(_REMEMBER, "", original).strip() if asked else original
    read = 0
    for sentence in map(without_asking_back, sentences(own_words(told, turn.cast.sender))):
        if len(sentence) < 2 or is_not_serious(sentence):
            continue
        read += 1 + len(re.findall("[,，、]", sentence))
        if read > _MOST_CLAUSES:
            return
        found = list(_of_sentence(sentence, turn))
        if asked:
            found = [replace(fact, life="lasting", confidence=0.9) for fact in found]
            found = found or list(_anything(sentence, turn))
            asked = False  # the request is for what stands next to it
        yield from found


def _of_sentence(sentence: str, turn: _Turn) -> Iterator[FactDraft]:
    """An instruction, a reminder, or what its clauses tell."""
    instruction = instruction_in(sentence)
    if instruction:
        yield from _instructed(instruction, turn)
    elif is_question(sentence) or is_supposed(sentence) or is_reported(sentence):
        return
    elif re.match(_REMINDER, sentence):
        yield from _reminder(sentence, turn)
        return
    found = [] if instruction else list(_of_clauses(sentence, turn))
    name = name_in(sentence)
    if name and turn.cast.sender and all(fact.category != "name" for fact in found):
        yield _fact(_named(name, turn.cast), "name", turn.cast.sender, tags=(name,))
    yield from found


def _of_clauses(sentence: str, turn: _Turn) -> Iterator[FactDraft]:
    for clause in clauses(sentence, is_chinese(sentence)):
        if len(clause) <= _CLAUSE_CHARS:
            yield from _of_clause(clause, turn)


def _fact(content: str, category: str, subject: str, **more: Any) -> FactDraft:
    fact = FactDraft(content, category, subject, confidence=0.8)
    return replace(fact, **more)


def _named(name: str, cast: Participants) -> str:
    return f"{cast.sender}的名字是{name}" if cast.chinese else f"{cast.sender}'s name is {name}"


def _instructed(given: Instruction, turn: _Turn) -> Iterator[FactDraft]:
    """What is asked, with who asks it; for everybody only if it says so in a group."""
    cast = turn.cast
    if not cast.sender:
        return
    chinese = is_chinese(given.words)
    for_all = given.is_for_all and cast.group is not None
    asks = f"{cast.sender}要求" if chinese else f"{cast.sender} asks"
    if for_all:
        asks += f"（{cast.group}）" if chinese else f" for {cast.group}"
    # Quoted: in a standing wish "after 10 pm" is no date, and "me" is whoever asks.
    words = re.sub('["“”]', "'", given.words)
    content = f"{asks}：“{words}”" if chinese else f'{asks}: "{words}"'
    marks = ((CONDITIONAL, given.is_conditional), (FOR_ALL, for_all))
    tags = (*given.topics, *(mark for mark, holds in marks if holds))
    subject = cast.group if for_all and cast.group else cast.sender
    if len(content) <= _CONTENT_CHARS:
        yield _fact(content, INSTRUCTION, subject, tags=tags, retracts=given.is_withdrawn)


def _reminder(sentence: str, turn: _Turn) -> Iterator[FactDraft]:
    """ "Remember to …", 记得……: somebody's errand, and the sender is the one who knows of it."""
    told = rewrite(sentence.strip(" ,，.。!！"), turn.setting)
    if told.is_absolute and re.search(_ERRAND, told.text):
        sender = turn.cast.sender or ""
        yield _fact(told.text, "plan", sender, confidence=0.7, life="follow_up")


def _anything(sentence: str, turn: _Turn) -> Iterator[FactDraft]:
    """Asked to remember it: no shape is needed, only words that stay true."""
    told = rewrite(sentence.strip(" ,，.。!！"), turn.setting)
    if told.is_absolute and 3 <= len(told.text) <= _CONTENT_CHARS and not is_question(sentence):
        who = _subject(told.text, turn.cast) or ""
        yield _fact(told.text, "other", who, confidence=0.9)


def _of_clause(clause: str, turn: _Turn) -> Iterator[FactDraft]:
    cast = turn.cast
    if group := cast.group:
        clause = re.sub(_GROUP_WORDS, lambda _: group, clause)
    told = rewrite(_fronted(clause), turn.setting)
    text = _cut(told.text.strip(" ,，.。!！~"))
    if not told.is_absolute or not 3 <= len(text) <= _CONTENT_CHARS or check(text, cast.names):
        return
    if "…" in text or (cast.bot in text and cast.bot not in clause):
        return
    who = _subject(text, cast)
    if who is None:
        yield from _favourite(text, cast)
    elif who == cast.group:
        yield from _of_group(text, who)
    else:
        yield from _matched(text, who, turn, is_dated=_gained_a_date(clause, text))


def _fronted(clause: str) -> str:
    """ "On Sundays I do yoga" → "I do yoga on Sundays"; 比起飞机我更喜欢高铁 → 我比起……"""
    clause = re.sub(
        r"^((?:On|Every|In|Since|After|Before|At|Most|Each|Last|For)\b[^,]{1,40}?),?"
        r" (I(?:['’]\w+)? [^,]{3,200})$",
        lambda m: f"{m[2]} {m[1][0].lower()}{m[1][1:]}",
        clause,
    )
    return re.sub(
        "^((?:比起|平时|周末|每|早上|晚上|工作日|一般|通常|从小|小时候|今年|去年|上个?月|上周"
        "|昨天|前天|睡前|饭后|坐)[^我，]{0,10})我(?!们|的)",
        r"我\1",
        clause,
    )


def _subject(text: str, cast: Participants) -> str | None:
    """Whose sentence it is: somebody of the conversation, the group, or what looks like a name."""
    known = [*cast.people, *([cast.group] if cast.group else [])]
    for name in sorted(known, key=len, reverse=True):
        joined = re.match("[A-Za-z0-9_]{2}", name[-1:] + text[len(name) : len(name) + 1])
        if text.startswith(name) and not joined:
            return name
    found = re.match(
        rf"{_NO_NAME}[A-Z][a-z]{{1,30}}(?: [A-Z][a-z]{{1,30}})?"
        r"(?= (?:is (?:allergic|vegan|vegetarian|from)|likes|loves|hates|lives|works|speaks"
        r"|prefers|moved|has an? )|['’]s birthday)",
        text,
    ) or re.match(
        rf"(?:[小老阿][{HAN}]|[{SURNAMES}][{HAN}]{{1,2}}?)"
        "(?=很|最|特别|非常|也|喜欢|喜爱|讨厌|不喜欢|住在|搬到|对|在|养|会说|的生日)",
        text,
    )
    return found[0] if found and found[0] != cast.bot else None


def _favourite(text: str, cast: Participants) -> Iterator[FactDraft]:
    """ "Sushi is Ann's favourite food", 火锅是安的最爱."""
    who = re.escape(cast.sender or "")
    tongue = rf"(?:[A-Z]\w+) is {who}['’]s (?:native|first|second|mother) (?:language|tongue)"
    if who and re.match(tongue, text):
        yield _fact(text, "language", cast.sender or "")
        return
    shape = (
        rf"(?!It\b|That\b|This\b)\S.{{0,40}} (?:is|are) {who}['’]s (?:all-time"
        rf" )?fav(?:ou?rite)s?\b|[^，。这那它]{{1,12}}是{who}的?最(?:爱|喜欢)"
    )
    if who and re.match(shape, text):
        yield _fact(text, "user_preference", cast.sender or "")


def _of_group(text: str, group: str) -> Iterator[FactDraft]:
    """What a group does or is; the subject is the group, so that it goes to the group's page."""
    rest = text[len(group) :].lstrip()
    often = r"\b(?:every|each|on \w+days|weekly|daily|monthly|always)\b|每|都|一律|固定|定期"
    if re.search(often, rest) and not re.match("(?i)is (?:so|too|very)|太|真|好|很", rest):
        yield _fact(text, "habit", group)
    elif re.match(
        r"is (?:an?|for|about) \S|(?:meets|rules?) \S|的?(?:群规|规定|规则|宗旨|主题|名字"
        r"|暗号)(?:是|为)|是\S{0,16}群$|主要(?:聊|讨论|用来)|用来|成立于|禁止|不允许|不许",
        rest,
    ):
        yield _fact(text, "other", group)


def _gained_a_date(clause: str, text: str) -> bool:
    """A weekday or an hour that became a date: then it tells of one day, not of every one."""
    date = r"\d{4}-\d\d|\d{4}年\d+月"
    return re.search(date, text) is not None and re.search(date, clause) is None


def _is_of_another_year(text: str, local: datetime) -> bool:
    return any(int(year) != local.year for year in re.findall(r"\d{4}(?=年)", text))


def _matched(text: str, who: str, turn: _Turn, is_dated: bool) -> Iterator[FactDraft]:
    cast, rest = turn.cast, text[len(who) :].lstrip()
    shapes = chinese_shapes() if re.search(f"[{HAN}]", rest) else english_shapes()
    for shape in shapes:
        match = shape.pattern.match(rest)
        if match is None:
            continue
        about_other = who != cast.sender
        if about_other and (shape.retracts or shape.category not in _OF_OTHERS):
            return
        if is_dated and shape.category in _UNDATED and shape.life == "lasting":
            return
        if shape.category == "age" and _is_of_another_year(text, turn.local):
            return
        fact = _made(shape, match, text, who, turn.local)
        vague = (
            rf"(?i)\b(?:this|these|those)\b|[这那](?!不勒斯)|(?:喜欢|爱|讨厌)的$|{_DANGLING[4:]}"
        )
        if re.match(f"的?(?:{KIN}|{KNOWN})", rest) and fact.category not in _OF_RELATIVES:
            fact = replace(fact, category="relationship")
        if not re.search(vague, fact.content):
            yield fact
            yield from _employer_of_job(fact, rest)
        return


def _made(shape: Shape, match: re.Match[str], text: str, who: str, local: datetime) -> FactDraft:
    groups = {key: (value or "").strip() for key, value in match.groupdict().items()}
    value = groups.get("value", "")
    content = shape.saying.format(who=who, **groups) if shape.saying else text
    since, until = ("", "") if shape.category in _TIMELESS else validity(text, local)
    changed = re.search(r"\b(?:moved|joined|started|hired)\b|搬|迁|移居|跳槽|入职", text)
    if shape.category in ("residence", "employer") and not since and changed:
        since = f"{local:%Y-%m-%d}"
    is_named = value and shape.category in SINGLE_VALUED
    tags = (*shape.tags, *((value,) if is_named else ()))
    return _fact(
        content,
        shape.category,
        who,
        valid_from=since,
        valid_to=until,
        life=shape.life,
        tags=tags,
        retracts=shape.retracts,
        value=value,
    )


def _cut(text: str) -> str:
    """The statement without what only follows it; a list of things stays whole."""
    text = re.split(r" [-–—] | \((?!\d+\))|（", text, maxsplit=1)[0]
    return re.split(rf"[,，]\s*(?={_FOLLOWS})", text, maxsplit=1)[0].strip()


def _employer_of_job(fact: FactDraft, rest: str) -> Iterator[FactDraft]:
    """ "An electrician at Bord Gais" tells of both."""
    found = re.search(r" (?:at|for) ([A-Z][\w.&'’-]*(?: [A-Z][\w.'’-]*){0,3})", rest)
    if found and fact.category == "job":
        firm = found[1]
        content = f"{fact.subject} works at {firm}"
        yield replace(fact, content=content, category="employer", tags=(firm,), value=firm)
