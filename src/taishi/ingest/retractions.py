"""Retractions: what a person takes back in their own words is rejected, as if by hand (P5).

Whoever calls holds `facts.lock_name(place)` until the edits are stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from typing import Any

from ..domain import corrections
from ..domain.authority import of_model, rank
from ..domain.event_evidence import job_of
from ..domain.fact_lifecycle import buried, epoch_of, having, ids_in, never_so, new_fact, superseded
from ..domain.own_facts import ABOUT_USER, is_of_one_subject, renamed
from ..domain.pending_edits import PendingEdits, Records
from ..domain.text_identity import is_told_by_model, same
from ..historian.fact_patterns.lost_pets import may_be_one
from ..historian.fact_patterns.pattern_category import is_of_same_sort
from ..historian.fact_patterns.retraction import Retraction, retractions
from ..historian.statement_comparison import head, is_denied
from ..language.gate import check
from ..types import Edit, Job, Record
from .cancelled_plans import cancelled_plans
from .just_before import follows_own, values_of, without_facts
from .own_denials import denials_of_claims
from .short_corrections import JUST_SAID_SECONDS, meant, put_right
from .stored_facts import StoredFacts, is_stored, stored_facts_in

STANDING = ("approved", "candidate", "conflict", "superseded")
MOST_FACTS = 4000
MOST_TAKEN_BACK = 20
MOST_EVENTS = 200


def taken_back(job: Job) -> tuple[Retraction, ...]:
    """What the sender takes back."""
    return retractions(job)


def retracted(records: Records, job: Job, learned: Sequence[Edit], zone: tzinfo) -> list[Edit]:
    """The edits that reject what a turn takes back or cancels, after those of what it taught."""
    now = PendingEdits(records)
    # The event is written with these edits: what is there under its id is its raw turn.
    now.take([*learned, Edit("remove", place=job.scope.home, id=job.event_id)])
    edits = _rejected(now, job, learned, zone)
    return [*edits, *cancelled_plans(now, job, zone)]


def _rejected(now: PendingEdits, job: Job, learned: Sequence[Edit], zone: tzinfo) -> list[Edit]:
    found = taken_back(job)
    edits: list[Edit] = []
    if not found:
        return edits
    by_model, stored = is_told_by_model(job), stored_facts_in(now, job)
    for one in found:
        if one.value or one.new_value:
            other = _taken(now, _other_value(now, job, one, stored, zone, by_model))
            edits += other
            if other or one.reach != "kind or only":
                continue
        if one.is_joke and not follows_own(now, job, _last_event(now, job)):
            continue
        for fact, heir in _facts(now, job, one, stored, learned):
            if by_model and rank(fact) > 0:
                continue  # a model takes back what a model said, and nothing else
            if one.ended:
                done = _end(now, fact, job, zone)
            elif by_model:
                done = _withdraw(now, fact, heir, job, zone)
            else:
                done = _reject(now, fact, heir, job, zone)
            edits += _taken(now, done)
        if not one.ended and _takes_back_events(one, job, learned):
            edits += _taken(now, _noted_events(now, job, one, by_model))
        if not by_model:
            stated = _stated(job, [*learned, *edits])
            edits += _taken(now, denials_of_claims(now, job, one, stated, stored, zone))
    return edits


def _taken(now: PendingEdits, edits: Iterable[Edit]) -> list[Edit]:
    made = list(edits)
    now.take(made)
    return made


def _reject(
    records: PendingEdits, fact: Record, heir: Record | None, job: Job, zone: tzinfo
) -> Iterator[Edit]:
    """It was never so; if the same turn says what is, events say that instead."""
    rejected = having(buried(fact, job.epoch, zone), rejected_by=job.event_id)
    rejected = having(rejected, superseded_by=heir.id) if heir else rejected
    yield Edit("put", rejected)
    yield from corrections.replaced(records, fact, heir.text if heir else "")


def _withdraw(
    records: PendingEdits, fact: Record, heir: Record | None, job: Job, zone: tzinfo
) -> Iterator[Edit]:
    """A model says that it was never so."""
    yield Edit("put", never_so(fact, heir.id if heir else job.event_id, job.epoch, zone))
    yield from corrections.replaced(records, fact, heir.text if heir else "")


def _other_value(
    records: PendingEdits,
    job: Job,
    one: Retraction,
    stored: StoredFacts,
    zone: tzinfo,
    by_model: bool,
) -> Iterator[Edit]:
    """ "Chaoyang, not Haidian": the one fact that can be meant said Haidian wrongly. "Typo, the
    23rd": the one fact with a day that the sender's last statement taught."""
    if one.new_value is not None:
        last = _last_event(records, job)
        if last is None or not follows_own(records, job, last):
            return
        parts = corrections.parts(last)
        is_only = one.new_value.is_only_one("\n".join(parts))
        said = _taught_by(records, job, last.id) if is_only else []
        found = [fact for fact in said if one.new_value.put_into(fact.text, values_of(fact))]
        old = found[0] if len(found) == 1 else None
        if not found and is_only and not by_model:
            yield from without_facts(last, parts, one.new_value)
    elif one.kind and not _is_of_the_sender(records, job, one):
        return
    else:
        old = meant(records, job, one, _of_sender(records, job))
    if old is None or (by_model and rank(old) > 0):
        return
    if one.new_value is not None:
        text = one.new_value.put_into(old.text, values_of(old))
    else:
        text = put_right(old, one)
        if not is_of_same_sort(text, old.text, _labels(old)[1]):
            return
    twins = [
        fact
        for fact in records.find(job.scope.home, ("fact",), MOST_FACTS)
        if same(fact.text, text)
    ]
    if check(text) or any(fact.state == "rejected" for fact in twins):
        return
    new = next((fact for fact in twins if fact.state == "approved"), None)
    if new is None:
        new = _with_text(stored.reading(old), text, one, job, zone)
        new = of_model(new) if by_model else new
        yield Edit("put", new)
    if by_model:
        yield from _withdraw(records, old, new, job, zone)
    else:
        yield from _reject(records, old, new, job, zone)


