"""Reads and writes the entries of shared memory, for the nouns `shared` and `procedures`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from ..domain import authority, facts, shared_decisions, shared_memory
from ..domain.deletion_marks import Marks
from ..domain.shared_memory import Act, Writer
from ..domain.text_identity import normal
from ..domain.write_checks import check_not_rejected
from ..errors import InputError
from ..historian.shared_contradictions import opposes
from ..ingest.background import BackgroundTasks
from ..ingest.job_builder import JobBuilder
from ..ingest.records import checked_confidence
from ..runtime import Runtime
from ..types import Edit, Record, Scope, clean_id

MOST = 10_000  # entries of a workspace that a new one is compared with
MAX_TEXT_CHARS = 4000
MAX_TOPIC_CHARS = 200
MAX_REASON_CHARS = 500


class SharedEntries:
    def __init__(self, runtime: Runtime, builder: JobBuilder, background: BackgroundTasks) -> None:
        self._runtime = runtime
        self._store, self._locks = runtime.parts.store, runtime.parts.locks
        self._builder = builder
        self._background = background

    @contextmanager
    def acting(
        self, scope: Scope, actor: str, actor_id: str, door: str, reason: str = ""
    ) -> Iterator[Act]:
        """Nobody else reads and writes the workspace's entries meanwhile: two that contradict each
        other cannot both miss the other."""
        self._runtime.check_scope(scope)
        writer = self.writer(scope, actor, actor_id, door)
        words = self._builder.text(reason, "reason").strip()[:MAX_REASON_CHARS]
        with (
            self._runtime.recording_refusals(scope, writer.actor, door),
            self._locks.hold(facts.lock_name(scope.commons)),
        ):
            yield Act(writer, self._runtime.clock(), self._runtime.zone, words)

    def writer(self, scope: Scope, actor: str, actor_id: str, door: str) -> Writer:
        self._runtime.check_scope(scope)
        listed = self._runtime.settings.shared.coordinators.split(",")
        names = [name.strip() for name in listed if name.strip()]
        marks = Marks(self._store.deletions.key())
        person = clean_id(actor_id, "actor_id") or ""
        return shared_memory.writer_of(scope, authority.checked(actor), person, door, names, marks)

    def entry(
        self,
        scope: Scope,
        text: str,
        type: str,
        topic: str,
        confidence: float | None,
        act: Act,
    ) -> Record:
        if type not in shared_memory.TYPES:
            raise InputError(
                f"unknown type {type!r:.40}; use one of {', '.join(shared_memory.TYPES)}"
            )
        words = self._builder.text(text, "text").strip()
        if not normal(words):
            raise InputError("text is empty: there is nothing to propose; give a text")
        if len(words) > MAX_TEXT_CHARS:
            raise InputError(
                f"text has {len(words)} characters; at most {MAX_TEXT_CHARS} are shared. Say it in "
                "a few sentences, or add it as a document"
            )
        subject = self._builder.text(topic, "topic").strip()[:MAX_TOPIC_CHARS]
        sure = shared_memory.CONFIDENCE[act.writer.actor] if confidence is None else confidence
        sure = checked_confidence(sure)
        if act.writer.actor == "model":
            sure = min(sure, authority.MODEL_MOST)
        record = shared_memory.new_entry(words, type, subject, scope.commons, scope.user, sure, act)
        return replace(record, redaction=self._builder.stamp)

    def propose(self, scope: Scope, new: Record, act: Act) -> str:
        self.check_rejected(scope, new, act.writer)
        known = self.known_in(new)
        return self.applied(shared_decisions.proposal(new, known, act, opposes)).id

    def check_rejected(self, scope: Scope, new: Record, writer: Writer) -> None:
        """What was turned down there, or where it comes from, may be proposed by those who
        decide."""
        if not writer.decides:
            for place in dict.fromkeys((new.place, scope.home)):
                check_not_rejected(self._store, place, new.text)

    def known(self, scope: Scope, states: Collection[str] | None = None) -> list[Record]:
        found = self._store.find(scope.commons, shared_memory.KINDS, states, MOST)
        return [one for one in found if shared_memory.is_entry(one)]

    def known_in(self, record: Record) -> list[Record]:
        found = self._store.find(record.place, (record.kind,), None, MOST)
        return [one for one in found if shared_memory.is_entry(one)]

    def get(self, scope: Scope, id: str) -> Record:
        found = self._store.get(scope.commons, clean_id(id, "id") or "")
        if found is None or not shared_memory.is_entry(found):
            raise missing_entry(id, scope)
        return found

    def applied(self, edits: Sequence[Edit]) -> Record:
        self._store.apply(edits)
        self._background.wake_embedding()
        first = edits[0].record
        assert first is not None
        return first


def missing_entry(id: str, scope: Scope) -> InputError:
    return InputError(
        f"there is no entry {str(id)[:80]!r} in the shared memory of {scope.workspace}; list them"
    )
