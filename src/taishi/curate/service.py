"""The verbs of the person who looks after a memory: facts, profiles, jobs, what it cost."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC
from typing import Any

from ..domain import authority, corrections, facts, procedures
from ..domain.line_acl import Statement, keys
from ..domain.pending_edits import PendingEdits
from ..domain.profile_owners import ProfileOwner, entity_of, pages_of
from ..domain.text_identity import same
from ..domain.write_checks import check_not_rejected
from ..errors import InputError, TaishiError
from ..exported import Refusal
from ..runtime import Core
from ..times import TimeLike, to_datetime, to_epoch
from ..types import Edit, PageFault, Profile, Record, Scope, clean_id

MOST_HELD = 2000
LOCK_SECONDS = 5.0


class Curating(Core):
    # -- facts -------------------------------------------------------------------------------

    def facts(
        self, scope: Scope, states: Collection[str] | None = None, limit: int = 1000
    ) -> list[Record]:
        """The newest facts of this scope's own place; with `states`, only those."""
        self._check_scope(scope)
        if states is not None and (unknown := set(states) - set(facts.STATES)):
            raise InputError(f"unknown states {sorted(unknown)}; use {', '.join(facts.STATES)}")
        return self._parts.store.find(scope.home, ("fact",), states, limit)

    def approve_fact(
        self, scope: Scope, id: str, *, actor: str = "person", door: str = "python"
    ) -> None:
        """A person says it is so, perhaps after all: from now on it is recalled."""
        with self._deciding(scope, actor, door):
            known, now = self._now_known(), self._clock()
            self._curate(corrections.approval(known, self._fact(scope, id), now, self._zone))

    def reject_fact(
        self, scope: Scope, id: str, *, actor: str = "person", door: str = "python"
    ) -> None:
        """A person says it is not so: neither recalled nor on a page, and not learned again (P5).

        The events that said it stay, and say that it was withdrawn. By the `actor` "model" it
        only ends, and may be learned again; what a person decided is not the model's to end.
        """
        who = authority.checked(actor)
        with self._refusing(scope, who, door), self._facts_held(scope):
            old = self._fact(scope, id)
            authority.check_decision(old, who)
            known, now = self._now_known(), self._clock()
            by_person = who != "model"
            made = corrections.rejection if by_person else corrections.ending
            self._curate(made(known, old, now, self._zone))
        self._restate(old, "")

    def correct_fact(
        self, scope: Scope, id: str, text: str, *, actor: str = "person", door: str = "python"
    ) -> str:
        """Put a fact right, in a person's words; the new fact's id.

        Its lines on pages change, too; the events that said it stay, and show the correction. By
        the `actor` "model" the new fact is the model's word, and what a person rejected is refused.
        """
        who = authority.checked(actor)
        with self._refusing(scope, who, door), self._facts_held(scope):
            words = self._intake.text(text, "text")
            old = self._fact(scope, id)
            authority.check_decision(old, who)
            known, now = self._now_known(), self._clock()
            if who == "model":
                check_not_rejected(self._parts.store, scope.home, words)
            made = corrections.correction if who != "model" else corrections.model_correction
            first, *others = made(known, old, words, now, self._zone)
            new = first.record
            assert new is not None
            new = replace(new, redaction=self._intake.stamp)
            self._curate([Edit("put", new), *others])
        self._restate(old, words)
        return new.id

    def refusals(self, limit: int = 100) -> list[Refusal]:
        """Writes that were not let in of late, the newest first: who, when, by which door, why;
        never what was to be written."""
        self._check_open()
        return [Refusal(*row) for row in self._parts.store.refusals.list(limit)]

    def _now_known(self) -> PendingEdits:
        return PendingEdits(self._parts.store)

    def _restate(self, old: Record, new: str) -> None:
        """On the pages. What a line said besides, and still holds, gets a line of its own."""
        held = self._parts.store.find(old.place, ("fact",), ("approved",), MOST_HELD)
        others = [one.text for one in held if not same(one.text, new)]
        self._profiles.restate(old, new, others)
        self._keeper.wake_embedding()

    def _after_a_kill(self) -> None:
        super()._after_a_kill()
        self._later(self._restate_withdrawn)

    def _restate_withdrawn(self) -> None:
        """Put right the pages whose facts were rejected or corrected by a process that was killed
        before it came to them."""
        store = self._parts.store
        for place, _ in store.places():
            for fact in store.find(place, ("fact",), ("rejected",), MOST_HELD):
                if self._is_on_a_page(fact):
                    by = store.get(place, str(fact.data.get("superseded_by") or ""))
                    self._restate(fact, by.text if by and by.state == "approved" else "")

    def _is_on_a_page(self, fact: Record) -> bool:
        """Word for word, and not because a person wrote it there again."""
        key = Statement(fact.text).key
        for entity in pages_of(fact):
            with suppress(TaishiError):  # a page that cannot be read says nothing
                page = self._profiles.source(entity)
                if page is not None and key in keys(page.body):
                    self._profiles.follow_edits(entity.scope, LOCK_SECONDS)
                    now = self._parts.store.get(fact.place, fact.id)
                    return now is not None and now.state == "rejected"
        return False

    def fact_conflicts(self, scope: Scope) -> list[tuple[Record, Record]]:
        """Pairs of facts that contradict each other and wait for a person; the newer is second."""
        return facts.conflicts(self.facts(scope))

    def resolve_conflict(
        self,
        scope: Scope,
        keep_id: str,
        drop_id: str,
        *,
        actor: str = "person",
        door: str = "python",
    ) -> None:
        """One of two facts holds; the other is not learned again."""
        with self._deciding(scope, actor, door):
            kept, dropped = self._fact(scope, keep_id), self._fact(scope, drop_id)
            edits = facts.resolve(kept, dropped, self._clock(), self._zone)
            self._curate([*edits, *corrections.replaced(self._now_known(), dropped, kept.text)])
        self._restate(dropped, kept.text)

    @contextmanager
    def _deciding(self, scope: Scope, actor: str, door: str) -> Iterator[None]:
        """For what only a person decides about the facts of a place."""
        with self._refusing(scope, actor, door):
            authority.check_person(actor)
            with self._facts_held(scope):
                yield

    def _facts_held(self, scope: Scope) -> AbstractContextManager[None]:
        """The historian holds this lock, too, from reading what is known to writing."""
        self._check_scope(scope)
        return self._parts.locks.hold(facts.lock_name(scope.home))

    def procedure_feedback(self, scope: Scope, id: str, worked: bool) -> float:
        """A way of working was tried: whether it worked; the success rate that follows (F3)."""
        with self._facts_held(scope):
            found = self._parts.store.get(scope.home, clean_id(id, "id") or "")
            if found is None or found.kind != "procedure":
                raise InputError(f"there is no procedure {str(id)[:80]!r} in {scope.home}")
            edit = procedures.feedback(found, bool(worked))
            self._curate([edit])
            return float(edit.record.data["success_rate"]) if edit.record else 0.0

    def _fact(self, scope: Scope, id: str) -> Record:
        found = self._parts.store.get(scope.home, clean_id(id, "id") or "")
        if found is None or found.kind != "fact":
            raise InputError(f"there is no fact {str(id)[:80]!r} in {scope.home}; list the facts")
        return found

    def _curate(self, edits: Sequence[Edit]) -> None:
        self._parts.store.apply(edits)
        self._keeper.wake_embedding()

    # -- profiles ----------------------------------------------------------------------------

    def profile_source(self, scope: Scope) -> Profile | None:
        """The page of this scope's user or group as it is on disk, marks included."""
        return self._profiles.source(self._entity(scope))

    def edit_profile(
        self,
        scope: Scope,
        body: str,
        before: Profile | None,
        *,
        actor: str = "person",
        door: str = "python",
    ) -> Profile:
        """A person's new body for the page they read with `profile_source`.

        What they took out is not learned again. BusyError if the page changed meanwhile.
        """
        entity = self._entity(scope)
        with self._refusing(scope, actor, door):
            authority.check_person(actor)
            text = self._intake.text(body, "body")
        written = self._profiles.edit(entity, text, before)
        self._keeper.wake_embedding()
        return written

    def profile_revisions(self, scope: Scope) -> tuple[str, ...]:
        """Names of the page's snapshots, newest first."""
        return self._profiles.revisions(self._entity(scope))

    def profile_diff(self, scope: Scope, revision: str, to: str | None = None) -> str:
        """What changed from a snapshot to another, or to the page as it is now."""
        return self._redactor.text(self._profiles.diff(self._entity(scope), revision, to))

    def profile_rollback(
        self, scope: Scope, revision: str, *, actor: str = "person", door: str = "python"
    ) -> Profile:
        """Put a snapshot back; what is there now becomes a snapshot."""
        with self._refusing(scope, actor, door):
            authority.check_person(actor)
        written = self._profiles.rollback(self._entity(scope), revision)
        self._keeper.wake_embedding()
        return written

    def page_faults(self) -> list[PageFault]:
        """What is wrong with pages on disk: the file, the line, the kind. They are read all the
        same, as well as they can be; only a folder or a file that may not be read is left out."""
        self._check_open()
        files = self._parts.profiles
        return [
            PageFault(str(files.path_of(entity)), fault.line, fault.kind, fault.detail)
            for workspace in files.workspaces()
            for entity in files.list(workspace)
            for fault in files.faults(entity)
        ]

    def _entity(self, scope: Scope) -> ProfileOwner:
        self._check_scope(scope)
        entity = entity_of(scope)
        if entity is None:
            raise InputError("a profile is about a user or a group; this scope is neither")
        return entity

    # -- jobs and the ledger -----------------------------------------------------------------

    def jobs(self) -> list[dict[str, Any]]:
        """Jobs that wait, are at hand or were given up, with the reason; oldest first."""
        self._check_open()
        queue = self._parts.queue
        listed: list[dict[str, Any]] = [
            {
                "state": state,
                "name": name,
                "event_id": job.event_id,
                "attempts": attempts,
                "reason": "",
                "job": asdict(job),
            }
            for state, name, attempts, job in queue.open_jobs()
        ]
        for failed in queue.failed_jobs():
            job = failed.job
            listed.append(
                {
                    "state": "failed",
                    "name": failed.name,
                    "event_id": job.event_id if job else "",
                    "attempts": failed.attempts,
                    "reason": failed.reason,
                    "job": asdict(job) if job else None,
                }
            )
        return listed

    def retry_job(self, name: str) -> None:
        """Put a job that was given up back into the queue, with all its tries."""
        self._check_open()
        self._parts.queue.retry_failed(name)
        for loop in self._workers:
            loop.wake()

    def ledger(self, since: TimeLike | None = None) -> list[dict[str, Any]]:
        """Calls to models by day (UTC), task, model and mode: tokens, seconds, cost, failures."""
        self._check_open()
        day = None
        if since is not None:
            day = to_datetime(to_epoch(since, self._zone), UTC).date().isoformat()
        return self._ledger_rows(day)
