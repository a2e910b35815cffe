"""An event in a person's words.

What an event tells is kept as its text and as statements (`did_what`, `new_info`), which a prompt
block and others read. The text that a person gives it is all of it: the statements are made anew
from that, so that every reader gets the same words. Other tellings of the event, and the summary of
its session, show what became of a statement that it no longer makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..language.event_header import without_header
from ..language.gate import check
from ..language.lazy_regex import lazy_compile
from ..language.reasons import why_left
from ..types import Edit, Record
from .corrections import CORRECTIONS, LATEST, corrections_of, noted
from .event_evidence import RETAINED, job_of
from .events import NAMES_SPEAKERS
from .pending_edits import PendingEdits
from .text_identity import has_words, same

MAX_WARNINGS = 10
_JOINT = lazy_compile(r"\s*[;；\n]\s*")
_NEXT = lazy_compile(r"[.。!！]?(?:\s*[;；\n]\s*|(?<=[.。!！])\s*|\s*$)")


def edited(event: Record, text: str) -> Record:
    """The event with this text and the statements in it. Of the record, nothing else changes."""
    body, names_speakers = _body(event, text)
    did_what, news = _statements(event, body)
    if not did_what and event.data.get("did_what") and event.data.get("new_info"):
        names_speakers = True  # it is not known whose each part is: nothing is put in front
    faults = check(text, [name for name in (event.speaker,) if name])
    data: dict[str, Any] = {
        **event.data,
        "did_what": did_what,
        "new_info": news,
        "has_new_info": bool(news),
        "is_absolute": not faults,
        "warnings": list(dict.fromkeys(map(why_left, faults)))[:MAX_WARNINGS],
    }
    data.pop(RETAINED, None)  # these words stand instead of what was said
    if names_speakers:
        data[NAMES_SPEAKERS] = True
    if CORRECTIONS in data:
        data[CORRECTIONS] = [
            one for one in corrections_of(data) if not _is_settled(one, event.text, text)
        ]
    return replace(event, text=text, data=data)


def no_longer_told(event: Record, text: str) -> list[str]:
    """The statements of an event that are not in this text."""
    return [one for one in _told(event) if not has_words(text, one)]


def retellings(records: PendingEdits, event: Record, text: str) -> Iterator[Edit]:
    """Edits of what tells the event otherwise: how others in it would, and its session's summary,
    each with what is said now instead of what the event no longer says."""
    lost = no_longer_told(event, text)
    raw = list(job_of(event).new_info)
    told = [str(one) for one in _list(event.data.get("new_info"))]
    said = dict(zip(told, raw, strict=True)) if len(told) == len(raw) else {}
    now = _now(event, text, lost)
    for one in _others(records, event):
        record = one
        for statement, instead in zip(lost, now, strict=True):
            for words in dict.fromkeys((statement, said.get(statement, statement))):
                if any(has_words(part, words) for part in (record.text, *_told(record))):
                    record = noted(record, words, instead)
        if record is not one:
            yield Edit("put", record)


def _others(records: PendingEdits, event: Record) -> Iterator[Record]:
    for one in records.find(event.place, ("event", "summary"), LATEST):
        is_summary = one.kind == "summary" and one.session is not None
        if one.data.get("perspective_of") == event.id or (
            is_summary and one.session == event.session
        ):
            yield one


def _body(event: Record, text: str) -> tuple[str, bool]:
    """The text without its header, if that is the event's own. Another time or name there is what
    the person says, and stays in front."""
    body = without_header(text)
    own = event.text.removesuffix(without_header(event.text))
    if body == text or text.removesuffix(body).strip() == own.strip():
        return body.strip(), False
    return text.strip(), True


def _statements(event: Record, body: str) -> tuple[str, list[str]]:
    """What the assistant did, and what was said, if the text shows which is which."""
    did_what, news = str(event.data.get("did_what") or ""), _list(event.data.get("new_info"))
    if not did_what:
        return "", [body]
    before = without_header(event.text).strip()
    label = _in_front(before, did_what)
    before, inner = before.removeprefix(label), body.removeprefix(label)
    if not news:
        return inner, []
    told = _after(before, did_what) or ""
    label = _in_front(told, str(news[0]))
    if (rest := _after(inner, did_what)) is not None:
        return did_what, [rest.removeprefix(label)] if rest else []
    if told and inner.endswith(told) and (done := inner.removesuffix(told).rstrip(" ;；\n")):
        return done, [told.removeprefix(label)]
    return "", [body]


def _in_front(text: str, statement: str) -> str:
    """What tells whose a statement is, as the event's text has it."""
    return text[: max(text.find(statement), 0)]


def _after(body: str, first: str) -> str | None:
    """What follows a statement that the text begins with; None if it does not."""
    first = first.rstrip(" .。;；")
    if not first or not body.startswith(first):
        return None
    found = _NEXT.match(body, len(first))
    return None if found is None else body[found.end() :].strip()


def _now(event: Record, text: str, lost: Sequence[str]) -> list[str]:
    """What the text says in place of each statement that it lost; "" if nothing."""
    body, _ = _body(event, text)
    new = [one for one in _JOINT.split(body) if one.strip()]
    new = [one for one in new if not any(same(one, told) for told in _told(event))]
    return new if len(new) == len(lost) else ["; ".join(new)] * len(lost)


def _is_settled(correction: dict[str, str], before: str, after: str) -> bool:
    """Whether a person's words have taken up what was noted behind the old ones."""
    is_gone = has_words(before, correction["said"]) and not has_words(after, correction["said"])
    return is_gone or (bool(correction["now"]) and has_words(after, correction["now"]))


def _told(event: Record) -> list[str]:
    values = [event.data.get("did_what"), *_list(event.data.get("new_info"))]
    return [str(one) for one in values if one]


def _list(value: object) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []
