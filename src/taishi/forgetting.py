"""The verbs that remove, and the proof that it was done (O2)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from .absence import Phrases, file_holds, names_id, phrases_in
from .language.counts import Count
from .moved import Absence, Deletion, Extent, MovedProfile, Trace
from .moving import Moving
from .portable.lines import read_line
from .portable.reading import place_of
from .rooms import events
from .rooms.authority import check_forget
from .rooms.deletions import Marks
from .rooms.facts import lock_name
from .rooms.profiles import Entity
from .rooms.visibility import Statement, plain_body
from .types import Edit, Job, Place, Record, Scope, clean_id

ID_BYTES = 6  # a shorter id is a part of anything
TEMP_SECONDS = 5.0
LINES_AT_ONCE = 500
MAX_ACTOR_CHARS = 80
LEARNED = ("fact", "short_term", "procedure")
IN_MEMORY = "memory: index, cache of embeddings, recent recalls, turns and tool runs on their way"


@dataclass(frozen=True, slots=True)
class _Owner:
    """Whom or what is to be forgotten, and all they left, found before it goes."""

    scope: Scope
    phrases: Phrases
    names: frozenset[str] = frozenset()
    groups: tuple[Place, ...] = ()
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


class Forgetting(Moving):
    def forget(
        self, scope: Scope, id: str | None = None, *, actor: str = "", door: str = "python"
    ) -> int:
        """Remove one record of this scope's place, or (no id) the whole of it; how many went.

        `Scope(user=…)` forgets that person in the whole workspace: the private chat, what they
        said in groups, their jobs and profile. `Scope(group=…)` forgets that group. `deletions`
        lists afterwards that it was done, by which actor and door, but never what was deleted.
        """
        self._check_scope(scope)
        if id is not None:
            with self._refusing(scope, actor, door):
                return self._forget_record(scope, clean_id(id, "id") or "", actor, door)
        removed = self._forget_scope(scope)
        marks = Marks(self._parts.store.deletions.key()).of_scope(scope)
        self._note_deletion(scope, "scope", removed, marks, actor, door)
        return removed

    def deletions(self, limit: int = 100) -> list[Deletion]:
        """What was deleted of late, the newest first: who, when, by which door, how many."""
        self._check_open()
        return [Deletion(*row) for row in self._parts.store.deletions.list(limit)]

    def _forget_record(self, scope: Scope, id: str, actor: str, door: str) -> int:
        store, home = self._parts.store, scope.home
        record = store.get(home, id)
        check_forget(record, actor)
        removed = max(store.forget_record(home, id), self._legacy.forget_record(home, id))
        if record is not None and record.kind == "fact":
            self._profiles.forget_fact(record)
        self._recaller.forget_texts()
        self._echoes.forget(home.workspace)  # or it could not be told again
        if removed:
            marks = Marks(store.deletions.key())
            texts = [marks.statement(home, record.text)] if record is not None else []
            self._note_deletion(
                scope, "record", removed, [marks.record(home, id), *texts], actor, door
            )
        return removed

    def _note_deletion(
        self, scope: Scope, what: str, removed: int, marks: list[bytes], actor: str, door: str
    ) -> None:
        deletions, home = self._parts.store.deletions, scope.home
        label = Marks(deletions.key()).place(home).hex()
        row = (self._clock(), actor[:MAX_ACTOR_CHARS], door, what, home.kind, label, removed)
        deletions.add(row, marks)

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
                removed += store.forget_user(home.workspace, owner.user, owner.names)
            else:
                removed += store.forget_place(home)
            removed += self._legacy.forget(owner.is_theirs, home)
            self._recaller.forget(home, owner.groups)
            self._keeper.forget_embedded()
        self._forget_strays(owner)
        return removed

    def traces(self, scope: Scope) -> tuple[str, ...]:
        """The phrases by which this scope's words would be known again, for `prove_forgotten`."""
        self._check_scope(scope)
        while self._keeper.land_some():
            pass
        return self._owner(scope).phrases.texts

    def prove_forgotten(self, scope: Scope, words: Iterable[str] = ()) -> Absence:
        """Look for a forgotten scope everywhere: tables, every byte of every file of the folder,
        what is in memory. `words` are phrases that it left, from `traces` before it was forgotten.

        What other people said is theirs: a phrase that is in it, too, is under `elsewhere`.
        """
        self._check_scope(scope)
        given = (piece for word in words for piece in phrases_in(str(word)))
        phrases = Phrases(given)
        found = self._rows_left(scope)
        elsewhere, kept = self._live(scope, phrases)
        own = Phrases(text for text in phrases.texts if text not in kept)
        id = None if _id_of(scope) in kept else _id_of(scope)
        files, size, leaks = self._search(own, id)
        found += leaks
        found += [Trace(IN_MEMORY, text) for text in sorted(own.within(self._memory_bytes()))]
        return Absence(
            places=self._looked_at(), files=files, bytes=size, phrases=len(phrases),
            found=tuple(found), elsewhere=tuple(elsewhere),
        )  # fmt: skip

    # -- what there is -----------------------------------------------------------------------

    def _owner(self, scope: Scope) -> _Owner:
        home = scope.home
        user = home.id if home.kind == "private" else None
        owner = _Owner(scope, Phrases(()))
        records = list(self._parts.store.belongings(home, user))
        jobs = [
            one.job for one in self._parts.queue.transfer.jobs()[0]
            if owner.is_theirs(one.job.scope, one.job.sender_id)
        ]  # fmt: skip
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
        with self._parts.store.transfer.look(Extent(home.workspace)) as look:
            for one in look.messages():
                spoken = {"speaker_id": one.speaker_id, "speaker": one.speaker}
                if one.place == home or (owner.user and owner.said(spoken)):
                    yield one.text
        pages = self._parts.pages
        for page in pages.pages(pages.entities(Extent(home.workspace, home))):
            if isinstance(page, MovedProfile):
                written = [page.page or "", *(old for _, old in page.snapshots)]
                yield from (plain_body(text.partition("\n---")[2]) for text in written)

    def _locks_of(self, scope: Scope) -> list[str]:
        """Whoever learns in a group where they spoke, or sums up a session of theirs, is waited
        for: it has read what is to go. In order, as two may forget at once."""
        home, store = scope.home, self._parts.store
        if home.kind != "private":
            return [lock_name(home)]
        places = [home, *store.groups_of(home.workspace, home.id)]
        waiting = store.history.waiting_sessions(home.workspace, home.id)
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

    def _land_again(self, job: Job) -> None:
        """A raw turn holds what its job held."""
        there = self._parts.store.get(job.scope.home, job.event_id)
        turn = events.land_turn(job).record
        if there is not None and there.kind == "turn" and turn is not None:
            gone = Edit("remove", place=turn.place, id=turn.id)
            self._parts.store.apply([Edit("put", turn) if turn.text.strip() else gone])

    def _forget_elsewhere(self, owner: _Owner) -> None:
        """What a person said, as evidence in others' facts and as lines of groups' pages."""
        store = self._parts.store
        for place in owner.groups:
            kept = store.find(place, LEARNED, limit=1_000_000)
            edits = [Edit("put", new) for one in kept if (new := _unsourced(one, owner))]
            # A line of the group's page is nobody's fact in particular, and goes with the line.
            edits += [
                Edit("remove", place=place, id=one.id) for one in kept
                if one.user is None and _is_said(owner, Statement(one.text))
            ]  # fmt: skip
            if edits:
                store.apply(edits)
            entity = Entity(place.workspace, "group", place.id)
            self._profiles.purge(entity, partial(_is_said, owner))

    def _forget_strays(self, owner: _Owner) -> None:
        """Files of writers that were killed, jobs that nobody can read, gaps in the database."""
        files = self._parts.queue.transfer
        for found in files.files():
            if owner.phrases.within(found.data) and files.is_unreadable(found.data):
                files.remove(found.entry.id)
        for path in self._parts.folder.rglob("*.tmp"):
            try:
                old = time.time() - path.stat().st_mtime > TEMP_SECONDS
                if old and owner.phrases.in_file(path)[0]:
                    path.unlink()
            except FileNotFoundError:
                continue  # its writer was alive after all
        id, left = _id_of(owner.scope), set()
        for path in self._database_files():
            left |= owner.phrases.in_file(path)[0]
            if id is not None and file_holds(path, id.encode()):
                left.add(id)
        if left and left - self._live(owner.scope, Phrases(left))[1]:
            self._parts.store.compact()

    def _database_files(self) -> list[Path]:
        path = self._parts.store.path
        return [one for one in path.parent.glob(f"{path.name}*") if one.is_file()]

    # -- what is left ------------------------------------------------------------------------

    def _rows_left(self, scope: Scope) -> list[Trace]:
        home = scope.home
        user = home.id if home.kind == "private" else None
        rows = self._parts.store.mentions(home.workspace, home, user)
        found = [
            Trace(f"database: {table}", f"{Count(n):row|rows}") for table, n in rows.items() if n
        ]
        for page in self._parts.pages.entities(Extent(home.workspace, home)):
            found.append(Trace("profiles", f"the page of {page.entity_type}:{page.entity_id}"))
        for moved in self._parts.queue.transfer.jobs()[0]:
            job = moved.job
            if job.scope.home == home or (user and user in (job.user_id, job.sender_id)
                                          and job.workspace == home.workspace):  # fmt: skip
                found.append(Trace("queue", f"the job {job.event_id}"))
        return found

    def _live(self, scope: Scope, phrases: Phrases) -> tuple[list[Trace], set[str]]:
        """The phrases, and the id, in what is rightly kept; and who keeps them."""
        traces: list[Trace] = []
        kept: set[str] = set()
        id = _id_of(scope)
        lines = self.export()
        while some := list(islice(lines, LINES_AT_ONCE)):
            if not _held("".join(some), phrases, id):
                continue
            for line in some:
                texts = _held(line, phrases, id)
                kept |= texts
                if id in texts and not names_id(line.encode(), str(id).encode()):
                    texts.discard(str(id))  # a part of something longer
                traces += [Trace(_described(line), text) for text in sorted(texts)]
        return traces, kept

    def _search(self, phrases: Phrases, id: str | None) -> tuple[int, int, list[Trace]]:
        """Every byte of every file of the folder."""
        count = size = 0
        found = []
        home = self._parts.folder
        for path in sorted(home.rglob("*")):
            place = path.relative_to(home).as_posix()
            if not path.is_file():
                continue
            try:
                texts, length = phrases.in_file(path)
                if id is not None and file_holds(path, id.encode()):
                    texts.add(id)
            except FileNotFoundError:
                continue  # a job was done, a log was emptied
            count, size = count + 1, size + length
            found += [Trace(place, text) for text in sorted(texts)]
        return count, size, found

    def _memory_bytes(self) -> bytes:
        held = [*self._echoes.texts(), *(self._embedder.texts() if self._embedder else ())]
        for job in self._keeper.waiting_jobs():
            held += [job.action_summary, *job.new_info, job.source_message]
        return "\n".join(held).encode("utf-8", "replace")

    def _looked_at(self) -> tuple[str, ...]:
        tables = "database: all tables, free pages and the write-ahead log"
        kept = sorted(path.name for path in self._parts.folder.iterdir())
        return (tables, "queue: pending, processing, failed", IN_MEMORY,
                *(f"every byte of {name}" for name in kept))  # fmt: skip


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
    return replace(record, data={**record.data, "sources": kept, "quotes": []})


def _is_said(owner: _Owner, line: Statement) -> bool:
    return line.key in owner.statements or bool(
        owner.phrases.within(line.text.encode("utf-8", "replace"))
    )


def _id_of(scope: Scope) -> str | None:
    id = scope.home.id
    return id if len(id.encode()) >= ID_BYTES else None


def _held(text: str, phrases: Phrases, id: str | None) -> set[str]:
    data = text.encode("utf-8", "replace")
    found = phrases.within(data)
    return found | {id} if id is not None and id.encode() in data else found


def _described(line: str) -> str:
    item: Any = read_line(line)
    place = place_of(item) if not hasattr(item, "counts") else None
    return f"{type(item).__name__.removeprefix('Moved').lower()} of {place}"
