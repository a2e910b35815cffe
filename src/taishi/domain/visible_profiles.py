"""Caches pages as each scope may see them, until the file changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

from ..types import Partition, Profile, Scope
from . import line_acl, profile_records
from .profile_owners import ProfileOwner, entity_of

MOST = 64
Key = tuple[ProfileOwner, Partition, str | None, bool]
Stamp = tuple[int, ...]


class VisibleProfiles:
    """A cache of recently used pages; a page whose file changed is read again."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._pages: OrderedDict[Key, tuple[Stamp, Profile | None]] = OrderedDict()

    def get(
        self,
        entity: ProfileOwner,
        scope: Scope,
        linked: bool,
        stamp: Stamp,
        read: Callable[[str, str, str], Profile | None],
    ) -> Profile | None:
        """`stamp` was taken before: what is written meanwhile is read at the next question."""
        key = (entity, scope.home, scope.user, linked)
        with self._lock:
            there = self._pages.get(key)
            if there is not None and there[0] == stamp:
                self._pages.move_to_end(key)
                return there[1]
        page = seen(read(*entity), entity, scope, linked)
        with self._lock:
            self._pages[key] = (stamp, page)
            if len(self._pages) > self._most:
                self._pages.popitem(last=False)
        return page


def seen(page: Profile | None, entity: ProfileOwner, scope: Scope, linked: bool) -> Profile | None:
    """The page without its marks, and without what this scope may not see (S2, S4)."""
    if page is None or entity.entity_type == "group":
        return page and replace(page, body=line_acl.plain_body(page.body))
    if entity == entity_of(scope):
        return replace(page, body=line_acl.visible(page.body, scope, linked))
    return profile_records.seen_in(page, scope, linked)
