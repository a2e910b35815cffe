"""Deletes one record and what was derived from it: facts, procedures, summaries, lines of pages,
jobs, messages, copies in other workspaces (O2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from ..domain.authority import check_forget, may_forget
from ..domain.event_evidence import job_of, own_messages, texts_of
from ..domain.evidence_withdrawal import LEARNED, TOLD, Messages, Withdrawn, withdraw
from ..domain.fact_versions import REPLACED, earlier_versions
from ..domain.facts import lock_name
from ..domain.instructions import is_instruction
from ..domain.profile_labels import labels_of
from ..domain.profiles import Profiles
from ..domain.recall_echo import RecallEchoes
from ..domain.rejections import rejected_in
from ..domain.session_summaries import summary_record
from ..historian.historian import RuleHistorian
from ..ingest.background import BackgroundTasks
from ..ingest.profile_updates import PageUpdates, PageWork
from ..ingest.upkeep import message_id
from ..ingest.worker import Worker
from ..knowledge.originals import Originals
from ..knowledge.removal import forget_document, is_of_document
from ..legacy.end_summaries import EndSummaries
from ..runtime import Runtime
from ..transfer.observation_archive import ObservationArchive
from ..types import Edit, Job, Message, Partition, Record, Scope
from .deletion_log import DeletionLog
from .phrase_scan import Phrases, phrases_in
from .statement_deletion import StatementDeletion, land_again
from .stray_files import StrayFiles
from .whole_records import check_whole

MOST = 1_000_000
SOURCES = ("event", "turn")
# Told what goes and what goes with it.
Note = Callable[[Record, Sequence[Record]], None]


class SourceDeletion:
    def __init__(
        self,
        runtime: Runtime,
        log: DeletionLog,
        stray_files: StrayFiles,
        worker: Worker,
        profiles: Profiles,
        page_updates: PageUpdates,
        background: BackgroundTasks,
        echoes: RecallEchoes,
        legacy: EndSummaries,
        archive: ObservationArchive,
    ) -> None:
        self._runtime = runtime
        self._archive = archive
        self._store, self._queue = runtime.parts.store, runtime.parts.queue
        self._locks = runtime.parts.locks
        self._log = log
        self._stray_files = stray_files
        self._worker = worker
        self._profiles = profiles
        self._page_updates = page_updates
        self._background = background
        self._echoes = echoes
        self._legacy = legacy
        self._statements = StatementDeletion(runtime, worker)

    def forget_record(self, scope: Scope, id: str, actor: str, door: str, noted: str) -> int:
        """One record, and all that rests on it alone; how many records went. `actor` is who may
        do it or not, `noted` how they are called in the list of deletions.

        Copies, stray files and pages come first, and the record last, with a note just before it:
        killed on the way, it is simply done again.
        """
        home = scope.home
        self._background.store_all_turns()  # what is on its way is found in the store
        record = self._store.get(home, id)
        if record is not None:
            check_whole(record, self._store, self._profiles)
        removed = self._legacy.forget_record(home, id)
        if record is not None:
            removed = self._forget_known(record, actor, door, noted)
        else:  # perhaps it went, and whoever did it was killed before the log was emptied
            self._store.erasure.scrub()
        archived = self._archive.forget_record(home, id)  # after the store
        removed = removed or archived
        if record is None and removed:
            mark = self._log.marks.record(home, id)
            self._log.add(home, "record", removed, [mark], noted, door)
        self._runtime.text_caches.clear()
        self._echoes.forget(home.workspace)  # or it could not be told again
        return removed

    def _forget_known(self, record: Record, actor: str, door: str, noted: str) -> int:
        has_derived = record.kind in (*SOURCES, "summary", "fact")
        gone = [record]
        if record.kind in SOURCES:
            gone += withdraw([record], self._around(record), self._runtime.zone).gone
        for one in gone:
            check_forget(one, actor)
        versions = self._versions(record, actor)
        gone += versions
        copies = self.forget_copies(record.place, noted, door, {one.id for one in gone})
        facts = [record, *versions] if record.kind == "fact" else []
        told = [phrase for one in facts for phrase in self._statements.phrases(one)]
        phrases = _phrases(gone, told)
        if has_derived:
            self._stray_files.forget(None, phrases)
        went: dict[str, Record] = {}
        for one in versions:  # the newest last, as what it replaced is known by it
            more = self._remove_with_derived(one, partial(self._note_derived, noted, door))
            went |= {it.id: it for it in (one, *more)}
        derived = self._remove_with_derived(record, partial(self._note_record, noted, door))
        went |= {one.id: one for one in derived}
        if has_derived:
            self._stray_files.close_gaps(phrases)
        return 1 + len(went) + copies

    def _versions(self, record: Record, actor: str) -> list[Record]:
        """What a fact replaced, oldest first; without what only a person may remove."""
        if record.kind != "fact":
            return []
        known = self._store.find(record.place, ("fact",), REPLACED, MOST)
        found = earlier_versions(record, known)
        return [one for one in reversed(found) if may_forget(one, actor)]

    def _note_derived(
        self, actor: str, door: str, record: Record, derived: Sequence[Record]
    ) -> None:
        gone = (record, *derived)
        self._log.add(record.place, "derived", len(gone), self._log.marks_of(gone), actor, door)

    def _note_record(
        self, actor: str, door: str, record: Record, derived: Sequence[Record]
    ) -> None:
        marks = self._log.marks_of((record, *derived))
        self._log.add(record.place, "record", 1, marks, actor, door)
        if derived:
            self._log.add(record.place, "derived", len(derived), [], actor, door)

    # -- a source, and what rests on it -------------------------------------------------------

    def _remove_with_derived(self, record: Record, note: Note) -> tuple[Record, ...]:
        """What went with it; `note` is called before the record goes."""
        if record.kind == "fact":
            return self._remove_fact(record, note)
        if record.kind not in SOURCES:
            if record.kind == "summary":
                self._forget_summary(record.place, record.session or "")
            elif is_of_document(record):
                return self._forget_document(record, note)
            note(record, ())
            self._store.erasure.forget_record(record.place, record.id)
            self._background.forget_embedded()
            return ()
        done = withdraw([record], self._around(record), self._runtime.zone)
        self._unpage(_facts(done), record.place)
        with ExitStack() as held:
            for name in _locks(record):
                held.enter_context(self._locks.hold(name))
            # The worker takes this one last, too. Else the current job would write it all back.
            held.enter_context(self._worker.paused())
            there = self._around(record)
            done = withdraw([record], there, self._runtime.zone)
            derived = self._apply(record, done, there, note)
        self._unpage(_facts(done), record.place)  # what was learned meanwhile
        self._repage(done, {one.id: one for one in there})
        self._store.erasure.scrub()
        self._background.forget_embedded()
        self._background.wake_embedding()
        return derived

    def _remove_fact(self, fact: Record, note: Note) -> tuple[Record, ...]:
        """The fact, and what it states in the events that it was learned from; an event that told
        nothing else goes with it."""
        self._unpage([fact], fact.place)
        taken = self._statements.take_out(fact)
        for event in taken.changed:
            self._forget_messages(event, taken.phrases)
            self._summed_up_anew(event, self._around(event), with_event=True)
        gone: dict[str, Record] = {}
        for event in taken.empty:
            derived = self._remove_with_derived(event, _nothing)
            gone |= {one.id: one for one in (event, *derived) if one.id != fact.id}
        note(fact, tuple(gone.values()))
        self._store.erasure.forget_record(fact.place, fact.id)
        self._store.erasure.scrub()
        self._background.forget_embedded()
        self._background.wake_embedding()
        return tuple(gone.values())

    def _forget_document(self, record: Record, note: Note) -> tuple[Record, ...]:
        """A document goes with its chunks and its file, a chunk with its document's file."""
        originals = Originals(self._runtime.parts.originals)
        chunks = forget_document(self._store, originals, record, partial(note, record))
        self._store.erasure.scrub()
        self._background.forget_embedded()
        return chunks

    def _around(self, event: Record) -> list[Record]:
        return self._store.find(event.place, (*LEARNED, *TOLD), None, MOST)

    def _apply(
        self, event: Record, done: Withdrawn, there: Sequence[Record], note: Note
    ) -> tuple[Record, ...]:
        self._forget_jobs(event)
        self._forget_messages(event)
        derived = (*done.gone, *self._summed_up_anew(event, there))
        note(event, derived)
        edits = [one for one in done.edits if one.record is None or one.record.kind != "summary"]
        self._store.apply([*edits, Edit("remove", place=event.place, id=event.id)])
        return derived

    def _forget_jobs(self, event: Record) -> None:
        """The event's own job goes; those of later turns go on without its messages."""
        queue, theirs = self._queue, own_messages(event)

        def is_own(job: Job) -> bool:
            return job.scope.home == event.place and job.event_id == event.id

        theirs = theirs or [
            m
            for one in queue.transfer.jobs()[0]
            if is_own(one.job)
            for m in one.job.recent_messages[-1:]
        ]
        queue.forget(is_own)
        gone = Messages(theirs)
        for job in queue.transfer.rewrite(lambda job: _without(job, event.place, gone)):
            land_again(self._store, job)

    def _forget_messages(self, event: Record, phrases: Sequence[str] = ()) -> None:
        """The event's messages in its session; with phrases, those that have one of them."""
        if event.session:
            own = own_messages(event)
            if phrases:
                own = [one for one in own if _has_any(str(one.get("text") or ""), phrases)]
            ids = [message_id(one) for one in own]
            texts = [str(one.get("text") or "") for one in own]
            self._store.sessions.forget_messages(event.place, event.session, ids, texts)

    def _summed_up_anew(
        self, event: Record, there: Sequence[Record], with_event: bool = False
    ) -> list[Record]:
        """A session's summary tells of every turn: it is made again from the events left, or goes
        with the last of them. The record that said more, if there was one."""
        old = self._store.get(event.place, f"summary:{event.session}")
        if not event.session or old is None:
            return []
        left = [
            one
            for one in there
            if one.kind in SOURCES
            and one.session == event.session
            and (with_event or one.id != event.id)
            and "perspective_of" not in one.data
        ]
        left.sort(key=lambda one: one.time or 0.0)
        now = self._runtime.clock()
        said = [Message(one.text, one.speaker, one.time) for one in left]
        text = RuleHistorian().summarise(said, "") if said else ""
        history = self._store.sessions
        history.mark_summarised(event.place, event.session, [], text, now)
        gone = Edit("remove", place=event.place, id=old.id)
        ids = [one.id for one in left]
        made = summary_record(event.place, event.session, text, now, ids)
        noted = rejected_in(self._store, event.place).with_notes(made)
        self._store.apply([Edit("put", noted) if text else gone])
        return [] if text else [old]

    def _forget_summary(self, place: Partition, session: str) -> None:
        """Its text is also what the next summary would begin from."""
        history = self._store.sessions
        if history.session_summary(place, session):
            history.mark_summarised(place, session, [], "", self._runtime.clock())

    # -- pages --------------------------------------------------------------------------------

    def _unpage(self, facts: Sequence[Record], place: Partition) -> None:
        if not facts:
            return
        gone = {fact.id for fact in facts}
        found = self._store.find(place, ("fact",), ("approved",), MOST)
        held = [one for one in found if one.id not in gone]
        kept = {label for one in held for label in labels_of(one)}
        for fact in facts:
            self._profiles.restate(fact, "", held)
            self._profiles.forget_fact(fact, labels_of(fact) - kept)

    def _repage(self, done: Withdrawn, there: Mapping[str, Record]) -> None:
        """What holds again is on its page again."""
        for fact in done.back:
            source = there.get(fact.source or "")
            if source is not None and not is_instruction(fact):
                work = PageWork(job_of(source), (fact,), (), lambda: None)
                self._page_updates.update([work])

    # -- copies and leftovers -------------------------------------------------------------------

    def forget_copies(
        self,
        home: Partition,
        actor: str,
        door: str,
        ids: Collection[str] | None = None,
        user: str | None = None,
    ) -> int:
        """What an import put into other workspaces of this folder; how many records went."""
        store, marks = self._store, self._log.marks
        gone = 0
        for place, id, mark in store.erasure.copies_of(home, ids, user):
            original = replace(place, workspace=home.workspace)
            copy = store.get(place, id)
            if copy is not None and mark == marks.record(original, id).hex():
                derived = self._remove_with_derived(copy, partial(self._note_copy, actor, door))
                gone += 1 + len(derived)
        return gone

    def _note_copy(self, actor: str, door: str, copy: Record, derived: Sequence[Record]) -> None:
        marks = self._log.marks_of((copy, *derived))
        self._log.add(copy.place, "copy", 1 + len(derived), marks, actor, door)


