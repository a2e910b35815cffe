"""`memory.status` and `memory.metrics`: what is kept, what waits, how fast."""

from __future__ import annotations

import os
from typing import Any

from ..errors import InputError
from ..ingest.background import BackgroundTasks
from ..ingest.historian_threads import HistorianThreads
from ..observe.metrics import METRICS, engine_values, families, model_totals
from ..observe.process_status import summed
from ..ports import PartitionInfo
from ..recall.retriever import Retriever
from ..runtime import Runtime
from ..settings import scopes_in
from ..settings.schema import MemorySettings
from ..transfer.observation_archive import ObservationArchive
from ..types import clean_id
from .jobs import ledger_rows

OFF_REASON = "memory.enabled = false"


class StatusService:
    def __init__(
        self,
        runtime: Runtime,
        threads: HistorianThreads,
        background: BackgroundTasks,
        retriever: Retriever,
        archive: ObservationArchive,
    ) -> None:
        self._runtime = runtime
        self._threads = threads
        self._background = background
        self._retriever = retriever
        self._archive = archive

    def status(self, records: bool) -> dict[str, Any]:
        self._runtime.check_open()
        parts, settings = self._runtime.parts, self._runtime.settings
        own_work = self._threads.own_work()
        processes = self._threads.process_status.everybody(own_work, os.getpid())
        enabled = settings.memory.enabled
        return {
            "folder": str(parts.folder),
            "enabled": enabled,
            "off_reason": "" if enabled else OFF_REASON,
            "read_only": parts.read_only,
            "scopes": scope_lists(settings.memory),
            "records": parts.store.counts() if records else {},
            "queue": {**parts.queue.counts(), "oldest_seconds": round(parts.queue.oldest_age(), 3)},
            **summed(processes),
            "archive": self._archive.counts(),
            "processes": processes,
            "readable_after_ms": round(self._background.last_lag_ms, 3),
            "index": self._retriever.stats(),
            "embedder": {"on": self._runtime.embedder is not None, "note": parts.embedder_note},
            "tokenizer": self._runtime.tokens.note(settings.query.tokenizer),
            "models": model_totals(ledger_rows(self._runtime.parts)),
        }

    def partitions(self, workspace: str) -> list[PartitionInfo]:
        self._runtime.check_open()
        name = clean_id(workspace, "workspace")
        if name is None:
            raise InputError("workspace is empty; the one without a name is called default")
        return self._runtime.parts.store.partitions(name)

    def metrics(self) -> dict[str, Any]:
        status = {**self.status(records=True), **self._threads.own_work()}
        return families(
            METRICS, engine_values(self._runtime.metrics, status, ledger_rows(self._runtime.parts))
        )


def scope_lists(settings: MemorySettings) -> dict[str, list[str]]:
    """For whom memory is on, by the settings' two lists."""
    lists = {"only": settings.only_scopes, "except": settings.except_scopes}
    return {name: [str(one) for one in scopes_in(text)] for name, text in lists.items()}
