"""A memory's parts → its services, each given what it works with."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from ..context_block.block import without_blocks
from ..context_block.service import ContextService
from ..curate.evidence import EvidenceService
from ..curate.facts import FactService
from ..curate.jobs import JobService
from ..curate.live_settings import ConfigurationService, LiveSettings
from ..curate.maintenance import MaintenanceService
from ..curate.page_lines import PageLines
from ..curate.procedures import ProcedureService
from ..curate.profiles import ProfileService
from ..curate.records import RecordService
from ..curate.shared import SharedService
from ..curate.shared_entries import SharedEntries
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
from ..models.token_counter import TokenCounters
from ..observe.metrics import Metrics
from ..ports import Embedder
from ..recall.deadline import Deadline
from ..recall.hit_builder import HitBuilder
from ..recall.record_filter import RecordFilter
from ..recall.related import RelatedRecords
from ..recall.retriever import RecallRequest
from ..recall.service import RecallService
from ..runtime import Runtime
from ..settings import Settings
from ..transfer.copy_marker import refuse_unfinished_copy
from ..transfer.observation_archive import ObservationArchive
from ..transfer.redact import ExportRedactor
from ..transfer.service import TransferService
from ..types import Partition, Record, VisiblePartition
from ..working.scratchpads import Scratchpads
from .knowledge import knowledge_service, notes_service, query_rewriter
from .models import new_historian
from .parts import build
from .retrieval import cached_embedder, new_retriever
from .service_list import Services
from .shared_storage import shared_caches
from .vector_engines import engine_search
from .working import new_working_memory

T = TypeVar("T")
KNOWN_STATES = ("approved", "candidate", "conflict", "rejected")
LOOKUP_SECONDS = 10.0


def open_services(
    address: str | Path,
    settings: Settings,
    embedder: Embedder | None = None,
    clock: Callable[[], float] = time.time,
    count_tokens: Counter | None = None,
    resume_copy: bool = False,
) -> Services:
    """Open what is at `address`, with what earlier processes left behind; if that cannot be read,
    nothing stays open."""
    services = (builder := _Builder(address, settings, embedder, clock, count_tokens)).build()
    try:
        if not resume_copy:
            refuse_unfinished_copy(builder.parts.copy_mark, builder.parts.address)
        services.lifecycle.open()
    except BaseException:
        services.lifecycle.close()
        raise
    return services


class _Builder:
    """Builds in the order in which the objects need each other. Callbacks that run later use
    `background` and `threads` before these are built."""

    def __init__(
        self,
        address: str | Path,
        settings: Settings,
        embedder: Embedder | None,
        clock: Callable[[], float],
        count_tokens: Counter | None,
    ) -> None:
        self.parts = build(address, settings, embedder, clock)
        metrics = Metrics(clock)
        self.shared = shared_caches(self.parts)
        cached = cached_embedder(self.parts.embedder, settings, metrics, self.entered, self.shared)
        self.runtime = Runtime(
            self.parts, settings, clock, cached, TokenCounters(count_tokens), metrics
        )
        self.background: BackgroundTasks
        self.threads: HistorianThreads

    def build(self) -> Services:
        self.build_recall()
        self.build_historian()
        self.build_background()
        self.build_erasure()
        if self.shared is not None and not self.parts.read_only:
            self.later(self.shared.catch_up(self.parts.store))
        return self.services()

    def build_recall(self) -> None:
        runtime, parts = self.runtime, self.parts
        self.retriever = new_retriever(
            runtime, self.entered, self.later, self.shared, engine_search(runtime)
        )
        self.rewriter = query_rewriter(runtime, self.entered)
        self.related = RelatedRecords(self.retriever.source, runtime.clock)
        self.hit_builder = HitBuilder(runtime.redactor, runtime.zone)
        self.echoes = RecallEchoes(parts.store.handed_out)
        self.pages = Profiles(
            parts.profiles,
            parts.store,
            runtime.clock,
            parts.locks,
            runtime.zone,
            runtime.settings.profile.max_lines,
        )
        self.legacy = EndSummaries(
            parts.folder,
            parts.locks,
            lambda: runtime.settings.memory.legacy_keep,
            runtime.zone,
        )
        self.register_text_caches()

    def build_historian(self) -> None:
        runtime, parts, settings = self.runtime, self.parts, self.runtime.settings
        store, zone = parts.store, runtime.zone
        self.job_builder = JobBuilder(runtime.redactor, zone, settings.historian, without_blocks)
        self.historian = new_historian(runtime)
        self.page_updates = PageUpdates(
            self.pages, store, self.historian, together=parts.chat is None
        )
        learner = Learner(
            self.historian, self.look_up, settings.short_term, zone, store.facts, store.find
        )
        self.worker = Worker(
            parts.queue,
            store,
            self.historian,
            learner,
            parts.locks,
            self.page_updates,
            runtime.clock,
            runtime.metrics,
            runtime.tracing,
        )

    def build_background(self) -> None:
        runtime, parts, store = self.runtime, self.parts, self.parts.store
        self.archive = ObservationArchive(
            parts.archive,
            store,
            parts.locks,
            ExportRedactor(runtime.redactor, trusting=True).record_alone,
            runtime.clock,
            lambda: Marks(store.deletions.key()),
        )
        self.upkeep = Upkeep(
            store,
            store.sessions,
            parts.locks,
            self.historian,
            self.look_up,
            runtime.settings,
            runtime.zone,
            runtime.clock,
            self.archive,
        )
        parts.queue.before_ack = self.upkeep.buffer_turn
        self.observations = ObservationBuffer(runtime.settings.observation.queue_max)
        self.background = BackgroundTasks(
            store,
            parts.queue,
            runtime.embedder,
            self.observations,
            self.preview,
            self.upkeep,
            runtime.metrics,
            lambda: self.threads.process_status.tell(),
        )
        self.background.feed_vectors = runtime.vectors.feed
        self.threads = HistorianThreads(runtime, self.worker, self.background, self.observations)
        self.numbers = RequestNumbers(store, parts.queue)
        self.page_lines = PageLines(runtime, self.background, self.pages)
        self.live_settings = LiveSettings(runtime, self.threads, self.background)
        builder, background = self.job_builder, self.background
        self.turns, self.pads = self.turn_service(), Scratchpads(runtime, builder)
        self.sessions = SessionService(runtime, builder, background, self.upkeep)
        self.working = new_working_memory(
            runtime, builder, background, self.sessions, self.pads, self.turns, self.numbers
        )

    def build_erasure(self) -> None:
        runtime, background = self.runtime, self.background
        migration = MigrationService(runtime, self.job_builder, background)
        several = (self.threads, self.numbers, migration, self.job_builder, self.working)
        self.transfer = TransferService(runtime, background, *several)
        self.rescanning = RescanService(runtime, background, self.legacy, self.archive)
        read = (self.transfer, background, self.pages, self.archive)
        self.erasure_search = ErasureSearch(runtime, *read)
        stray_files, log = StrayFiles(runtime, self.erasure_search), DeletionLog(runtime)
        sources = SourceDeletion(
            runtime,
            log,
            stray_files,
            self.worker,
            self.pages,
            self.page_updates,
            background,
            self.echoes,
            self.legacy,
            self.archive,
        )
        self.forgetting = ForgetService(
            runtime,
            log,
            sources,
            stray_files,
            self.worker,
            self.pages,
            background,
            self.retriever,
            self.numbers,
            self.echoes,
            self.legacy,
            self.archive,
        )

    def services(self) -> Services:
        runtime, builder, background = self.runtime, self.job_builder, self.background
        evidence = EvidenceService(runtime, self.pages)
        recall = self.recall_service()
        notes = notes_service(runtime, recall, background.wake_embedding)
        entries = SharedEntries(runtime, builder, background)
        self.upkeep.also_expire(self.pads.drop_idle)
        return Services(
            facts=FactService(runtime, builder, background, self.page_lines),
            procedures=ProcedureService(runtime, background, entries),
            shared=SharedService(runtime, entries),
            profiles=ProfileService(runtime, builder, background, self.pages),
            records=RecordService(
                runtime, builder, background, evidence, self.related, self.hit_builder
            ),
            sessions=self.sessions,
            working=self.working,
            jobs=JobService(runtime, self.threads, self.numbers),
            knowledge=knowledge_service(
                runtime, builder, background, recall, self.forgetting, self.rewriter
            ),
            deletions=DeletionService(runtime, self.forgetting, self.erasure_search),
            transfer=self.transfer,
            maintenance=self.maintenance_service(),
            configuration=ConfigurationService(runtime, self.live_settings),
            recall=recall,
            notes=notes,
            context=ContextService(
                runtime, recall, self.hit_builder, self.echoes, notes, self.pads.lines
            ),
            turns=self.turns,
            remember=RememberService(runtime, builder, background),
            forgetting=self.forgetting,
            status=StatusService(runtime, self.threads, background, self.retriever, self.archive),
            lifecycle=self.lifecycle(),
            runtime=runtime,
            retriever=self.retriever,
            worker=self.worker,
            upkeep=self.upkeep,
            background=background,
            threads=self.threads,
            pages=self.pages,
            shared_state=self.parts.shared_state,
        )

    def recall_service(self) -> RecallService:
        return RecallService(
            self.runtime,
            self.retriever,
            self.hit_builder,
            self.pages,
            self.echoes,
            self.background,
            self.upkeep,
            self.legacy,
        )

    def maintenance_service(self) -> MaintenanceService:
        rebuilding = RebuildService(
            self.runtime,
            self.historian,
            self.worker,
            self.pages,
            self.page_updates,
            self.background,
        )
        return MaintenanceService(self.runtime, self.background, rebuilding, self.rescanning)

    def turn_service(self) -> TurnService:
        return TurnService(
            self.runtime,
            self.job_builder,
            self.background,
            self.threads,
            self.numbers,
            self.echoes,
            self.observations,
            self.legacy,
        )

    def lifecycle(self) -> Lifecycle:
        return Lifecycle(
            self.runtime,
            self.threads,
            self.background,
            self.numbers,
            self.live_settings,
            after_kill=self.page_lines.restate_withdrawn,
            rescan_if_due=self.rescanning.rescan_if_due,
            closing=(
                self.legacy.flush,
                self.echoes.flush,
                self.retriever.close,
                *([self.rewriter.close] if self.rewriter else []),
                *(engine.close for engine in self.parts.outside),
            ),
        )

    def look_up(
        self, partition: Partition, text: str, kinds: Sequence[str], count: int
    ) -> list[Record]:
        """For the historian: records of one partition, in any state, that a text may be about."""
        wanted = RecordFilter(now=self.runtime.clock(), kinds=kinds, states=KNOWN_STATES)
        visible = (VisiblePartition(partition),)
        request = RecallRequest(text, lambda: visible, count, wanted, floor=0.0)
        result = self.retriever.search(request, Deadline(LOOKUP_SECONDS))
        if result.level == "empty":
            raise BusyError(f"what is known could not be read in time: {dict(result.paths)}")
        return [record for record, _ in result.hits]

    def register_text_caches(self) -> None:
        caches = self.runtime.text_caches
        caches.register("pages by scope", self.pages)
        caches.register("redacted pages", self.hit_builder)
        caches.register("index and recent recalls", self.retriever)
        caches.register("texts handed out", self.echoes)
        if self.runtime.embedder is not None:
            caches.register("embedded texts", self.runtime.embedder)
        if self.shared is not None:
            caches.register("shared answers", self.shared.state)

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
