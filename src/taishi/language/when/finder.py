"""Finding time expressions in text and resolving them against a reference instant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Literal

from ..input_limits import MOST_TIMES
from ..lazy_regex import lazy_compile
from ..text import sentence_around
from .calendar import Grain, Period, Prefer, View
from .chinese import chinese_rules
from .compose import compose
from .english_clock import clock_rules
from .english_date_rules import date_rules
from .english_relative_rules import relative_rules
from .readings import sure_readings
from .rules import DIGIT, Rule
from .time_parts import TimePart

Leaning = Literal["past", "future", "near"]
Kind = Literal["date", "daterange", "datetime", "datetimerange", "time", "timerange", "duration"]

_CHUNK = 4000
_EDGE = 100  # what stands so near to where reading ends may belong to what was not read
_REACH = 200  # characters of a sentence that are read on either side of a time
_FUTURE = lazy_compile(
    r"\b(?:will|shall|might|going to|gonna|plan(?:s|ning)? to|(?:i|we|you|he|she|they)['’]ll"
    r"|let['’]s|schedule|book|remind|please|see you|need to|have to|due|deadline)\b"
    r"|将(?!军)|(?<![主重需必首])要(?![求点是素不么])|会(?=去|在|来|有|到)|打算|准备|计划"
)
_BY = lazy_compile(r"\b(?:by|until|till)(?: the)?\s+$|(?:[改推延]到|推迟到|等到|截止到?)了?$")
_PAST = lazy_compile(
    r"\b(?:went|did|was|were|had|came|saw|met|got|happened|ago|bought|left|been|\w{3,}ed)\b|了|过(?!生日|年|节|来|去)"
)
# A number that is a time without a word of time beside it: a year, or digits with marks or letters.
_TELLING_NUMBER = lazy_compile(r"[0-9]{3}|[0-9][^\s0-9?!]")


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time expression at `text[start:end]` and what it means: `begin` up to `until`, excluded.

    `until` equals `begin` for an instant. A stretch said as "from X to Y" ends where Y begins. A
    feast or a lunar date has a `name`.
    """

    start: int
    end: int
    text: str
    kind: Kind
    begin: datetime
    until: datetime
    grain: Grain
    relative: bool
    name: str = ""


def find_times(text: str, reference: datetime, prefer: Leaning = "past") -> list[TimeSpan]:
    """Return the time expressions in a text, in order and without overlap.

    Days without a year and weekdays go the way `prefer` says, unless the words around them are
    plainly about the future or the past. With "near" only what is sure is returned: the tense of
    their own clause decides, and what may mean two things is left out. Reading ends after
    `MOST_TIMES` words of time, so that no text can hold up its reader.
    """
    spans: list[TimeSpan] = []
    left = MOST_TIMES
    plain = text.lower() if text.isascii() else text.translate(_folding())
    for first, last in _chunks(plain):
        chunk = plain[first:last]
        pieces = _pieces(chunk, text[first:last], left)
        views = _views(reference, prefer) if pieces else {}
        left -= len(pieces)
        read_to = len(chunk) if left > 0 else pieces[-1].start - _EDGE
        for piece, period in _read(chunk, pieces, views, prefer) if pieces else ():
            if piece.end <= read_to:
                spans.append(_span(text, first, piece, period, reference))
        if left <= 0:
            break
    return spans


def _read(
    chunk: str, pieces: list[TimePart], views: dict[Prefer, View], prefer: Leaning
) -> Iterator[tuple[TimePart, Period]]:
    if prefer == "near":
        yield from sure_readings(chunk, compose(chunk, pieces, sure=True), views)
        return
    for piece in compose(chunk, pieces):
        period = _resolved(piece, views[_lean(chunk, piece, prefer)])
        if period is not None:
            yield piece, period


def _views(reference: datetime, prefer: Leaning) -> dict[Prefer, View]:
    now, zone, sure = reference.replace(tzinfo=None), reference.tzinfo, prefer == "near"
    return {"past": View(now, "past", zone, sure), "future": View(now, "future", zone, sure)}


