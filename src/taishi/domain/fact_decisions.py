"""What a person decides of a fact: approved, rejected, put right, one of two that contradict each
other. Edits only; nothing here stores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, tzinfo

from ..errors import InputError
from ..types import Edit, Record
from .corrected_tags import corrected_tags
from .fact_labels import labels_of
from .fact_lifecycle import buried, epoch_of, having, ids_in, iso, new_fact, reopened
from .text_identity import normal, same


def approve(record: Record, now: float | None = None, zone: tzinfo = UTC) -> list[Edit]:
    """A person approves a fact; a conflict with another one is resolved, and what had ended goes
    on."""
    record = reopened(record) if record.state == "superseded" else record
    return [
        Edit(
            "put",
            replace(
                decided(
                    having(record, rejected_at=None, conflict_with=[], restated=None), now, zone
                ),
                state="approved",
            ),
        )
    ]


def decided(record: Record, now: float | None, zone: tzinfo = UTC) -> Record:
    """A person's decision is evidence of its own that a rebuild keeps."""
    return having(record, decided_by="person", decided_at=iso(now, zone), recorded_by="person")


def reject(record: Record, now: float, zone: tzinfo = UTC) -> list[Edit]:
    """A person rejects a fact: the record stays as a tombstone."""
    return [Edit("put", buried(record, now, zone))]


def resolve(winner: Record, loser: Record, now: float, zone: tzinfo = UTC) -> list[Edit]:
    """A person decides a conflict; what lost is not learned again."""
    if (winner.place, winner.id) == (loser.place, loser.id):
        raise InputError("a conflict is between two facts; name the one to keep and the other")
    conflicts_left = [id for id in ids_in(winner, "conflict_with") if id != loser.id]
    held = having(winner, conflict_with=conflicts_left, rejected_at=None)
    approved = replace(decided(held, now, zone), state="approved")
    rejected = having(buried(loser, now, zone), superseded_by=winner.id)
    return [Edit("put", approved), Edit("put", rejected)]


def correct(record: Record, new_text: str, now: float, zone: tzinfo = UTC) -> list[Edit]:
    """A person corrects a fact: the old wording is rejected, the new one approved.

    The new fact is the last edit.
    """
    if not normal(new_text):
        raise InputError("the corrected fact is empty; give its new text, or reject it")
    if same(record.text, new_text):
        raise InputError("the corrected fact says the same; give another text, or leave it")
    mine = f"person:{record.id}"
    new = new_fact(
        new_text,
        record.place,
        mine,
        now,
        record.user,
        confidence=1.0,
        category=str(record.data.get("category", "other")),
        subject=str(record.data.get("subject", "")),
        tags=corrected_tags(record, new_text),
        valid_from=epoch_of(record.data.get("valid_from")),
        zone=zone,
        related=[record.id],
        supersedes=[record.id],
        sources=["person"],
        recorded_by="person",
    )
    # It is put right, not kept for longer; what callers keep beside it stays.
    new = replace(
        new,
        source=_callers_source(record) or "person",
        session=record.session,
        expires=record.expires,
        data={**labels_of(record), **new.data},
    )
    old = having(buried(record, now, zone), superseded_by=new.id)
    return [Edit("put", old), Edit("put", new)]


def _callers_source(record: Record) -> str | None:
    """The id that a caller gave as its source; that of what was learned is among its sources."""
    return None if record.source in ids_in(record, "sources") else record.source


def conflicts(records: Sequence[Record]) -> list[tuple[Record, Record]]:
    """Pairs of conflicting facts that wait for a person's decision."""
    by_id = {fact.id: fact for fact in records}
    return [
        (by_id[id], fact)
        for fact in records
        if fact.state == "conflict"
        for id in ids_in(fact, "conflict_with")
        if id in by_id
    ]
