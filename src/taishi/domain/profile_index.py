"""Keeps the records and facts of pages in sync with the page files (P4, P5)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, tzinfo
from functools import cache

from ..ports import Locks, Store
from ..types import Edit, Partition, Profile, Record
from . import line_acl, profile_edits, profile_lines, profile_records
from .facts import lock_name
from .profile_owners import ProfileOwner


class PageIndex:
    """The stored records of each page."""

    def __init__(
        self, store: Store, clock: Callable[[], float], locks: Locks | None, zone: tzinfo = UTC
    ) -> None:
        self._store = store
        self._clock = clock
        self._locks = locks
        self._zone = zone

    def known(self, entity: ProfileOwner) -> Record | None:
        """The page's record."""
        return self._store.get(entity.place, entity.record_id)

    def body(self, entity: ProfileOwner) -> str:
        """The page as it was indexed, marks included."""
        known = self.known(entity)
        return profile_records.indexed_body(known) if known else ""

    def is_edited(self, entity: ProfileOwner, page: Profile) -> bool:
        """Whether a person edited the page and the edit is not indexed yet."""
        if not profile_records.is_by_hand(page, self.known(entity)):
            return False
        return bool(profile_lines.changes(self.body(entity), page.body))

    def take_over(self, entity: ProfileOwner, page: Profile, is_whole: bool) -> None:
        """What is on disk. A page that is empty or garbled says nothing about the facts: an editor
        may be in the midst of saving, or the disk at fault."""
        known = self.known(entity)
        if page.body.strip():
            self.put(entity, page, is_whole and profile_records.is_by_hand(page, known), is_whole)
        elif known is not None:
            named = profile_records.heading(page.name, page.tags).strip()
            self._store.apply([Edit("put", replace(known, text=named or entity.record_id))])

    def put(
        self, entity: ProfileOwner, page: Profile, by_person: bool, is_whole: bool = True
    ) -> None:
        """The records of a page and, if a person changed it, its facts; in one transaction."""
        known = self.known(entity)
        groups = self.groups(entity)
        made = profile_records.records_of(page, self._clock(), [one.id for one in groups], known)
        if not is_whole and known is not None:  # what the next edit is compared with stays
            made[0] = profile_records.with_source(made[0], profile_records.indexed_body(known))
        gone = profile_records.indexed_groups(known) - {one.place.id for one in made[1:]}
        before = profile_records.indexed_body(known) if known else ""
        is_less = not set(before.splitlines()) <= set(page.body.splitlines())
        self._store.apply(
            [
                *(self._fact_edits(entity, known, page, groups) if by_person else ()),
                *(Edit("put", one) for one in made),
                *_removed_from(entity, gone),
            ],
            erases=by_person or is_less or bool(gone),
        )

    def _fact_edits(
        self, entity: ProfileOwner, known: Record | None, page: Profile, groups: Sequence[Partition]
    ) -> list[Edit]:
        before = profile_records.indexed_body(known) if known else ""
        changed = profile_lines.changes(before, page.body)
        names = [name for name in (page.name, *profile_records.former_names(page)) if name]
        return profile_edits.edits(
            self._store,
            entity,
            names,
            changed,
            line_acl.parse(page.body),
            groups,
            self._clock(),
            self._zone,
        )

    def remove(self, entity: ProfileOwner) -> None:
        """A file that is gone takes its records along, but no facts: a disk may be missing."""
        own = Edit("remove", place=entity.place, id=entity.record_id)
        groups = profile_records.indexed_groups(self.known(entity))
        self._store.apply([own, *_removed_from(entity, groups)])

    @contextmanager
    def facts_held(
        self, entity: ProfileOwner, bodies: Iterable[str], seconds: float
    ) -> Iterator[None]:
        """The locks of the facts that lines of these pages may be about, in order."""
        lines = {line for body in bodies for line in line_acl.parse(body)}
        groups = self.groups(entity)
        places = {
            place for line in lines for place in profile_edits.places_of(line, entity, groups)
        }
        with ExitStack() as held:
            for name in sorted(map(lock_name, places)) if self._locks else ():
                assert self._locks is not None
                held.enter_context(self._locks.hold(name, seconds))
            yield

    def groups(self, entity: ProfileOwner) -> list[Partition]:
        if entity.entity_type == "group":
            return []
        return self._store.groups_of(entity.workspace, entity.entity_id)

    def tombs(self, place: Partition) -> frozenset[str]:
        """Keys of the statements that a person rejected there and that nothing else says."""
        if not self._store.find(place, ("fact",), ("rejected",), 1):
            return frozenset()
        found = self._store.find(
            place, ("fact",), ("rejected", "approved"), profile_edits.MOST_FACTS
        )
        return frozenset(line_acl.Statement(text).key for text in profile_edits.withdrawn(found))

    def refusals(self) -> Callable[[Partition, str], bool]:
        """Whether `tombs` of a place has a key; what else says it is only read if one was
        rejected."""
        rejected = cache(
            lambda place: {
                line_acl.Statement(one.text).key
                for one in self._store.find(
                    place, ("fact",), ("rejected",), profile_edits.MOST_FACTS
                )
            }
        )
        tombs = cache(self.tombs)
        return lambda place, key: key in rejected(place) and key in tombs(place)


def _removed_from(entity: ProfileOwner, groups: Collection[str]) -> list[Edit]:
    places = (Partition(entity.workspace, "group", group) for group in sorted(groups))
    return [Edit("remove", place=place, id=entity.record_id) for place in places]