@cache
def _folding() -> dict[int, int]:
    """One character for one, so that positions hold: lower case, half width, simplified."""
    table = {ord(c): ord(c.lower()) for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    table |= {0xFF01 + i: 0x21 + i for i in range(94) if i not in (ord("，") - 0xFF01,)}
    table |= {0xFF21 + i: 0x61 + i for i in range(26)}
    table |= {ord("，"): ord(","), 0x3000: 0x20, 0xA0: 0x20}
    pairs = zip(
        "週後個點禮號鐘時間來這內聖誕慶勞動節兒師從還過現剛當兩國淩裡將會聽尋晝農曆陰舊臘龍準備計劃開課試飛見買說幾歲",
        "周后个点礼号钟时间来这内圣诞庆劳动节儿师从还过现刚当两国凌里将会听寻昼农历阴旧腊龙准备计划开课试飞见买说几岁",
        strict=True,
    )
    return table | {ord(a): ord(b) for a, b in pairs}


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    """Cut a long text at line and sentence ends, so that one page cannot slow the next."""
    start = 0
    while len(text) - start > _CHUNK:
        cut = start + _CHUNK
        for mark in ("\n", "。", ". ", " ", ","):
            found = text.rfind(mark, start + _CHUNK // 2, start + _CHUNK)
            if found > 0:
                cut = found + len(mark)
                break
        yield start, cut
        start = cut
    yield start, len(text)


def _pieces(chunk: str, original: str, most: int) -> list[TimePart]:
    """The first `most` pieces, without overlaps: the leftmost, then the longest."""
    index = _rule_index()
    words = set(index.token.findall(chunk))
    if words.isdisjoint(index.telling) and not _TELLING_NUMBER.search(chunk):
        return []
    starts = [
        (token.start(), DIGIT if (word := token.group())[0].isdigit() else word)
        for token in index.token.finditer(chunk)
    ]
    present = {word for _, word in starts}
    pieces: list[TimePart] = []
    if present.isdisjoint(index.telling):
        return pieces
    present.update(chunk)
    reached = 0
    for start, word in starts:
        if start < reached or word not in index.rules:
            continue
        if len(pieces) >= most:
            break
        matches = [
            (-match.end(), order, rule, match)
            for order, rule in enumerate(index.rules[word])
            if (not rule.needs or not rule.needs.isdisjoint(present))
            and (match := rule.pattern.match(chunk, start))
        ]
        if len(matches) > 1:
            matches.sort(key=lambda found: found[:2])
        for _, _, rule, match in matches:
            piece = rule.build(match, original)
            if piece is not None:
                reached = match.end()
                pieces.append(piece.at(match))
                break
    return pieces


@dataclass(frozen=True, slots=True)
class _RuleIndex:
    """Rules by the token they begin with, and the tokens without which a text has no times."""

    rules: dict[str, tuple[Rule, ...]]
    token: re.Pattern[str]
    telling: frozenset[str]


@cache
def _rule_index() -> _RuleIndex:
    rules = date_rules() + relative_rules() + clock_rules() + chinese_rules()
    by_token: dict[str, list[Rule]] = {}
    for rule in rules:
        for token in rule.first:
            by_token.setdefault(token, []).append(rule)
    telling = {token for rule in rules for token in (rule.needs or rule.first)}
    characters = "".join(sorted(t for t in telling | by_token.keys() if t >= "一" or t == "〇"))
    return _RuleIndex(
        {token: tuple(found) for token, found in by_token.items()},
        re.compile(rf"[a-z]+|[0-9]+|[{characters}]"),
        frozenset(telling - {"a", "p", "c", "q", "h"}),
    )


def _lean(chunk: str, piece: TimePart, prefer: Prefer) -> Prefer:
    """Which way an ambiguous piece points, by the verbs of its sentence."""
    if not piece.floating and piece.role != "range":
        return prefer
    first, last = sentence_around(chunk, piece.start, piece.end, _REACH, semicolons=False)
    future = _nearness(_FUTURE, chunk, first, last, piece)
    past = _nearness(_PAST, chunk, first, last, piece)
    by = _BY.search(chunk, max(0, piece.start - 12), piece.start)
    if future == past:
        return "future" if by else prefer
    return "future" if future < past else "past"


def _nearness(cue: re.Pattern[str], chunk: str, first: int, last: int, piece: TimePart) -> int:
    """How far the nearest such cue is; one before the piece counts as nearer than one after."""
    far = len(chunk) + 1
    before = [found.end() for found in cue.finditer(chunk, first, piece.start)]
    if before:
        return piece.start - before[-1]
    after = cue.search(chunk, piece.end, last)
    return far + after.start() if after else 3 * far


def _resolved(piece: TimePart, view: View) -> Period | None:
    """Resolve; an expression beyond the calendar's years (1 to 9999) has no answer."""
    try:
        return piece.resolve(view)
    except (ValueError, OverflowError):
        return None


def _span(text: str, offset: int, piece: TimePart, period: Period, reference: datetime) -> TimeSpan:
    start, end = offset + piece.start, offset + piece.end
    return TimeSpan(
        start,
        end,
        text[start:end],
        _kind(piece, period),
        period.begin.replace(tzinfo=reference.tzinfo),
        period.until.replace(tzinfo=reference.tzinfo),
        period.grain,
        piece.relative,
        piece.name and _as_written(text, piece.name, start, end),
    )


def _as_written(text: str, name: str, start: int, end: int) -> str:
    """The name with its capitals, which the folded text has lost."""
    written = text[start:end]
    at = written.lower().find(name)
    return written[at : at + len(name)] if at >= 0 else name


def _kind(piece: TimePart, period: Period) -> Kind:
    if period.grain in ("minute", "hour", "part"):
        instant = period.begin == period.until
        if piece.dated:
            return "datetime" if instant else "datetimerange"
        return "time" if instant else "timerange"
    one_day = (period.until - period.begin).days == 1 and piece.role != "range"
    return "date" if one_day else "daterange"
