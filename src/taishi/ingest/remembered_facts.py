"""A fact that a model keeps by itself is compared with what is known, by rule (F1).

One that contradicts a known fact waits for a person, as it would had it been learned from a turn.
"""

from __future__ import annotations

from dataclasses import replace

from ..domain.fact_lifecycle import having
from ..historian.fact_patterns import facts_by_rule
from ..historian.reconcile import KnownFact, reconcile_by_rule
from ..ports import Store
from ..types import Job, Record

MOST_KNOWN = 50
MOST_CHARS = 400  # a longer text is no single statement
CONTRADICTS = ("conflict", "supersede")


def compared(record: Record, store: Store) -> Record:
    """The fact with what it is about and, if a known one says otherwise, in conflict with it."""
    if len(record.text) > MOST_CHARS:
        return record
    drafts = [one for one in facts_by_rule(_job(record)) if not (one.retracts or one.only_against)]
    if len(drafts) != 1:
        return record
    draft = replace(drafts[0], content=record.text, by_self=False)
    record = having(record, category=draft.category, subject=draft.subject, tags=list(draft.tags))
    found = store.facts.of_category(record.place, draft.subject, draft.category, MOST_KNOWN)
    others = {one.id: one for _, one in found if one.id != record.id}
    known = [KnownFact.of(index, one) for index, one in enumerate(others.values())]
    (decision,) = reconcile_by_rule([draft], known)
    rivals = [one for one in (decision.known_id, *decision.ends) if one in others]
    if decision.action not in CONTRADICTS or not rivals:
        return record
    return replace(having(record, conflict_with=rivals), state="conflict")


def _job(record: Record) -> Job:
    """The statement as if it had been said in a turn."""
    place = record.place
    return Job(
        request_id=record.id,
        end_seq=1,
        action_summary="",
        new_info=(record.text,),
        timestamp_utc="",
        timestamp_local="",
        timezone="UTC",
        epoch=record.time or 0.0,
        workspace=place.workspace,
        request_type=place.kind,
        user_id=record.user,
        group_id=place.id if place.kind == "group" else None,
        sender_id=record.user,
        actor="model",
    )
