"""`memory.deletions`: what was deleted or refused, and the proof that it is gone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ..domain import arguments
from ..domain.deletion_marks import Marks
from ..exported import Deletion, ErasureProof, Refusal
from ..ports import TextCache
from ..runtime import Runtime
from ..times import TimeLike, to_epoch
from ..types import Scope
from .proof import ErasureSearch
from .service import ForgetService

PREFIX = re.compile(r"[\w.-]{1,64}:(?=.)", re.DOTALL)  # of a platform: "QQClient:"
Deletions = list[Deletion]  # inside the class, `list` is the verb
Refusals = list[Refusal]


class DeletionService:
    def __init__(self, runtime: Runtime, forgetting: ForgetService, search: ErasureSearch) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store
        self._forgetting = forgetting
        self._search = search

    def list(self, limit: int = 100) -> Deletions:
        """The latest deletions, newest first: who, when, through which interface, how many."""
        self._runtime.check_open()
        most = arguments.whole_number(limit, "limit", arguments.MOST_LISTED)
        return [Deletion(*row) for row in self._store.deletions.list(most)]

    def refusals(self, limit: int = 100) -> Refusals:
        """The latest refused writes, newest first: who, when, through which interface, why; never
        the content."""
        self._runtime.check_open()
        most = arguments.whole_number(limit, "limit", arguments.MOST_LISTED)
        return [Refusal(*row) for row in self._store.refusals.list(most)]

    def forgotten(self, scope: Scope, ids: Mapping[str, TimeLike | None]) -> frozenset[str]:
        """Which of these ids were deleted here, for a host that offers the same records again. If
        the whole scope was forgotten, every id up to that time (None: unknown) counts as deleted.
        """
        self._runtime.check_scope(scope)
        arguments.mapping(ids, "ids")
        deletions, home = self._store.deletions, scope.home
        marks = Marks(deletions.key())
        by_id = {id: marks.record(home, id) for id in ids}
        of_scope = marks.of_scope(scope)
        since = deletions.times([*by_id.values(), *of_scope])
        scope_since = max((since[mark] for mark in of_scope if mark in since), default=None)
        zone = self._runtime.zone

        def went_with_scope(time: TimeLike | None) -> bool:
            if scope_since is None:
                return False
            return time is None or to_epoch(time, zone) <= scope_since

        return frozenset(
            id for id, time in ids.items() if by_id[id] in since or went_with_scope(time)
        )

    def register_cache(self, name: str, cache: TextCache) -> None:
        """Register a cache of the host's own that contains what people said: every `forget` clears
        it, and `prove` searches it. A server registers the responses that it keeps."""
        self._runtime.text_caches.register(name, cache)

    def similar_users(self, scope: Scope) -> dict[str, int]:
        """Users of the workspace whose id differs from this scope's only by a prefix before a
        colon, and how many records each has: for `QQClient:10003` also `10003`, as an import may
        have stored it. To the engine they are other people, and `forget` leaves them."""
        self._runtime.check_scope(scope)
        home = scope.home
        if home.kind != "private":
            return {}
        own = _without_prefix(home.id)
        found = self._store.erasure.users_named(home.workspace, own)
        return {
            id: count
            for id, count in sorted(found.items())
            if id != home.id and own in (id, _without_prefix(id))
        }

    def traces(self, scope: Scope) -> tuple[str, ...]:
        """Distinctive phrases from this scope, for `prove`. Call it before `forget`."""
        return self._forgetting.traces(scope)

    def prove(self, scope: Scope, words: Iterable[str] = ()) -> ErasureProof:
        """Look for a forgotten scope everywhere: tables, every byte of every file of the folder,
        what is in memory. `words` are its phrases, from `traces` before it was forgotten.

        Phrases that other people said, too, are listed under `elsewhere`.
        """
        return self._search.prove(scope, words)


def _without_prefix(id: str) -> str:
    prefix = PREFIX.match(id)
    return id[prefix.end() :] if prefix else id
