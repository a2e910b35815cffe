"""Caches which partitions a reader may read, and their change counters.

Most of the time nothing has changed since the last question. The store's change token tells so
without a query, and then a request is answered from memory alone, in the thread that asks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace

from ..ports import Moment, PartitionState, Store
from ..types import Partition, VisiblePartition

MAX_READERS = 4096
# After so long the token alone is not enough, as programs that do not update the counters may have
# written: unless the file's fingerprint is the same, the store is queried again.
TRUSTED_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ReadSnapshot:
    """What a reader may read. Token and fingerprint are from before the store was queried."""

    visible: tuple[VisiblePartition, ...]
    states: Mapping[Partition, PartitionState]
    token: Hashable | None  # None: query again the next time
    since: float
    fingerprint: Hashable | None = None
    moment: Moment | None = None  # from before the store was queried, too

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple([state.no for state in self.states.values()])


class ReadSnapshots:
    """The last snapshot of each reader."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._by_reader: dict[Hashable, ReadSnapshot] = {}

    def known(self, reader: Hashable) -> ReadSnapshot | None:
        """The cached snapshot, if it is still valid. Does not block."""
        snapshot = self._by_reader.get(reader)
        if snapshot is None or snapshot.token is None:
            return None
        if self._store.change_token(snapshot.numbers) != snapshot.token:
            return None
        now = self._clock()
        if now - snapshot.since > TRUSTED_SECONDS:
            fingerprint = snapshot.fingerprint
            if fingerprint is None or self._store.file_fingerprint() != fingerprint:
                return None
            self._by_reader[reader] = snapshot = replace(snapshot, since=now)
        return snapshot

    def before_loss(self, reader: Hashable | None) -> ReadSnapshot | None:
        """While the store is away: what this reader might read, if nothing was taken from him up to
        when the store was last heard of. Nothing can be there meanwhile, unless it is this process
        that was cut off."""
        snapshot = None if reader is None else self._by_reader.get(reader)
        if snapshot is None or snapshot.moment is None:
            return None
        silence = self._store.silence(snapshot.moment, snapshot.numbers)
        return None if silence is None else snapshot

    def ask(
        self, reader: Hashable | None, visible: Callable[[], tuple[VisiblePartition, ...]]
    ) -> ReadSnapshot:
        """The state as the store has it now; may block."""
        before = None if reader is None else self._by_reader.get(reader)
        numbers = before.numbers if before else ()
        # Read first, so that they differ if something changes during the queries.
        fingerprint, moment = self._store.file_fingerprint(), self._store.moment()
        outline, token = self._store.change_token(()), self._store.change_token(numbers)
        partitions = visible()
        states = self._store.states([one.place for one in partitions])
        snapshot = ReadSnapshot(partitions, states, token, self._clock(), fingerprint, moment)
        if snapshot.numbers != numbers:
            snapshot = replace(snapshot, token=self._token_of_new(snapshot, outline))
        if any(one.only_user for one in partitions):
            # Which groups hold records of a user changes with records elsewhere.
            snapshot = replace(snapshot, token=None)
        if reader is not None:
            if len(self._by_reader) >= MAX_READERS:
                self._by_reader.clear()
            self._by_reader[reader] = snapshot
        return snapshot

    def _token_of_new(self, snapshot: ReadSnapshot, outline: Hashable | None) -> Hashable | None:
        """The token of partitions that were not known before, if they did not change since they
        were queried."""
        token = self._store.change_token(snapshot.numbers)
        partitions = [one.place for one in snapshot.visible]
        same = self._store.states(partitions) == snapshot.states
        return token if same and self._store.change_token(()) == outline else None

    def clear(self) -> None:
        self._by_reader.clear()
