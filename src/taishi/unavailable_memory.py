"""A memory whose store cannot be opened, for hosts that must chat on without it (C4)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from .assembly.service_list import Services
from .context_block.service import ContextService
from .curate.facts import FactService
from .curate.jobs import JobService
from .curate.live_settings import ConfigurationService
from .curate.maintenance import MaintenanceService
from .curate.procedures import ProcedureService
from .curate.profiles import ProfileService
from .curate.records import RecordService
from .curate.shared import SharedService
from .curate.status import scope_lists
from .erase.deletions import DeletionService
from .erase.service import ForgetService
from .errors import StorageError
from .ingest.records import RememberService
from .ingest.sessions import SessionService
from .ingest.turns import TurnService
from .knowledge.notes import NotesService
from .knowledge.service import KnowledgeService
from .memory import Memory
from .observe.metrics import METRICS, Metrics, engine_values, families, model_totals
from .observe.process_status import NO_WORK
from .recall.service import RecallService
from .recall.vector_index import VectorIndex
from .runtime import Runtime
from .settings import Report, Settings
from .settings.addresses import without_password
from .transfer.service import TransferService
from .types import Hit, Profile, Scope
from .working.service import WorkingMemory

log = logging.getLogger("taishi")


class UnavailableMemory(Memory):
    """Switched off for good: a chat's verbs keep and find nothing, those that look after what is
    stored say why they cannot. Its services have nothing to work with."""

    def __init__(
        self,
        address: str | Path,
        settings: Settings,
        reason: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        off = replace(settings.memory, enabled=False, legacy_end_summaries=False)
        missing: Any = _Missing(reason)
        self._runtime = Runtime(
            missing, replace(settings, memory=off), clock, None, missing, Metrics()
        )
        super().__init__(_services(self._runtime, missing))
        self._address = address
        self._reason = reason
        log.error("memory is off and the chat goes on without it: %s", reason)

    def close(self) -> None:
        self._runtime.close_once()

    def start_worker(self) -> Memory:
        self._runtime.check_open()
        return self

    def stop_worker(self, seconds: float = 10.0) -> None:
        """There is none."""

    def drain(self, timeout: float = 600.0) -> bool:
        """False: what waits in a queue that cannot be read is not known."""
        self._runtime.check_open()
        return False

    def get(self, scope: Scope, id: str) -> Hit | None:
        self._runtime.check_scope(scope)
        return None

    def get_profile(self, scope: Scope, entity_type: str, entity_id: str | int) -> Profile | None:
        self._runtime.check_scope(scope)
        return None

    def status(self, records: bool = True) -> dict[str, Any]:
        self._runtime.check_open()
        return {
            "folder": without_password(self._address),
            "data": without_password(self._address),
            "enabled": False,
            "off_reason": self._reason,
            "read_only": False,
            "scopes": scope_lists(self.settings.memory),
            "records": {},
            "queue": {"pending": 0, "processing": 0, "failed": 0, "oldest_seconds": 0.0},
            **NO_WORK,
            "archive": {"files": 0, "tool_runs": 0, "oldest": "", "newest": ""},
            "processes": [],
            "readable_after_ms": 0.0,
            "index": {"places": 0, "rows": 0, "vectors": 0, "bytes": 0, "kept_records_bytes": 0},
            "vectors": VectorIndex().status(),
            "embedder": {"on": False, "note": "off"},
            "tokenizer": "off",
            "models": model_totals([]),
            "engines": {},
        }

    def metrics(self) -> dict[str, Any]:
        status = {**self.status(), "fleet_workers": 0}
        return families(METRICS, engine_values(self._runtime.metrics, status, []))


class _Missing:
    """Stands for every part that could not be opened: whoever uses one is told why."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def __getattr__(self, name: str) -> _Missing:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        raise StorageError(
            f"memory could not be opened and is switched off ({self._reason.rstrip('.')}). "
            "Correct that (`taishi doctor` may help), then open it again"
        )


class _FixedConfiguration(ConfigurationService):
    """Only opening it again may switch it on."""

    def apply(self, new: Settings) -> Report:
        self._runtime.check_open()
        return Report((), ())

    def watch(self, path: str | Path | None = None) -> None:
        self._runtime.check_open()


class _NoJobs(JobService):
    def known_turn(self, scope: Scope, request_id: str) -> str | None:
        self._runtime.check_scope(scope)
        return None


def _services(runtime: Runtime, missing: Any) -> Services:
    two, three = (missing,) * 2, (missing,) * 3
    recall = RecallService(runtime, *three, *two, *two)
    return Services(
        facts=FactService(runtime, *three),
        procedures=ProcedureService(runtime, *two),
        shared=SharedService(runtime, missing),
        profiles=ProfileService(runtime, *three),
        records=RecordService(runtime, *three, *two),
        sessions=SessionService(runtime, *three),
        working=WorkingMemory(runtime, *three, *three, missing),
        jobs=_NoJobs(runtime, *two),
        knowledge=KnowledgeService(runtime, *three, *two),
        notes=NotesService(runtime, *two),
        deletions=DeletionService(
            runtime, ForgetService(runtime, *three, *three, *three, *two), missing
        ),
        transfer=TransferService(runtime, *three, *three),
        maintenance=MaintenanceService(runtime, *three),
        configuration=_FixedConfiguration(runtime, missing),
        recall=recall,
        context=ContextService(runtime, recall, *three),
        turns=TurnService(runtime, *three, *three, missing),
        remember=RememberService(runtime, *two),
        forgetting=ForgetService(runtime, *three, *three, *three, *two),
        status=missing,
        lifecycle=missing,
        runtime=runtime,
        retriever=missing,
        worker=missing,
        upkeep=missing,
        background=missing,
        threads=missing,
        pages=missing,
    )