def _nothing(record: Record, derived: Sequence[Record]) -> None:
    """The note is made once, of the fact that an event goes with."""


def _has_any(text: str, phrases: Sequence[str]) -> bool:
    return any(one.casefold() in text.casefold() for one in phrases)


def _phrases(gone: Sequence[Record], told: Sequence[str] = ()) -> Phrases:
    texts = (*told, *(text for one in gone for text in texts_of(one)))
    return Phrases(piece for text in texts for piece in phrases_in(text))


def _facts(done: Withdrawn) -> list[Record]:
    return [one for one in done.gone if one.kind == "fact"]


def _locks(record: Record) -> list[str]:
    names = [lock_name(record.place)]
    if record.session:
        names.append(f"session {record.session} of {record.place}")
    return sorted(names)


def _without(job: Job, place: Partition, theirs: Messages) -> Job | None:
    """A later turn's job without the messages of a deleted one; None where there are none."""
    if job.scope.home != place:
        return None
    kept = tuple(one for one in job.recent_messages if one not in theirs)
    if len(kept) == len(job.recent_messages):
        return None
    gone = {str(one.get("text") or "") for one in job.recent_messages if one not in kept}
    source = job.source_message
    if source in gone:
        source = str(kept[-1].get("text") or "") if kept else ""
    return replace(job, recent_messages=kept, recalled=(), source_message=source)
