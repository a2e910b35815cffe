"""`memory.forget`: a person, a chat or a record, and all that they left (O2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC
from functools import partial
from typing import Any

from ..domain.event_evidence import RETAINED
from ..domain.evidence_withdrawal import LEARNED, TOLD, reweighed
from ..domain.fact_lifecycle import having, ids_in, iso
from ..domain.facts import lock_name
from ..domain.line_acl import Statement, plain_body
from ..domain.own_facts import ABOUT_USER
from ..domain.profile_labels import given_by
from ..domain.profile_purge import without_lines
from ..domain.profiles import ProfileOwner, Profiles
from ..domain.recall_echo import RecallEchoes
from ..domain.stray_lines import without_notes
from ..domain.text_identity import same
from ..exported import ExportedProfile, ExportScope
from ..ingest.background import BackgroundTasks
from ..ingest.request_numbers import RequestNumbers
from ..ingest.stray_pages import StrayPages
from ..ingest.worker import Worker
from ..knowledge.originals import Originals, forget_originals
from ..legacy.end_summaries import EndSummaries
from ..ports.chat_message import texts_in
from ..recall.retriever import Retriever
from ..runtime import Runtime
from ..transfer.observation_archive import ObservationArchive
from ..types import Edit, Job, Partition, Record, Scope, clean_id
from . import names_elsewhere
from .deletion_log import DeletionLog
from .group_lines import GroupLines
from .phrase_scan import Phrases, phrases_in
from .source_deletion import SourceDeletion
from .statement_deletion import land_again
from .stray_files import StrayFiles

NAMES_OF_CHATS = ("chat", "group_name", "session", "session_id")


@dataclass(frozen=True, slots=True)
class _Owner:
    """Whom or what is to be forgotten, and all they left, found before it goes."""

    scope: Scope
    phrases: Phrases
    names: frozenset[str] = frozenset()
    groups: tuple[Partition, ...] = ()
    events: frozenset[str] = frozenset()
    statements: frozenset[str] = frozenset()

    @property
    def user(self) -> str | None:
        return self.scope.home.id if self.scope.home.kind == "private" else None

    def is_theirs(self, scope: Scope, sender: str | None = None) -> bool:
        home = self.scope.home
        if self.user is None:
            return scope.home == home
        return scope.workspace == home.workspace and self.user in (scope.user, sender)

    def said(self, message: Mapping[str, Any]) -> bool:
        """A host may give no ids of speakers: then a name has to do."""
        speaker = message.get("speaker_id")
        return speaker == self.user if speaker else message.get("speaker") in self.names


class ForgetService:
    def __init__(
        self,
        runtime: Runtime,
        log: DeletionLog,
        sources: SourceDeletion,
        stray_files: StrayFiles,
        worker: Worker,
        profiles: Profiles,
        background: BackgroundTasks,
        retriever: Retriever,
        numbers: RequestNumbers,
        echoes: RecallEchoes,
        legacy: EndSummaries,
        archive: ObservationArchive,
    ) -> None:
        self._runtime = runtime
        self._vectors = runtime.vectors
        self._archive = archive
        parts = runtime.parts
        self._group_lines = GroupLines(parts.store, parts.pages, profiles)
        self._strays = StrayPages(parts.store, parts.pages, profiles)
        self._store, self._queue, self._pages = parts.store, parts.queue, parts.pages
        self._locks = parts.locks
        self._log = log
        self._sources = sources
        self._stray_files = stray_files
        self._worker = worker
        self._profiles = profiles
        self._background = background
        self._retriever = retriever
        self._numbers = numbers
        self._echoes = echoes
        self._legacy = legacy

    def forget(self, scope: Scope, id: str | None, actor: str, door: str, actor_id: str) -> int:
        removed = self._forget(scope, id, actor, door, actor_id)
        self._vectors.settle()
        return removed

    def _forget(self, scope: Scope, id: str | None, actor: str, door: str, actor_id: str) -> int:
        self._runtime.check_scope(scope)
        noted = actor_id or actor
        if id is not None:
            with self._runtime.recording_refusals(scope, actor, door):
                record_id = clean_id(id, "id") or ""
                return self._sources.forget_record(scope, record_id, actor, door, noted)
        removed = self._forget_scope(scope)
        home = scope.home
        user = home.id if home.kind == "private" else None
        removed += self._sources.forget_copies(home, noted, door, user=user)
        self._log.add(home, "scope", removed, self._log.marks.of_scope(scope), noted, door)
        return removed

    def traces(self, scope: Scope) -> tuple[str, ...]:
        """Asked for before a `forget` that is to be proved: a part of the memory that cannot be
        searched is an error now, while everything is still there."""
        self._runtime.check_scope(scope)
        self._check_engines(scope)
        self._background.store_all_turns()
        owner = self._owner(scope)
        return (*owner.phrases.texts, *sorted(owner.names - set(owner.phrases.texts)))

    def _check_engines(self, scope: Scope) -> None:
        for _ in self._runtime.text_caches.texts():
            pass
        Originals(self._runtime.parts.originals).check(scope.home)
        self._vectors.check()

    def _forget_scope(self, scope: Scope) -> int:
        store, home = self._store, scope.home
        self._background.store_all_turns()  # what is in the store is found there
        self._group_lines.follow(home)
        if home.kind == "private":
            self._strays.follow(store.groups_of(home.workspace, home.id), home.id)
        with ExitStack() as held:
            for name in self._locks_of(scope):
                held.enter_context(self._locks.hold(name))
            # The worker takes this one last, too. Else the current job would write it all back.
            held.enter_context(self._worker.paused())
            owner = self._owner(scope)
            removed = self._forget_waiting(owner)
            theirs = store.erasure.belongings(home, owner.user)
            forget_originals(Originals(self._runtime.parts.originals), home, theirs)
            removed += self._profiles.forget(scope)
            self._forget_elsewhere(owner)
            people = self._group_lines.people(home)
            removed += self._group_lines.take_out(people)
            if owner.user is not None:
                removed += store.erasure.forget_user(home.workspace, owner.user, owner.names)
            else:
                removed += store.erasure.forget_place(home)
                self._group_lines.unlist(people)
            removed += self._legacy.forget(owner.is_theirs, home)
            removed += self._archive.forget_scope(scope)  # after the store
            self._retriever.forget(home, owner.groups)
            self._background.forget_embedded()
            self._runtime.text_caches.clear()
        self._stray_files.forget_all(owner.scope, owner.phrases)
        return removed

    # -- what there is -----------------------------------------------------------------------

    def _owner(self, scope: Scope) -> _Owner:
        home = scope.home
        user = home.id if home.kind == "private" else None
        owner = _Owner(scope, Phrases(()))
        records = list(self._store.erasure.belongings(home, user))
        jobs = [
            one.job
            for one in self._queue.transfer.jobs()[0]
            if owner.is_theirs(one.job.scope, one.job.sender_id)
        ]
        heard = list(names_elsewhere.spoken(self._store, home)) if user else []
        names = {r.speaker for r in records if r.user == user and r.speaker} if user else set()
        names |= {j.sender_name for j in jobs if j.sender_id == user and j.sender_name}
        names |= {str(one["speaker"]) for one in heard if one.get("speaker")}
        owner = replace(owner, names=frozenset(names) if user else frozenset())
        texts = [*_texts_of(records, owner), *_texts_of_jobs(jobs, owner)]
        texts += [*self._other_texts(owner), *self._group_lines.texts(scope.home)]
        texts += [str(one.get("text") or "") for one in heard]
        in_groups = [r for r in records if r.place.kind == "group" and user]
        return replace(
            owner,
            phrases=Phrases(piece for text in texts for piece in phrases_in(text)),
            groups=tuple({r.place: None for r in in_groups}),
            events=frozenset(r.id for r in in_groups if r.kind in ("turn", "event")),
            statements=frozenset(Statement(r.text).key for r in in_groups if r.kind in LEARNED),
        )

    def _other_texts(self, owner: _Owner) -> Iterator[str]:
        """Messages, scratchpads, pages, archived tool runs."""
        home = owner.scope.home
        yield from _texts_of(self._archive.of_scope(owner.scope), owner)
        with self._store.transfer.look(ExportScope(home.workspace)) as look:
            for one in look.messages():
                spoken = {"speaker_id": one.speaker_id, "speaker": one.speaker}
                if one.place == home or (owner.user and owner.said(spoken)):
                    yield from (one.text, *texts_in(one.body))
            for session in look.sessions():
                if session.place == home:
                    yield from texts_in(session.scratchpad)
        pages = self._pages
        for page in pages.pages(pages.entities(ExportScope(home.workspace, home))):
            if isinstance(page, ExportedProfile):
                written = [page.page or "", *(old for _, old in page.snapshots)]
                yield from (plain_body(text.partition("\n---")[2]) for text in written)

    def _locks_of(self, scope: Scope) -> list[str]:
        """Whoever learns in a group where they spoke, or sums up a session of theirs, is waited
        for: it has read what is to go. In order, as two may forget at once."""
        home, store = scope.home, self._store
        if home.kind != "private":
            return [lock_name(home)]
        heard = (one.place for one in store.erasure.naming(home.workspace, home.id, ()))
        places = dict.fromkeys([home, *store.groups_of(home.workspace, home.id), *heard])
        waiting = store.sessions.waiting_sessions(home.workspace, home.id)
        sessions = (f"session {session} of {place}" for place, session in waiting)
        return sorted([*map(lock_name, places), *sessions])

    # -- what goes ---------------------------------------------------------------------------

    def _forget_waiting(self, owner: _Owner) -> int:
        """Jobs, and what is on its way in memory."""
        self._echoes.forget(owner.scope.workspace)
        removed = self._background.forget(owner.is_theirs)
        self._numbers.forget(owner.scope.home)
        queue = self._queue
        removed += queue.forget(lambda job: owner.is_theirs(job.scope, job.sender_id))
        if owner.user is not None:
            for job in queue.transfer.rewrite(partial(_without, owner)):
                land_again(self._store, job)
        return removed

    def _forget_elsewhere(self, owner: _Owner) -> None:
        """What a person said, as evidence in others' facts, as lines of groups' and of others'
        pages, and in notes on others' events."""
        store = self._store
        if owner.user is not None:
            place, groups = owner.scope.home, owner.groups
            others = names_elsewhere.edits(
                store, place, owner.names, groups, owner.events, owner.said
            )
            if edits := list(others):
                store.apply(edits)
        if owner.user is not None:
            self._strays.take_out(owner.groups, owner.user)
            for place in owner.groups:
                self._forget_notes(place, owner.user)
        for place in owner.groups:
            kept = store.find(place, LEARNED, limit=1_000_000)
            edits = [Edit("put", new) for one in kept if (new := self._left(one, owner))]
            # A line of the group's page is nobody's fact in particular, and goes with the line.
            said = [
                one for one in kept if one.user is None and _is_said(owner, Statement(one.text))
            ]
            edits += [Edit("remove", place=place, id=one.id) for one in said]
            if edits:
                store.apply(edits)
            entity = ProfileOwner(place.workspace, "group", place.id)
            gone = {one.id for one in (*said, *(one for one in kept if one.user == owner.user))}
            labels = given_by(one for one in kept if one.id in gone)
            labels -= given_by(one for one in kept if one.id not in gone)
            self._profiles.purge(entity, without_lines(partial(_is_said, owner)), labels)

    def _left(self, record: Record, owner: _Owner) -> Record | None:
        """What another person said, too, without the evidence that goes."""
        if record.user != owner.user:
            return _unsourced(record, owner)
        subject = str(record.data.get("subject") or "")
        if record.kind != "fact" or record.data.get(ABOUT_USER) is True or not subject:
            return None
        told = (self._store.get(record.place, id) for id in ids_in(record, "sources"))
        others = [one for one in told if one and one.user not in (None, owner.user)]
        own = next((one for one in others if same(one.speaker or "", subject)), None)
        if own is None:  # whom it is about did not say so
            return None
        since = iso(own.time, UTC)
        left = having(record, by_self=True, first_observed=since, **{ABOUT_USER: True})
        return _unsourced(replace(left, user=own.user, source=own.id, time=own.time), owner)

    def _forget_notes(self, place: Partition, user: str) -> None:
        """What the person alone said, in notes on what others told."""
        said = self._strays.statements(place).said_by(user)
        told = self._store.find(place, TOLD, None, 1_000_000) if said else ()
        edits = [Edit("put", new) for one in told if (new := without_notes(one, said)) is not one]
        if edits:
            self._store.apply(edits)


