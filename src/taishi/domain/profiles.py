"""Profiles: page files are the source of truth, their records make them searchable (P1, P4).

Whoever needs both locks takes that of the facts first, then that of the page.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, tzinfo
from functools import partial

from ..errors import BusyError, InputError, TaishiError
from ..ports import Locks, ProfileStore, Store
from ..types import Partition, Profile, Record, Scope
from . import (
    line_acl,
    profile_corrections,
    profile_edits,
    profile_labels,
    profile_limits,
    profile_lines,
)
from .line_acl import Statement
from .profile_batch import JobFacts, taught
from .profile_file_changes import ProfileFileChanges
from .profile_index import PageIndex
from .profile_owners import (
    ENTITY_PLACE,
    ProfileOwner,
    entity_of,
    pages_of,
    statements_by_page,
    user_of,
)
from .profile_purge import LineChange, purged, without_lines
from .profile_records import renamed, to_record
from .visible_profiles import VisibleProfiles

__all__ = [
    "ProfileOwner",
    "Profiles",
    "entity_of",
    "renamed",
    "statements_by_page",
    "to_record",
    "user_of",
]
LOCK_SECONDS = 60.0
LOOKS = 5


class Profiles:
    """Reads and writes profiles, and keeps their records and facts in step with the files."""

    def __init__(
        self,
        files: ProfileStore,
        store: Store,
        clock: Callable[[], float],
        locks: Locks | None = None,
        zone: tzinfo = UTC,
        most_lines: int = 0,
    ) -> None:
        self._files = files
        self._most_lines = most_lines
        self._store = store
        self._pages = PageIndex(store, clock, locks, zone)
        self._changes = ProfileFileChanges(files, store, self._pages)
        self._seen = VisibleProfiles()

    def read(self, scope: Scope, entity_type: str, entity_id: str) -> Profile | None:
        """None if there is none, or if this scope may not see any of it (S2, S4)."""
        if not isinstance(entity_type, str) or entity_type not in ENTITY_PLACE:
            raise InputError(f"unknown entity_type {entity_type!r:.40}; use user or group")
        own = entity_of(scope)
        if own is not None and own[1:] == (entity_type, entity_id):
            return self._shown(own, scope)
        if scope.home.kind == "group" and entity_type == "user":
            return self._shown(ProfileOwner(scope.workspace, "user", entity_id), scope)
        return None

    def own(self, scope: Scope, ask_store: bool = True) -> list[Profile]:
        """The pages for a prompt: the group's or the user's; in a group, the speaker's too.

        A page that cannot be read is left out: the reply must not wait for its repair. Without
        `ask_store`, for when that is late, a user's link counts as off.
        """
        wanted = dict.fromkeys(one for one in (entity_of(scope), user_of(scope)) if one)
        pages = []
        for entity in wanted if scope.home.kind in ENTITY_PLACE.values() else ():
            try:
                pages.append(self._shown(entity, scope, ask_store))
            except TaishiError as error:
                self._changes.warn_once(entity, "left out of the prompt", error)
        return [page for page in pages if page is not None]

    def source(self, entity: ProfileOwner) -> Profile | None:
        """The page as it is on disk, marks included; for editing."""
        return self._files.read(*entity)

    def rejected(self, entity: ProfileOwner, limit: int = 50) -> list[str]:
        """Statements about this entity that a person took out: not to be learned again (P5)."""
        return [
            tomb.text for tomb in self._store.find(entity.place, ("fact",), ("rejected",), limit)
        ]

    def _shown(self, entity: ProfileOwner, scope: Scope, ask_store: bool = True) -> Profile | None:
        """An id that no file may be named by has memories like any other, but no page."""
        is_own = entity.entity_type == "user" and scope.user == entity.entity_id
        linked = is_own and ask_store and self._store.linked(*_link(entity))
        try:
            stamp = self._files.stamp(*entity)
            return self._seen.get(entity, scope, linked, stamp, self._files.read)
        except InputError:
            return None

    def merge(
        self,
        entity: ProfileOwner,
        change: Callable[[Profile], Profile | None],
        source_event_id: str = "",
        places: Iterable[Partition] = (),
        by: str = "historian",
    ) -> Profile | None:
        """Read, change and write one page under one lock (H5, P2); None: nothing was changed.

        `change` gets the page as it is on disk (an empty one if there is none) and may take as
        long as a model does. Lines that a person rejected, here or in `places`, are not let in.
        An edit that a person makes meanwhile is never overwritten: BusyError, try again.
        """
        return self._rewritten(
            entity, partial(self._merged, entity, change, source_event_id, places, by)
        )

    def learn(self, entity: ProfileOwner, lessons: Sequence[JobFacts]) -> Profile | None:
        """Work what several jobs taught into one page, in their order, by rule: one write for all,
        so that a long page does not make each job long."""
        refused = self._pages.refusals()
        return self._rewritten(
            entity,
            lambda old: taught(
                old, entity, lessons, partial(self.without, entity), self.untagged, refused
            ),
        )

    def _rewritten(
        self, entity: ProfileOwner, change: Callable[[Profile], Profile | None]
    ) -> Profile | None:
        for _ in range(LOOKS):
            with self._files.locked(*entity):
                if not self._changes.is_edited(entity):
                    return self._rewrite(entity, change)
            self._changes.follow(
                entity, LOCK_SECONDS
            )  # needs the lock of the facts, which comes first
        raise BusyError(f"the profile of {entity.record_id} is being edited; try again")

    def _rewrite(
        self, entity: ProfileOwner, change: Callable[[Profile], Profile | None]
    ) -> Profile | None:
        stamp = self._files.stamp(*entity)
        old = self._files.read(*entity) or Profile(*entity[1:], workspace=entity.workspace)
        made = change(old)
        if made is not None and profile_limits.is_over(made.body, self._most_lines):
            groups = self._pages.groups(entity)
            body = profile_limits.bounded(self._store, entity, made, groups, self._most_lines)
            made = replace(made, body=body)
        if made is None or (made.name, made.tags, made.body.strip()) == (
            old.name,
            old.tags,
            old.body.strip(),
        ):
            return None
        written = self._files.write(replace(made, updated_at=""), since=stamp)
        self._index(entity, written)
        return written

    def _merged(
        self,
        entity: ProfileOwner,
        change: Callable[[Profile], Profile | None],
        source_event_id: str,
        places: Iterable[Partition],
        by: str,
        old: Profile,
    ) -> Profile | None:
        new = change(old)
        if new is None:
            return None
        body = self._let_in(entity, old.body, new.body, places)
        source = source_event_id or old.source_event_id
        named = renamed(old, new.name, new.tags)
        return replace(named, body=body, source_event_id=source, changed_by=by)

    def _let_in(self, entity: ProfileOwner, old: str, new: str, places: Iterable[Partition]) -> str:
        """The page without new lines that say what a person rejected where they were learned."""
        there = line_acl.keys(old)
        tombs = {
            place: self._pages.tombs(place) for place in dict.fromkeys([entity.place, *places])
        }
        refused = frozenset(key for keys in tombs.values() for key in keys)
        return line_acl.without(new, refused, keep=there)

    def add(
        self,
        entity: ProfileOwner,
        statements: Sequence[str],
        scope: Scope,
        source_event_id: str = "",
    ) -> Profile | None:
        """Put statements on a page, each once, as learned in `scope`; needs no model."""

        where = scope if entity.entity_type == "user" else None

        def with_statements(page: Profile) -> Profile:
            return replace(page, body=line_acl.added(page.body, statements, where))

        return self.merge(entity, with_statements, source_event_id, [scope.home])

    def reindex(self, entity: ProfileOwner) -> bool:
        """Rebuild the records of a page from its file; False: there is none."""
        with self._files.locked(*entity):
            page = self._files.read(*entity)
            if page is not None:
                self._index(entity, page)
        return page is not None

    def write(
        self, scope: Scope, name: str, tags: tuple[str, ...], body: str, by: str = "person"
    ) -> Profile:
        """A whole new page in the place of the old one."""
        entity = entity_of(scope)
        if entity is None:
            raise InputError("a profile is about a user or a group; this scope is neither")
        made = Profile(*entity[1:], name, tags, body, workspace=entity[0], changed_by=by)
        with self._rewriting(entity, body):
            written = self._files.write(made)
            self._index(entity, written, by_person=True)
        return written

    def edit(
        self, entity: ProfileOwner, body: str, before: Profile | None, by: str = "person"
    ) -> Profile:
        """A person's new body for the page they read as `before`. What they took out stays out."""
        with self._rewriting(entity, body) as there:
            if there != before:
                raise BusyError(
                    f"the profile of {entity.record_id} was changed in the meantime; edit it again"
                )
            stamp = self._files.stamp(*entity)
            old = there or Profile(*entity[1:], workspace=entity.workspace)
            made = replace(old, body=body, updated_at="", source_event_id="", changed_by=by)
            written = self._files.write(made, since=stamp)
            self._index(entity, written, by_person=True)
        return written

    def rollback(self, entity: ProfileOwner, revision: str, by: str = "rollback") -> Profile:
        """Put a snapshot back, on disk, in the index and in the facts behind it (P3)."""
        kept = self._files.read_revision(*entity, revision)
        with self._rewriting(entity, kept.body):
            profile = self._files.rollback(*entity, revision, by)
            self._index(entity, profile, by_person=True)
        return profile

    def restate(self, fact: Record, new: str, others: Sequence[Record]) -> None:
        """A fact was put right (no `new`: withdrawn): so are the lines that say it.

        `others` are facts that hold in the same place.
        """
        for entity in pages_of(fact):
            self._restate(entity, fact, new, others)

    def _restate(
        self, entity: ProfileOwner, fact: Record, new: str, others: Sequence[Record]
    ) -> None:
        def change(page: Profile) -> Profile | None:
            body = profile_corrections.restated(entity, page, page.body, fact, new, others)
            bare = profile_labels.relabelled(self.untagged(page, [fact]), fact, new)
            bare = profile_labels.retagged(bare, page, fact, new)
            labels = (bare.name, bare.tags)
            if body == page.body.strip("\n") and labels == (page.name, page.tags):
                return None
            return replace(bare, body=body)

        with suppress(InputError):  # an id that no file may be named by has no page
            self.merge(entity, change, by="correction")

    def untagged(self, page: Profile, outdated: Sequence[Record]) -> Profile:
        """The page without the tags of facts which no longer hold."""
        entity = ProfileOwner(page.workspace, page.entity_type, page.entity_id)
        places = dict.fromkeys(fact.place for fact in outdated)
        held = (one for place in places for one in self._held(place))
        own = profile_corrections.theirs(held, page, entity)
        return profile_labels.untagged(page, outdated, own)

    def _held(self, place: Partition) -> list[Record]:
        return self._store.find(place, ("fact",), ("approved",), profile_corrections.MOST_HELD)

    def without(self, entity: ProfileOwner, page: Profile, outdated: Sequence[Record]) -> str:
        """The body of a page without the lines that say facts which no longer hold."""
        return profile_corrections.without(self._store, entity, page, outdated)

    def revisions(self, entity: ProfileOwner) -> tuple[str, ...]:
        return self._files.revisions(*entity)

    def diff(self, entity: ProfileOwner, revision: str, to: str | None = None) -> str:
        return self._files.diff(*entity, revision, to)

    def follow_edits(self, scope: Scope, seconds: float = 0.0) -> None:
        """Take over what a person changed on disk, in the pages of this scope."""
        self._changes.follow_edits(scope, seconds)

    def follow_members(self, scope: Scope, most: int = 200) -> None:
        self._changes.follow_members(scope, most)

    def as_followed(self, scope: Scope) -> bool:
        """False if a page file of this scope changed since it was indexed."""
        return self._changes.are_indexed(scope)

    def cached_texts(self) -> list[str]:
        return self._seen.cached_texts()

    def clear_text(self) -> None:
        self._seen.clear_text()

    def forget(self, scope: Scope) -> int:
        """Remove the page and its history; its records go with the place and the person."""
        entity = entity_of(scope)
        if entity is None:
            return 0
        self._changes.forget(entity)
        try:
            with self._files.locked(*entity):  # or what is being written now would come after it
                return int(self._files.delete(*entity))
        except InputError:
            return 0

    def forget_fact(self, fact: Record, labels: Collection[str] = ()) -> None:
        """Take the lines that say a forgotten fact out of the pages and of their snapshots, and
        names and tags that only it gave."""
        for entity in pages_of(fact):
            self._changes.follow(
                entity, LOCK_SECONDS
            )  # one killed here before may have left the index
            groups = self._pages.groups(entity)
            try:
                page = self._files.read(*entity)
            except InputError:  # an id that no file may be named by has no page
                continue
            subjects = [entity.entity_id, *([page.name] if page else [])]

            def is_gone(
                line: Statement,
                entity: ProfileOwner = entity,
                groups: Sequence[Partition] = groups,
                subjects: Sequence[str] = subjects,
            ) -> bool:
                learned_in = profile_edits.places_of(line, entity, groups)
                return fact.place in learned_in and profile_lines.says(line, fact.text, subjects)

            self.purge(entity, without_lines(is_gone), labels)

    def purge(self, entity: ProfileOwner, change: LineChange, labels: Collection[str] = ()) -> None:
        """Change lines of a page and of its snapshots, as if they had never been otherwise."""
        with self._files.locked(*entity):
            page = self._files.read(*entity)
            if page is not None and (left := purged(page, change, labels)):
                self._files.amend(left)
                self._index(entity, left)
            for revision in self._files.revisions(*entity):
                old = self._files.read_revision(*entity, revision)
                if left := purged(old, change, labels):
                    self._files.amend(left, revision)

    def _index(self, entity: ProfileOwner, page: Profile, by_person: bool = False) -> None:
        stamp = self._files.stamp(*entity)
        self._pages.put(entity, page, by_person)
        self._changes.note_indexed(entity, stamp)

    @contextmanager
    def _rewriting(self, entity: ProfileOwner, body: str) -> Iterator[Profile | None]:
        """Hold all that a person's new page touches; gives the page that is there."""
        there = self._files.read(*entity)
        bodies = (body, there.body if there else "", self._pages.body(entity))
        with self._pages.facts_held(entity, bodies, LOCK_SECONDS), self._files.locked(*entity):
            yield self._files.read(*entity)


def _link(entity: ProfileOwner) -> tuple[str, str]:
    return entity.workspace, entity.entity_id
