"""A memory's parts → its services, each given what it works with."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ..backends.memory_cache import MemoryCache
from ..context_block.block import without_blocks
from ..context_block.service import ContextService
from ..curate.evidence import EvidenceService
from ..curate.facts import FactService, ProcedureService
from ..curate.jobs import JobService
from ..curate.live_settings import ConfigurationService, LiveSettings
from ..curate.maintenance import MaintenanceService
from ..curate.page_lines import PageLines
from ..curate.profiles import ProfileService
from ..curate.records import RecordService
from ..curate.status import StatusService
from ..domain.deletion_marks import Marks
from ..domain.observations import ObservationBuffer
from ..domain.profiles import Profiles
from ..domain.recall_echo import RecallEchoes
from ..erase.deletion_log import DeletionLog
from ..erase.deletions import DeletionService
from ..erase.proof import ErasureSearch
from ..erase.rescan import RescanService
from ..erase.service import ForgetService
from ..erase.source_deletion import SourceDeletion
from ..erase.stray_files import StrayFiles
from ..errors import BusyError
from ..historian.historian import Historian, ModelHistorian, RuleHistorian
from ..ingest.background import BackgroundTasks
from ..ingest.historian_threads import HistorianThreads
from ..ingest.job_builder import JobBuilder, clean_text
from ..ingest.learner import Learner
from ..ingest.lifecycle import Lifecycle
from ..ingest.profile_updates import PageUpdates
from ..ingest.rebuild import RebuildService
from ..ingest.records import RememberService
from ..ingest.request_numbers import RequestNumbers
from ..ingest.sessions import SessionService
from ..ingest.turns import TurnService
from ..ingest.upkeep import Upkeep
from ..ingest.worker import Worker
from ..language.token_bound import Counter
from ..legacy.end_summaries import EndSummaries
from ..legacy.migrate import MigrationService
from ..models.breaker import Breaker
from ..models.cached_embedder import CachedEmbedder
from ..models.token_counter import TokenCounters
from ..observe.metrics import Metrics
from ..ports import Embedder
from ..recall.deadline import BoundedExecutor, Deadline
from ..recall.hit_builder import HitBuilder
from ..recall.index_cache import IndexCache
from ..recall.intent_model import intent_by_model
from ..recall.partition_source import PartitionSource
from ..recall.record_filter import RecordFilter
from ..recall.retriever import RecallRequest, Retriever
from ..recall.service import RecallService
from ..runtime import Runtime
from ..settings import Settings
from ..transfer.observation_archive import ObservationArchive
from ..transfer.redact import ExportRedactor
from ..transfer.service import TransferService
from ..types import Partition, Record, VisiblePartition
from .parts import build

T = TypeVar("T")
KNOWN_STATES = ("approved", "candidate", "conflict", "rejected")
LOOKUP_SECONDS = 10.0
EMBEDDING_THREADS = 4


@dataclass(frozen=True, slots=True)
class Services:
    """What `Memory` calls. The nouns of its public face come first."""

    facts: FactService
    procedures: ProcedureService
    profiles: ProfileService
    records: RecordService
    sessions: SessionService
    jobs: JobService
    deletions: DeletionService
    transfer: TransferService
    maintenance: MaintenanceService
    configuration: ConfigurationService
    recall: RecallService
    context: ContextService
    turns: TurnService
    remember: RememberService
    forgetting: ForgetService
    status: StatusService
    lifecycle: Lifecycle
    # What the services share, for tests and benchmarks.
    runtime: Runtime
    retriever: Retriever
    worker: Worker
    upkeep: Upkeep
    background: BackgroundTasks
    threads: HistorianThreads
    pages: Profiles


def open_services(
    address: str | Path,
    settings: Settings,
    embedder: Embedder | None = None,
    clock: Callable[[], float] = time.time,
    count_tokens: Counter | None = None,
) -> Services:
    return _Builder(address, settings, embedder, clock, count_tokens).build()


class _Builder:
    """In the order in which the objects need each other; `background` is used before it is built,
    by callbacks that run later."""

    def __init__(
        self,
        address: str | Path,
        settings: Settings,
        embedder: Embedder | None,
        clock: Callable[[], float],
        count_tokens: Counter | None,
    ) -> None:
        self.parts = build(address, settings, embedder, clock)
        metrics = Metrics()
        cached = self.cached_embedder(settings, metrics)
        self.runtime = Runtime(
            self.parts, settings, clock, cached, TokenCounters(count_tokens), metrics
        )
        self.background: BackgroundTasks

    def build(self) -> Services:
        runtime, parts, settings = self.runtime, self.parts, self.runtime.settings
        store, clock, zone = parts.store, runtime.clock, runtime.zone
        builder = JobBuilder(runtime.redactor, zone, settings.historian, without_blocks)
        retriever = self.retriever()
        pages = Profiles(
            parts.profiles, store, clock, parts.locks, zone, settings.profile.max_lines
        )
        echoes = RecallEchoes(store.handed_out)
        historian = self.historian()
        page_updates = PageUpdates(pages, store, historian, together=parts.chat is None)
        look_up = self.look_up(retriever)
        learner = Learner(historian, look_up, settings.short_term, zone, store.facts, store.find)
        worker = Worker(
            parts.queue,
            store,
            historian,
            learner,
            parts.locks,
            page_updates,
            clock,
            runtime.metrics,
            runtime.tracing,
        )
        archive = ObservationArchive(
            parts.archive,
            store,
            parts.locks,
            ExportRedactor(runtime.redactor, trusting=True).record_alone,
            clock,
            lambda: Marks(store.deletions.key()),
        )
        upkeep = Upkeep(
            store, store.sessions, parts.locks, historian, look_up, settings, zone, clock, archive
        )
        parts.queue.before_ack = upkeep.buffer_turn
        observations = ObservationBuffer(settings.observation.queue_max)
        self.background = background = BackgroundTasks(
            store,
            parts.queue,
            runtime.embedder,
            observations,
            self.preview,
            upkeep,
            runtime.metrics,
            lambda: threads.process_status.tell(),
        )
        threads = HistorianThreads(runtime, worker, background, observations)
        numbers = RequestNumbers(store)
        legacy = EndSummaries(
            parts.folder, parts.locks, lambda: runtime.settings.memory.legacy_keep, zone
        )
        hit_builder = HitBuilder(runtime.redactor, zone)
        self.register_text_caches(hit_builder, retriever, echoes, pages)

        recall = RecallService(
            runtime, retriever, hit_builder, pages, echoes, background, upkeep, legacy
        )
        page_lines = PageLines(runtime, background, pages)
        live_settings = LiveSettings(runtime, threads, background)
        transfer = TransferService(
            runtime,
            background,
            threads,
            numbers,
            MigrationService(runtime, builder, background),
        )
        rebuilding = RebuildService(runtime, historian, worker, pages, page_updates, background)
        rescanning = RescanService(runtime, background, legacy, archive)
        search = ErasureSearch(runtime, transfer, background, archive)
        stray_files = StrayFiles(runtime, search)
        log = DeletionLog(runtime)
        sources = SourceDeletion(
            runtime,
            log,
            stray_files,
            worker,
            pages,
            page_updates,
            background,
            echoes,
            legacy,
            archive,
        )
        forgetting = ForgetService(
            runtime,
            log,
            sources,
            stray_files,
            worker,
            pages,
            background,
            retriever,
            numbers,
            echoes,
            legacy,
            archive,
        )
        return Services(
            facts=FactService(runtime, builder, background, page_lines),
            procedures=ProcedureService(runtime, background),
            profiles=ProfileService(runtime, builder, background, pages),
            records=RecordService(runtime, builder, background, EvidenceService(runtime, pages)),
            sessions=SessionService(runtime, builder, background, upkeep),
            jobs=JobService(runtime, threads, numbers),
            deletions=DeletionService(runtime, forgetting, search),
            transfer=transfer,
            maintenance=MaintenanceService(runtime, background, rebuilding, rescanning),
            configuration=ConfigurationService(runtime, live_settings),
            recall=recall,
            context=ContextService(runtime, recall, hit_builder, echoes),
            turns=TurnService(
                runtime,
                builder,
                background,
                threads,
                numbers,
                echoes,
                observations,
                legacy,
            ),
            remember=RememberService(runtime, builder, background),
            forgetting=forgetting,
            status=StatusService(runtime, threads, background, retriever),
            lifecycle=Lifecycle(
                runtime,
                threads,
                background,
                numbers,
                live_settings,
                after_kill=page_lines.restate_withdrawn,
                rescan_if_due=rescanning.rescan_if_due,
                closing=(legacy.flush, echoes.flush, retriever.close),
            ),
            runtime=runtime,
            retriever=retriever,
            worker=worker,
            upkeep=upkeep,
            background=background,
            threads=threads,
            pages=pages,
        )

    def cached_embedder(self, settings: Settings, metrics: Metrics) -> CachedEmbedder | None:
        embedder, breaker = self.parts.embedder, Breaker()
        if embedder is None:
            return None
        return CachedEmbedder(
            embedder,
            MemoryCache(),
            settings.cache.embedding_hours,
            BoundedExecutor("vector", EMBEDDING_THREADS),
            guard=lambda embed: self.entered(lambda: breaker.call(embed)),
            looked_up=metrics.cache.add,
            embedded=metrics.embed.observe,
        )

    def retriever(self) -> Retriever:
        runtime, parts, embedder = self.runtime, self.parts, self.runtime.embedder
        name, blocks = (embedder.name, embedder.blocks) if embedder else (None, ())
        memory_bytes = runtime.settings.index.memory_mb << 20
        indexes = IndexCache(parts.store, name, blocks, memory_bytes, self.later)
        breaker = Breaker()
        intent, reranker = parts.intent, parts.reranker
        source = PartitionSource(parts.store, indexes, embedder)
        return Retriever(
            source,
            lambda: runtime.settings.query,
            (
                lambda query, texts: self.entered(
                    lambda: breaker.call(lambda: reranker.rerank(query, texts))
                )
            )
            if reranker
            else None,
            runtime.settings.cache.results_minutes,
            runtime.metrics.cache.add,
            (lambda text: self.entered(lambda: intent_by_model(intent, text))) if intent else None,
        )

    def historian(self) -> Historian:
        if self.parts.chat is None:
            return RuleHistorian()
        runtime = self.runtime
        return ModelHistorian(
            self.parts.chat,
            self.parts.prompts,
            lambda: runtime.settings.historian.rewrite_max_retry,
        )

    def look_up(
        self, retriever: Retriever
    ) -> Callable[[Partition, str, Sequence[str], int], list[Record]]:
        """For the historian: records of one partition, in any state, that a text may be about."""

        def look_up(
            partition: Partition, text: str, kinds: Sequence[str], count: int
        ) -> list[Record]:
            wanted = RecordFilter(now=self.runtime.clock(), kinds=kinds, states=KNOWN_STATES)
            visible = (VisiblePartition(partition),)
            request = RecallRequest(text, lambda: visible, count, wanted, floor=0.0)
            result = retriever.search(request, Deadline(LOOKUP_SECONDS))
            if result.level == "empty":
                raise BusyError(f"what is known could not be read in time: {dict(result.paths)}")
            return [record for record, _ in result.hits]

        return look_up

    def register_text_caches(
        self, hit_builder: HitBuilder, retriever: Retriever, echoes: RecallEchoes, pages: Profiles
    ) -> None:
        caches = self.runtime.text_caches
        caches.register("pages by scope", pages)
        caches.register("redacted pages", hit_builder)
        caches.register("index and recent recalls", retriever)
        caches.register("texts handed out", echoes)
        if self.runtime.embedder is not None:
            caches.register("embedded texts", self.runtime.embedder)

    def entered(self, ask: Callable[[], T]) -> T:
        """A model's call for a recall goes into the ledger in the background (O1)."""
        try:
            return ask()
        finally:
            if not self.parts.ledger.is_empty:
                self.later(self.parts.ledger.flush)

    def later(self, work: Callable[[], None]) -> None:
        self.background.submit(work)

    def preview(self, value: object) -> str:
        """Of a tool's arguments or result: redacted and cut short."""
        limit = self.runtime.settings.observation.preview_chars
        bare = without_blocks(value) if isinstance(value, str) else value
        return clean_text(self.runtime.redactor.preview(bare, limit), "a preview")
