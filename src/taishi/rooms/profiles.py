"""Profiles: pages on disk are the truth; a record of each makes it searchable (P1, P4)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC
from typing import Literal, NamedTuple

from ..errors import BusyError, InputError, TaishiError, TimeError
from ..language.segment import has_cjk
from ..ports import ProfileStore, Store
from ..times import to_epoch
from ..types import Edit, Job, Place, Profile, Record, Scope
from . import visibility
from .fact_records import buried, new_fact
from .sameness import normal, stable_id

log = logging.getLogger("taishi.profiles")
EntityType = Literal["user", "group"]
ENTITY_PLACE: dict[str, Literal["private", "group"]] = {"user": "private", "group": "group"}
FORMER_NAMES = 5
FORMERLY = ("formerly:", "曾用名:")
BY_HAND = "profile"


class Entity(NamedTuple):
    """Whom a page is about."""

    workspace: str
    entity_type: EntityType
    entity_id: str

    @property
    def place(self) -> Place:
        return Place(self.workspace, ENTITY_PLACE[self.entity_type], self.entity_id)

    @property
    def record_id(self) -> str:
        return f"{self.entity_type}:{self.entity_id}"


def entity_of(scope: Scope) -> Entity | None:
    """Whom or what this scope is about: the user in private, the group in a group."""
    home = scope.home
    if home.kind == "private":
        return Entity(scope.workspace, "user", home.id)
    return Entity(scope.workspace, "group", home.id) if home.kind == "group" else None


def user_of(scope: Scope) -> Entity | None:
    """The speaker, wherever they speak."""
    return Entity(scope.workspace, "user", scope.user) if scope.user else None


def statements_by_page(job: Job, learned: Sequence[Record]) -> dict[Entity, list[str]]:
    """What belongs on whose page: the sender's, or the group's if it is not about the sender."""
    sender = job.sender_id or job.user_id
    pages: dict[Entity, list[str]] = {}
    for one in learned:
        subject = str(one.data.get("subject") or "").strip()
        about_sender = subject in ("", job.sender_name, sender)
        if sender and (about_sender or not job.group_id):
            entity = Entity(job.workspace, "user", sender)
        elif job.group_id:
            entity = Entity(job.workspace, "group", job.group_id)
        else:
            continue
        pages.setdefault(entity, []).append(one.text)
    return pages


class Profiles:
    """Reads and writes profiles, and keeps their records in step with the files."""

    def __init__(self, files: ProfileStore, store: Store, clock: Callable[[], float]) -> None:
        self._files = files
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._stamps: dict[Entity, tuple[int, ...]] = {}

    # -- reading -----------------------------------------------------------------------------

    def read(self, scope: Scope, entity_type: str, entity_id: str) -> Profile | None:
        """None if there is none, or if this scope may not see any of it (S2, S4)."""
        if entity_type not in ENTITY_PLACE:
            raise InputError(f"entity_type {entity_type!r:.40} is not known; use user or group")
        own = entity_of(scope)
        if own is not None and own[1:] == (entity_type, entity_id):
            return self._shown(own, scope)
        if scope.home.kind == "group" and entity_type == "user":
            return self._shown(Entity(scope.workspace, "user", entity_id), scope)
        return None

    def own(self, scope: Scope) -> list[Profile]:
        """The pages for a prompt: the group's or the user's; in a group, the speaker's too.

        A page that cannot be read is left out: the reply must not wait for its repair.
        """
        wanted = dict.fromkeys(one for one in (entity_of(scope), user_of(scope)) if one)
        pages = []
        for entity in wanted if scope.home.kind in ENTITY_PLACE.values() else ():
            try:
                pages.append(self._shown(entity, scope))
            except TaishiError as error:
                log.warning("left out of the prompt: %s", error)
        return [page for page in pages if page is not None]

    def source(self, entity: Entity) -> Profile | None:
        """The page as it is on disk, marks included; for editing."""
        return self._files.read(*entity)

    def rejected(self, entity: Entity, limit: int = 50) -> list[str]:
        """Statements about this entity that a person took out: not to be learned again (P5)."""
        tombs = self._store.find(entity.place, ("fact",), ("rejected",), limit)
        return [tomb.text for tomb in tombs]

    def _shown(self, entity: Entity, scope: Scope) -> Profile | None:
        """An id that no file may be named by has memories like any other, but no page."""
        try:
            page = self._files.read(*entity)
        except InputError:
            return None
        if page is None:
            return None
        if entity == entity_of(scope):
            return replace(page, body=visibility.plain_body(page.body))
        body = visibility.visible(page.body, scope)
        # Name and tags carry no marks: they may have been learned in private.
        return replace(page, name="", tags=(), body=body, source_event_id="") if body else None

    # -- writing -----------------------------------------------------------------------------

    def write(self, scope: Scope, name: str, tags: tuple[str, ...], body: str) -> Profile:
        entity = entity_of(scope)
        if entity is None:
            raise InputError("a profile is about a user or a group; this scope is neither")
        with self._files.locked(*entity):
            profile = self._files.write(Profile(*entity[1:], name, tags, body, workspace=entity[0]))
            self._index(entity, profile)
        return profile

    def merge(
        self,
        entity: Entity,
        change: Callable[[Profile], Profile | None],
        source_event_id: str = "",
        places: Iterable[Place] = (),
    ) -> Profile | None:
        """Read, change and write one page under one lock (H5, P2); None: nothing was changed.

        `change` gets the page as it is on disk (an empty one if there is none) and may take as
        long as a model does. Lines that a person rejected, here or in `places`, are not let in.
        An edit that a person makes meanwhile is never overwritten: BusyError, try again.
        """
        with self._files.locked(*entity):
            stamp = self._files.stamp(*entity)
            there = self._files.read(*entity)
            if there is not None:
                self._notice(entity, there)
            old = there or Profile(*entity[1:], workspace=entity.workspace)
            new = change(old)
            if new is None:
                return None
            tombs = self._tombs([entity.place, *places])
            body = visibility.without(new.body, tombs, keep=visibility.keys(old.body))
            named = renamed(old, new.name, new.tags)
            made = replace(named, body=body, updated_at="", source_event_id=source_event_id)
            if (made.name, made.tags, made.body.strip()) == (old.name, old.tags, old.body.strip()):
                return None
            written = self._files.write(made, since=stamp)
            self._index(entity, written)
            return written

    def add(
        self,
        entity: Entity,
        statements: Sequence[str],
        scope: Scope,
        source_event_id: str = "",
    ) -> Profile | None:
        """Put statements on a page, each once, as learned in `scope`; needs no model."""

        where = scope if entity.entity_type == "user" else None

        def with_statements(page: Profile) -> Profile:
            return replace(page, body=visibility.added(page.body, statements, where))

        return self.merge(entity, with_statements, source_event_id, [scope.home])

    def edit(self, entity: Entity, body: str, before: Profile | None) -> Profile:
        """A person's new body for the page they read as `before`. What they took out stays out."""
        with self._files.locked(*entity):
            stamp = self._files.stamp(*entity)
            there = self._files.read(*entity)
            if there != before:
                raise BusyError(
                    f"the profile of {entity.record_id} was changed meanwhile; edit it again"
                )
            old = there or Profile(*entity[1:], workspace=entity.workspace)
            self._bury(entity, visibility.parse(old.body), visibility.parse(body))
            written = self._files.write(replace(old, body=body, updated_at=""), since=stamp)
            self._index(entity, written)
        return written

    # -- history -----------------------------------------------------------------------------

    def revisions(self, entity: Entity) -> tuple[str, ...]:
        return self._files.revisions(*entity)

    def diff(self, entity: Entity, revision: str, to: str | None = None) -> str:
        return self._files.diff(*entity, revision, to)

    def rollback(self, entity: Entity, revision: str) -> Profile:
        """Put a snapshot back, on disk and in the index (P3)."""
        with self._files.locked(*entity):
            profile = self._files.rollback(*entity, revision)
            self._index(entity, profile)
        return profile

    def follow_edits(self, scope: Scope) -> None:
        """Pick up what a person changed on disk since we last looked."""
        entity = entity_of(scope)
        if entity is None:
            return
        try:
            stamp = self._files.stamp(*entity)
        except InputError:
            return
        if self._stamps.get(entity, ()) == stamp:
            return
        profile = self._files.read(*entity)
        if profile is None:
            self._store.apply([Edit("remove", place=entity.place, id=entity.record_id)])
            self._stamps.pop(entity, None)
        else:
            self._notice(entity, profile)
            self._index(entity, profile)

    def as_followed(self, scope: Scope) -> bool:
        """Whether the page on disk is still the one that we know of."""
        entity = entity_of(scope)
        try:
            return entity is None or self._stamps.get(entity, ()) == self._files.stamp(*entity)
        except TaishiError:
            return False

    def forget(self, scope: Scope) -> int:
        """Remove the page and its history; its record goes with the place."""
        entity = entity_of(scope)
        if entity is None:
            return 0
        self._stamps.pop(entity, None)
        try:
            return int(self._files.delete(*entity))
        except InputError:
            return 0

    def purge(self, entity: Entity, is_gone: Callable[[visibility.Statement], bool]) -> None:
        """Take lines out of a page and of its snapshots, as if they had never been there."""
        with self._files.locked(*entity):
            page = self._files.read(*entity)
            if page is not None and (left := _rid(page, is_gone)):
                self._files.amend(left)
                self._index(entity, left)
            for revision in self._files.revisions(*entity):
                old = self._files.read_revision(*entity, revision)
                if left := _rid(old, is_gone):
                    self._files.amend(left, revision)

    # -- the index and the tombstones --------------------------------------------------------

    def _index(self, entity: Entity, profile: Profile) -> None:
        stamp = self._files.stamp(*entity)
        self._store.apply([Edit("put", to_record(profile, self._clock()))])
        with self._lock:
            self._stamps[entity] = stamp

    def _notice(self, entity: Entity, page: Profile) -> None:
        """Lines that a person took out of the file since we indexed it.

        We write a new time with every page; a person who edits leaves the old one.
        """
        known = self._store.get(entity.place, entity.record_id)
        if known is None or not page.updated_at or known.data.get("updated_at") != page.updated_at:
            return
        before = known.text.removeprefix(_heading(str(known.data.get("name", "")),
                                                  known.data.get("tags", ())))  # fmt: skip
        self._bury(entity, visibility.parse(before), visibility.parse(page.body))

    def _bury(
        self,
        entity: Entity,
        before: Sequence[visibility.Statement],
        after: Sequence[visibility.Statement],
    ) -> None:
        """Tombstones for the lines that are gone; none any more for those that came back."""
        old, new = ({one.key: one.text for one in lines if one.key} for lines in (before, after))
        user = entity.entity_id if entity.entity_type == "user" else None
        now = self._clock()
        gone = [
            buried(new_fact(text.strip(), entity.place, BY_HAND, now, user), now)
            for key, text in old.items()
            if key not in new
        ]
        edits = [Edit("put", tomb) for tomb in gone]
        for key, text in new.items():
            if key not in old:
                id = stable_id("fact", entity.place, BY_HAND, text)
                edits.append(Edit("remove", place=entity.place, id=id))
        if edits:
            self._store.apply(edits)

    def _tombs(self, places: Iterable[Place]) -> frozenset[str]:
        found = (self._store.find(one, ("fact",), ("rejected",)) for one in dict.fromkeys(places))
        return frozenset(visibility.Statement(r.text).key for tombs in found for r in tombs)


