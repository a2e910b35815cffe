"""Finds other people's words that a message hands on: pasted chats, forwards, "老周跟我说：我…".

"I" in them is whoever said it. A label, a header or a verb of saying with a subject shows that
they are somebody else's; a label that may be a topic (提醒：, Update:) does not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple

from .lazy_regex import lazy_compile
from .speaker_labels import RELATIVES, ROLES, names_person

_HAN = "\u3400-\u9fff"


class OthersWords(NamedTuple):
    """Words of others at `text[said:end]`; what introduces them begins at `start`."""

    start: int
    said: int
    end: int


def others_words(
    text: str, speaker: str | None = None, known: Collection[str] = ()
) -> list[OthersWords]:
    """In order and without overlaps. A line that begins with the speaker's own name is their own.

    `known` are the people of the conversation, whose names a label may be.
    """
    known = {name for name in known if name != speaker}
    found = [
        *_forwarded(text),
        *_under_heads(text, speaker, known),
        *_labelled(text, speaker, known),
        *_told(text, speaker, known),
    ]
    parts: list[OthersWords] = []
    for part in sorted(found, key=lambda part: (part.start, -part.end)):
        if part.said < part.end and (not parts or part.start >= parts[-1].end):
            parts.append(part)
    return parts


_ANNOUNCED = lazy_compile(
    r"(?m)(?<![:/])//[ \t]?@[^\s:：@/]{1,30}[:：]|^[ \t]*(?:RT @[\w-]{1,30}:|"
    # 转发：…, 转发 老周：…, //@老周：…
    r"转发(?:一下)?[ \t]*[:：]|转发自?[ \t]*@?[^\s:：，。,]{1,12}[:：]|转自[^\n:：]{0,20}[:：\n]"
    r"|(?i:fwd?|forwarded)[ \t]*:|(?i:forwarded(?: message)?(?: from [^\n:]{1,40})?)[ \t]*[:\n]"
    r"|[\[【(（]?[^\n:：，。！？]{0,12}(?:聊天|对话|群聊|消息)记录(?:如下)?[\]】)）]?[ \t]*[:：\n]"
    r"|[\[【](?:聊天|对话|群聊|消息)记录[\]】]"
    r"|[\[(]?(?i:(?:chat|message) (?:log|history|transcript))[\])]?[ \t]*[:\n]"
    # 帮我总结下面的聊天, "summarise this conversation:"
    r"|[^\n:：。！？!?]{0,30}(?:下面|以下|这段|这些)[^\n:：。！？，]{0,8}"
    r"(?:聊天|对话|消息|记录|群聊|讨论|发言)[^\n:：。！？，]{0,12}[:：\n]"
    r"|[^\n:.!?]{0,30}\b(?i:summari[sz]e|recap|analy[sz]e|explain|read|look at|check)"
    r" (?i:this|these|the following|the) (?:[a-z]+ ){0,3}"
    r"(?i:chat|conversation|messages?|thread|log|discussion|dms?)"
    r"(?: (?:for me|please|below))?[ \t]*[:\n])"
)


def _forwarded(text: str) -> Iterator[OthersWords]:
    """What follows an announcement of a forward or a chat, to the end: who speaks there is open."""
    match = _ANNOUNCED.search(text)
    if match and text[match.end() :].strip():
        yield OthersWords(match.start(), match.start(), len(text))


_CLOCK = r"(?:[上下]午|晚上|凌晨|中午)? ?\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?"
_DAY = (
    r"(?:\d{4}[-/.年]\d\d?[-/.月]\d\d?日?|\d\d?[-/.]\d\d?[-/.]\d{2,4}|\d\d?月\d\d?日"
    r"|\d\d? [A-Z][a-z]{2,8},? \d{4}|[A-Z][a-z]{2,8} \d\d?,? \d{4}|(?:Today|Yesterday)(?: at)?"
    r"|[今昨前]天|(?:星期|周)[一二三四五六日天])"
)
_MOMENT = rf"(?:{_DAY},? ?)?{_CLOCK}"
_NAME = r"[^\s\[:：，。,!?！？][^\n\[:：，。,!?！？]{0,23}?"
_HEAD = lazy_compile(
    rf"(?m)^[ \t]{{0,3}}(?:(?P<name>{_NAME})(?P<mark>,? ?\[| ?[—–] ?| \(| )"
    rf"(?P<moment>{_MOMENT})[\])]?:?"
    rf"|(?P<moment2>{_DAY},? {_CLOCK}) (?P<name2>{_NAME}))[ \t]*\n(?=[^\n]*\S)"
)


def _under_heads(text: str, speaker: str | None, known: Collection[str]) -> Iterator[OthersWords]:
    """Messages copied with the line above them that has name and time; up to an empty line."""
    start = None
    for match in _HEAD.finditer(text):
        if _is_head(match, known) and (match["name"] or match["name2"]).strip() != speaker:
            start = match.start() if start is None else start
            last = match.end()
    if start is not None:
        gap = text.find("\n\n", last)
        yield OthersWords(start, start, gap if gap >= 0 else len(text))


def _is_head(match: re.Match[str], known: Collection[str]) -> bool:
    """A name and a time; an appointment such as 周会 2026/11/3 10:00 is none."""
    moment = match["moment"] or match["moment2"]
    has_seconds = moment.count(":") > 1
    is_of_messenger = bool(match["mark"]) and match["mark"].strip(" ,") in ("[", "—", "–")
    has_day = re.search(_DAY, moment) is not None
    if has_day and (has_seconds or is_of_messenger):
        return True
    return names_person(match["name"] or match["name2"], known)


_LABEL = lazy_compile(
    rf"(?m)^[ \t]{{0,3}}(?P<time>[\[(（]{_MOMENT}[\])）] ?(?:- )?|{_MOMENT} (?:- )?)?"
    rf"(?:<(?P<nick>[^\s<>]{{1,20}})>(?=[ \t])"
    rf"|(?P<label>[\[【@*]{{0,2}}[^\s\[\]【】@*:：，。,!?！？<>“”\"][^\n\[\]【】@*:：，。,!?！？<>“”\"]{{0,23}}"
    rf"[\]】*]{{0,2}})[ \t]?[:：](?!//|\d\d\b)\*{{0,2}})(?P<said>[^\n]*)$"
)
_SPEAKS = lazy_compile(r"我|咱|俺|你|您|\b(?:[Ii]|[Mm]y|[Mm]e|[Ww]e|[Oo]ur|[Yy]ou)\b")
_LINES = 400


def _labelled(text: str, speaker: str | None, known: Collection[str]) -> Iterator[OthersWords]:
    """Lines that begin with who says them. A label that may be a topic counts beside a name."""
    lines = list(islice(_LABEL.finditer(text), _LINES))
    by_others = [line for line in lines if _is_by_another(line, speaker, known)]
    if len(by_others) > 1:  # a chat: what is between is of it, but for the speaker's own lines
        start = by_others[0].start()
        for line in lines:
            if start < line.start() < by_others[-1].start() and _name(line) == speaker:
                yield OthersWords(start, start, line.start())
                start = line.end()
        yield OthersWords(start, start, _end(by_others[-1]))
        return
    for line in by_others:
        if _SPEAKS.search(text, line.start("said"), _end(line)):
            yield OthersWords(line.start(), line.start(), _end(line))


def _end(line: re.Match[str]) -> int:
    """Where the words of a line end; those of a bare name are below it."""
    if line["said"].strip():
        return line.end()
    below = line.string.find("\n", line.end() + 1)
    return len(line.string) if below < 0 else below


def _name(line: re.Match[str]) -> str:
    return (line["nick"] or line["label"]).strip(" []【】@*")


def _is_by_another(line: re.Match[str], speaker: str | None, known: Collection[str]) -> bool:
    name = _name(line)
    is_called = (line["label"] or "").startswith("@")
    return name != speaker and names_person(f"@{name}" if is_called else name, known)


_OWN_ZH = rf"(?:我们?|咱们?|俺|本人|自己)(?!的?(?:{RELATIVES}|{ROLES}))"
_BEFORE_ZH = (
    r"(?:(?:[昨前今]天|[昨今]晚|[早晚]上|刚刚?|刚才|上午|下午|中午|最近|之前|后来|然后|但是?|可是|结果|因为|所以|而且|听"
    r"|上周|上个?月|去年)[，, ]?)*"
)
_TOLD_ZH = (
    r"(?:[跟和对给向](?P<whom>[^\s，。跟和对给向]{1,8}?)(?:说|讲|留言|发消息|回复|保证|解释|承认)"
    r"|(?:告诉|通知|问|答复|发给|转告)(?P<told>[^\s，。]{1,8}?)"
    r"|说|说道|写道|回道|问道|喊道?|表示|声称|留言|发言|回复|发消息|发来消息|发的?朋友圈|(?:的)?原话)"
    r"(?:过|了|说|的|的是|的话|是|道|一句|如下|说了一句)?"
)
_SAYS_ZH = lazy_compile(
    rf"{_BEFORE_ZH}(?P<who>[^\s，。！？：:“”]{{1,10}}?)"
    r"(?:刚刚?|刚才|昨天|\d{4}年\d{1,2}月\d{1,2}日(?:晚上?|早上)?|今天|昨晚|今早|上次|上周|之前|曾经?|已经|一直|总|老|就|也|都|又|还|私下|偷偷|亲口|在群里|在微信(?:上|里)|微信上)*"
    rf"{_TOLD_ZH}"
)
_SAYS_EN = lazy_compile(
    r"(?:(?:[Aa]nd|[Ss]o|[Bb]ut|[Oo]k(?:ay)?|[Tt]oday|[Yy]esterday|[Ll]ast night"
    r"|[Tt]his morning|[Bb]tw|[Ll]ol|[Hh]ey)[, ]+)*"
    r"(?:(?P<who>[Hh]e|[Ss]he|[Tt]hey|[Ss]omebody|[Ss]omeone"
    r"|[Mm]y (?:[a-z]+ ){0,2}[a-z]+|[Tt]he [a-z]+"
    r"|[A-Z][\w'’-]{1,20}(?: [A-Z][\w'’-]{1,20})?)"
    r"(?: (?:just|also|once|then|later|always|has|had|literally|recently|yesterday|today)){0,2}"
    r" (?:(?:told|tells|texted|texts|messaged|messages|emailed|asked|answered|dm['’]?d|pinged)"
    r" (?:me|us|him|her|them|everyone|everybody|[A-Z][a-z]+)"
    r"|said|says|wrote|writes|texted|messaged|replied|posted|announced|tweeted)"
    r"(?: to (?:me|us|him|her|them))?"
    r"(?: (?:today|yesterday|this morning|last night|last week|earlier|once|on [A-Z]\w+"
    r"|in the (?:group|chat)|by mail|that|this)){0,2}"
    r"|(?P<whose>[A-Z][\w'’-]{1,20}?|[Mm]y [a-z]+|[Hh]is|[Hh]er)(?:['’]s)? (?:exact )?words"
    r"|(?:[Qq]uot(?:e|ing)|(?:[Aa] )?[Mm]essage from|[Ff]rom|[Aa]ccording to)"
    r" (?P<from>[A-Z][\w'’-]{1,20}))"
)
_NOBODY_EN = frozenset(
    """
