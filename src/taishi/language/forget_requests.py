"""Recognises requests to forget something, or not to remember it, in English and Chinese (O2).

"Please forget that I live in Cork", "my salary is 90k, don't remember that", 别记住我的工资. Not
"I forgot my keys", "don't forget that …", 别忘了…, nor "forget what I said about Berlin", which
takes back what was said and is understood by the historian.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .chat_markup import without_address
from .clauses import content
from .courtesies import says_nothing
from .forget_matters import matter_end
from .forget_patterns import (
    CLAUSE_START,
    CONTINUES,
    EVERYTHING_SAID,
    HOLDS_NOW,
    JOINT,
    OPENING,
    OPENING_ZH,
    POINTING,
    POINTING_IF_ASKED,
    POINTING_ZH,
    REPORT,
    REPORTED,
    REQUEST,
    REQUEST_IF_ASKED_ZH,
    REQUEST_ZH,
    RETOLD,
    SUPPOSED,
    TRADITIONAL,
    WORTH_READING,
)
from .forget_topics import TOPIC, TOPIC_REPORT, TOPIC_REPORT_ZH, TOPIC_RETOLD, TOPIC_ZH
from .lazy_regex import lazy_compile
from .text import SentenceSpan, sentence_spans

MOST_CHARS = 20_000
MOST_OPENINGS = 12  # "please", "Claude,", "can you" … before a request
REPEATED_SHARE = 0.5  # of the words of a bot's sentence that stand in the request
LEAST_WORDS = 2
_NAME = lazy_compile(r"(?<=\w )(?!I\b)[A-Z][\w'’-]+|\w*\d\w*|[一二两三四五六七八九十百千万]{2,}")
_CALLED = lazy_compile("\\W*[小阿老][\u4e00-\u9fff]{1,2}[，,：:！!\\s]+")  # 小史，…
LONGEST = 600  # characters of a sentence that are read: keeps the patterns cheap


@dataclass(frozen=True, slots=True)
class _Found:
    """A request in a sentence, from `start` on. `points`: its object is what was said before it.
    `end`: where the request itself ends, if what follows may be kept."""

    start: int
    points: bool = False
    end: int | None = None


@dataclass(frozen=True, slots=True)
class _Around:
    """What a sentence stands in. `is_asked`: the bot is addressed by its name; `is_alone`: the
    text says nothing else; `after` is what follows."""

    is_asked: bool = False
    is_alone: bool = False
    after: str = ""


@dataclass(frozen=True, slots=True)
class RequestedWords:
    """What the requests of one turn say, to recognise where the turn says it again."""

    words: tuple[frozenset[str], ...] = ()
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, requests: Iterable[str]) -> RequestedWords:
        said = list(requests)
        names = (name for one in said for name in _NAME.findall(one))
        return cls(tuple(content(one) for one in said), frozenset(names))

    def without_repeats(self, text: str, by_bot: bool = False) -> str:
        """The text without sentences that say what is to be forgotten: a person's own only if all
        of their words stand in a request, as "I live in Dublin" is not "I live in Cork"; a bot's
        also if they have a name or number of it."""
        kept, at = "", 0
        for span in sentence_spans(text) if self.words else ():
            if self._is_repeated(text[span.start : span.end], by_bot):
                kept, at = kept + text[at : span.start], span.end
                while at < len(text) and text[at] == " ":
                    at += 1
        return (kept + text[at:]).strip() if at else text

    def _is_repeated(self, sentence: str, by_bot: bool) -> bool:
        words = content(sentence)
        if by_bot and not self.names.isdisjoint(_NAME.findall(sentence)):
            return True
        share = REPEATED_SHARE if by_bot else 1.0
        least = max(LEAST_WORDS, share * len(words))
        return any(len(words & request) >= least for request in self.words)


def without_forget_requests(
    text: str, by_bot: bool = False, bot: str | None = None
) -> tuple[str, tuple[str, ...]]:
    """The text without the sentences that ask to forget something, and what they said. With
    `by_bot`, also without those that report that something was forgotten. `bot` is the bot's name:
    what begins or ends with it is said to the bot."""
    if not WORTH_READING.search(text[:MOST_CHARS]):
        return text, ()
    said, is_asked = (text, False) if by_bot else _said_to(bot, text)
    kept, gone = _without_requests(said, by_bot, is_asked)
    return (kept, gone) if gone else (text, ())


def _said_to(bot: str | None, text: str) -> tuple[str, bool]:
    """The text without the names that it calls, and whether the bot's is one of them."""
    said = without_address(text, bot)
    if not bot or bot.casefold() not in text.casefold():
        return said, False
    name = re.escape(bot)
    if said == text:
        first = rf"^\W*{name}(?=把[^，。]{{1,60}}忘(?:掉|了吧|记吧))"
        said = re.sub(rf"(?i){first}|(?<=[啊呀哦吧了]){name}\W*$", "", text)
    called = text.replace(said, "", 1)
    return said, bot.casefold() in called.casefold()


def _without_requests(text: str, by_bot: bool, is_asked: bool) -> tuple[str, tuple[str, ...]]:
    spans = list(sentence_spans(text[:MOST_CHARS]))
    said = [text[span.start : span.end] for span in spans]
    is_alone = sum(not says_nothing(one) for one in said) == 1
    gone: list[tuple[int, int]] = []
    is_continued = False
    for number, (span, sentence) in enumerate(zip(spans, said, strict=True)):
        if is_continued and CONTINUES.match(sentence):
            gone.append((span.start, span.end))
            continue
        around = _Around(is_asked, is_alone, "".join(said[number + 1 : number + 2])[:LONGEST])
        cut = _cut(sentence, by_bot, around)
        is_continued = bool(cut)
        gone += [(span.start + start, span.start + end) for start, end in cut]
        if cut and number and _is_only_pointing(sentence):
            before = spans[number - 1]
            gone.append((before.start, before.end))
    return _without(text, gone, spans), tuple(text[start:end] for start, end in gone)


