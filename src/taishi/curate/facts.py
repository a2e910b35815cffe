"""`memory.facts`: a person's word on what was learned."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from ..domain import authority, corrections, fact_decisions, facts
from ..domain.arguments import MOST_LISTED, whole_number
from ..domain.fact_lifecycle import having, ids_in, successor, superseded
from ..domain.pending_edits import PendingEdits
from ..domain.shared_memory import is_entry
from ..domain.text_identity import same
from ..domain.write_checks import check_not_rejected
from ..errors import InputError
from ..ingest.background import BackgroundTasks
from ..ingest.job_builder import JobBuilder
from ..runtime import Runtime
from ..times import TimeLike, to_epoch
from ..transfer.redact import ExportRedactor
from ..types import Edit, Record, Scope, clean_id, known_names
from .page_lines import PageLines

Records = list[Record]  # inside the class, `list` is the verb
Pairs = list[tuple[Record, Record]]
MOST_WAITING = 1000


class FactService:
    def __init__(
        self,
        runtime: Runtime,
        builder: JobBuilder,
        background: BackgroundTasks,
        page_lines: PageLines,
    ) -> None:
        self._runtime = runtime
        self._store, self._locks = runtime.parts.store, runtime.parts.locks
        self._builder = builder
        self._background = background
        self._page_lines = page_lines

    def list(
        self, scope: Scope, states: Collection[str] | None = None, limit: int = 1000
    ) -> Records:
        """The newest facts of this scope's partition; with `states`, only those."""
        self._runtime.check_scope(scope)
        whole_number(limit, "limit", MOST_LISTED)
        wanted = known_names(states, facts.STATES, "states")
        return self._store.find(scope.home, ("fact",), wanted, limit)

    def approve(
        self, scope: Scope, id: str, *, actor: str = "person", door: str = "python"
    ) -> None:
        """A person confirms it, even if it was rejected before: from now on it is recalled."""
        with self._deciding(scope, actor, door):
            known, now = self._now_known(), self._runtime.clock()
            self._curate(
                corrections.approval(known, self._fact(scope, id), now, self._runtime.zone)
            )

    def reject(self, scope: Scope, id: str, *, actor: str = "person", door: str = "python") -> None:
        """A person says it is wrong: neither recalled nor on a page, and not learned again (P5).

        So are other facts of the place in the same words. The events that said it stay, and say
        that it was withdrawn. With the `actor` "model" it was never so either, but may be learned
        again; a model cannot withdraw what a person decided.
        """
        who = authority.checked(actor)
        with self._runtime.recording_refusals(scope, who, door), self._facts_held(scope):
            old = self._fact(scope, id)
            if who == "model":
                self._check_present(old)
            authority.check_decision(old, who)
            known, now = self._now_known(), self._runtime.clock()
            by_person = who != "model"
            made = corrections.rejection if by_person else corrections.withdrawal
            self._curate(made(known, old, now, self._runtime.zone))
        self._page_lines.restate(old, "")

    def correct(
        self,
        scope: Scope,
        id: str,
        text: str,
        *,
        time: TimeLike | None = None,
        actor: str = "person",
        door: str = "python",
    ) -> str:
        """Correct a fact, in a person's words; returns the new fact's id. `time` is when they said
        so, if that is not now.

        Metadata, tags, `source`, `session` and `expires` of the old one stay with it. Its lines on
        pages change, too; the events that said it stay, and show the correction; what
        waited because it contradicted the old fact becomes history. With the `actor` "model", the
        new fact counts as the model's, and what a person rejected is refused. InputError for a fact
        that was already replaced: it names the current one.
        """
        who = authority.checked(actor)
        with self._runtime.recording_refusals(scope, who, door), self._facts_held(scope):
            words = self._builder.text(text, "text")
            old = self._fact(scope, id)
            self._check_present(old)
            authority.check_decision(old, who)
            zone = self._runtime.zone
            known, now = self._now_known(), self._runtime.clock()
            now = now if time is None else to_epoch(time, zone)
            if who == "model":
                check_not_rejected(self._store, scope.home, words)
            made = corrections.correction if who != "model" else corrections.model_correction
            first, *others = made(known, old, words, now, self._runtime.zone)
            new = first.record
            assert new is not None
            if old.redaction != self._builder.stamp:  # of what stands beside the words
                new = ExportRedactor(self._runtime.redactor, trusting=True).record_alone(new)
            new = replace(new, redaction=self._builder.stamp)
            ended = {one.record.id for one in others if one.record and _has_ended(one.record)}
            self._curate([Edit("put", new), *others, *self._settled(old, ended, new, who, now)])
        self._page_lines.restate(old, words)
        return new.id

    def _now_known(self) -> PendingEdits:
        return PendingEdits(self._store)

    def conflicts(self, scope: Scope) -> Pairs:
        """Pairs of facts that contradict each other and wait for a person; the newer is second."""
        return fact_decisions.conflicts(self.list(scope))

    def resolve(
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
            known, now = self._now_known(), self._runtime.clock()
            edits = corrections.resolution(known, kept, dropped, now, self._runtime.zone)
            self._curate(edits)
        self._page_lines.restate(dropped, kept.text)

    @contextmanager
    def _deciding(self, scope: Scope, actor: str, door: str) -> Iterator[None]:
        """For what only a person decides about the facts of a place."""
        with self._runtime.recording_refusals(scope, actor, door):
            authority.check_person(actor)
            with self._facts_held(scope):
                yield

    def _facts_held(self, scope: Scope) -> AbstractContextManager[None]:
        """The historian holds this lock, too, from reading what is known to writing."""
        self._runtime.check_scope(scope)
        return self._locks.hold(facts.lock_name(scope.home))

    def _fact(self, scope: Scope, id: str) -> Record:
        found = self._store.get(scope.home, clean_id(id, "id") or "")
        if found is None or found.kind != "fact":
            raise InputError(f"there is no fact {str(id)[:80]!r} in {scope.home}; list the facts")
        if is_entry(found):
            raise InputError("this was proposed to shared memory; use the verbs of memory.shared")
        return found

    def _settled(
        self, old: Record, ended: Collection[str], new: Record, actor: str, now: float
    ) -> Iterator[Edit]:
        """What becomes of facts that waited because the old one, or one that states the same,
        contradicted them: one that says what holds now goes, others are history. What a person said
        waits on, against the new one, if only a model corrects."""
        for one in self._store.find(old.place, ("fact",), ("conflict",), MOST_WAITING):
            rivals = ids_in(one, "conflict_with")
            if one.id == new.id or one.id in ended or not any(id in ended for id in rivals):
                continue
            if same(one.text, new.text):
                yield Edit("remove", place=one.place, id=one.id)
            elif actor == "model" and authority.rank(one) > 0:
                linked = dict.fromkeys(new.id if id in ended else id for id in rivals)
                yield Edit("put", having(one, conflict_with=list(linked)))
            else:
                yield Edit("put", superseded(one, new.id, now, self._runtime.zone))

    def _check_present(self, fact: Record) -> None:
        """What was replaced before is not replaced again, or two facts would hold instead of it."""
        present = successor(fact, lambda id: self._store.get(fact.place, id))
        if present is not None:
            raise InputError(
                f"the fact {fact.id!r} was replaced already; correct the present one, "
                f"{present.id!r}"
            )

    def _curate(self, edits: Sequence[Edit]) -> None:
        self._store.apply(edits)
        self._background.wake_embedding()


def _has_ended(record: Record) -> bool:
    return record.kind == "fact" and record.state in ("rejected", "superseded")
