"""The historian's worker: lease → draft → edits → store → profiles → ack (H1), with retries.

A page is rewritten as a whole, however little it gains. So while jobs wait, what they taught is
gathered and goes onto the pages together; a job is acknowledged when its pages are written, and a
worker that is killed before leaves it to be tried again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from ..domain import events
from ..domain.corrections import ended_note, held_again, successions
from ..domain.drafts import Draft
from ..domain.event_evidence import RETAINED, citing, retained
from ..domain.facts import lock_name
from ..domain.instructions import is_instruction
from ..domain.pending_edits import PendingEdits
from ..domain.recall_echo import news_of
from ..domain.rejections import rejected_in
from ..errors import (
    BusyError,
    DiskError,
    ModelDownError,
    TaishiError,
    TakenError,
    UnreachableError,
)
from ..historian.categories import INSTRUCTION
from ..historian.historian import Historian
from ..historian.participants import clean_name, teller_of
from ..observe.metrics import Metrics
from ..observe.tracing import NoTracing, Tracing
from ..ports import Lease, Locks, Queue, Store
from ..types import Edit, Job, Message, Record
from .corrected_events import corrected_events
from .job_endings import AWAY, JobEndings
from .learner import Learner
from .moved_plans import moved_plans
from .profile_updates import PageUpdates, PageWork
from .retractions import retracted, taken_back
from .short_corrections import marked
from .twin_edits import twin_edits

log = logging.getLogger("taishi.worker")
DOWN_SECONDS = 15.0
BUSY_SECONDS = 1.0
# Any job would have met this: it waits until the model, the disk or the lock is there again.
NOT_ITS_FAULT = (ModelDownError, BusyError, DiskError)
# While jobs wait, pages take at most one part in so many of the time, however long they are.
PAGES_SHARE = 8
# But so many jobs, or those of so many seconds, are not left unacknowledged any longer.
MOST_GATHERED = 500
LONGEST_GATHERED = 10.0
# Facts of a speaker that a statement is compared with, to see whether it is about one of them.
MOST_KNOWN = 50


@dataclass(slots=True)
class Tally:
    """What became of jobs since this process started; the last three are the gate's (H3)."""

    done: int = 0
    retried: int = 0
    failed: int = 0
    postponed: int = 0
    not_worth_keeping: int = 0
    first_pass: int = 0
    after_revision: int = 0
    degraded: int = 0


class _Claim:
    """A job that is ours for a while, and for as long as it is renewed."""

    def __init__(self, queue: Queue, lease: Lease) -> None:
        self._queue = queue
        self.lease = lease
        self.seconds = 0.0  # that it took

    def renew(self) -> None:
        """Raises QueueError if the job was forgotten or given to another worker."""
        self.lease = self._queue.extend(self.lease)


