"""Retractions: what a person takes back in their own words is rejected, as if by hand (P5).

Whoever calls holds `facts.lock_name(place)` until the edits are stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo

from ..domain import corrections
from ..domain.fact_lifecycle import buried, epoch_of, having, superseded
from ..domain.pending_edits import PendingEdits, Records
from ..domain.text_identity import quoted_by_person
from ..historian.fact_patterns.retraction import Retraction, retractions
from ..types import Edit, Job, Record

STANDING = ("approved", "candidate", "conflict", "superseded")
MOST_FACTS = 4000
MOST_TAKEN_BACK = 20
MOST_EVENTS = 200
JUST_SAID_SECONDS = 3600.0


def taken_back(job: Job) -> tuple[Retraction, ...]:
    """What the sender takes back; by a model's own word, nothing."""
    found = retractions(job)
    said = (*job.new_info, job.source_message)
    if job.actor == "model" and not any(quoted_by_person(one, job) for one in said):
        return ()
    return found


def retracted(records: Records, job: Job, learned: Sequence[Edit], zone: tzinfo) -> list[Edit]:
    """The edits that reject what a turn takes back, after those of what it taught."""
    found = taken_back(job)
    if not found:
        return []
    now = PendingEdits(records)
    # The event is written with these edits: what is there under its id is its raw turn.
    now.take([*learned, Edit("remove", place=job.scope.home, id=job.event_id)])
    edits: list[Edit] = []
    for one in found:
        for fact in _facts(now, job, one, learned):
            made = list((_end if one.ended else _reject)(now, fact, job, zone))
            now.take(made)
            edits += made
        made = [] if one.ended else list(_noted_events(now, job, one))
        now.take(made)
        edits += made
    return edits


def _reject(records: PendingEdits, fact: Record, job: Job, zone: tzinfo) -> Iterator[Edit]:
    """It was never so; if the same turn says what is, events say that instead."""
    heir = records.get(fact.place, str(fact.data.get("superseded_by")))
    is_new = heir is not None and heir.kind == "fact" and heir.source == job.event_id
    yield Edit("put", having(buried(fact, job.epoch, zone), rejected_by=job.event_id))
    yield from corrections.replaced(records, fact, heir.text if heir and is_new else "")


def _end(records: PendingEdits, fact: Record, job: Job, zone: tzinfo) -> Iterator[Edit]:
    yield Edit("put", superseded(fact, job.event_id, job.epoch, zone))
    for event in corrections.sources(records, fact):
        yield Edit("put", corrections.noted(event, fact.text, "", corrections.CHANGED))


def _facts(
    records: PendingEdits, job: Job, one: Retraction, learned: Sequence[Edit]
) -> list[Record]:
    if one.is_of_the_last:
        # "I misspoke, I live in Lisbon": what it replaces was never so.
        replaced = [edit.record for edit in learned if edit.record is not None]
        wrong = [fact for fact in replaced if fact.kind == "fact" and fact.state == "superseded"]
        last = _last_event(records, job)
        return wrong or ([] if last is None else _taught_by(records, job, last.id))
    own = (fact for fact in _of_sender(records, job) if fact.source != job.event_id)
    if one.ended:
        own = (fact for fact in own if fact.state == "approved" and not _is_newer(fact, job))
    found = [fact for fact in own if one.is_of(fact.text, *_labels(fact))]
    return found if len(found) <= MOST_TAKEN_BACK else []


def _labels(fact: Record) -> tuple[str, str]:
    return str(fact.data.get("category") or ""), str(fact.data.get("subject") or "")


def _is_newer(fact: Record, job: Job) -> bool:
    """A turn that comes late ends nothing that was said after it."""
    return (epoch_of(fact.data.get("last_confirmed")) or 0.0) > job.epoch


def _of_sender(records: PendingEdits, job: Job) -> Iterator[Record]:
    who = job.sender_id or job.user_id
    for fact in records.find(job.scope.home, ("fact",), MOST_FACTS):
        if fact.state in STANDING and (fact.user is None or fact.user == who):
            yield fact


def _taught_by(records: PendingEdits, job: Job, event_id: str) -> list[Record]:
    return [fact for fact in _of_sender(records, job) if fact.source == event_id]


def _last_event(records: PendingEdits, job: Job) -> Record | None:
    """What the sender said just before."""
    who = job.sender_id or job.user_id
    said = (
        event
        for event in records.find(job.scope.home, corrections.SPOKEN, MOST_EVENTS)
        if event.user == who
        and event.time is not None
        and 0 <= job.epoch - event.time <= JUST_SAID_SECONDS
    )
    return max(said, key=lambda event: event.time or 0.0, default=None)


def _noted_events(records: PendingEdits, job: Job, one: Retraction) -> Iterator[Edit]:
    """Also what was said and taught nothing carries that it was taken back."""
    if one.is_of_the_last:
        last = _last_event(records, job)
        events = [] if last is None else [last]
    else:
        who = job.sender_id or job.user_id
        spoken = records.find(job.scope.home, corrections.SPOKEN, MOST_EVENTS)
        events = [event for event in spoken if event.user == who]
    for event in events:
        noted = event
        for part in corrections.parts(event):
            if (one.is_of_the_last or one.is_of(part)) and not corrections.speaks_of(noted, part):
                noted = corrections.noted(noted, part, "")
        if noted is not event:
            yield Edit("put", noted)