def _cut(sentence: str, by_bot: bool, around: _Around) -> list[tuple[int, int]]:
    """What of a sentence is a request, from where to where."""
    plain = sentence[:LONGEST].translate(TRADITIONAL)
    if by_bot and any(row.search(plain) for row in (REPORT, TOPIC_REPORT, TOPIC_REPORT_ZH)):
        return [(0, len(sentence))]
    if RETOLD.match(plain) or TOPIC_RETOLD.match(plain):
        return [(0, len(sentence))]
    found = None if SUPPOSED.match(plain) else _request(plain, around)
    if found is None:
        return []
    begin = 0 if found.points else _kept_before(plain, found.start)
    end = _new_statement(plain, found.start)
    if end is None and found.end is not None:
        end = _other_clause(plain, found.end)
    return [(begin, len(sentence) if end is None else end)]


def _request(plain: str, around: _Around) -> _Found | None:
    for boundary in CLAUSE_START.finditer(plain):
        start = boundary.end()
        if REPORTED.search(plain, max(0, start - 80), start):
            return None
        at, is_asked = after_openings(plain, start)
        if EVERYTHING_SAID.match(plain, at):
            continue
        if any(row.match(plain, at) for row in (REQUEST, REQUEST_ZH, TOPIC, TOPIC_ZH)):
            return _Found(start)
        is_polite = around.is_asked or plain.rstrip(" .。!！").endswith(("please", "pls"))
        is_alone = around.is_alone and after_openings(plain, 0)[0] >= start
        asks = {"is_asked": is_polite, "is_alone": is_alone}
        if (end := matter_end(plain, start, at, **asks, after=around.after)) is not None:
            return _Found(start, end=end)
        is_asked = is_asked or is_polite or plain.rstrip(" .。!！").endswith("吧")
        if is_asked and REQUEST_IF_ASKED_ZH.match(plain, at):
            return _Found(start)
        if POINTING.match(plain, at) or POINTING_ZH.match(plain, at):
            return _Found(start, points=True)
        if is_asked and POINTING_IF_ASKED.match(plain, at):
            return _Found(start, points=True)
    return None


def after_openings(plain: str, start: int) -> tuple[int, bool]:
    """Where a clause begins behind "please", "Claude," and the like, and whether one of them asks
    the bot for something."""
    at, is_asked = start, False
    for _ in range(MOST_OPENINGS):
        found = OPENING.match(plain, at) or OPENING_ZH.match(plain, at)
        if found is None or found.end() == at:
            break
        is_asked = is_asked or found["asks"] is not None
        at = found.end()
    return at, is_asked


def _kept_before(plain: str, start: int) -> int:
    """Where the request begins: behind what else the sentence says."""
    before = plain[:start]
    if re.search(r"(?i)\b(?:told you|said|mentioned)\b|告诉过?你|说过|提过", before):
        return 0
    at, _ = after_openings(plain, 0)
    if at >= start or not re.search(r"\w", before) or _CALLED.fullmatch(before):
        return 0
    joint = JOINT.search(before)
    return joint.start() if joint else start


def _new_statement(plain: str, start: int) -> int | None:
    """Where a later clause of the sentence says what holds instead."""
    for mark in re.finditer(r"[,，;；]\s*", plain[start:]):
        at = start + mark.end()
        clause = re.split(r"[,，;；]", plain[at:], maxsplit=1)[0]
        if HOLDS_NOW.search(clause):
            return at
    return None


def _other_clause(plain: str, end: int) -> int | None:
    """Where what is said after a request begins, unless it only says more of the same matter."""
    rest = re.compile(r"[\s,，;；—–-]*(?:(?:and|but)\b\s*)?").match(plain, end)
    at = rest.end() if rest else end
    if CONTINUES.match(plain[at:]) or not re.search(r"\w", plain[at:]):
        return None
    return None if _request(plain[at:], _Around()) else at


def _is_only_pointing(sentence: str) -> bool:
    """Whether it is about the sentence before it: "don't remember that", not 这句别记：……"""
    found = _request(sentence[:LONGEST].translate(TRADITIONAL), _Around())
    if found is None or not found.points or sentence[: found.start].strip(" ,，"):
        return False
    return not re.search(r"[:：]\s*\w", sentence[found.start :])


def _without(text: str, gone: list[tuple[int, int]], spans: Sequence[SentenceSpan]) -> str:
    if not gone:
        return text
    closing = {span.end: text[span.end - 1 : span.end] for span in spans}
    kept, at = "", 0
    for start, end in sorted(gone):
        if start < at:
            continue
        kept = _joined(kept, text[at:start])
        is_whole = any(span.start == start for span in spans)
        if not is_whole and closing.get(end, "") in tuple("。！？"):
            kept = kept.rstrip() + closing[end]
        at = end
    return _joined(kept, text[at:]).strip()


def _joined(kept: str, rest: str) -> str:
    """One space, not two, where a sentence was."""
    return kept + (rest.lstrip(" ") if not kept or kept[-1].isspace() else rest)