def _rid(page: Profile, is_gone: Callable[[visibility.Statement], bool]) -> Profile | None:
    """The page without those lines; None if it has none of them."""
    lines = visibility.parse(page.body)
    kept = [line for line in lines if not (line.key and is_gone(line))]
    return replace(page, body=visibility.render(kept)) if len(kept) < len(lines) else None


def renamed(old: Profile, name: str, tags: Iterable[str]) -> Profile:
    """The page under its new name (none given: the old one); former names stay as tags."""
    labels = list(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))
    former = [tag for tag in old.tags if tag.startswith(FORMERLY)]
    if name.strip() and old.name.strip() and normal(name) != normal(old.name):
        mark = FORMERLY[1] if has_cjk(old.name + name) else FORMERLY[0]
        former.append(f"{mark}{old.name.strip()}")
    plain = [tag for tag in labels if not tag.startswith(FORMERLY)]
    kept = list(dict.fromkeys(former))[-FORMER_NAMES:]
    return replace(old, name=name.strip() or old.name, tags=(*plain, *kept))


def to_record(profile: Profile, now: float) -> Record:
    entity = Entity(profile.workspace, profile.entity_type, profile.entity_id)
    heading = _heading(profile.name, profile.tags)
    return Record(
        id=entity.record_id,
        place=entity.place,
        kind="profile",
        text=f"{heading}{visibility.plain_body(profile.body)}".strip(),
        time=_updated(profile, now),
        user=profile.entity_id if profile.entity_type == "user" else None,
        data={"entity_type": profile.entity_type, "entity_id": profile.entity_id,
              "name": profile.name, "tags": list(profile.tags),
              "updated_at": profile.updated_at},
    )  # fmt: skip


def _heading(name: str, tags: Iterable[str]) -> str:
    words = " ".join([name, *tags]).strip()
    return f"{words}\n" if words else ""


def _updated(profile: Profile, now: float) -> float:
    """A person may have typed anything there."""
    try:
        return to_epoch(profile.updated_at, UTC)
    except TimeError:
        return now
