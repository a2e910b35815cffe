"""What a turn does to a fact, it does to every fact of the place that states the same (P5).

Rules and models compare a statement with a few known facts, and decide about each by its id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo

from ..domain import corrections
from ..domain.authority import rank
from ..domain.fact_lifecycle import (
    buried,
    epoch_of,
    having,
    held_again,
    is_taken_back_by,
    superseded,
)
from ..domain.pending_edits import PendingEdits, Records
from ..domain.twins import REJECTED, STANDING, twins
from ..types import Edit, Job, Record


def twin_edits(records: Records, job: Job, made: Sequence[Edit], zone: tzinfo) -> list[Edit]:
    """The edits that belong to those which a turn has made."""
    now = PendingEdits(records)
    now.take(made)
    changed = {edit.record.id: edit.record for edit in made if edit.record is not None}
    for fact in list(changed.values()):
        before = records.get(fact.place, fact.id) if fact.kind == "fact" else None
        if before is None or before.state == fact.state:
            continue
        for twin in _twins(now, job, before, fact):
            if twin.id not in changed:
                changed[twin.id] = twin
                now.take(_followed(now, job, fact, twin, zone))
    return now.edits[len(made) :]


def _twins(now: PendingEdits, job: Job, before: Record, fact: Record) -> Iterator[Record]:
    """Those to which the same happens: not what is newer than the turn, nor, for a model's word,
    what is trusted more than the fact was."""
    if before.state == "rejected" and fact.state == "approved":
        who = job.sender_id or job.user_id
        tombs = twins(now, fact, REJECTED)
        yield from (one for one in tombs if is_taken_back_by(one, who, job.epoch))
    elif before.state in STANDING and fact.state in ("superseded", "rejected"):
        for one in twins(now, fact):
            if not _is_newer(one, job) and (job.actor != "model" or rank(one) <= rank(before)):
                yield one


def _followed(
    now: PendingEdits, job: Job, fact: Record, twin: Record, zone: tzinfo
) -> Iterator[Edit]:
    """The twin as the fact is now, and the events that said it."""
    by = fact.data.get("superseded_by")
    if fact.state == "approved":
        yield Edit("put", held_again(twin))
    elif fact.state == "superseded":
        ends = job.epoch if fact.until is None else fact.until
        old = superseded(twin, str(by or job.event_id), ends, zone)
        yield Edit("put", old)
        for event in corrections.sources(now, old):
            if event.id != job.event_id and not corrections.speaks_of(event, old.text):
                yield Edit("put", corrections.ended_note(now, event, old))
    else:
        keys = ("rejected_by", "superseded_by")
        taken = {key: fact.data[key] for key in keys if key in fact.data}
        yield Edit("put", having(buried(twin, job.epoch, zone), **taken))
        heir = now.get(fact.place, by) if isinstance(by, str) else None
        yield from corrections.replaced(now, twin, heir.text if heir is not None else "")


def _is_newer(fact: Record, job: Job) -> bool:
    """Stored after the turn was: a turn that comes late ends nothing that is newer."""
    return (epoch_of(fact.data.get("last_confirmed")) or fact.time or 0.0) > job.epoch
