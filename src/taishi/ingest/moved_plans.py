"""Plans and habits that get another time: "the wedding was moved to 19 June", "yoga is every
Thursday now", 婚礼改到6月19日了. What was learned with the old time ends, and what the person says
now is learned instead (P5).

Only the person's own, and only where it is sure which one is meant: a day that moves says nothing
of what is every week.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, tzinfo

from ..domain import corrections
from ..domain.authority import is_models_own, of_model
from ..domain.fact_lifecycle import epoch_of, ids_in, new_fact, superseded
from ..domain.own_facts import ABOUT_USER
from ..domain.pending_edits import PendingEdits
from ..domain.text_identity import is_told_by_model, same
from ..historian.fact_patterns.cancellations import days_of
from ..historian.participants import local_time
from ..language.gate import check
from ..language.moved_plans import gives_time_for, moved
from ..language.stated_times import is_one_more, recurs, times_in
from ..times import to_datetime
from ..types import Edit, Job, Record
from .stored_facts import is_one_clause, is_stored

MOST_FACTS = 1000
MOST_EVENTS = 200
_MAX_ITEMS = 40
_Times = frozenset[date] | frozenset[str]


def moved_plans(
    records: PendingEdits, job: Job, told: Sequence[str], learned: Sequence[Edit], zone: tzinfo
) -> list[Edit]:
    """The edits for what a turn tells to be at another time. `told` are its statements, in words
    that stay true; `learned` is what it taught."""
    records.take(learned)
    local, _ = local_time(job)
    by_model = is_told_by_model(job)
    made: list[Edit] = []
    for statement in (one.strip().rstrip(".。") for one in told[:_MAX_ITEMS]):
        for what in moved(statement):
            old = _only_one(records, job, what, statement, local)
            if old is not None and (not by_model or is_models_own(old)):
                edits = list(_replaced(records, job, old, statement, what, learned, zone))
                records.take(edits)
                made += edits
    return made


def _only_one(
    records: PendingEdits, job: Job, what: str, statement: str, local: datetime
) -> Record | None:
    """The one fact that gives another time for it; None if anything else may be meant."""
    now = _times(statement, local)
    if not now or (recurs(statement) and is_one_more(statement)):
        return None
    found = [
        fact
        for fact in records.find(job.scope.home, ("fact",), MOST_FACTS)
        if _may_be_meant(fact, job, what) and _differs(_times(fact.text, local), now)
    ]
    if len(found) != 1 or _is_told_otherwise(records, job, what, found[0], now, local):
        return None
    return found[0]


def _may_be_meant(fact: Record, job: Job, what: str) -> bool:
    return (
        fact.state == "approved"
        and fact.user in (None, _who(job))
        and fact.source != job.event_id
        and (epoch_of(fact.data.get("last_confirmed")) or fact.time or 0.0) <= job.epoch
        and (not is_stored(fact) or is_one_clause(fact.text))
        and gives_time_for(fact.text, what)
    )


def _is_told_otherwise(
    records: PendingEdits, job: Job, what: str, plan: Record, now: _Times, local: datetime
) -> bool:
    """Whether an event tells of another one of that name, which may be the one that is moved."""
    known = {job.event_id, *(event.id for event in corrections.sources(records, plan))}
    ours = _times(plan.text, local)
    for event in records.find(job.scope.home, corrections.SPOKEN, MOST_EVENTS):
        if event.id in known or event.time is None or event.time > job.epoch:
            continue
        then = to_datetime(event.time, local.tzinfo or UTC)
        for part in corrections.parts(event):
            if moved(part) or not gives_time_for(part, what):
                continue
            times = _times(part, then)
            if _differs(ours, times) and times != now:
                return True
    return False


def _times(text: str, local: datetime) -> _Times:
    """When it is again and again, as it is put; else its day, if it is to come and the only one."""
    if recurs(text):
        return times_in(text)
    days = days_of(text, local)
    return days if len(days) == 1 and min(days) >= local.date() else frozenset()


def _differs(before: _Times, now: _Times) -> bool:
    """Whether both are days, or both are habits, and the later one names a time of its own."""
    kinds = {type(one) for times in (before, now) for one in times}
    return bool(before) and len(kinds) == 1 and bool(set(now) - set(before))


def _replaced(
    records: PendingEdits,
    job: Job,
    old: Record,
    statement: str,
    what: str,
    learned: Sequence[Edit],
    zone: tzinfo,
) -> Iterator[Edit]:
    new = _taught(job, learned, what) or _known(records, job, statement)
    if new is None:
        if check(statement):
            return
        new = _fact(job, old, statement, zone)
        yield Edit("put", new)
    yield Edit("put", superseded(old, new.id, job.epoch, zone))
    for event in corrections.sources(records, old):
        yield Edit("put", corrections.noted(event, old.text, new.text, corrections.CHANGED))


def _taught(job: Job, learned: Sequence[Edit], what: str) -> Record | None:
    """What the turn itself taught of it."""
    facts = (edit.record for edit in learned if edit.record is not None)
    return next(
        (
            fact
            for fact in facts
            if fact.kind == "fact"
            and fact.state == "approved"
            and job.event_id in (fact.source, *ids_in(fact, "sources"))
            and gives_time_for(fact.text, what)
        ),
        None,
    )


def _known(records: PendingEdits, job: Job, statement: str) -> Record | None:
    facts = records.find(job.scope.home, ("fact",), MOST_FACTS)
    return next(
        (fact for fact in facts if fact.state == "approved" and same(fact.text, statement)), None
    )


def _fact(job: Job, old: Record, statement: str, zone: tzinfo) -> Record:
    own = {name: old.data[name] for name in ("by_self", ABOUT_USER) if name in old.data}
    fact = new_fact(
        statement,
        old.place,
        job.event_id,
        job.epoch,
        old.user,
        confidence=old.confidence,
        category=str(old.data.get("category") or "plan"),
        subject=str(old.data.get("subject") or ""),
        quote=next(iter(job.new_info), job.source_message),
        tags=ids_in(old, "tags"),
        zone=zone,
        supersedes=[old.id],
        related=[old.id],
        **own,
    )
    return of_model(fact) if is_told_by_model(job) else fact


def _who(job: Job) -> str | None:
    return job.sender_id or job.user_id
