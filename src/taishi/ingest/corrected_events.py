"""What was told and made no fact is put right where it was told: "I was wrong: Joana came from
Booking, not Zalando" is noted on the one event in which the same person said Zalando of Joana.

Where more than one may be meant, all of them stay as they are (H4, P5).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..domain import corrections
from ..domain.event_evidence import job_of
from ..domain.pending_edits import PendingEdits, Records
from ..domain.text_identity import is_told_by_model
from ..historian.fact_patterns.named_contrasts import NamedContrast, named_contrast
from ..historian.participants import Participants
from ..language.clauses import clauses, content
from ..language.text import sentences, storable
from ..types import Edit, Job, Record

MOST_EVENTS = 200
_MAX_ITEMS = 40
_READ_CHARS = 2000


def corrected_events(records: Records, job: Job, learned: Sequence[Edit]) -> list[Edit]:
    """The notes on earlier events, after the edits of what the turn taught and took back."""
    known = PendingEdits(records)
    known.take([*learned, Edit("remove", place=job.scope.home, id=job.event_id)])
    made: list[Edit] = []
    for one in _contrasts(job):
        told = _only_one(known, job, one)
        if told is not None:
            event, part = told
            edit = Edit("put", corrections.noted(event, part, one.said))
            known.take([edit])
            made.append(edit)
    return made


def _contrasts(job: Job) -> list[NamedContrast]:
    sender = Participants.of(job).sender
    texts = dict.fromkeys(storable(one).strip() for one in (*job.new_info, job.source_message))
    found = []
    for text in list(texts)[:_MAX_ITEMS]:
        for sentence in sentences(text[:_READ_CHARS]):
            one = named_contrast(sentence)
            if one is not None and one.subject != sender and one not in found:
                found.append(one)
    return found


def _only_one(records: PendingEdits, job: Job, one: NamedContrast) -> tuple[Record, str] | None:
    """The event with the statement that is wrong; None if there is none, or more than one."""
    who, by_model = job.sender_id or job.user_id, is_told_by_model(job)
    found = []
    for event in records.find(job.scope.home, corrections.SPOKEN, MOST_EVENTS):
        if event.user != who or (event.time or 0.0) > job.epoch:
            continue
        parts = [
            part
            for part in corrections.parts(event)
            if one.is_of(part) and not _denies(part, one.old)
        ]
        if parts and by_model and not is_told_by_model(job_of(event)):
            return None  # a model's word puts right what a model told, and nothing else
        found += [(event, part) for part in parts]
    if len(found) != 1 or corrections.speaks_of(*found[0]):
        return None
    return found[0]


def _denies(part: str, value: str) -> bool:
    """Whether it is told that the value is not so: "Joana did not come from Zalando"."""
    words = content(value)
    return any(not words.isdisjoint(clause.denied) for clause in clauses(part))
