"""Validity period of a statement, as far as it states full dates.

"Until 2030-12-31" is an end and no beginning; so are "through May 2027", 到2030年底为止. A date
without such a word is the first day.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from ...language.lazy_regex import lazy_compile
from ...language.when import TimeSpan, find_times

_KINDS = ("date", "daterange", "datetime")
_DATED = (*_KINDS, "datetimerange")
_ENDS_BEFORE = lazy_compile(
    r"\b(?:until|till|through|thru|up to|by|no later than|ending|ends|expires|valid to)"
    r"(?: on| in| the)?\s*$"
    r"|(?:直到|持续到|[^从自]到|至|截至|截止到?|^到)(?:了|大约|大概)?$",
    re.IGNORECASE,
)
_OF_ANOTHER = lazy_compile(r",? \b(?:who|whose|whom|which|because)\b")
_ENDS_AFTER = lazy_compile(r"\s*(?:为止|止(?!痛|血)|到期|截止|结束|之前|以前)")
_CHANGES = lazy_compile("搬[到去至]|移居|迁居|跳槽|入职|加盟")
_BEGINS = lazy_compile(r"\b(?:from|as of|starting|beginning|effective)\b|从[^，。]{1,8}[起始]")
_HAPPENED = lazy_compile("[了过]|已|刚")
_RANGE = lazy_compile(
    r"(?:from|between)?\s*(?P<one>\S.*?)\s*"
    r"(?:[-–—~～到至]|(?<![a-z])(?:to|until|till|through|thru|and)(?![a-z]))\s*"
    r"(?P<other>[^-–—~～到至]*\d{4}.*)",
    re.IGNORECASE,
)


def validity(text: str, local: datetime) -> tuple[str, str]:
    """The first and the last day that an absolute statement gives; "" if it gives none. What it
    says of somebody in it has its own time: "has a daughter who starts school in 2027"."""
    text = _OF_ANOTHER.split(text, maxsplit=1)[0]
    since = until = ""
    for span in find_times(text, local):
        if not re.search(r"\d{4}", span.text) or span.kind not in _KINDS:
            continue
        if _is_end(text, span):
            until = until or _day(_last_day(span))
        elif span.kind == "daterange" and (last := _range_end(span, local)):
            since, until = since or _day(span.begin), until or _day(last)
        else:
            since = since or _day(span.begin)
    return since, until


def is_ahead(text: str, local: datetime, *, is_absolute: bool = False) -> bool:
    """Whether what a clause says is still to come: the first date it gives, other than an end, lies
    after the moment of speaking, or around it where the verb does not say that it has happened.
    In absolute words a date has a year; one without ("a weekend") is any."""
    text = _OF_ANOTHER.split(text, maxsplit=1)[0]
    spans = (
        span
        for span in find_times(text, local, prefer="near")
        if span.kind in _DATED
        and not _is_end(text, span)
        and (not is_absolute or re.search(r"\d{4}", span.text))
    )
    first = next(spans, None)
    if first is None and _BEGINS.search(text):  # "from August": the next one, or not known
        first = next(iter(find_times(text, local, prefer="future")), None)
    if first is None:
        return False
    if first.begin > local:
        return True
    is_open = first.until > local and first.until - first.begin > timedelta(days=1)
    return is_open and _CHANGES.search(text) is not None and not _HAPPENED.search(text)


def _is_end(text: str, span: TimeSpan) -> bool:
    before = text[max(0, span.start - 24) : span.start]
    if _ENDS_BEFORE.search(before):
        return True
    return _ENDS_AFTER.match(text, span.end) is not None


def _range_end(span: TimeSpan, local: datetime) -> date | None:
    """The last day of "from X to Y"; None if the span is not a range."""
    match = _RANGE.fullmatch(span.text)
    ends = find_times(match["other"], local) if match else []
    return _last_day(ends[0]) if len(ends) == 1 else None


def _last_day(span: TimeSpan) -> date:
    is_range = span.until > span.begin
    return (span.until - timedelta(seconds=1) if is_range else span.begin).date()


def _day(moment: date) -> str:
    """An ISO date; years before 1000 are parse errors."""
    return f"{moment:%Y-%m-%d}" if moment.year >= 1000 else ""