class Worker:
    """Any number may run on one queue, in any number of processes."""

    def __init__(
        self,
        queue: Queue,
        store: Store,
        historian: Historian,
        learner: Learner,
        locks: Locks,
        pages: PageUpdates,
        clock: Callable[[], float] = time.time,
        metrics: Metrics | None = None,
        tracing: Tracing | None = None,
    ) -> None:
        self._metrics = metrics or Metrics()
        self._tracing = tracing or NoTracing()
        self._queue = queue
        self._endings = JobEndings(queue)
        self._store = store
        self._historian = historian
        self._learner = learner
        self._locks = locks
        self._pages = pages
        self._clock = clock
        self._lock = threading.Lock()
        self._storing = threading.Lock()
        self._gathered: list[tuple[_Claim, PageWork]] = []
        self._gathered_since = 0.0
        self._pages_cost = 0.0  # seconds that pages took the last time
        self.tally = Tally()

    def paused(self) -> AbstractContextManager[bool]:
        """While held, no job of this worker reaches the store."""
        return self._storing

    def step(self) -> bool:
        """Work one job. False: none is due."""
        self._endings.settle()
        lease = self._queue.claim()
        if lease is None:
            self._queue.recover()
            lease = self._queue.claim()
            if lease is None:
                return self.write_pages() > 0
        claim = _Claim(self._queue, lease)
        begun = time.perf_counter()
        with self._tracing.span("taishi.job") as span:
            outcome = self._tried(claim)
            span.set(outcome=outcome or "gathered", attempt=lease.attempt)
        claim.seconds = time.perf_counter() - begun
        if outcome:
            self._ended(claim, outcome)
        if self._pages_are_due():
            self.write_pages()
        return outcome != "postponed"

    def _tried(self, claim: _Claim) -> str:
        """What became of the job; "" if it is done but for its pages."""
        try:
            return "" if self._work(claim) else "done"
        except Exception as error:
            return self._failed(claim.lease, error)

    def _failed(self, lease: Lease, error: Exception) -> str:
        if isinstance(error, NOT_ITS_FAULT):
            is_short = isinstance(error, (BusyError, UnreachableError))
            self._endings.postpone(lease, BUSY_SECONDS if is_short else DOWN_SECONDS)
            log.warning("job %s waits: %s", lease.job.event_id, error)
            return "postponed"
        again = self._endings.retry(lease, f"{type(error).__name__}: {error}")
        log.warning("job %s: %s", lease.job.event_id, error)
        return "retried" if again else "failed"

    def finish(self) -> None:
        """Before the worker ends: hold nothing back, and leave no job claimed."""
        self.write_pages()
        try:
            self._endings.settle()
        except AWAY as error:
            log.warning("jobs stay claimed until their lease ends: %s", error)

    def write_pages(self) -> int:
        """Put on the pages what was gathered, and acknowledge its jobs; how many."""
        with self._lock:
            gathered, self._gathered = self._gathered, []
        if not gathered:
            return 0
        begun = time.perf_counter()
        wrong = self._pages.update([work for _, work in gathered])
        for number, (claim, _) in enumerate(gathered):
            outcome = self._paged(claim, wrong.get(number))
            claim.seconds += (time.perf_counter() - begun) / len(gathered)
            self._ended(claim, outcome)
        self._pages_cost = time.perf_counter() - begun
        return len(gathered)

    def _paged(self, claim: _Claim, wrong: Exception | None) -> str:
        """What became of a job whose pages were written. One that cannot be acknowledged keeps its
        claim until the lease ends, and does not keep the others from it."""
        try:
            if wrong is not None:
                return self._failed(claim.lease, wrong)
            self._endings.ack(claim.lease)
        except (OSError, TaishiError) as error:
            log.warning("job %s could not be acknowledged: %s", claim.lease.job.event_id, error)
            return "postponed"
        return "done"

    def _ended(self, claim: _Claim, outcome: str) -> None:
        self._metrics.job.observe(claim.seconds, outcome)
        self._count(outcome)

    def _pages_are_due(self) -> bool:
        if not self._gathered:
            return False
        if not self._pages.together or len(self._gathered) >= MOST_GATHERED:
            return True
        age = time.perf_counter() - self._gathered_since
        longest = min((PAGES_SHARE - 1) * self._pages_cost, LONGEST_GATHERED)
        return age >= longest or not self._queue.is_waiting()

    def _work(self, claim: _Claim) -> bool:
        """True: all is stored, and what was learned waits to be put on pages."""
        job = self._considered(claim.lease.job)
        if job is None:
            self._dismiss(claim)
            return False
        if self._is_written(job):  # killed after the event was stored: only pages are left
            found = self._store.find(job.scope.home, ("fact",))
            waits = self._gather(claim, job, _of_event(found, job.event_id))
        else:
            draft = self._historian.write(job)
            waits, draft = self._learn(claim, job, draft)
            self._count(_grade(draft))
        if not waits:
            self._endings.ack(claim.lease)
        return waits

    def _dismiss(self, claim: _Claim) -> None:
        """There is nothing to keep. Any process may store the raw turn for as long as the job is
        open (background.py), so it goes again once the job is done."""
        unland = [events.unland_turn(claim.lease.job)]
        self._store.apply(unland, erases=False)
        self._endings.ack(claim.lease)
        self._count("not_worth_keeping")
        self._store.apply(unland, erases=False)

    def _is_written(self, job: Job) -> bool:
        there = self._store.get(job.scope.home, job.event_id)
        return there is not None and there.kind == "event" and there.owner == job.job_id

    def _considered(self, job: Job) -> Job | None:
        """A turn of a host without an `end` tool: first, is there anything to keep (W9)?"""
        if job.task != "consider":
            return job
        messages = [
            Message(str(m.get("text") or ""), m.get("speaker"), m.get("time"))
            for m in job.recent_messages
        ]
        decided = self._historian.decide(
            messages, lambda speaker: self._known(job, speaker), job.bot_name or ""
        )
        found = news_of(decided.new_info, job) if decided.should_remember else ()
        if not found and taken_back(job):
            found = (job.source_message,)
        if not found:
            return None
        return replace(job, new_info=(*job.new_info, *found))

    def _known(self, job: Job, speaker: str) -> list[str]:
        """The facts in force about a speaker; without a name, about the sender."""
        teller = teller_of(job)
        subject = clean_name(speaker) or teller.name
        if subject is None:
            return []
        facts, names = self._store.facts, [subject]
        if subject == teller.name and teller.user is not None:
            names += facts.names_of(job.scope.home, teller.user, MOST_KNOWN)
        found = [
            fact.text
            for name in dict.fromkeys(names)
            for _, fact in facts.of_subject(job.scope.home, name, (INSTRUCTION,), MOST_KNOWN)
            if name == subject or teller.owns(fact)
        ]
        return found[:MOST_KNOWN]

    def _learn(self, claim: _Claim, job: Job, draft: Draft) -> tuple[bool, Draft]:
        """Whether pages wait for what was learned, and the draft as it is stored."""
        with self._locks.hold(lock_name(job.scope.home)):
            learned = self._learned(job, draft)
            draft = marked(job, draft, learned)
            with self._storing:
                claim.renew()  # refused if the job was forgotten or given away
                self._keep(job, draft, learned)
        last = {edit.record.id: edit.record for edit in learned if edit.record}  # of each
        facts = [r for r in last.values() if r.kind == "fact" and not is_instruction(r)]
        return self._gather(claim, job, facts), draft

    def _gather(self, claim: _Claim, job: Job, facts: Sequence[Record]) -> bool:
        """Only what is held to be so; what was refused, doubted or contradicted stays off."""
        current = tuple(fact for fact in facts if fact.state == "approved")
        outdated = tuple(fact for fact in facts if fact.state in ("superseded", "rejected"))
        if not current and not outdated:
            return False
        work = PageWork(job, current, outdated, claim.renew)
        with self._lock:
            if not self._gathered:
                self._gathered_since = time.perf_counter()
            self._gathered.append((claim, work))
        return True

    def _learned(self, job: Job, draft: Draft) -> list[Edit]:
        """What the turn teaches, what it takes back, and the notes of both on earlier events."""
        store, zone = self._store, self._learner.zone
        edits = self._learner.edits(job, draft)
        edits += twin_edits(store, job, edits, zone)
        edits += held_again(PendingEdits(store), edits)
        edits += successions(PendingEdits(store), edits, job.event_id)
        edits += moved_plans(PendingEdits(store), job, draft.new_info, edits, zone)
        edits += retracted(store, job, edits, zone)
        edits += corrected_events(store, job, edits)
        return [*edits, *twin_edits(store, job, edits, zone)]

    def _keep(self, job: Job, draft: Draft, learned: list[Edit]) -> None:
        """Store the event. Two processes in one request may have taken the same number."""
        try:
            edits = [*self._with_notes(job, draft, learned), *learned]
            self._store.apply(edits, erases=any(map(_takes_back, edits)))
        except TakenError:
            last = self._store.last_end_seq(job.scope.home, job.request_id)
            taken = replace(job, end_seq=last + 1)
            self._keep(taken, draft, citing(learned, job.event_id, taken.event_id))

    def _events(self, job: Job, draft: Draft) -> list[Edit]:
        """The event, and beside it how others in it would tell it (E1)."""
        event = self._event(job, draft)
        if event.record is None:
            return [event]
        told = (
            events.put_perspective(event.record, number, one.whose, one.text)
            for number, one in enumerate(draft.perspectives, start=2)
        )
        return [event, *told]

    def _with_notes(self, job: Job, draft: Draft, learned: Sequence[Edit]) -> list[Edit]:
        """The events; those that say what a person rejected, or what has ended since, say that."""
        held = {one.record.id for one in learned if one.record and one.record.state == "approved"}
        rejected = rejected_in(self._store, job.scope.home, held)
        past = self._learner.outdated(job, draft)
        edits = []
        for edit in self._events(job, draft):
            record = edit.record
            assert record is not None
            for fact in past:
                record = ended_note(PendingEdits(self._store), record, fact)
            edits.append(Edit("put", rejected.with_notes(record)))
        return edits

    def _event(self, job: Job, draft: Draft) -> Edit:
        episode = draft.episode
        context = {
            "session_id": job.session_id,
            "participants": list(episode.participants),
            "outcome": episode.outcome,
            "artifacts": list(episode.artifacts),
        }
        extra = {
            "context": context,
            "importance": episode.importance,
            "did_what": draft.did_what,
            "new_info": list(draft.new_info),
            "warnings": list(draft.warnings),
            "revisions": draft.revisions,
            "written_at": self._clock(),
            "written_by": self._historian.name,
            RETAINED: retained(job),
        }
        return events.put_event(job, draft.canonical_text, draft.is_absolute, extra)

    def _count(self, what: str) -> None:
        with self._lock:
            setattr(self.tally, what, getattr(self.tally, what) + 1)


def _of_event(found: Sequence[Record], event_id: str) -> list[Record]:
    """The facts that an event taught, and those that it put an end to."""
    own = [fact for fact in found if fact.source == event_id]
    by = {event_id, *(fact.id for fact in own)}
    ended = [
        one
        for one in found
        if one not in own and by & {one.data.get("superseded_by"), one.data.get("rejected_by")}
    ]
    return [*own, *ended]


def _takes_back(edit: Edit) -> bool:
    """Whether somebody wants something gone, in his own words."""
    return edit.record is None or edit.record.state == "rejected"


def _grade(draft: Draft) -> str:
    if not draft.is_absolute:
        return "degraded"
    return "after_revision" if draft.revisions else "first_pass"
