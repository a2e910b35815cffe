"""Picks up what a person changed in the page files on disk, into the records and facts (P4, P5)."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace

from ..errors import BusyError, InputError, TaishiError
from ..ports import ProfileStore, Store
from ..types import Scope
from .profile_index import PageIndex
from .profile_owners import ProfileOwner, entity_of, user_of

log = logging.getLogger("taishi.profiles")
Stamp = tuple[int, ...]


class ProfileFileChanges:
    """Compares the stamps of files with those at which they were last indexed."""

    def __init__(self, files: ProfileStore, store: Store, index: PageIndex) -> None:
        self._files = files
        self._store = store
        self._index = index
        self._lock = threading.Lock()
        self._stamps: dict[ProfileOwner, Stamp] = {}
        self._troubles: dict[tuple[ProfileOwner, str], str] = {}

    def follow_edits(self, scope: Scope, seconds: float = 0.0) -> None:
        """Take over edits in the pages of this scope.

        The facts of a partition may be locked by the historian; then, after so many seconds, this
        is left for the next time.
        """
        for entity in _pages_of(scope):
            try:
                self.follow(entity, seconds)
            except BusyError as error:
                log.debug("followed later: %s", error)
            except TaishiError as error:
                self.warn_once(entity, "recall goes without the newest page", error)

    def follow_members(self, scope: Scope, most: int = 200) -> None:
        """The same for everybody of whom a group knows something."""
        if scope.home.kind == "group":
            for record in self._store.find(scope.home, ("profile",), None, most):
                if record.user:
                    self.follow_edits(replace(scope, user=record.user))

    def are_indexed(self, scope: Scope) -> bool:
        """False if a page file of this scope changed since it was indexed."""
        try:
            return all(
                self._stamps.get(entity, ()) == self._files.stamp(*entity)
                for entity in _pages_of(scope)
            )
        except TaishiError:
            return False

    def follow(self, entity: ProfileOwner, seconds: float) -> None:
        try:
            stamp = self._files.stamp(*entity)
        except InputError:
            return
        if self._stamps.get(entity, ()) == stamp:
            return
        page = self._files.read(*entity)
        if page is None:
            self._index.remove(entity)
        else:
            with self._index.facts_held(entity, (self._index.body(entity), page.body), seconds):
                self._index.take_over(entity, page, self._files.is_whole(*entity))
        self.note_indexed(entity, stamp)

    def is_edited(self, entity: ProfileOwner) -> bool:
        """Whether a person edited the page and the edit is not taken over yet."""
        if self._stamps.get(entity) == self._files.stamp(*entity):
            return False
        page = self._files.read(*entity)
        return page is not None and self._index.is_edited(entity, page)

    def note_indexed(self, entity: ProfileOwner, stamp: Stamp) -> None:
        with self._lock:
            self._stamps[entity] = stamp

    def forget(self, entity: ProfileOwner) -> None:
        self._stamps.pop(entity, None)

    def warn_once(self, entity: ProfileOwner, what: str, error: TaishiError) -> None:
        """Once for each trouble, not at each recall."""
        if self._troubles.get((entity, what)) != str(error):
            self._troubles[entity, what] = str(error)
            log.warning("%s: %s", what, error)


def _pages_of(scope: Scope) -> list[ProfileOwner]:
    found = (entity_of(scope), user_of(scope))
    return list(dict.fromkeys(entity for entity in found if entity))
