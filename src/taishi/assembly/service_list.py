"""The services of one open memory, as `Memory` calls them."""

from __future__ import annotations

from dataclasses import dataclass

from ..context_block.service import ContextService
from ..curate.facts import FactService
from ..curate.jobs import JobService
from ..curate.live_settings import ConfigurationService
from ..curate.maintenance import MaintenanceService
from ..curate.procedures import ProcedureService
from ..curate.profiles import ProfileService
from ..curate.records import RecordService
from ..curate.shared import SharedService
from ..curate.status import StatusService
from ..domain.profiles import Profiles
from ..erase.deletions import DeletionService
from ..erase.service import ForgetService
from ..ingest.background import BackgroundTasks
from ..ingest.historian_threads import HistorianThreads
from ..ingest.lifecycle import Lifecycle
from ..ingest.records import RememberService
from ..ingest.sessions import SessionService
from ..ingest.turns import TurnService
from ..ingest.upkeep import Upkeep
from ..ingest.worker import Worker
from ..knowledge.notes import NotesService
from ..knowledge.service import KnowledgeService
from ..ports import SharedState
from ..recall.retriever import Retriever
from ..recall.service import RecallService
from ..runtime import Runtime
from ..transfer.service import TransferService
from ..working.service import WorkingMemory


@dataclass(frozen=True, slots=True)
class Services:
    """What `Memory` calls. The nouns of its public face come first."""

    facts: FactService
    procedures: ProcedureService
    shared: SharedService
    profiles: ProfileService
    records: RecordService
    sessions: SessionService
    working: WorkingMemory
    jobs: JobService
    knowledge: KnowledgeService
    notes: NotesService
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
    shared_state: SharedState | None = None