def _is_of_the_sender(records: PendingEdits, job: Job, one: Retraction) -> bool:
    """Whether a correction that leaves out its subject is about the sender: in a group it may be
    about anybody."""
    if one.is_own or job.request_type == "private":
        return True
    return follows_own(records, job, _last_event(records, job))


def _with_text(old: Record, text: str, one: Retraction, job: Job, zone: tzinfo) -> Record:
    """The fact as it was meant, learned from the turn that says so."""
    data = old.data
    tags = _tags_with(old, one)
    own: dict[str, Any] = {
        name: data[name] for name in ("by_self", ABOUT_USER) if data.get(name) is not None
    }
    return new_fact(
        text,
        old.place,
        job.event_id,
        job.epoch,
        old.user,
        confidence=old.confidence,
        category=str(data.get("category") or "other"),
        subject=str(data.get("subject") or ""),
        quote=next(iter(job.new_info), job.source_message),
        tags=tags,
        valid_from=epoch_of(data.get("valid_from")),
        valid_to=epoch_of(data.get("valid_to")),
        zone=zone,
        supersedes=[old.id],
        related=[old.id],
        **own,
    )


def _tags_with(old: Record, one: Retraction) -> list[str]:
    """The tags of the fact with the value that was meant."""
    if one.new_value is not None:
        is_name = [one.new_value.put_into(tag, [tag]) for tag in ids_in(old, "tags")]
        return [
            new if new and tag in values_of(old) else tag
            for tag, new in zip(ids_in(old, "tags"), is_name, strict=True)
        ]
    return [one.value if one.value and same(tag, one.words) else tag for tag in ids_in(old, "tags")]


def _end(records: PendingEdits, fact: Record, job: Job, zone: tzinfo) -> Iterator[Edit]:
    yield Edit("put", superseded(fact, job.event_id, job.epoch, zone))
    for event in corrections.sources(records, fact):
        yield Edit("put", corrections.noted(event, fact.text, "", corrections.CHANGED))


def _facts(
    records: PendingEdits,
    job: Job,
    one: Retraction,
    stored: StoredFacts,
    learned: Sequence[Edit],
) -> list[tuple[Record, Record | None]]:
    """The facts that are taken back, each with what the turn says instead."""
    stated = _stated(job, learned)
    if one.is_of_the_last:
        return _of_the_last(records, job, one, stored, learned)
    own = (fact for fact in _of_sender(records, job) if fact.source != job.event_id)
    if one.ended:
        own = (fact for fact in own if fact.state == "approved" and not _is_newer(fact, job))
    found = [fact for fact in own if _is_meant(one, fact, stored)]
    if one.lost is not None and not may_be_one([fact.text for fact in found]):
        return []
    heirs = [(fact, _heir(records, stored.reading(fact), stated)) for fact in found]
    return heirs if len(found) <= MOST_TAKEN_BACK else []