def _texts_of(records: Iterable[Record], owner: _Owner) -> Iterator[str]:
    for record in records:
        data = record.data if owner.user is None else _own_words(record.data)
        if record.kind == "event":  # what the historian says about its own work is nobody's words
            data = {key: value for key, value in data.items() if key != "warnings"}
        texts = (record.text, *_strings(data))
        yield from map(plain_body, texts) if record.kind == "profile" else texts


def _own_words(data: Mapping[str, Any]) -> dict[str, Any]:
    """Without the names of the chat and its session, which are not the person's words."""
    kept = {key: value for key, value in data.items() if key not in NAMES_OF_CHATS}
    for part in ("context", RETAINED):
        if isinstance(inner := kept.get(part), Mapping):
            kept[part] = {k: v for k, v in inner.items() if k not in NAMES_OF_CHATS}
    return kept


def _strings(value: Any) -> Iterator[str]:
    """What was said or told: not ids, which a machine made."""
    if isinstance(value, str):
        if " " in value or not value.isascii():
            yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _strings(inner)


def _texts_of_jobs(jobs: Iterable[Job], owner: _Owner) -> Iterator[str]:
    for job in jobs:
        yield from (job.action_summary, *job.new_info, *_strings(job.metadata))
        for message in job.recent_messages:
            if owner.user is None or owner.said(message) or job.scope.home == owner.scope.home:
                yield str(message.get("text") or "")