That This It Truth Enough Easier Having Being Nuff Well Like As I We You My Our What Who Nobody No
Here There When Then If Once Also Still Just Not
""".split()
)
_COLON = lazy_compile(r"[:：](?!//|\d\d\b)|(?<=原话)(?:就?是|如下)(?![:：])[，, ]?")
_INTRODUCED = 60
_OPENS = lazy_compile(r"[ \t]*[“\"「『'‘]")
_COLONS = 100


def _told(text: str, speaker: str | None, known: Collection[str]) -> Iterator[OthersWords]:
    """Words behind "Alice told me:" or 老周跟我说：, to the end of the line or, if it is empty, of
    the next one. What the speaker told others is the speaker's own."""
    for count, colon in enumerate(_COLON.finditer(text)):
        if count == _COLONS:
            return
        if _OPENS.match(text, colon.end()):
            continue  # direct speech: its marks say where it ends
        before = text[max(0, colon.start() - _INTRODUCED) : colon.start()]
        clause = re.split(r"[。！？!?\n；;]|\.\s", before)[-1].strip()
        if _says_another(clause, speaker, known):
            end = text.find("\n", colon.end())
            if end >= 0 and not text[colon.end() : end].strip():
                end = text.find("\n", end + 1)
            end = len(text) if end < 0 else end
            if _SPEAKS.search(text, colon.end(), end):
                yield OthersWords(colon.start() - len(clause), colon.end(), end)


def _says_another(clause: str, speaker: str | None, known: Collection[str]) -> bool:
    """Whether the clause tells that somebody besides the speaker says what follows."""
    if re.search(f"[{_HAN}]", clause):
        clause = re.split("[，,]", clause)[-1].strip()
        if re.match(rf"{_BEFORE_ZH}{_OWN_ZH}", clause):
            return False
        said = _SAYS_ZH.fullmatch(clause)
        if said is None or said["who"] == speaker:
            return False
        whom = said["whom"] or said["told"] or ""
        told_me = whom.startswith(("我", "咱")) or whom == speaker
        return told_me or names_person(said["who"], known)
    said = _SAYS_EN.fullmatch(clause)
    if said is None:
        return False
    who = said["who"] or said["whose"] or said["from"]
    return who != speaker and who.split()[0] not in _NOBODY_EN
