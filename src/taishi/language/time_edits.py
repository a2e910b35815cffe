"""Replaces time expressions by dates, with the prepositions that the sentence needs."""

from __future__ import annotations

import re
from datetime import datetime

from .gate import Fault
from .text_edits import capital_like, has_han
from .time_rewrite import vague_phrases, vague_times
from .when import TimeSpan, render

TextEdit = tuple[int, int, str]
"""Where a text changes, from and to, and what stands there afterwards."""


PREPOSITION = (
    r"\b(?:on|in|at|by|since|until|till|from|before|after|of|for|to|during|between|through|around"
    r"|near|over|than|the) $"
)
_DAY_SAID = r"(?:day|night|morning|week|month|[天日号周月年晚早末一二三四五六])\s?$"
_OWNED = r"(?:\b(?:my|your|his|her|our|their|whole|entire|long|nice|great)|['’]s) $"
_WHO = "[我你他她们俺咱您]$"
_LISTED = r",? (?:and|or|&) |, "
_OFFSET = (
    r"\b(?:ago|from now)$|^in (?!the )|(?:小时|小時|分钟|分鐘|刻钟|钟头|秒钟?)[之以]?[前后後]$"
)
_COUNTED = r"\b(?:second|minute|hour|day|night|week|month|year|decade)s? $"  # "two days later"


def time_edits(
    text: str, masked: str, spans: list[TimeSpan], reference: datetime
) -> list[TextEdit]:
    """Vague amounts told from the day they were said, then dates in the place of spans."""
    vague = [
        (offset.start, offset.end, capital_like(text[offset.start : offset.end], offset.text))
        for offset in vague_times(masked, reference)
    ]
    before = [0, *(span.end for span in spans)]
    opening = len(text) - len(text.lstrip())
    return vague + [
        _time_edit(span, text, end, opening) for span, end in zip(spans, before, strict=False)
    ]


def _time_edit(span: TimeSpan, text: str, last_end: int, opening: int) -> TextEdit:
    """The date in the place of the words, with the small words that a date needs around it."""
    if span.kind == "time":
        return (span.start, span.end, f"{span.begin:%H:%M}")
    about = _is_offset(span)
    if has_han(span.text):
        joint = "、" if span.start == last_end > 0 else ""
        told = joint + render(span, "zh")
        hedged = re.search(
            "大概|大约|约|差不多|[将快]近?$", text[max(0, span.start - 4) : span.start]
        )
        return (span.start, span.end, told + ("左右" if about and not hedged else ""))
    rendered = render(span, "en")
    before, after = text[max(0, span.start - 16) : span.start], text[span.end : span.end + 6]
    if before.lower().endswith("the "):
        rendered = rendered.removeprefix("the ")
    opens = not before.strip() or before.rstrip()[-1] in ".!?:;,"
    owned = re.search(_OWNED, before, re.I)
    if owned:
        rendered = rendered.removeprefix("the ")
    is_subject = opens and re.match(r" (?:is|was|will|were|are)\b", after)
    is_noun = is_subject or owned or _is_object(span, before) or re.match(r"['’]s| off\b", after)
    listed = last_end and re.fullmatch(_LISTED, text[last_end : span.start])
    keeps_name = span.name and span.text.startswith(span.name)
    bound = re.search(r"\b(before|after|by|until|till) (?=\d|noon|midnight)", span.text)
    if bound and span.kind == "datetime":
        rendered = f"{bound[1]} {rendered}"
    elif not (is_noun or listed or keeps_name or re.search(PREPOSITION, before, re.I)):
        small = "at about" if about else _preposition(span, rendered)
        rendered = f"{small} {rendered}".lstrip()
    elif about:
        rendered = f"about {rendered}"
    if span.text.endswith("."):  # of "9 p.m."; it may end the sentence as well
        rendered += "."
    starts = span.start <= opening or re.search(r"[.!?\n]\s*$", before)
    return (span.start, span.end, capital_like(span.text, rendered) if starts else rendered)


def _is_offset(span: TimeSpan) -> bool:
    """ "An hour ago", 半小时后: counted from now by people without a stopwatch."""
    is_clock = span.kind == "datetime" and span.begin == span.until
    return is_clock and re.search(_OFFSET, span.text, re.I) is not None


def _is_object(span: TimeSpan, before: str) -> bool:
    """ "Let's do tomorrow", "payday is the 15th": a day that is named, not one it happens on."""
    is_named = re.match(r"the \d", span.text, re.I) and re.search(
        r"(?:\b(?:is|was)|['’]s) $", before
    )
    return bool(
        is_named or re.search(r"\b(?:do|let['’]?s make it|prefer|pick|choose|say) $", before, re.I)
    )


def _preposition(span: TimeSpan, rendered: str) -> str:
    if re.match("within |early on|late on|early in|late in|earlier|later", rendered):
        return ""
    if re.match("the (?:end|beginning|start) of ", rendered):
        return "at"
    if " to " in rendered:
        return "from"
    if span.begin == span.until:
        return "at"
    if span.name or re.match("the (?:night|morning|afternoon|evening|weekend)", rendered):
        return "on"
    return "on" if rendered[:1].isdigit() and "-" in rendered else "in"


def vague_word(fault: Fault, text: str, reference: datetime) -> list[TextEdit]:
    """What to say for a word without an exact date, such as "just" or 稍后."""
    phrases = vague_phrases(fault.word)
    before = text[max(0, fault.start - 12) : fault.start]
    if phrases is None or re.search(_COUNTED, before, re.I):
        return []
    after = text[fault.end : fault.end + 8]
    if fault.word.lower() == "later" and re.match(r" (?:to|this|on|in)", after, re.I):
        return []  # "later today": the day says the rest
    if (
        fault.word[:1] == "前"
        and re.search("[\u3400-\u9fff]$", before)
        and not re.search(_WHO, before)
    ):
        return []  # 考试前两天 is counted from the exam
    if re.fullmatch("just|[刚剛方].?", fault.word, re.I) and re.search(_DAY_SAID, before, re.I):
        return []  # 周日刚回来 is not of this minute
    if fault.word.lower() == "now" and before.lower().endswith("from ") and after[:3] == " on":
        return [(fault.start, fault.end, f"{reference:%Y-%m-%d}")]  # "from 2026-03-06 on"
    chinese = has_han(fault.word)
    day = f"{reference:%Y-%m-%d}"
    if chinese:
        day = f"{reference.year}年{reference.month}月{reference.day}日"
    phrase = phrases[chinese].format(day=day, minute=f"{day} {reference:%H:%M}")
    return [(fault.start, fault.end, capital_like(fault.word, phrase))]
