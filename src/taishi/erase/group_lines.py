"""What a group leaves on the pages of its people, and takes along when it is forgotten: lines that
were learned there (S4), names and tags that only it gave, its id."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial

from ..domain import line_acl
from ..domain.fact_lifecycle import having
from ..domain.line_acl import Statement
from ..domain.profile_labels import given_by
from ..domain.profile_owners import ProfileOwner
from ..domain.profile_purge import says_something, unmarked, without_mark
from ..domain.profile_records import GROUPS, indexed_groups
from ..domain.profiles import Profiles
from ..errors import CorruptError, InputError, StorageError
from ..exported import ExportedProfile, ExportScope
from ..ports import ProfileKey, ProfileTransfer, Store
from ..types import Edit, Partition

log = logging.getLogger("taishi.forget")
FOLLOW_SECONDS = 60.0
MOST = 1_000_000
TOLD = ("turn", "event", "fact", "note")
Labels = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Written:
    """A page and its snapshots as text; nothing of one that is damaged."""

    entity: ProfileOwner
    texts: tuple[str, ...] = ()
    is_damaged: bool = False


@dataclass(frozen=True, slots=True)
class GroupPeople:
    """Users of a group with the names and tags that it gave their pages."""

    place: Partition
    labels: Labels = field(default_factory=dict)


class GroupLines:
    def __init__(self, store: Store, pages: ProfileTransfer, profiles: Profiles) -> None:
        self._store = store
        self._pages = pages
        self._profiles = profiles

    def follow(self, place: Partition) -> None:
        """Take over what people edited by hand; before the locks of the facts are held."""
        for entity in self.owners(place):
            self._profiles.follow_edits(entity.scope, FOLLOW_SECONDS)

    def owners(self, place: Partition) -> list[ProfileOwner]:
        """The users whose page, or a snapshot of it, has a line that was learned in the group."""
        return [one.entity for one in self._written(place) if any(_lines(one.texts, place))]

    def texts(self, place: Partition) -> list[str]:
        """Those lines, but for what was learned elsewhere, too."""
        lines = (line for one in self._written(place) for line in _lines(one.texts, place))
        return list(dict.fromkeys(line.said for line in lines if len(line.marks) == 1))

    def people(self, place: Partition) -> GroupPeople:
        """Asked for while the records of the group are there."""
        if place.kind != "group":
            return GroupPeople(place)
        pages = self._store.find(place, ("profile",), None, MOST)
        nothing: Labels = {one.user: frozenset() for one in pages if one.user}
        return GroupPeople(place, {**nothing, **self._labels_in(place)})

    def take_out(self, people: GroupPeople) -> int:
        """Out of pages and their snapshots; how many pages went whole, as nothing else is known of
        the person."""
        place, gone = people.place, 0
        labels_in = cache(self._labels_in)
        for one in self._written(place):
            entity = one.entity
            if one.is_damaged:
                self._take_out_of_damaged(entity, place)
                continue
            given = people.labels.get(entity.entity_id)
            if given is None and not any(_lines(one.texts, place)):
                continue
            others = [entity.place, *self._store.groups_of(place.workspace, entity.entity_id)]
            told = [labels_in(other) for other in others if other != place]
            theirs = [some[entity.entity_id] for some in told if entity.entity_id in some]
            labels = (given or frozenset()).difference(*theirs)
            self._profiles.purge(entity, without_mark(_mark(place)), labels)
            if not theirs and not any(map(says_something, self._read(entity).texts)):
                gone += self._profiles.forget(entity.scope)
                own = Edit("remove", place=entity.place, id=entity.record_id)
                self._store.apply([own], erases=True)
        return gone

    def _take_out_of_damaged(self, entity: ProfileOwner, place: Partition) -> None:
        """Of a page that cannot be read as this user's, line by line; the rest stays as it is."""
        try:
            self._pages.rewrite(ProfileKey(*entity), partial(unmarked, mark=_mark(place)))
        except (CorruptError, StorageError, InputError) as error:
            log.warning("lines of a forgotten group may be left in %s: %s", entity.record_id, error)

    def unlist(self, people: GroupPeople) -> None:
        """The records of pages no longer list the group among those that are shown something. Once
        its own records are gone: until then a page that is shown everywhere lists it again."""
        group = people.place.id
        for user in people.labels:
            entity = ProfileOwner(people.place.workspace, "user", user)
            known = self._store.get(entity.place, entity.record_id)
            if known is not None and group in (listed := indexed_groups(known)):
                left = having(known, **{GROUPS: sorted(listed - {group})})
                self._store.apply([Edit("put", left)], erases=True)

    def _labels_in(self, place: Partition) -> dict[str, frozenset[str]]:
        """By user: the names and tags that what they said there may have given to their page."""
        found: dict[str, set[str]] = defaultdict(set)
        for record in self._store.find(place, TOLD, None, MOST):
            user = record.user or (place.id if place.kind == "private" else None)
            if user:
                found[user] |= {record.speaker or ""}
                found[user] |= given_by([record]) if record.kind == "fact" else set()
        return {user: frozenset(labels - {""}) for user, labels in found.items()}

    def _written(self, place: Partition) -> Iterator[Written]:
        """The pages of all users of the workspace: whoever left the group may have lines of it."""
        if place.kind == "group":
            for key in self._pages.entities(ExportScope(place.workspace)):
                if key.entity_type == "user":
                    yield self._read(ProfileOwner(key.workspace, "user", key.entity_id))

    def _read(self, entity: ProfileOwner) -> Written:
        for page in self._pages.pages([ProfileKey(*entity)]):
            if not isinstance(page, ExportedProfile):
                return Written(entity, is_damaged=True)
            texts = [page.page, *(text for _, text in page.snapshots)]
            return Written(entity, tuple(text for text in texts if text))
        return Written(entity)


def _mark(place: Partition) -> str:
    return f"group:{place.id}"


def _lines(texts: Iterable[str], place: Partition) -> Iterator[Statement]:
    mark = _mark(place)
    for text in texts:
        if "<!--" in text:  # most pages have no mark, and need not be read line by line
            yield from (one for one in line_acl.parse(text) if mark in one.marks)
