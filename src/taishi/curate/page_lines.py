"""Lines of profile pages that follow a fact which was corrected or rejected."""

from __future__ import annotations

from contextlib import suppress

from ..domain.line_acl import Statement, keys
from ..domain.profile_owners import pages_of
from ..domain.profiles import Profiles
from ..domain.text_identity import same
from ..errors import TaishiError
from ..ingest.background import BackgroundTasks
from ..runtime import Runtime
from ..types import Record

MOST_HELD = 2000
LOCK_SECONDS = 5.0


class PageLines:
    def __init__(self, runtime: Runtime, background: BackgroundTasks, profiles: Profiles) -> None:
        self._store = runtime.parts.store
        self._background = background
        self._profiles = profiles

    def restate(self, old: Record, new: str) -> None:
        """On the pages. What a line said besides, and still holds, gets a line of its own."""
        held = self._store.find(old.place, ("fact",), ("approved",), MOST_HELD)
        others = [one for one in held if not same(one.text, new)]
        self._profiles.restate(old, new, others)
        self._background.wake_embedding()

    def restate_withdrawn(self) -> None:
        """Put right the pages whose facts were rejected or corrected by a process that was killed
        before it came to them."""
        store = self._store
        for place, _ in store.places():
            for fact in store.find(place, ("fact",), ("rejected",), MOST_HELD):
                if self._is_on_a_page(fact):
                    by = store.get(place, str(fact.data.get("superseded_by") or ""))
                    self.restate(fact, by.text if by and by.state == "approved" else "")

    def _is_on_a_page(self, fact: Record) -> bool:
        """Word for word, and not because a person wrote it there again."""
        key = Statement(fact.text).key
        for entity in pages_of(fact):
            with suppress(TaishiError):  # a page that cannot be read says nothing
                page = self._profiles.source(entity)
                if page is not None and key in keys(page.body):
                    self._profiles.follow_edits(entity.scope, LOCK_SECONDS)
                    now = self._store.get(fact.place, fact.id)
                    return now is not None and now.state == "rejected"
        return False
