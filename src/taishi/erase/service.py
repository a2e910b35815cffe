"""The verbs that remove, and the proof that it was done (O2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..domain.deletion_marks import Marks
from ..domain.event_evidence import without_messages
from ..domain.evidence_withdrawal import LEARNED, reweighed
from ..domain.facts import lock_name
from ..domain.line_acl import Statement, plain_body
from ..domain.profiles import ProfileOwner
from ..exported import Deletion, ExportedProfile, ExportScope
from ..ingest.rebuild import Rebuilding
from ..types import Edit, Job, Partition, Record, Scope, clean_id
from .phrase_scan import Phrases, phrases_in


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


class Forgetting(Rebuilding):
    def forget(
        self,
        scope: Scope,
        id: str | None = None,
        *,
        actor: str = "",
        door: str = "python",
        actor_id: str = "",
    ) -> int:
        """Remove one record of this scope's place, or (no id) the whole of it; how many went.

        `Scope(user=…)` forgets that person in the whole workspace: the private chat, what they
        said in groups, their jobs and profile. `Scope(group=…)` forgets that group. `deletions`
        lists afterwards that it was done, by which actor and door, but never what was deleted.
        What a person rejected is not the `actor` "model"'s to forget by its id. `actor_id` names
        the actor more closely in that list, as by the id of a key.
        """
        self._check_scope(scope)
        if id is not None:
            with self._refusing(scope, actor, door):
                record_id = clean_id(id, "id") or ""
                return self._forget_record(scope, record_id, actor, door, actor_id or actor)
        noted = actor_id or actor
        removed = self._forget_scope(scope)
        home = scope.home
        user = home.id if home.kind == "private" else None
        removed += self._forget_copies(home, noted, door, user=user)
        marks = Marks(self._parts.store.deletions.key()).of_scope(scope)
        self._note_deletion(home, "scope", removed, marks, noted, door)
        return removed

    def deletions(self, limit: int = 100) -> list[Deletion]:
        """What was deleted of late, the newest first: who, when, by which door, how many."""
        self._check_open()
        return [Deletion(*row) for row in self._parts.store.deletions.list(limit)]

    def _forget_scope(self, scope: Scope) -> int:
        store, home = self._parts.store, scope.home
        while self._keeper.land_some():  # what is in the store is found there
            pass
        with ExitStack() as held:
            for name in self._locks_of(scope):
                held.enter_context(self._parts.locks.hold(name))
            # The worker takes this one last, too. Or a job at hand would write it all back.
            held.enter_context(self._worker.paused())
            owner = self._owner(scope)
            removed = self._forget_waiting(owner)
            removed += self._profiles.forget(scope)
            self._forget_elsewhere(owner)
            if owner.user is not None:
                removed += store.erasure.forget_user(home.workspace, owner.user, owner.names)
            else:
                removed += store.erasure.forget_place(home)
            removed += self._legacy.forget(owner.is_theirs, home)
            self._recaller.forget(home, owner.groups)
            self._keeper.forget_embedded()
        self._forget_strays(owner.scope, owner.phrases)
        return removed

    def traces(self, scope: Scope) -> tuple[str, ...]:
        """The phrases by which this scope's words would be known again, for `prove_forgotten`."""
        self._check_scope(scope)
        while self._keeper.land_some():
            pass
        return self._owner(scope).phrases.texts

    # -- what there is -----------------------------------------------------------------------

    def _owner(self, scope: Scope) -> _Owner:
        home = scope.home
        user = home.id if home.kind == "private" else None
        owner = _Owner(scope, Phrases(()))
        records = list(self._parts.store.erasure.belongings(home, user))
        jobs = [
            one.job
            for one in self._parts.queue.transfer.jobs()[0]
            if owner.is_theirs(one.job.scope, one.job.sender_id)
        ]
        names = {r.speaker for r in records if r.user == user and r.speaker} if user else set()
        names |= {j.sender_name for j in jobs if j.sender_id == user and j.sender_name}
        owner = replace(owner, names=frozenset(names) if user else frozenset())
        texts = [*_texts_of(records), *_texts_of_jobs(jobs, owner), *self._other_texts(owner)]
        in_groups = [r for r in records if r.place.kind == "group" and user]
        return replace(
            owner,
            phrases=Phrases(piece for text in texts for piece in phrases_in(text)),
            groups=tuple({r.place: None for r in in_groups}),
            events=frozenset(r.id for r in in_groups if r.kind in ("turn", "event")),
            statements=frozenset(Statement(r.text).key for r in in_groups if r.kind in LEARNED),
        )

    def _other_texts(self, owner: _Owner) -> Iterator[str]:
        """Messages that wait for a summary, and pages."""
        home = owner.scope.home
        with self._parts.store.transfer.look(ExportScope(home.workspace)) as look:
            for one in look.messages():
                spoken = {"speaker_id": one.speaker_id, "speaker": one.speaker}
                if one.place == home or (owner.user and owner.said(spoken)):
                    yield one.text
        pages = self._parts.pages
        for page in pages.pages(pages.entities(ExportScope(home.workspace, home))):
            if isinstance(page, ExportedProfile):
                written = [page.page or "", *(old for _, old in page.snapshots)]
                yield from (plain_body(text.partition("\n---")[2]) for text in written)

    def _locks_of(self, scope: Scope) -> list[str]:
        """Whoever learns in a group where they spoke, or sums up a session of theirs, is waited
        for: it has read what is to go. In order, as two may forget at once."""
        home, store = scope.home, self._parts.store
        if home.kind != "private":
            return [lock_name(home)]
        places = [home, *store.groups_of(home.workspace, home.id)]
        waiting = store.sessions.waiting_sessions(home.workspace, home.id)
        sessions = (f"session {session} of {place}" for place, session in waiting)
        return sorted([*map(lock_name, places), *sessions])

    # -- what goes ---------------------------------------------------------------------------

    def _forget_waiting(self, owner: _Owner) -> int:
        """Jobs, and what is on its way in memory."""
        self._echoes.forget(owner.scope.workspace)
        removed = self._keeper.forget(owner.is_theirs)
        with self._lock:
            for key in [key for key in self._requests if key[0] == owner.scope.home]:
                del self._requests[key]
        queue = self._parts.queue
        removed += queue.forget(lambda job: owner.is_theirs(job.scope, job.sender_id))
        if owner.user is not None:
            for job in queue.transfer.rewrite(partial(_without, owner)):
                self._land_again(job)
        return removed

    def _forget_elsewhere(self, owner: _Owner) -> None:
        """What a person said, as evidence in others' facts and as lines of groups' pages."""
        store = self._parts.store
        for place in owner.groups:
            kept = store.find(place, LEARNED, limit=1_000_000)
            edits = [Edit("put", new) for one in kept if (new := _unsourced(one, owner))]
            told = store.find(place, ("event",), limit=1_000_000)
            edits += [
                Edit("put", new)
                for one in told
                if one.id not in owner.events and (new := without_messages(one, owner.said))
            ]
            # A line of the group's page is nobody's fact in particular, and goes with the line.
            edits += [
                Edit("remove", place=place, id=one.id)
                for one in kept
                if one.user is None and _is_said(owner, Statement(one.text))
            ]
            if edits:
                store.apply(edits)
            entity = ProfileOwner(place.workspace, "group", place.id)
            self._profiles.purge(entity, partial(_is_said, owner))


def _texts_of(records: Iterable[Record]) -> Iterator[str]:
    for record in records:
        yield record.text
        yield from _strings(record.data)


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
        yield from (job.action_summary, *job.new_info)
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
