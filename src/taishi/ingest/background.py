"""Background tasks other than the historian: store raw turns so that they can be searched, write
observations, embed new texts, run upkeep."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable

from ..domain.observations import ObservationBuffer, Preview, put_observation
from ..errors import TaishiError
from ..observe.metrics import Metrics
from ..ports import CachingEmbedder, JobQueue, Store
from ..recall.vector_codec import code_size
from ..types import Job, Scope
from .embedding import embed_some
from .raw_turns import RawTurns
from .upkeep import Upkeep
from .worker_threads import WorkerThread

log = logging.getLogger("taishi.background")
BATCH = 100
IDLE_SECONDS = 5.0
# Debounce of embedding: a write takes under a millisecond, embedding after each would double it.
SETTLE_SECONDS = 0.01
EXPIRE_EVERY_SECONDS = 600.0
STORED_PAUSE = 0.002
EMBEDDED_PAUSE = 0.01
# Debounce of what recalls leave behind: written after a pause of so long, or a few times that.
SOON_SECONDS = 0.2


class BackgroundTasks:
    """One thread a kind of task, started with its first task. Nothing here is needed for safety: a
    job is durable before it gets here, and a text without a vector is found again."""

    def __init__(
        self,
        store: Store,
        queue: JobQueue,
        embedder: CachingEmbedder | None,
        observations: ObservationBuffer,
        preview: Preview,
        upkeep: Upkeep,
        metrics: Metrics | None = None,
        tell: Callable[[], None] = lambda: None,
    ) -> None:
        """`tell` is called after each batch, to publish the status of this process."""
        self._tell = tell
        self._metrics = metrics or Metrics()
        self._store = store
        self._queue = queue
        self._raw_turns = RawTurns(store, queue)
        upkeep.also_expire(self._raw_turns.delete_left_over)
        self._embedder = embedder
        self._observations = observations
        self._preview = preview
        self._upkeep = upkeep
        self._submitted: deque[Callable[[], object]] = deque()
        self._soon: dict[Callable[[], object], None] = {}
        self._last_expiry = -math.inf  # a monotonic clock may start at 0 when the machine does
        self._turns: deque[tuple[Job, float]] = deque()
        self._loops: dict[str, WorkerThread] = {}
        self._lock = threading.Lock()
        self._embedding = threading.Lock()
        self._storing_turns = threading.Lock()
        self._running = threading.Lock()
        self._running_soon = threading.Lock()
        self._closed = False
        self.last_lag_ms = 0.0
        self.feed_vectors: Callable[[], bool] | None = None  # to an engine outside this process

    def adopt(self) -> list[Job]:
        """At opening: name the embedder's model, land what an earlier process left behind."""
        left = list(self._queue.pending_jobs())
        for job in left:
            self.land(job)
        embedder = self._embedder
        if embedder is not None and self._store.adopt_model(
            embedder.name, code_size(embedder.dimensions)
        ):
            self.wake_embedding()
        self.wake_feeding()
        return left

    def land(self, job: Job) -> None:
        self._turns.append((job, time.perf_counter()))
        self._wake("turns", self.store_turns)

    def wait_stored(self, job: Job, seconds: float) -> bool:
        """Wait until a turn is in the store, where recall finds it; False: not within that time."""
        end = time.monotonic() + seconds
        while self._storing_turns.acquire(timeout=max(0.0, end - time.monotonic())):
            try:
                waits = any(one is job for one in self.unstored_jobs())
            finally:
                self._storing_turns.release()
            if not waits or time.monotonic() > end:
                return not waits
            time.sleep(STORED_PAUSE)
        return False

    def wait_embedded(self, seconds: float) -> bool:
        """Wait until every stored text has its vector; False: not within that time. Another process
        may be the one that embeds."""
        if self._embedder is None:
            return True
        self.wake_embedding()
        end = time.monotonic() + seconds
        while self._store.unembedded(1):
            if time.monotonic() > end:
                return False
            time.sleep(EMBEDDED_PAUSE)
        if self.feed_vectors is not None:
            self.feed_vectors()
        return True

    def wake_storing(self) -> None:
        self._wake("turns", self.store_turns)

    def wake_upkeep(self) -> None:
        self._wake("upkeep", self.run_upkeep)

    def wake_embedding(self) -> None:
        if self._embedder is not None:
            self._wake("embedding", self._embed_batch, SETTLE_SECONDS)

    def wake_feeding(self) -> None:
        if self.feed_vectors is not None:
            self._wake("vectors", self.feed_vectors, SETTLE_SECONDS)

    def store_turns(self) -> bool:
        """Write down a batch of raw turns and tool runs. True: there may be more."""
        with self._storing_turns:  # whoever finds nothing left knows that all of it is written
            more = self._store_batch()
        self._tell()
        return more

    def store_all_turns(self) -> None:
        """Write down every raw turn that waits, so that it is found in the store."""
        while self.store_turns():
            pass

    def _store_batch(self) -> bool:
        turns = [self._turns.popleft() for _ in range(min(BATCH, len(self._turns)))]
        seen = self._observations.take(BATCH)
        if not turns and not seen:
            return False
        try:
            observed = [put_observation(item, self._preview) for item in seen]
            self._raw_turns.store([job for job, _ in turns], observed)
        except BaseException:
            self._turns.extendleft(reversed(turns))
            self._observations.put_back(seen)
            raise
        self._observations.written(seen)
        for job, _ in turns:
            self._upkeep.buffer_turn(job)
        if any(job.session_id for job, _ in turns):
            self.wake_upkeep()
        for _, ended in turns:
            lag = time.perf_counter() - ended
            self.last_lag_ms = lag * 1000
            self._metrics.readable.observe(lag)
        self.wake_embedding()
        return True

    def embed_some(self) -> bool:
        """True: there may be more. What has a vector goes to the engine, if there is one."""
        more = self._embed()[0] > 0
        if not more and self.feed_vectors is not None:
            self.feed_vectors()
        return more

    def _embed_batch(self) -> bool:
        """True: there is more. What is written meanwhile wakes the loop by itself."""
        return self._embed()[1]

    def _embed(self) -> tuple[int, bool]:
        if self._embedder is None:
            return 0, False
        with self._embedding:  # two at once would embed the same texts
            count, more = embed_some(self._store, self._embedder)
        if count:
            self.wake_feeding()
        return count, more

    def submit(self, work: Callable[[], object]) -> None:
        """Something small that nobody waits for; nobody does it any more once this is closed."""
        if self._closed:
            return
        self._submitted.append(work)
        self._wake("upkeep", self.run_upkeep)

    def submit_debounced(self, work: Callable[[], object]) -> None:
        """The same once for all that ask for it within a moment, when they have stopped asking."""
        if self._closed:
            return
        with self._lock:
            self._soon[work] = None
        self._wake("soon", self._run_soon, SOON_SECONDS)

    def _run_soon(self) -> bool:
        with self._running_soon:  # who finds none left knows that they are done; see run_submitted
            with self._lock:
                works, self._soon = self._soon, {}
            for work in works:
                try:
                    work()
                except Exception as error:  # the others are owed theirs
                    log.warning("background work failed: %s: %s", type(error).__name__, error)
        return False

    def run_submitted(self) -> bool:
        self._run_soon()
        with self._running:  # whoever finds none left knows that all of them are done
            count = len(self._submitted)
            for _ in range(count):  # one that comes back waits for the next round
                if self._closed:  # nobody waits for them
                    return False
                self._submitted.popleft()()
            return count > 0

    def run_upkeep(self) -> bool:
        """Errands, summaries that are due, lives that ended. True: there may be more."""
        worked = self.run_submitted()
        if time.monotonic() - self._last_expiry > EXPIRE_EVERY_SECONDS:
            self._last_expiry = time.monotonic()
            self._upkeep.expire()
        return self._upkeep.summarise_due() > 0 or worked

    def unstored_jobs(self) -> list[Job]:
        """Turns that are not yet in the store."""
        return [job for job, _ in list(self._turns)]

    def forget(self, matches: Callable[[Scope], bool]) -> int:
        kept = [(job, at) for job, at in self._turns if not matches(job.scope)]
        removed = len(self._turns) - len(kept)
        self._turns = deque(kept)
        return removed + self._observations.remove(matches)

    def forget_embedded(self) -> None:
        """Call it when the texts are out of the store: it waits for the current batch."""
        if self._embedder is not None:
            with self._embedding:
                self._embedder.clear_text()

    def _wake(self, name: str, work: Callable[[], bool], settle: float = 0.0) -> None:
        loop = self._loops.get(name)
        if loop is None:
            with self._lock:
                if self._closed:
                    return
                loop = self._loops.get(name) or WorkerThread(name, work, IDLE_SECONDS, settle)
                self._loops[name] = loop
        loop.wake()

    def rest(self) -> None:
        """Switched off: the loops end after the current piece of work."""
        with self._lock:
            loops, self._loops = list(self._loops.values()), {}
        for loop in loops:
            loop.stop(timeout=0)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            loops = list(self._loops.values())
        for loop in loops:
            loop.stop()
        try:
            while self.store_turns():
                pass
        except TaishiError as error:
            log.warning("tool runs were not written before closing: %s", error)
