"""What every part of the public door shares: the parts, the clock, the checks."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from .assembly import build
from .context_block.block import without_blocks
from .domain.deletion_marks import Marks
from .domain.forgotten_filter import ForgottenFilter
from .domain.observations import ObservationBuffer
from .domain.profiles import Profiles
from .domain.recall_echo import RecallEchoes
from .errors import (
    BusyError,
    ClosedError,
    RefusedError,
    ScopeError,
    StorageError,
    TaishiError,
)
from .historian.historian import Historian, ModelHistorian, RuleHistorian
from .ingest.background import BackgroundTasks
from .ingest.job_builder import JobBuilder, clean_text
from .ingest.learner import Learner
from .ingest.profile_updates import PageUpdates
from .ingest.upkeep import Upkeep
from .ingest.worker import Worker
from .ingest.worker_threads import WorkerThread
from .language.redaction.redactor import Redactor
from .language.token_bound import Counter
from .legacy.end_summaries import EndSummaries
from .models.breaker import Breaker
from .models.cached_embedder import CachedEmbedder
from .models.token_counter import TokenCounters
from .observe.metrics import Metrics
from .observe.process_status import ProcessStatus
from .observe.tracing import tracing
from .ports import Embedder
from .recall.deadline import BoundedExecutor, Deadline
from .recall.index_cache import IndexCache
from .recall.intent_model import intent_by_model
from .recall.partition_source import PartitionSource
from .recall.record_filter import RecordFilter
from .recall.retriever import RecallRequest, Rerank, Retriever
from .settings import Settings, is_on_for
from .times import TimeLike, to_epoch
from .types import Partition, Record, Scope, VisiblePartition

T = TypeVar("T")
log = logging.getLogger("taishi")
KNOWN_STATES = ("approved", "candidate", "conflict", "rejected")
SHORTLIST_SECONDS = 10.0
PAGES_REDACTED = 64
EMBEDDING_THREADS = 4


class Core:
    """The parts of one open memory."""

    def __init__(
        self,
        address: str | Path,
        settings: Settings,
        embedder: Embedder | None = None,
        clock: Callable[[], float] = time.time,
        count_tokens: Counter | None = None,
    ) -> None:
        self.settings = settings
        self._tokens = TokenCounters(count_tokens)
        self._clock = clock
        self._zone = settings.zone()
        self._lock = threading.Lock()
        self._closed = False
        self._gauges = Metrics()
        self._tracing = tracing(settings.telemetry)
        self._parts = parts = build(address, settings, embedder, clock)
        redaction = settings.redaction
        self._redactor = Redactor(email=redaction.email, phone=redaction.phone)
        # A page is redacted whole, for a key may go over several lines; once for each version.
        self._page_redacted = lru_cache(PAGES_REDACTED)(self._redactor.text)
        self._intake = JobBuilder(self._redactor, self._zone, settings.historian, without_blocks)
        self._embedder = self._build_embedder(parts.embedder)
        self._recaller = self._build_recaller()
        self._observations = ObservationBuffer(settings.observation.queue_max)
        self._profiles = Profiles(
            parts.profiles, parts.store, clock, parts.locks, self._zone, settings.profile.max_lines
        )
        self._echoes = RecallEchoes(parts.store.handed_out)
        self._mind = self._build_mind()
        self._page_updates = PageUpdates(
            self._profiles, parts.store, self._mind, together=parts.chat is None
        )
        self._worker = self._build_worker()
        self._tending = self._build_tending()
        parts.queue.before_ack = self._tending.buffer_turn
        self._keeper = BackgroundTasks(
            parts.store,
            parts.queue,
            self._embedder,
            self._observations,
            self._preview,
            self._tending,
            self._gauges,
            lambda: self._presence.tell(),
        )
        self._workers: list[WorkerThread] = []
        self._turn_begun = self._turn_ended = 0.0  # the last end_turn, by the monotonic clock
        self._presence = ProcessStatus(parts.processes, self._own_work)
        self._requests: OrderedDict[tuple[Partition, str], int] = OrderedDict()
        self._legacy = EndSummaries(
            parts.folder, parts.locks, lambda: self.settings.memory.legacy_keep, self._zone
        )
        self._tuning = threading.Lock()
        self._settings_read: Settings | None = None  # as the file was last taken over
        self._watching: WorkerThread | None = None

    def _begin(self) -> None:
        """Switched off: nothing is read or embedded, and the jobs that wait stay. So they do on
        media that cannot be written, where there is no background work at all."""
        if self._parts.read_only:
            self._keeper.close()
        if self._parts.read_only or not self.settings.memory.enabled:
            return
        self._tokens.chosen(self.settings.query.tokenizer)  # loaded before the first question
        self._presence.tell(at_once=True)
        self._sweep()
        for job in self._keeper.adopt():
            key = (job.scope.home, job.request_id)
            self._requests[key] = max(job.end_seq, self._requests.get(key, 0))

    def _sweep(self) -> None:
        """What killed processes left. It is in nobody's way, so a failure stops nobody."""
        try:
            if self._parts.leftovers.sweep():
                self._after_a_kill()
        except (OSError, TaishiError) as error:
            log.warning("files of processes that were killed could not be removed: %s", error)

    def _after_a_kill(self) -> None:
        """A process was killed since the folder was last opened: what takes a while to look for."""
        self._later(self._parts.leftovers.sweep_pages)

    def _own_work(self) -> dict[str, Any]:
        """What this process has done, and how long its workers have been quiet."""
        idle = self._gauges.idle_seconds if self._workers else 0.0
        waiting, dropped = len(self._observations), self._observations.dropped
        return {
            "jobs": asdict(self._worker.tally),
            "observations": {"waiting": waiting, "dropped": dropped},
            "workers": {"running": len(self._workers), "idle_seconds": round(idle, 3)},
        }

    def _ledger_rows(self, since_day: str | None = None) -> list[dict[str, Any]]:
        self._parts.ledger.flush()
        return self._parts.store.history.totals(since_day)

    def _build_embedder(self, embedder: Embedder | None) -> CachedEmbedder | None:
        if embedder is None:
            return None
        breaker = Breaker()
        return CachedEmbedder(
            embedder,
            self.settings.cache.embedding_hours,
            BoundedExecutor("vector", EMBEDDING_THREADS),
            guard=lambda embed: self._entered(lambda: breaker.call(embed)),
            looked_up=self._gauges.cache.add,
            embedded=self._gauges.embed.observe,
        )

    def _build_recaller(self) -> Retriever:
        embedder, store = self._embedder, self._parts.store
        name, blocks = (embedder.name, embedder.blocks) if embedder else (None, ())
        indexes = IndexCache(store, name, blocks, self.settings.index.memory_mb << 20, self._later)
        intent = self._parts.intent
        source = PartitionSource(store, indexes, embedder)
        return Retriever(
            source,
            lambda: self.settings.query,
            self._build_rerank(),
            self.settings.cache.results_minutes,
            self._gauges.cache.add,
            (lambda text: self._entered(lambda: intent_by_model(intent, text))) if intent else None,
        )

    def _build_rerank(self) -> Rerank | None:
        reranker = self._parts.reranker
        if reranker is None:
            return None
        breaker = Breaker()
        return lambda query, texts: self._entered(
            lambda: breaker.call(lambda: reranker.rerank(query, texts))
        )

    def _entered(self, ask: Callable[[], T]) -> T:
        """What a model was asked for a recall goes into the ledger behind its back (O1)."""
        try:
            return ask()
        finally:
            if not self._parts.ledger.is_empty:
                self._later(self._parts.ledger.flush)

    def _later(self, work: Callable[[], None]) -> None:
        self._keeper.errand(work)

    def _build_worker(self) -> Worker:
        parts = self._parts
        return Worker(
            parts.queue,
            parts.store,
            self._mind,
            Learner(
                self._mind,
                self._shortlist,
                self.settings.short_term,
                self._zone,
                parts.store.facts,
                parts.store.find,
            ),
            parts.locks,
            self._page_updates,
            self._clock,
            self._gauges,
            self._tracing,
        )

    def _build_tending(self) -> Upkeep:
        store = self._parts.store
        return Upkeep(
            store,
            store.history,
            self._parts.locks,
            self._mind,
            self._shortlist,
            self.settings,
            self._zone,
            self._clock,
        )

    def _build_mind(self) -> Historian:
        chat = self._parts.chat
        if chat is None:
            return RuleHistorian()
        return ModelHistorian(
            chat, self._parts.prompts, lambda: self.settings.historian.rewrite_max_retry
        )

    def _shortlist(
        self, place: Partition, text: str, kinds: Sequence[str], count: int
    ) -> list[Record]:
        """Records of one place, in any state, that a text may be about."""
        wanted = RecordFilter(now=self._clock(), kinds=kinds, states=KNOWN_STATES)
        wish = RecallRequest(text, lambda: (VisiblePartition(place),), count, wanted, floor=0.0)
        found = self._recaller.search(wish, Deadline(SHORTLIST_SECONDS))
        if found.level == "empty":
            raise BusyError(f"what is known could not be read in time: {dict(found.paths)}")
        return [record for record, _ in found.hits]

    def _preview(self, value: object) -> str:
        limit = self.settings.observation.preview_chars
        bare = without_blocks(value) if isinstance(value, str) else value
        return clean_text(self._redactor.preview(bare, limit), "a preview")

    def _forgotten(self) -> ForgottenFilter:
        deletions = self._parts.store.deletions
        return ForgottenFilter(Marks(deletions.key()), deletions.times)

    def _note_refusal(self, scope: Scope, actor: str, door: str, reason: str) -> None:
        """Seen in `refusals`; a write that was refused does not fail twice for its record."""
        refused_where = Marks(self._parts.store.deletions.key()).place(scope.home).hex()
        row = (self._clock(), actor, door, reason, scope.home.kind, refused_where)
        try:
            self._parts.store.refusals.add(row)
        except StorageError as error:
            log.warning("a refused write could not be recorded: %s", error)

    @contextmanager
    def _refusing(self, scope: Scope, actor: str, door: str) -> Iterator[None]:
        """What is refused inside is recorded, and raised on."""
        try:
            yield
        except RefusedError as error:
            self._note_refusal(scope, actor, door, error.reason)
            raise

    def _now(self, given: TimeLike | None) -> float:
        return self._clock() if given is None else to_epoch(given, self._zone)

    def is_on(self, scope: Scope) -> bool:
        """Whether memory works in this scope: `memory.enabled` and the lists of scopes (C3, C4)."""
        self._check_scope(scope)
        return is_on_for(self.settings.memory, scope)

    def _check_scope(self, scope: Scope) -> None:
        self._check_open()
        if not isinstance(scope, Scope):
            raise ScopeError(f"the first argument must be a Scope, not {type(scope).__name__}")

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("this memory was closed; open it again with Memory.open(…)")
