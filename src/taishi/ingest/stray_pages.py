"""Takes out of the pages of a group's people what others of the group said (S4)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial

from ..domain.line_acl import Statement, groups_in, parse
from ..domain.profile_corrections import names_on
from ..domain.profile_owners import ProfileOwner
from ..domain.profiles import Profiles
from ..domain.stray_lines import GroupStatements, PageStatements
from ..exported import ExportedProfile, ExportScope
from ..ports import ProfileKey, ProfileTransfer, Store
from ..types import Partition

FOLLOW_SECONDS = 60.0
MOST = 1_000_000
StatementsOf = Callable[[Partition], GroupStatements]


@dataclass(frozen=True, slots=True)
class _Marked:
    """What a page and its snapshots have of one group."""

    entity: ProfileOwner
    place: Partition
    lines: tuple[Statement, ...]


class StrayPages:
    """`of_user`: only what this one said."""

    def __init__(self, store: Store, pages: ProfileTransfer, profiles: Profiles) -> None:
        self._store = store
        self._pages = pages
        self._profiles = profiles

    def found(
        self, places: Collection[Partition], of_user: str | None = None
    ) -> list[ProfileOwner]:
        """The pages that have some of it, now or in a snapshot."""
        statements_of = cache(self.statements)
        strays = self._strays(places, of_user, statements_of)
        return list(dict.fromkeys(one.entity for one in strays))

    def follow(self, places: Collection[Partition], of_user: str | None = None) -> None:
        """Take over what people edited by hand on these pages; before the facts are held."""
        for entity in self.found(places, of_user):
            self._profiles.follow_edits(entity.scope, FOLLOW_SECONDS)

    def take_out(self, places: Collection[Partition], of_user: str | None = None) -> None:
        """As if it had never been there; snapshots, too."""
        statements_of = cache(self.statements)
        for one in list(self._strays(places, of_user, statements_of)):
            page = self._on_page(one.entity, statements_of(one.place))
            self._profiles.purge(one.entity, partial(page.left, of_user=of_user))

    def lines_on(self, pages: Iterable[ProfileKey]) -> Iterator[tuple[ProfileKey, int]]:
        """The lines of the pages' files, counted from 1, that have some of it today."""
        statements_of = cache(self.statements)
        for page in pages:
            if page.entity_type != "user":
                continue
            entity = ProfileOwner(page.workspace, "user", page.entity_id)
            text = next((one.page for one in self._texts(entity) if one.page), "")
            lines = [(n, line) for n, line in enumerate(parse(text), 1) if line.marks]
            groups = groups_in(line for _, line in lines)
            places = [Partition(entity.workspace, "group", group) for group in sorted(groups)]
            on_page = [self._on_page(entity, statements_of(place)) for place in places]
            for number, line in lines:
                if any(one.left(line) != line for one in on_page):
                    yield page, number

    def statements(self, place: Partition) -> GroupStatements:
        def teller_of(id: str) -> str | None:
            event = self._store.get(place, id)
            return event.user if event is not None else None

        facts = self._store.find(place, ("fact",), None, MOST)
        return GroupStatements(place, facts, cache(teller_of))

    def _strays(
        self, places: Collection[Partition], of_user: str | None, statements_of: StatementsOf
    ) -> Iterator[_Marked]:
        for one in self._marked(places):
            if one.entity.entity_id != of_user:
                page = self._on_page(one.entity, statements_of(one.place))
                if any(page.left(line, of_user) != line for line in one.lines):
                    yield one

    def _on_page(self, entity: ProfileOwner, statements: GroupStatements) -> PageStatements:
        page = self._profiles.source(entity)
        names = names_on(page, entity) if page is not None else [entity.entity_id]
        private = self._store.find(entity.place, ("fact",), None, MOST)
        return statements.of_page(entity.entity_id, names, private)

    def _marked(self, places: Collection[Partition]) -> Iterator[_Marked]:
        """Whoever left a group may have lines of it on the page."""
        marks = {f"group:{place.id}": place for place in places if place.kind == "group"}
        for workspace in {place.workspace for place in marks.values()}:
            for key in self._pages.entities(ExportScope(workspace)):
                if key.entity_type != "user":
                    continue
                entity = ProfileOwner(key.workspace, "user", key.entity_id)
                lines = list(self._lines(entity))
                for mark in {mark for line in lines for mark in line.marks} & marks.keys():
                    there = tuple(line for line in lines if mark in line.marks)
                    if marks[mark].workspace == workspace:
                        yield _Marked(entity, marks[mark], there)

    def _lines(self, entity: ProfileOwner) -> Iterator[Statement]:
        for page in self._texts(entity):
            for text in (page.page, *(old for _, old in page.snapshots)):
                if text and "<!--" in text:  # most pages have no mark
                    yield from parse(text)

    def _texts(self, entity: ProfileOwner) -> Iterator[ExportedProfile]:
        """The page and its snapshots; nothing of one that is damaged."""
        for page in self._pages.pages([ProfileKey(*entity)]):
            if isinstance(page, ExportedProfile):
                yield page
