"""Where a request may look, and how far each place has come: asked of the store, or still known.

Most of the time nothing has changed since the last question. The store's mark says so at once, and
then a request is answered from memory alone, in the thread that asks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace

from ..ports import PartitionState, Store
from ..types import Partition, VisiblePartition

MOST = 4096
# Then the mark alone is not enough: other programs change databases, too. Unless nobody at all has
# written since, the store is asked again.
TRUSTED_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ReadSnapshot:
    sights: tuple[VisiblePartition, ...]
    shelves: Mapping[Partition, PartitionState]
    mark: Hashable | None  # of the store before it was asked; None: not to be trusted again
    since: float
    trace: Hashable | None = None  # of the store, before it was asked

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple([shelf.no for shelf in self.shelves.values()])


class ReadSnapshots:
    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._kept: dict[Hashable, ReadSnapshot] = {}

    def known(self, whose: Hashable) -> ReadSnapshot | None:
        """What was found a moment ago, if it still holds. Does not wait for anything."""
        standing = self._kept.get(whose)
        if standing is None or standing.mark is None:
            return None
        if self._store.change_token(standing.numbers) != standing.mark:
            return None
        now = self._clock()
        if now - standing.since > TRUSTED_SECONDS:
            if standing.trace is None or self._store.file_fingerprint() != standing.trace:
                return None
            self._kept[whose] = standing = replace(standing, since=now)
        return standing

    def ask(
        self, whose: Hashable | None, sights: Callable[[], tuple[VisiblePartition, ...]]
    ) -> ReadSnapshot:
        """As the store knows it now; this may hang."""
        before = None if whose is None else self._kept.get(whose)
        numbers = before.numbers if before else ()
        # First: what changes from now on is told by them.
        trace = self._store.file_fingerprint()
        outline, mark = self._store.change_token(()), self._store.change_token(numbers)
        seen = sights()
        shelves = self._store.states([sight.place for sight in seen])
        standing = ReadSnapshot(seen, shelves, mark, self._clock(), trace)
        if standing.numbers != numbers:
            standing = replace(standing, mark=self._marked_late(standing, outline))
        if any(sight.only_user for sight in seen):
            # Into which groups a user's records lead changes with records elsewhere.
            standing = replace(standing, mark=None)
        if whose is not None:
            if len(self._kept) >= MOST:
                self._kept.clear()
            self._kept[whose] = standing
        return standing

    def _marked_late(self, standing: ReadSnapshot, outline: Hashable | None) -> Hashable | None:
        """The mark of places that were not known before, if they are as they were when asked."""
        mark = self._store.change_token(standing.numbers)
        places = [sight.place for sight in standing.sights]
        same = self._store.states(places) == standing.shelves
        return mark if same and self._store.change_token(()) == outline else None

    def clear(self) -> None:
        self._kept.clear()
