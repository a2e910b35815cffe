"""Plans that a person cancels: the facts end, and the events that told them say so (P5).

Only plans of the same person, and only where it is sure which one is meant. What only a model says
cancels what only a model recorded: over MCP that is all there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, tzinfo

from ..domain import corrections
from ..domain.authority import is_models_own
from ..domain.event_evidence import job_of
from ..domain.fact_lifecycle import superseded
from ..domain.pending_edits import PendingEdits
from ..domain.text_identity import is_told_by_model, quoted_by_person
from ..historian.fact_patterns.cancellations import (
    Cancelled,
    cancelled,
    days_of,
    is_planned,
    only_one,
)
from ..historian.participants import Participants, local_time
from ..times import to_datetime
from ..types import Edit, Job, Record
from .stored_facts import is_one_clause, is_stored, stored_facts_in

MOST_FACTS = 1000
MOST_EVENTS = 200
_MAX_ITEMS = 40


def cancelled_plans(records: PendingEdits, job: Job, zone: tzinfo) -> Iterator[Edit]:
    """The edits for what a turn cancels."""
    local, _ = local_time(job)
    sender = Participants.of(job).sender
    by_person: dict[Cancelled, bool] = {}
    for text in dict.fromkeys((*job.new_info[:_MAX_ITEMS], job.source_message)):
        is_persons = job.actor != "model" or quoted_by_person(text, job)
        for one in cancelled(text, sender, local):
            by_person[one] = by_person.get(one, False) or is_persons
    for one, is_persons in by_person.items():
        edits = [*_events(records, job, one, local), *_facts(records, job, one, local, zone)]
        edits = [edit for edit in edits if is_persons or _is_models(edit)]
        records.take(edits)
        yield from edits


def _is_models(edit: Edit) -> bool:
    """Whether no person stands behind what the edit changes."""
    record = edit.record
    if record is None or record.kind == "fact":
        return record is not None and is_models_own(record)
    return is_told_by_model(job_of(record))


def _events(records: PendingEdits, job: Job, one: Cancelled, local: datetime) -> Iterator[Edit]:
    plans: list[tuple[Record, str, frozenset[date]]] = []
    for event in records.find(job.scope.home, corrections.SPOKEN, MOST_EVENTS):
        if event.id == job.event_id or event.user != _who(job):
            continue
        if event.time is None or event.time > job.epoch:
            continue
        told = to_datetime(event.time, local.tzinfo or UTC)
        for part in corrections.parts(event):
            if one.is_of(part) and is_planned(part, told, local):
                plans.append((event, part, days_of(part, told)))
    if one.days and any(days for *_, days in plans):
        plans = [plan for plan in plans if plan[2] & one.days]
    if not only_one([days for *_, days in plans], one):
        return
    noted: dict[str, Record] = {}
    for event, part, _ in plans:
        before = noted.get(event.id, event)
        if not corrections.speaks_of(before, part):
            noted[event.id] = corrections.noted(before, part, "", corrections.CHANGED)
    yield from (Edit("put", event) for event in noted.values())


def _facts(
    records: PendingEdits, job: Job, one: Cancelled, local: datetime, zone: tzinfo
) -> Iterator[Edit]:
    plans = [
        fact
        for fact in records.find(job.scope.home, ("fact",), MOST_FACTS)
        if fact.state == "approved"
        and fact.user in (None, _who(job))
        and fact.source != job.event_id
        and one.is_of(fact.text)
    ]
    plans = [fact for fact in plans if _is_plan(records, fact, job, local)]
    if one.days and any(days_of(fact.text, local) for fact in plans):
        plans = [fact for fact in plans if days_of(fact.text, local) & one.days]
    if only_one([days_of(fact.text, local) for fact in plans], one):
        yield from (Edit("put", superseded(fact, job.event_id, job.epoch, zone)) for fact in plans)


def _is_plan(records: PendingEdits, fact: Record, job: Job, local: datetime) -> bool:
    """One that was learned, or that was stored as it is and says nothing else."""
    if not is_stored(fact) or fact.time is None:
        return fact.data.get("category") == "plan"
    told = to_datetime(fact.time, local.tzinfo or UTC)
    of_person = stored_facts_in(records, job).named(fact)[1] != ""
    return of_person and is_one_clause(fact.text) and is_planned(fact.text, told, local)


def _who(job: Job) -> str | None:
    return job.sender_id or job.user_id
