"""What others said of somebody who then denies it: the person's own word stands (P5).

"Ben: Ann is vegetarian", then "I'm not vegetarian" by Ann: the claim ends, the denial is known
instead, and the events that say the claim say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo

from ..domain import corrections
from ..domain.fact_lifecycle import new_fact, superseded
from ..domain.pending_edits import PendingEdits
from ..historian.fact_patterns.conditions import Allowed
from ..historian.fact_patterns.denials import Predicate
from ..historian.fact_patterns.extract import absolute_statement
from ..historian.fact_patterns.retraction import Retraction
from ..historian.participants import teller_of
from ..historian.statement_comparison import StatementComparison
from ..language.lazy_regex import lazy_compile
from ..language.text import sentences
from ..types import Edit, Job, Record
from .stored_facts import StoredFacts

MOST_FACTS = 4000
MOST_EVENTS = 200
_HOLDING = ("approved", "candidate", "conflict")
_CLAUSE_END = lazy_compile(r"[,;:!?—，；：！？]|\.(?=\s|$)|[。]")


def denials_of_claims(
    records: PendingEdits,
    job: Job,
    one: Retraction,
    stated: Sequence[Record],
    stored: StoredFacts,
    zone: tzinfo,
) -> Iterator[Edit]:
    """The edits for one denial; none if nobody else said so. `stated` is what the turn teaches."""
    teller, denied = teller_of(job), one.denied
    subject = teller.name
    if not subject or denied is None:
        return
    names = teller.names(records.find(job.scope.home, ("fact",), MOST_FACTS))
    claims = [
        fact
        for name in names
        for fact in _claims(records, job)
        if denied.is_of(fact.text, name) and _is_about(fact, name, stored)
    ]
    events = [found for name in names for found in _events(records, job, denied, name)]
    if not claims and not events:
        return
    said = [fact.text for fact in claims] + [claim for _, claim in events]
    denial = _known_denial(records, job, stated, said)
    if denial is None and (text := absolute_statement(job, one.said)):
        denial = _denial(text, job, one, subject, claims, zone)
        yield Edit("put", denial)
    by, now = (denial.id, denial.text) if denial else (job.event_id, "")
    for fact in claims:
        yield Edit("put", superseded(fact, by, job.epoch, zone))
    noted: dict[str, Record] = {}
    told = [(event, fact.text) for fact in claims for event in corrections.sources(records, fact)]
    for event, claim in (*told, *events):
        before = noted.get(event.id, event)
        if not corrections.speaks_of(before, claim):
            noted[event.id] = corrections.noted(before, claim, now, corrections.DENIED)
    yield from (Edit("put", event) for event in noted.values())


def _claims(records: PendingEdits, job: Job) -> Iterator[Record]:
    """What others said, as facts."""
    for fact in records.find(job.scope.home, ("fact",), MOST_FACTS):
        is_others = fact.user not in (None, _who(job)) and not fact.data.get("by_self")
        if fact.state in _HOLDING and is_others:
            yield fact


def _is_about(fact: Record, subject: str, stored: StoredFacts) -> bool:
    return fact.data.get("subject") == subject or stored.reading(fact) is not fact


def _events(
    records: PendingEdits, job: Job, denied: Predicate | Allowed, subject: str
) -> Iterator[tuple[Record, str]]:
    """The events in which others say so, taught or not, each with the words."""
    for event in records.find(job.scope.home, corrections.SPOKEN, MOST_EVENTS):
        if event.user in (None, _who(job)) or (event.time or 0.0) > job.epoch:
            continue
        if event.speaker == subject:
            continue  # somebody of the same name, of himself
        for part in corrections.parts(event):
            yield from ((event, claim) for claim in _said_of(part, subject, denied))


def _said_of(part: str, subject: str, denied: Predicate | Allowed) -> Iterator[str]:
    """The clauses that say just this of the subject: "I hear that Ann is vegetarian"."""
    for sentence in sentences(part):
        at = sentence.find(subject)
        while at >= 0:
            clause = _CLAUSE_END.split(sentence[at:], maxsplit=1)[0].strip()
            if denied.is_of(clause, subject):
                yield clause
            at = sentence.find(subject, at + 1)


def _known_denial(
    records: PendingEdits, job: Job, stated: Sequence[Record], claims: Sequence[str]
) -> Record | None:
    """What the turn taught that denies it in so many words."""
    compare = StatementComparison()
    return next(
        (
            fact
            for fact in stated
            if fact.kind == "fact" and any(compare.is_denial_of(fact.text, one) for one in claims)
        ),
        None,
    )


def _denial(
    text: str, job: Job, one: Retraction, subject: str, claims: Sequence[Record], zone: tzinfo
) -> Record:
    return new_fact(
        text,
        job.scope.home,
        job.event_id,
        job.epoch,
        _who(job),
        confidence=0.8,
        category=str(claims[0].data.get("category") or "other") if claims else "other",
        subject=subject,
        quote=one.said,
        zone=zone,
        by_self=True,
        about_user=True,
        supersedes=[fact.id for fact in claims],
        related=[fact.id for fact in claims],
    )


def _who(job: Job) -> str | None:
    return job.sender_id or job.user_id
