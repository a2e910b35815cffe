"""Feeds a vector engine outside this process from the store's change sequence.

The store is the outbox: each partition numbers its changes, and the engine keeps durably up to
which of them its vectors are complete. A pass applies what came after, in batches, and moves the
position last. Applying a change twice does nothing, so a process may be killed at any moment; an
engine that is down is simply further behind. If the changes are no longer listed, or if the engine
has nothing of a partition yet, the whole partition is compared instead.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from ..errors import BusyError, StorageError
from ..observe.repeated_trouble import RepeatedTrouble
from ..ports import IndexRow, Locks, PartitionState, Store, VectorEngine
from ..transfer.progress import Progress, unwatched
from .column_batch import ColumnBatch
from .deadline import BoundedExecutor, Deadline, LateError
from .vector_codec import LOWER, Floats, code_size, decode

log = logging.getLogger("taishi.vectors")
LOCK = "vector feed"
BATCH = 500
# A partition that lacks more changes than this is not searched by meaning: too much is missing.
MAX_LAG = 200
UNFINISHED = -1  # the position of a partition whose first feeding was not finished
SAME = 0.9995  # cosine of a stored vector with the engine's copy
SETTLE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """Some vectors of a partition as the store has them."""

    numbers: Sequence[int]
    revisions: Sequence[int]
    vectors: Floats

    def __iter__(self) -> Iterator[tuple[int, int, Floats]]:
        return iter(zip(self.numbers, self.revisions, self.vectors, strict=True))


class VectorFeed:
    """One for each open memory. Passes of several processes take turns by a lock."""

    def __init__(
        self, store: Store, engine: VectorEngine, locks: Locks, model: str, dimensions: int
    ) -> None:
        self.engine = engine
        self.model = model
        self._store = store
        self._locks = locks
        self._dimensions = dimensions
        self._positions: Mapping[int, int] = {}
        self._known = threading.Event()  # the positions have been read
        self._pass = threading.Lock()
        self._executor = BoundedExecutor("vector feed", 1)
        self._complete: Hashable | None = None  # the store's fingerprint at the last whole pass
        self.failure = ""  # why the last pass failed
        self._trouble = RepeatedTrouble(log)
        self.lag = 0  # changes that the engine lacks in all partitions, as far as is known
        self.count = 0  # vectors in the engine after the last pass

    # -- for recall ----------------------------------------------------------------------------

    def wait_known(self, deadline: Deadline) -> bool:
        """Whether it is known how far the engine is; at opening that takes a moment. An engine that
        did not answer then is not waited for."""
        return self._known.wait(0.0 if self.failure else deadline.left)

    def is_behind(self, partition: int, position: int) -> bool:
        """Whether the engine lacks too much of a partition, which is at this change now."""
        known = self._positions.get(partition)
        return known is None or known == UNFINISHED or position - known > MAX_LAG

    # -- passes --------------------------------------------------------------------------------

    def run(self) -> bool:
        """One pass, unless nothing was written since the last. Always False: there is no more
        before something is written."""
        fingerprint = self._store.file_fingerprint()
        if fingerprint is not None and fingerprint == self._complete and not self.failure:
            return False
        try:
            self._feed_or_look()
            self._complete = fingerprint
        except StorageError as error:
            self._trouble.met("vectors wait to be fed: %s", error)
            self.failure = str(error)
        return False

    def _feed_or_look(self) -> None:
        try:
            with self.paused(timeout=0.0):
                self.feed_all()
        except BusyError:  # another process feeds it; how far is it?
            self._read_positions()

    @contextmanager
    def paused(self, timeout: float = 60.0) -> Iterator[None]:
        """No pass runs meanwhile, in any process. Raises BusyError if one does for too long."""
        with self._pass, self._locks.hold(LOCK, timeout):
            yield

    def settle(self, seconds: float = SETTLE_SECONDS) -> bool:
        """Apply everything that waits, now: True if the engine has all of it. What could not be
        applied in time stays pending, and the next pass tries it again."""
        try:
            self._executor.run(self._settle, Deadline(seconds))
        except (LateError, StorageError) as error:
            log.warning(
                "vectors of removed records are still in %s and are removed when it answers: %s",
                self.engine.address,
                error,
            )
            return False
        return True

    def _settle(self) -> None:
        with self.paused():
            self.feed_all()
            self.engine.compact()

    def restart(self) -> None:
        """Let the engine forget everything, so that the next pass feeds it again."""
        with self.paused():
            self.engine.adopt(self.model)
            self.engine.clear()
            self._positions = {}
            self._complete = None

    def close(self) -> None:
        self._executor.close()
        try:
            self.engine.close()
        except StorageError as error:
            log.warning("%s", error)

    def feed_all(self, progress: Progress = unwatched) -> None:
        """A pass. Call it while others are paused."""
        states = self.states()
        self._read_positions()
        for no in sorted(set(self._positions) - states.keys()):
            self.engine.drop(no)  # the partition was forgotten
            self._moved(no, None)
        waiting = [s for s in states.values() if self._positions.get(s.no) != s.seq]
        self.lag = sum(s.seq - self._positions.get(s.no, 0) for s in waiting)
        for done, state in enumerate(waiting):
            progress(done, len(waiting))
            before = self._positions.get(state.no, 0)
            self._feed(state)
            self.lag -= state.seq - before
        progress(len(waiting), len(waiting))
        self.count = self.engine.count()
        if self.failure:
            self._trouble.over("the vector engine %s answers again", self.engine.address)
            self.failure = ""

    def states(self) -> dict[int, PartitionState]:
        """The state of every partition, by its number."""
        places = [place for place, _ in self._store.places()]
        return {state.no: state for state in self._store.states(places).values()}

    def _read_positions(self) -> None:
        self.engine.adopt(self.model)
        self._positions = self.engine.positions()
        self._known.set()

    def _moved(self, no: int, position: int | None) -> None:
        """Replaced, not changed: recalls read it meanwhile."""
        others = {key: at for key, at in self._positions.items() if key != no}
        self._positions = others if position is None else {**others, no: position}

    def _feed(self, state: PartitionState) -> None:
        no, since = state.no, self._positions.get(state.no)
        # A position beyond the store's own is that of a store before a backup was put back.
        is_known = since is not None and UNFINISHED < since <= state.seq
        changes = self._store.changes(no, since or 0, self.model) if is_known else None
        if changes is None:
            # Noted first: if this is cut off and the partition forgotten, it is dropped.
            self.engine.set_position(no, UNFINISHED)
            seq = self.reconcile(no)
        else:
            rows = [(row.number, row.revision, row.code) for row in changes.rows]
            new = [(n, r, decode(code)) for n, r, code in rows if code and self._is_ours(code)]
            # A text that changed has no vector yet, and its old one is of other words.
            stale = [n for n, _, code in rows if not self._is_ours(code)]
            self.engine.remove([*changes.gone, *stale])
            for at in range(0, len(new), BATCH):
                self.engine.put(self.model, new[at : at + BATCH])
            seq = changes.seq
        self.engine.set_position(no, seq)
        self._moved(no, seq)

    def _is_ours(self, code: bytes | None) -> bool:
        return code is not None and len(code) == code_size(self._dimensions)

    def reconcile(self, no: int) -> int:
        """Make a partition's vectors what the store has; up to which change."""
        there = self.engine.entries(no)
        seq, batches = self.stored(no)
        for batch in batches:
            pairs = zip(batch.numbers, batch.revisions, strict=True)
            same = [number for number, revision in pairs if there.pop(number, None) == revision]
            wrong = self.differing(batch, same)
            self.engine.remove(wrong)  # or the engine would keep its own, of the same revision
            fine = set(same) - set(wrong)
            self.engine.put(self.model, [row for row in batch if row[0] not in fine])
        self.engine.remove(there)
        return seq

    def differing(self, batch: StoredVectors, numbers: Sequence[int]) -> list[int]:
        """Which of these the engine has with another vector."""
        if not numbers:
            return []
        copies = self.engine.get(numbers)
        own = {number: vector for number, _, vector in batch}
        return [n for n in numbers if n not in copies or float(copies[n][1] @ own[n]) < SAME]

    def stored(self, no: int) -> tuple[int, Iterator[StoredVectors]]:
        """A partition's vectors in the store at one change count."""
        contents = self._store.snapshot(no, self.model)
        return contents.seq, self._batches(contents.packs, contents.rows)

    def _batches(
        self, packs: Sequence[tuple[int, bytes]], runs: Mapping[int, Sequence[IndexRow]]
    ) -> Iterator[StoredVectors]:
        for chunk, pack in packs:
            batch = ColumnBatch.unpacked(pack, self._dimensions)
            if batch is None:
                rows = self._store.chunk_rows(chunk, self.model)
                batch = ColumnBatch.of(rows, self._dimensions) if rows else None
            if batch is not None:
                yield from _cut(batch)
        for some in runs.values():
            for at in range(0, len(some), BATCH):
                yield from _cut(ColumnBatch.of(some[at : at + BATCH], self._dimensions))


def _cut(batch: ColumnBatch) -> Iterator[StoredVectors]:
    planes = batch.vectors
    numbers, revisions = batch.numbers[planes.owners], batch.revisions[planes.owners]
    for at in range(0, len(numbers), BATCH):
        some = slice(at, at + BATCH)
        vectors = (planes.upper[some] + planes.lower[some] * LOWER) * planes.scales[some, None]
        yield StoredVectors(
            numbers[some].tolist(), revisions[some].tolist(), vectors.astype(np.float32)
        )
