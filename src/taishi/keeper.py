"""What goes on behind the caller's back besides the historian: raw turns become searchable,
tool runs are written down, texts get their vectors."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable

from .background import Loop
from .embedding import CachedEmbedder, embed_some
from .errors import TaishiError
from .ports import Queue, Store
from .rooms import events
from .rooms.observations import ObservationLane, Preview, put_observation
from .types import Job, Scope

log = logging.getLogger("taishi.keeper")
BATCH = 100
IDLE_SECONDS = 5.0


class Keeper:
    """Two loops, started with the first thing to do. Nothing here is needed for safety: a job is
    durable before it gets here, and what was not embedded is found again."""

    def __init__(
        self,
        store: Store,
        queue: Queue,
        embedder: CachedEmbedder | None,
        observations: ObservationLane,
        preview: Preview,
    ) -> None:
        self._store = store
        self._queue = queue
        self._embedder = embedder
        self._observations = observations
        self._preview = preview
        self._turns: deque[tuple[Job, float]] = deque()
        self._loops: dict[str, Loop] = {}
        self._lock = threading.Lock()
        self._closed = False
        self.last_lag_ms = 0.0

    def adopt(self) -> int:
        """At opening: name the embedder's model and land what an earlier process left behind."""
        waiting = self._store.adopt_model(self._embedder.name) if self._embedder else 0
        for job in self._queue.pending_jobs():
            self._turns.append((job, time.perf_counter()))
        if self._turns:
            self._wake("landing", self.land_some)
        if waiting:
            self.wake_embedding()
        return waiting

    def land(self, job: Job) -> None:
        self._turns.append((job, time.perf_counter()))
        self._wake("landing", self.land_some)

    def wake_landing(self) -> None:
        self._wake("landing", self.land_some)

    def wake_embedding(self) -> None:
        if self._embedder is not None:
            self._wake("embedding", self.embed_some)

    def land_some(self) -> bool:
        """Write down a batch of raw turns and tool runs. True: there may be more."""
        turns = [self._turns.popleft() for _ in range(min(BATCH, len(self._turns)))]
        seen = self._observations.take(BATCH)
        edits = [events.land_turn(job) for job, _ in turns]
        edits += [put_observation(item, self._preview) for item in seen]
        if not edits:
            return False
        try:
            self._store.apply(edits)
        except TaishiError:
            self._turns.extendleft(reversed(turns))
            raise
        if turns:
            self.last_lag_ms = (time.perf_counter() - turns[-1][1]) * 1000
        self.wake_embedding()
        return True

    def embed_some(self) -> bool:
        return self._embedder is not None and embed_some(self._store, self._embedder) > 0

    def forget(self, matches: Callable[[Scope], bool]) -> int:
        kept = [(job, at) for job, at in self._turns if not matches(job.scope)]
        removed = len(self._turns) - len(kept)
        self._turns = deque(kept)
        if self._embedder is not None:
            self._embedder.clear()
        return removed + self._observations.remove(matches)

    def _wake(self, name: str, work: Callable[[], bool]) -> None:
        loop = self._loops.get(name)
        if loop is None:
            with self._lock:
                if self._closed:
                    return
                loop = self._loops.setdefault(name, Loop(name, work, IDLE_SECONDS))
        loop.wake()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            loops = list(self._loops.values())
        for loop in loops:
            loop.stop()
        try:
            while self.land_some():
                pass
        except TaishiError as error:
            log.warning("tool runs were not written before closing: %s", error)
