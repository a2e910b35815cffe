"""Rebuild: facts, procedures, pages and indexes are derived again from the stored events (O2).

Each place is worked out in memory first and written in one transaction, if nothing changed there
meanwhile; so a rebuild may be killed at any time and is simply run again.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..domain import line_acl
from ..domain.deletion_marks import Marks
from ..domain.drafts import Draft, FactDraft, Reconciliation
from ..domain.event_evidence import job_of
from ..domain.evidence_withdrawal import LEARNED, event_sources
from ..domain.facts import lock_name
from ..domain.instructions import is_instruction
from ..domain.profile_owners import EntityType, ProfileOwner, pages_of, statements_by_page
from ..domain.profiles import Profiles
from ..errors import BusyError, CorruptError
from ..exported import Change, Rebuilt
from ..historian.historian import Historian
from ..historian.reconcile import KnownFact
from ..runtime import Runtime
from ..transfer.progress import Progress
from ..transfer.service import export_scope
from ..types import Edit, Job, Partition, Profile, Record, Scope
from .background import BackgroundTasks
from .profile_updates import PageUpdates, PageWork
from .rebuild_replay import Replay, Replayed, changed_fields, differences
from .stray_pages import StrayPages
from .worker import Worker

log = logging.getLogger("taishi.rebuild")
MOST = 1_000_000
TRIES = 3
MOST_CHANGES = 500


class RebuildService:
    def __init__(
        self,
        runtime: Runtime,
        historian: Historian,
        worker: Worker,
        profiles: Profiles,
        page_updates: PageUpdates,
        background: BackgroundTasks,
    ) -> None:
        self.runtime = runtime
        self.historian = historian
        self.worker = worker
        self.profiles = profiles
        self.page_updates = page_updates
        self.background = background
        self.strays = StrayPages(runtime.parts.store, runtime.parts.pages, profiles)

    def rebuild(
        self,
        scope: Scope | None,
        workspace: str | None,
        dry_run: bool,
        actor: str,
        door: str,
        progress: Progress,
    ) -> Rebuilt:
        self.runtime.check_open()
        extent = export_scope(self.runtime, scope, workspace)
        parts = self.runtime.parts
        places = [place for place, _ in parts.store.places() if extent.holds(place)]
        with parts.locks.hold("rebuild", 0.0):
            return _Run(self, places, dry_run, progress).run(actor, door)

    def retained(self, place: Partition) -> tuple[list[Record], list[Record]]:
        """The events of a place, oldest first, and what was learned there."""
        store = self.runtime.parts.store
        told = store.find(place, ("event",), None, MOST)
        events = [one for one in reversed(told) if "perspective_of" not in one.data]
        return events, store.find(place, LEARNED, None, MOST)[::-1]


@dataclass(frozen=True, slots=True)
class _PageWork:
    """What one page is to be told: facts, each with the turn that taught it, and what goes."""

    taught: list[tuple[Job, list[Record]]]
    by_hand: list[Record]
    outdated: list[Record]


class _Run:
    """One rebuild on its way."""

    def __init__(
        self, service: RebuildService, places: Sequence[Partition], dry: bool, progress: Progress
    ) -> None:
        self._service = service
        self._store, self._locks = service.runtime.parts.store, service.runtime.parts.locks
        self._places = places
        self._dry = dry
        self._progress = progress
        self._done = self._total = 0
        self._counted: dict[str, Counter[str]] = {op: Counter() for op in _OPS}
        self._changes: list[Change] = []
        self._pages: set[ProfileOwner] = set()
        self._historian = _Remembering(service.historian)
        self._marks = Marks(self._store.deletions.key())

    def run(self, actor: str, door: str) -> Rebuilt:
        service, indexed, events = self._service, 0, 0
        counts = [len(service.retained(place)[0]) for place in self._places]
        self._total = sum(counts)
        for place, count in zip(self._places, counts, strict=True):
            if not self._dry:
                indexed += self._store.reindex(place)
            self._place(place)
            events += count
        self._take_out_strays()
        for entity in self._missing_pages():
            self._pages.add(entity)
            if not self._dry:
                self._write_page(entity, self._whole_page(entity))
        if not self._dry:
            self._reindex_pages()
            self._record(actor, door)
            service.background.wake_embedding()
        added, changed, removed = (dict(self._counted[op]) for op in _OPS)
        self._progress(self._total, self._total)
        return Rebuilt(
            events,
            added,
            changed,
            removed,
            len(self._pages),
            indexed,
            tuple(self._changes),
            self._dry,
        )

    # -- one place ----------------------------------------------------------------------------

    def _place(self, place: Partition) -> None:
        service, base = self._service, self._done
        replay = Replay(
            self._historian,
            self._historian.write,
            service.runtime.settings.short_term,
            service.runtime.zone,
            self._is_forgotten,
        )
        for attempt in range(TRIES):
            self._done = base
            there = service.retained(place)
            done = replay.run(*there, service.runtime.clock(), self._step)
            edits = differences(there[1], done.records)
            if self._dry or not edits:
                break
            self._change_pages(there[1], edits, done)
            with self._locks.hold(lock_name(place)), service.worker.paused():
                # The last time, whatever was learned meanwhile is read under the lock.
                if attempt == TRIES - 1:
                    there = service.retained(place)
                    done = replay.run(*there, service.runtime.clock())
                    edits = differences(there[1], done.records)
                elif service.retained(place) != there:
                    continue
                self._store.apply(edits)
            break
        self._count(there[1], edits)

    def _step(self) -> None:
        self._done += 1
        self._progress(self._done, max(self._total, self._done))

    def _is_forgotten(self, place: Partition, text: str, time: float) -> bool:
        mark = self._marks.statement(place, text)
        since = self._store.deletions.times([mark]).get(mark)
        return since is not None and time <= since

    def _count(self, before: Sequence[Record], edits: Sequence[Edit]) -> None:
        there = {one.id: one for one in before}
        for edit in edits:
            record = edit.record or there[edit.id or ""]
            op = "removed" if edit.op == "remove" else "changed" if record.id in there else "added"
            self._counted[op][record.kind] += 1
            if len(self._changes) < MOST_CHANGES:
                text = self._service.runtime.redactor.text(record.text)
                old = there.get(record.id) if op == "changed" else None
                fields = changed_fields(old, record) if old is not None else ()
                self._changes.append(Change(op, record.kind, record.id, text, fields))

    # -- pages --------------------------------------------------------------------------------

    def _change_pages(
        self, before: Sequence[Record], edits: Sequence[Edit], done: Replayed
    ) -> None:
        """Before the facts: killed between the two, the next run finds the same to do."""
        there = {one.id: one for one in before if one.kind == "fact"}
        work: dict[ProfileOwner, _PageWork] = {}
        for edit in edits:
            old = there.get(edit.id or (edit.record.id if edit.record else ""))
            new = edit.record
            stood = old is not None and old.state == "approved"
            stands = new is not None and new.kind == "fact" and new.state == "approved"
            if old is not None and stood and not stands:
                for entity in pages_of(old):
                    _work_of(work, entity).outdated.append(old)
            elif new is not None and stands and not stood:
                _add(work, new, done.jobs.get(new.source or ""))
        for entity, one in work.items():
            if self._has_page(entity):
                self._pages.add(entity)
                self._write_page(entity, one)

    def _take_out_strays(self) -> None:
        """What others of a group said leaves the pages of its people, and their snapshots."""
        strays = self._service.strays
        self._pages.update(strays.found(self._places))
        if not self._dry:
            strays.follow(self._places)
            strays.take_out(self._places)

    def _missing_pages(self) -> list[ProfileOwner]:
        """Pages that should be there and are not: their files were lost."""
        found = (entity for place in self._places for entity in self._entities(place))
        return [one for one in dict.fromkeys(found) if not self._has_page(one)]

    def _entities(self, place: Partition) -> Iterator[ProfileOwner]:
        for fact, job in self._standing(place):
            work: dict[ProfileOwner, _PageWork] = {}
            _add(work, fact, job)
            yield from work

    def _standing(self, place: Partition) -> Iterator[tuple[Record, Job | None]]:
        store = self._store
        for fact in reversed(store.find(place, ("fact",), ("approved",), MOST)):
            if is_instruction(fact) or not fact.data.get("sources"):
                continue
            event = store.get(place, fact.source or "") if event_sources(fact) else None
            yield fact, job_of(event) if event is not None else None

    def _whole_page(self, entity: ProfileOwner) -> _PageWork:
        """All that is known of somebody, in private and in groups."""
        groups = self._store.groups_of(entity.workspace, entity.entity_id)
        work: dict[ProfileOwner, _PageWork] = {}
        for place in [entity.place, *(groups if entity.entity_type == "user" else ())]:
            for fact, job in self._standing(place):
                _add(work, fact, job)
        return _work_of(work, entity)

    def _has_page(self, entity: ProfileOwner) -> bool:
        try:
            return self._service.profiles.source(entity) is not None
        except ValueError:
            return True  # an id that no file may be named by has no page, and needs none
        except CorruptError:
            return True  # it is there, and for a person to mend

    def _write_page(self, entity: ProfileOwner, work: _PageWork) -> None:
        last = work.taught[-1][0].event_id if work.taught else ""
        places = {fact.place for _, facts in work.taught for fact in facts}
        places |= {fact.place for fact in work.by_hand}
        change = partial(self._merged, entity, work)
        try:
            self._service.profiles.merge(entity, change, last, places, "rebuild")
        except (BusyError, CorruptError) as error:  # the others are owed theirs
            log.warning("rebuilt, but not put on a page: %s", error)

    def _merged(self, entity: ProfileOwner, work: _PageWork, page: Profile) -> Profile:
        service = self._service
        if work.outdated:
            page = replace(page, body=service.profiles.without(entity, page, work.outdated))
        for fact in work.by_hand:
            group = fact.place.id if fact.place.kind == "group" else None
            scope = Scope(user=entity.entity_id, group=group, workspace=entity.workspace)
            where = scope if entity.entity_type == "user" else None
            page = replace(page, body=line_acl.added(page.body, [fact.text], where))
        for job, facts in work.taught:
            taught = PageWork(job, tuple(facts), (), lambda: None)
            page = service.page_updates.merged(entity, taught, facts, page) or page
        return page

    # -- afterwards ---------------------------------------------------------------------------

    def _reindex_pages(self) -> None:
        files = self._service.runtime.parts.profiles
        wanted = set(self._places)
        for workspace in {place.workspace for place in self._places}:
            for page in files.list(workspace):
                kind: EntityType = "user" if page.entity_type == "user" else "group"
                entity = ProfileOwner(workspace, kind, page.entity_id)
                if entity.place in wanted:
                    self._service.profiles.reindex(entity)

    def _record(self, actor: str, door: str) -> None:
        removed = sum(self._counted["removed"].values())
        row = (self._service.runtime.clock(), actor, door, "rebuild", "", "", removed)
        self._store.deletions.add(row, ())


_OPS = ("added", "changed", "removed")


def _work_of(work: dict[ProfileOwner, _PageWork], entity: ProfileOwner) -> _PageWork:
    return work.setdefault(entity, _PageWork([], [], []))


def _add(work: dict[ProfileOwner, _PageWork], fact: Record, job: Job | None) -> None:
    """On whose page a fact belongs: as its turn says or, without one, as the fact does."""
    if is_instruction(fact):
        return
    if job is None:
        for page in pages_of(fact)[-1:] if not event_sources(fact) else ():
            _work_of(work, page).by_hand.append(fact)
        return
    for entity, facts in statements_by_page(job, [fact]).items():
        _work_of(work, entity).taught.append((job, facts))


class _Remembering:
    """Asks a historian the same only once: a partition may have to be worked out again."""

    def __init__(self, historian: Historian) -> None:
        self._historian = historian
        self.name = historian.name
        self.merge, self.decide, self.summarise = (
            historian.merge,
            historian.decide,
            historian.summarise,
        )
        self._drafts: dict[tuple[Partition, str], Draft] = {}
        self._judged: dict[Any, list[Reconciliation]] = {}

    def write(self, job: Job) -> Draft:
        key = (job.scope.home, job.event_id)
        if key not in self._drafts:
            self._drafts[key] = self._historian.write(job)
        return self._drafts[key]

    def reconcile(
        self, drafts: Sequence[FactDraft], known: Sequence[KnownFact]
    ) -> list[Reconciliation]:
        key = (tuple(drafts), tuple(known))
        if key not in self._judged:
            self._judged[key] = self._historian.reconcile(drafts, known)
        return self._judged[key]
