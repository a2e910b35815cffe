"""Finds the parts of a text that are not the speaker's own: code, quoted mail, pasted chats.

"I" in a quoted mail is whoever wrote the mail; "now" in a code block is a variable. Such parts are
kept as they are: nothing in them is resolved, and nothing is learned from them. Supposed cases
("Suppose I live in Berlin") are the speaker's words, but no statement of what is so.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from .lazy_regex import lazy_compile
from .others_words import others_words
from .text import sentence_spans


@dataclass(frozen=True, slots=True, order=True)
class QuotedSpan:
    """A stretch of text that is kept as it is, and why."""

    start: int
    end: int
    kind: Literal["code", "quoted"]


def unread_ranges(
    text: str, speaker: str | None = None, known: Collection[str] = ()
) -> list[QuotedSpan]:
    """Code and quoted stretches, in order, without overlaps.

    `known` are the people of the conversation: their names before a colon are no topic.
    """
    if not _MAY_QUOTE.search(text):
        return []
    others = others_words(text, speaker, known)
    told = [QuotedSpan(part.said, part.end, "quoted") for part in others]
    return _without_overlaps([*_code(text), *_pasted(text), *_given(text), *told])


def quoted_stretches(
    text: str, speaker: str | None = None, known: Collection[str] = ()
) -> list[tuple[int, int]]:
    """The words of others with what introduces them, so that each can stand alone; not what is
    only handed over to be translated or corrected."""
    if not _MAY_QUOTE.search(text):
        return []
    others = others_words(text, speaker, known)
    told = [QuotedSpan(part.start, part.end, "quoted") for part in others]
    found = _without_overlaps([*_code(text), *_pasted(text), *told])
    return [(part.start, part.end) for part in found if part.kind == "quoted"]


_MAY_QUOTE = lazy_compile(r"[`>＞:：—]|--|记录|原话|Forwarded")


def _pasted(text: str) -> Iterator[QuotedSpan]:
    yield from _tags(text)
    yield from _mails(text)
    yield from _transcripts(text)
    yield from _headed(text)


def code_ranges(text: str) -> list[tuple[int, int]]:
    """Code only."""
    if "```" not in text and "</" not in text:
        return []
    return [(part.start, part.end) for part in unread_ranges(text) if part.kind == "code"]


def map_own_words(
    text: str,
    change: Callable[[str], str],
    speaker: str | None = None,
    known: Collection[str] = (),
) -> str:
    """The text with `change` made to what is neither code nor quoted."""
    pieces = _pieces(text, unread_ranges(text, speaker, known))
    return "".join(change(part) if is_own else part for part, is_own in pieces)


def _pieces(text: str, unread: Iterable[QuotedSpan]) -> Iterator[tuple[str, bool]]:
    position = 0
    for part in unread:
        yield text[position : part.start], True
        yield text[part.start : part.end], False
        position = part.end
    yield text[position:], True


def hypotheses(text: str) -> Iterator[tuple[int, int]]:
    """Sentences that begin as a supposed case, as a whole."""
    if not _supposes(text):
        return
    for start, _, end in sentence_spans(text, semicolons=False):
        if _SUPPOSED.match(text[start:end]):
            yield start, end


def direct_speech(text: str) -> Iterator[tuple[int, int]]:
    """What somebody is quoted to have said; a title in quotes is none."""
    for match in _SPEECH.finditer(text):
        yield match.span("said")


def _without_overlaps(parts: Iterable[QuotedSpan]) -> list[QuotedSpan]:
    spans: list[QuotedSpan] = []
    for part in sorted(parts, key=lambda part: (part.start, -part.end)):
        if not spans or part.start >= spans[-1].end:
            spans.append(part)
    return spans


def _code(text: str) -> Iterator[QuotedSpan]:
    for match in re.finditer(r"(?s)```.*?(?:```|\Z)|`[^`\n]{1,300}`", text):
        yield QuotedSpan(*match.span(), "code")


_FORMATTING = frozenset(
    "b i u s em strong span p div a li ul ol h1 h2 h3 h4 td tr th sub sup".split()
)
_CODE_TAGS = frozenset("code pre script style".split())
_HISTORY_TAG = r"(?i)(?:chat|history|conversation|transcript|context|memor|messages?|log)"


def _tags(text: str) -> Iterator[QuotedSpan]:
    """<chat_history>…</chat_history> and the like; a history that is not closed goes on."""
    closing: dict[str, list[int]] = defaultdict(list)
    for match in re.finditer(r"</([A-Za-z][\w-]{0,40})>", text):
        closing[match[1].lower()].append(match.end())
    position = 0
    for match in re.finditer(r"<([A-Za-z][\w-]{0,40})(?: [^<>\n]{0,200})?>", text):
        name = match[1].lower()
        if match.start() < position or name in _FORMATTING:
            continue
        ends = closing[name]
        next_end = bisect_right(ends, match.end())
        if next_end < len(ends):
            position = ends[next_end]
        elif re.search(_HISTORY_TAG, name):
            position = len(text)
        else:
            continue
        yield QuotedSpan(match.start(), position, "code" if name in _CODE_TAGS else "quoted")


_MAIL_INTRO = (
    r"(?m)^(?:On [^\n]{4,200} wrote:|在? ?[^\n]{4,100}(?:写道|寫道)[:：]"
    r"|-{2,12} ?(?:Original Message|Forwarded message|原始邮件|转发的邮件|轉寄郵件) ?-{2,12})"
    r"[ \t]*$"
)


def _mails(text: str) -> Iterator[QuotedSpan]:
    """Lines with >, and what follows "On … wrote:" where the mail has no such marks."""
    quoted = [match.span() for match in re.finditer(r"(?m)^[ \t]{0,3}[>＞][^\n]*$", text)]
    for start, end in quoted:
        yield QuotedSpan(start, end, "quoted")
    intro = re.search(_MAIL_INTRO, text)
    if intro:
        has_marks = any(start > intro.start() for start, _ in quoted)
        yield QuotedSpan(intro.start(), intro.end() if has_marks else len(text), "quoted")


_ROLES = frozenset(
    "user assistant system human ai bot me you 用户 助手 系统 机器人 我 客服 对方 问 答 q a".split()
)
_LABEL = lazy_compile(
    r"(?m)^[ \t]{0,3}(?:[\[(（]?(?P<clock>(?:\d{4}[-/.]\d\d?[-/.]\d\d? )?\d{1,2}:\d\d(?::\d\d)?)"
    r"[\])）]? ?)?"
    r"(?:\*\*|<)?(?P<label>[^\s:：<>*，。,.!?！？\[\]()（）\"“”]{1,20}"
    r"(?: [^\s:：<>*，。,.!?！？\[\]()（）\"“”]{1,20})?)"
    r"(?:\*\*|>)?(?: [\[(（]?\d{1,2}:\d\d[\])）]?)?(?:\*\*)?[:：](?!//|\d\d\b)[ \t]?\S[^\n]*$"
)


def _transcripts(text: str) -> Iterator[QuotedSpan]:
    """Runs of lines that each begin with who speaks."""
    run: list[re.Match[str]] = []
    for match in _LABEL.finditer(text):
        if run and text[run[-1].end() : match.start()].strip():
            yield from _transcript(run)
            run = []
        run.append(match)
    yield from _transcript(run)


def _transcript(run: list[re.Match[str]]) -> Iterator[QuotedSpan]:
    """A list of "name: value" lines is a chat if a speaker is a role, recurs or has a time."""
    if len(run) < 2:
        return
    labels = Counter(match["label"].casefold() for match in run)
    has_times = sum(1 for match in run if match["clock"]) >= 2
    if has_times or _ROLES & labels.keys() or (len(labels) > 1 and max(labels.values()) > 1):
        yield QuotedSpan(run[0].start(), run[-1].end(), "quoted")


_CHAT_HEAD = lazy_compile(
    r"(?m)^[ \t]{0,3}"
    r"(?:[^\s:：，。,.!?！？]{1,20} (?:\d{4}[-/]\d\d?[-/]\d\d? )?\d{1,2}:\d\d(?::\d\d)?"
    r"|\d{4}[-/]\d\d?[-/]\d\d? \d{1,2}:\d\d(?::\d\d)? [^\s:：，。,.!?！？]{1,20})[ \t]*$"
)


def _headed(text: str) -> Iterator[QuotedSpan]:
    """Chats copied from a messenger: a line with name and time above each message."""
    heads = list(_CHAT_HEAD.finditer(text))
    if len(heads) > 1:
        gap = text.find("\n\n", heads[-1].end())
        yield QuotedSpan(heads[0].start(), gap if gap >= 0 else len(text), "quoted")


_GIVEN = lazy_compile(
    r"(?:\b(?i:translate|correct|fix|polish|proofread|rephrase|paraphrase|rewrite|reword)"
    r" (?:[\w'’]+ ){0,3}?(?i:this|these|the following)\b"
    r"|\b(?i:translat|correct|fix|polish|proofread|rephras|paraphras|rewr[io]te|reword|improv|edit)"
    r"[a-z]{0,3} (?:[\w'’]+ ){0,4}?"
    r"(?i:sentences?|texts?|paragraph|e-?mail|message|phrase|wording)\b"
    r"|(?:翻译|翻譯|润色|潤色|校对|校對)(?:一下|下)?(?=[:：成])"
    r"|(?:翻译|翻譯|改改|改一下|修改|改正|改写|改寫|润色|潤色|校对|校對|纠正|糾正|翻一下)"
    r"[^:：\n。！？]{0,12}(?:[这這句]|段话|段話|[中英]文|文章|作文|稿|邮件|信))"
    r"[^:：\n。！？.!?]{0,24}[:：][ \t]*\n?(?P<given>(?:[^\n]|\n(?!\n))+)"
)


def _given(text: str) -> Iterator[QuotedSpan]:
    """What is handed over to be translated or corrected, up to an empty line."""
    for match in _GIVEN.finditer(text):
        yield QuotedSpan(*match.span("given"), "quoted")


_FIGURE = lazy_compile(
    "(?:[昨今明]天|[昨今明]日|[去今明]年|过去|未来|现在|当年)的(?:我们?|你们?|您|他们?|她们?|咱们?|自己)[^，。！？；,!?;\n]*"
)


def figures_of_speech(text: str) -> Iterator[tuple[int, int]]:
    """昨天的我你爱理不理: a self of another time is no day, and its "you" is anybody."""
    for match in _FIGURE.finditer(text):
        yield match.span()


_SUPPOSED = lazy_compile(
    # Starts only where a run of other marks starts, and takes it whole: linear in any text.
    r"(?<!\W)(?P<marks>\W*+)(?<!\w)(?="
    r"(?P<english>(?i:(?:so|but|ok|okay|and|well),? )?(?i:(?:suppose|supposing"
    r"|imagine|assume|assuming"
    r"|pretend|let['’]?s say|let['’]?s assume|say)(?: that)? (?:i|we|you|my|our|he|she"
    r"|they|it|there|an?|the)\b"
    r"|what if\b|hypothetically\b|if (?:i|we|he|she) (?:were|was|had (?!to\b))|were i\b))"
    r"|(?:那|但|可是)?(?:假如|假设|假設|假定|假使|倘若|设想|想象一下|(?:如果|要是)(?:我|咱)))"
)


def _supposes(text: str) -> bool:
    """Whether some sentence begins as a supposed case."""
    for match in _SUPPOSED.finditer(text):
        ends = ".!?\n" if match["english"] else "。！？\n"
        if match.start() == 0 or any(mark in match["marks"] for mark in ends):
            return True
    return False


_SPEECH = lazy_compile(
    r"(?:\b(?:said|says|say|told|tells|asked|asks|wrote|replied|texted|shouted|goes"
    r"|went like)\b|[说問问写喊讲回道曰说說])"
    r"[^\"“”「」\n]{0,16}[\"“「](?P<said>[^\"“”「」\n]{1,300})[\"”」]"
)