def _without(owner: _Owner, job: Job) -> Job | None:
    """Somebody else's job without what the owner said; None where there is nothing of it."""
    if job.workspace != owner.scope.workspace:
        return None
    theirs = [m for m in job.recent_messages if owner.said(m)]
    if not theirs and not job.recalled:
        return None
    kept = tuple(m for m in job.recent_messages if not owner.said(m))
    source = job.source_message
    if any(source and source == m.get("text") for m in theirs):
        source = str(kept[-1].get("text") or "") if kept else ""
    # Nobody can tell whose words were recalled: they are hashes.
    return replace(job, recent_messages=kept, recalled=(), source_message=source)


def _unsourced(record: Record, owner: _Owner) -> Record | None:
    """Somebody else's fact, which the owner confirmed, without that evidence."""
    sources = record.data.get("sources")
    if record.user == owner.user or not isinstance(sources, list):
        return None
    kept = [one for one in sources if one not in owner.events]
    if len(kept) == len(sources):
        return None
    # Which quote is whose is not written down, so all of them go.
    lost, count = len(sources) - len(kept), record.data.get("evidence_count")
    changes: dict[str, Any] = {"sources": kept, "quotes": []}
    if record.kind == "fact" and isinstance(count, int):
        changes["evidence_count"] = max(count - lost, len(kept))
        record = replace(record, confidence=reweighed(record.confidence, lost))
    return replace(record, data={**record.data, **changes})


def _is_said(owner: _Owner, line: Statement) -> bool:
    return line.key in owner.statements or bool(
        owner.phrases.within(line.text.encode("utf-8", "replace"))
    )
