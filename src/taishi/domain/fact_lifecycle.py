"""The lifecycle of a fact record: created, confirmed, superseded, rejected."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from ..errors import TimeError
from ..language.text import storable
from ..times import to_datetime, to_epoch
from ..types import Partition, Record
from .text_identity import stable_id

MAX_QUOTES = 5
MAX_SOURCES = 200
MAX_CONTENT_CHARS = 4000
MAX_QUOTE_CHARS = 800
MAX_LABEL_CHARS = 200
DAY = timedelta(days=1)
INSTRUCTION = "instruction"
CONFIRMATION = 0.3  # the part of the doubt that one more source takes away
RESTATED = "restated"
MODEL = "model"  # what a fact is superseded by that a model withdrew
SHARED = "shared"  # in the data of what was proposed to shared memory (F5)


def new_fact(
    content: str,
    place: Partition,
    event_id: str,
    now: float,
    user: str | None,
    *,
    state: str = "approved",
    confidence: float = 0.7,
    category: str = "other",
    subject: str = "",
    quote: str = "",
    tags: Collection[str] = (),
    valid_from: float | None = None,
    valid_to: float | None = None,
    zone: tzinfo = UTC,
    **data: Any,
) -> Record:
    """The record of a fact that is learned for the first time."""
    observed = iso(now, zone)
    return Record(
        id=stable_id(id_prefix(category), place, event_id, content),
        place=place,
        kind="fact",
        text=storable(content, MAX_CONTENT_CHARS),
        time=now if valid_from is None else valid_from,
        since=valid_from,
        until=valid_to,
        user=user,
        source=event_id or None,
        state=state,
        confidence=confidence if 0.0 <= confidence <= 1.0 else 0.5,
        data={
            "type": "semantic",
            "category": storable(category, MAX_LABEL_CHARS),
            "subject": storable(subject, MAX_LABEL_CHARS),
            "evidence_count": 1,
            "first_observed": observed,
            "last_confirmed": observed,
            "valid_from": iso(valid_from, zone),
            "valid_to": iso(valid_to, zone),
            "related": [],
            "tags": [storable(tag, MAX_LABEL_CHARS) for tag in tags],
            "sources": [event_id] if event_id else [],
            "quotes": [storable(quote, MAX_QUOTE_CHARS)] if quote.strip() else [],
            "superseded_by": None,
            "supersedes": [],
            "conflict_with": [],
            "rejected_at": None,
            **data,
        },
    )


def id_prefix(category: str) -> str:
    """Standing instructions are found by their ids: there are few, and every prompt needs them."""
    return INSTRUCTION if category == INSTRUCTION else "fact"


def confirmed(
    known: Record, event_id: str, now: float, quote: str = "", zone: tzinfo = UTC
) -> Record:
    """One more confirmation: confidence rises towards 1, the count by one."""
    data = known.data
    count = data.get("evidence_count")
    last = max(now, epoch_of(data.get("last_confirmed")) or now)
    quotes = [*ids_in(known, "quotes"), storable(quote, MAX_QUOTE_CHARS)]
    grown = having(
        known,
        evidence_count=(count if isinstance(count, int) else 1) + 1,
        last_confirmed=iso(last, zone),
        sources=[*ids_in(known, "sources"), event_id][-MAX_SOURCES:],
        quotes=list(dict.fromkeys(filter(None, quotes)))[-MAX_QUOTES:],
    )
    return replace(grown, confidence=known.confidence + (1 - known.confidence) * CONFIRMATION)


def superseded(old: Record, by: str, ends: float, zone: tzinfo = UTC) -> Record:
    """The fact as history, valid until `ends` but never before it began."""
    began = epoch_of(old.data.get("valid_from"))
    ends = ends if began is None else max(began, ends)
    return replace(
        having(old, valid_to=iso(ends, zone), superseded_by=by, conflict_with=[]),
        state="superseded",
        until=ends,
    )


def never_so(wrong: Record, by: str, now: float, zone: tzinfo = UTC) -> Record:
    """A fact that a model withdrew as wrong: history with an empty validity, so that no question
    about the past finds it. No tombstone: it may be learned again."""
    ended = superseded(wrong, by, now, zone)
    return replace(ended, since=ended.until)


def is_withdrawn(record: Record) -> bool:
    """Whether a model said that it was never so; what ended is no such fact."""
    return record.state == "superseded" and record.data.get("superseded_by") == MODEL


def reopened(fact: Record) -> Record:
    """A superseded fact that is current again, from when it began."""
    open_end = having(fact, superseded_by=None, valid_to=None)
    began = epoch_of(fact.data.get("valid_from"))
    return replace(open_end, state="approved", since=began, until=None)


def ended_after(fact: Record, epoch: float) -> bool:
    """Whether a fact held at that time and has ended since."""
    return fact.state == "superseded" and fact.until is not None and epoch < fact.until


def buried(record: Record, now: float, zone: tzinfo = UTC) -> Record:
    """Rejected by a person: stays as a tombstone so that it is not learned again (P5)."""
    data = {**record.data, "rejected_at": iso(now, zone), "conflict_with": []}
    data.pop("rejected_by", None)  # of a retraction in a chat: those may be lifted there
    return replace(record, data=data, state="rejected")


def is_taken_back_by(record: Record, user: str | None, now: float) -> bool:
    """Whether this person took it back in a chat before; nobody rejected it by hand since."""
    at = epoch_of(record.data.get("rejected_at"))
    return (
        record.state == "rejected"
        and isinstance(record.data.get("rejected_by"), str)
        and record.user == user
        and at is not None
        and at < now
    )


def held_again(record: Record) -> Record:
    """Said again by whoever took it back in a chat: it holds as before."""
    lifted = having(record, rejected_at=None, rejected_by=None, superseded_by=None, restated=None)
    return replace(lifted, state="approved")


def restated(tomb: Record, event_id: str) -> Record:
    """Said again after a rejection: counted once per event, still rejected."""
    known = tomb.data.get(RESTATED)
    before = dict(known) if isinstance(known, Mapping) else {}
    if before.get("last") == event_id or event_id in ids_in(tomb, "sources"):
        return tomb
    count = before.get("count")
    return having(
        tomb, **{RESTATED: {"count": (count if type(count) is int else 0) + 1, "last": event_id}}
    )


def ids_in(record: Record, key: str) -> list[str]:
    """A list of ours in a record's data; callers may keep anything there under our names."""
    values = record.data.get(key)
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []


def having(record: Record, **data: Any) -> Record:
    return replace(record, data={**record.data, **data})


def iso(epoch: float | None, zone: tzinfo) -> str | None:
    return None if epoch is None else to_datetime(epoch, zone).isoformat()


def epoch_of(text: object) -> float | None:
    """A time that we wrote; what a person typed over it may be anything."""
    return moment(text, UTC) if isinstance(text, str) else None


def moment(text: str, zone: tzinfo, end: bool = False) -> float | None:
    """A drafted time as an epoch. A year, a month or a day is its beginning, or its end."""
    given = text.strip()[:40]
    if not given:
        return None
    parts = given.split("-")
    try:
        if len(given) > 10:
            return to_epoch(given, zone)
        start = to_epoch("-".join([*parts, "01", "01"][:3]), zone)
        if not end:
            return start
        return to_epoch(_following(to_datetime(start, zone), len(parts)), zone)
    except (TimeError, ValueError, OverflowError):
        return None


def _following(start: datetime, parts: int) -> datetime:
    if parts == 1:
        return start.replace(year=start.year + 1)
    if parts == 2:
        return (start.replace(day=28) + 4 * DAY).replace(day=1)
    return start + DAY


def successor(record: Record, get: Callable[[str], Record | None]) -> Record | None:
    """The fact that holds instead of one that was replaced; None if none does."""
    seen = {record.id}
    found: Record | None = record
    while found is not None and found.state in ("superseded", "rejected"):
        by = str(found.data.get("superseded_by") or "")
        found = get(by) if by and by not in seen else None
        seen.add(by)
    is_other = found is not None and found.kind == "fact" and found.id != record.id
    return found if is_other else None