def _is_meant(one: Retraction, fact: Record, stored: StoredFacts) -> bool:
    if one.is_of(fact.text, *_labels(fact)):
        return True
    if not is_stored(fact) or not one.may_be_of(*stored.named(fact)):
        return False
    read = stored.reading(fact)
    return read is not fact and one.is_of(read.text, *_labels(read))


def _of_the_last(
    records: PendingEdits,
    job: Job,
    one: Retraction,
    stored: StoredFacts,
    learned: Sequence[Edit],
) -> list[tuple[Record, Record | None]]:
    """ "I misspoke, I live in Lisbon": what it replaces was never so, and nothing else is wrong."""
    stated = _stated(job, learned)
    last = _last_event(records, job)
    taught = [] if last is None else _taught_by(records, job, last.id)
    taught = [fact for fact in taught if not one.is_joke or one.is_on_topic(fact.text)]
    ended = [edit.record for edit in learned if edit.record is not None]
    wrong = [fact for fact in ended if fact.kind == "fact" and fact.state == "superseded"]
    for new in stated:
        alike = [fact for fact in taught if _is_of_one_kind(fact, new)]
        wrong += alike if len(alike) == 1 else []
    if not stated and not wrong and (one.reach == "all" or _is_only(one, taught)):
        wrong = taught
    unique = {fact.id: fact for fact in wrong}.values()
    return [(fact, _heir(records, stored.reading(fact), stated)) for fact in unique]


def _is_only(one: Retraction, taught: Sequence[Record]) -> bool:
    return one.reach == "kind or only" and len(taught) == 1


def _stated(job: Job, learned: Sequence[Edit]) -> list[Record]:
    """What the turn itself teaches."""
    found = {edit.record.id: edit.record for edit in learned if edit.record is not None}
    return [
        one
        for one in found.values()
        if one.kind in ("fact", "short_term")
        and one.state == "approved"
        and (one.source == job.event_id or job.event_id in ids_in(one, "sources"))
    ]


def _is_of_one_kind(fact: Record, new: Record) -> bool:
    """Whether both say the same sort of thing of the same person, neither denying it alone."""
    if fact.id == new.id or fact.state != "approved" or not _is_alike(fact, new):
        return False
    (_, before), (_, subject) = _labels(fact), _labels(new)
    fact = renamed(fact, before, subject) if before and before != subject else fact
    same_person = head(fact.text, subject) == head(new.text, subject)
    return same_person and is_denied(fact.text) == is_denied(new.text)


def _is_alike(fact: Record, new: Record) -> bool:
    """Of one category, and of one person."""
    return _labels(fact)[0] == _labels(new)[0] and is_of_one_subject(fact, new)


def _heir(records: PendingEdits, fact: Record, stated: Sequence[Record]) -> Record | None:
    """What the turn says instead of a fact."""
    heir = records.get(fact.place, str(fact.data.get("superseded_by")))
    if heir is not None and any(one.id == heir.id for one in stated):
        return heir
    alike = [one for one in stated if _is_alike(fact, one)]
    return alike[0] if len(alike) == 1 and alike[0].kind == "fact" else None


def _labels(fact: Record) -> tuple[str, str]:
    return str(fact.data.get("category") or ""), str(fact.data.get("subject") or "")


def _is_newer(fact: Record, job: Job) -> bool:
    """A turn that comes late ends nothing that was said after it."""
    return (epoch_of(fact.data.get("last_confirmed")) or fact.time or 0.0) > job.epoch


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


def _takes_back_events(one: Retraction, job: Job, learned: Sequence[Edit]) -> bool:
    """Whether what was said before is withdrawn as such, and not only put right in part."""
    return not one.is_of_the_last or (one.reach == "all" and not _stated(job, learned))


def _noted_events(
    records: PendingEdits, job: Job, one: Retraction, by_model: bool
) -> Iterator[Edit]:
    """Also what was said and taught nothing carries that it was taken back; by a model alone, only
    what a model alone told."""
    if one.is_of_the_last:
        last = _last_event(records, job)
        events = [] if last is None else [last]
    else:
        who = job.sender_id or job.user_id
        spoken = records.find(job.scope.home, corrections.SPOKEN, MOST_EVENTS)
        events = [event for event in spoken if event.user == who]
    for event in events:
        if by_model and not is_told_by_model(job_of(event)):
            continue
        noted = event
        for part in corrections.parts(event):
            is_meant = one.is_on_topic(part) if one.is_joke else one.is_of(part)
            is_meant = is_meant or (one.is_of_the_last and not one.is_joke)
            if is_meant and not corrections.speaks_of(noted, part):
                noted = corrections.noted(noted, part, "")
        if noted is not event:
            yield Edit("put", noted)
