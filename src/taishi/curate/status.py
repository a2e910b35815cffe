"""`memory.status` and `memory.metrics`: what is kept, what waits, how fast."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ..errors import InputError, StorageError, UnreachableError
from ..ingest.background import BackgroundTasks
from ..ingest.historian_threads import HistorianThreads
from ..observe.metrics import METRICS, engine_values, families, model_totals
from ..observe.process_status import summed
from ..ports import PartitionInfo
from ..recall.retriever import Retriever
from ..runtime import Runtime
from ..settings import Settings, scopes_in, waits_for_restart
from ..settings.schema import MemorySettings
from ..transfer.observation_archive import ObservationArchive
from ..types import clean_id
from .jobs import ledger_rows

OFF_REASON = "memory.enabled = false"
RESTART_REASON = "memory.enabled = true is in the settings, but takes effect after a restart"
COUNT_SECONDS = 30.0
NOTHING_ARCHIVED: Mapping[str, int | str] = {"files": 0, "tool_runs": 0, "oldest": "", "newest": ""}


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
        self._vectors = runtime.vectors
        self._threads = threads
        self._background = background
        self._retriever = retriever
        self._archive = archive
        self._stored: dict[str, Any] | None = None
        self._count_again = 0.0
        self._counted: dict[str, int | str] = dict(NOTHING_ARCHIVED)

    def status(self, records: bool) -> dict[str, Any]:
        return self._status(records)[0]

    def _status(self, records: bool) -> tuple[dict[str, Any], bool]:
        """And whether the store answered: if not, what was seen last stands."""
        self._runtime.check_open()
        parts, settings = self._runtime.parts, self._runtime.settings
        enabled, answers = settings.memory.enabled, True
        try:
            self._stored = self._from_store(records)
        except UnreachableError:
            answers = False
        status = {
            "folder": str(parts.folder),
            "data": parts.address,
            "enabled": enabled,
            "off_reason": "" if enabled else _off_reason(settings),
            "read_only": parts.is_read_only(),
            "scopes": scope_lists(settings.memory),
            **(self._stored or self._without_store()),
            "readable_after_ms": round(self._background.last_lag_ms, 3),
            "index": self._retriever.stats(),
            "vectors": self._vectors.status(),
            "embedder": {"on": self._runtime.embedder is not None, "note": parts.embedder_note},
            "tokenizer": self._runtime.tokens.note(settings.query.tokenizer),
            "engines": self._engines(answers),
        }
        return status, answers

    def _engines(self, store_answers: bool) -> dict[str, dict[str, str]]:
        found = {}
        for one in self._runtime.parts.outside:
            one.look()
            is_lost = one.name == "database" and not store_answers
            state = "degraded" if is_lost else one.state
            found[one.name] = {"state": state, "address": one.address}
        return found

    def _without_store(self) -> dict[str, Any]:
        """What is known of a store that has not answered yet: nothing but this process."""
        own = self._threads.process_status.own_row(self._threads.own_work(), os.getpid())
        nothing: dict[str, Any] = {"records": {}, "queue": {}, "archive": {}, "models": {}}
        return {**nothing, **summed([own]), "processes": [own]}

    def _from_store(self, records: bool) -> dict[str, Any]:
        parts = self._runtime.parts
        processes = self._threads.process_status.everybody(self._threads.own_work(), os.getpid())
        oldest = parts.queue.oldest_age()
        self._runtime.metrics.queue_age.note(oldest)
        return {
            "records": parts.store.counts() if records else {},
            "queue": {**parts.queue.counts(), "oldest_seconds": round(oldest, 3)},
            **summed(processes),
            "archive": self._archive_counts(),
            "processes": processes,
            "models": model_totals(ledger_rows(parts)),
        }

    def _archive_counts(self) -> dict[str, int | str]:
        """In another place they are counted twice a minute, and not while it does not answer:
        whoever looks after a server asks every second."""
        files = [one for one in self._runtime.parts.outside if one.name == "files"]
        if not files:
            return self._archive.counts()
        if time.monotonic() >= self._count_again and files[0].state == "ok":
            self._count_again = time.monotonic() + COUNT_SECONDS
            try:
                self._counted = self._archive.counts()
            except StorageError:
                self._count_again = 0.0
        return self._counted

    def partitions(self, workspace: str) -> list[PartitionInfo]:
        self._runtime.check_open()
        name = clean_id(workspace, "workspace")
        if name is None:
            raise InputError("workspace is empty; the one without a name is called default")
        return self._runtime.parts.store.partitions(name)

    def metrics(self) -> dict[str, Any]:
        """While the store is away, without what only the store knows."""
        known, answers = self._status(records=True)
        everybody = known["workers"]["running"]
        status = {**known, **self._threads.own_work(), "fleet_workers": everybody}
        ledger = None
        if answers:
            with suppress(UnreachableError):
                ledger = ledger_rows(self._runtime.parts)
        return families(METRICS, engine_values(self._runtime.metrics, status, ledger))


def scope_lists(settings: MemorySettings) -> dict[str, list[str]]:
    """For whom memory is on, by the settings' two lists."""
    lists = {"only": settings.only_scopes, "except": settings.except_scopes}
    return {name: [str(one) for one in scopes_in(text)] for name, text in lists.items()}


def _off_reason(settings: Settings) -> str:
    return RESTART_REASON if waits_for_restart(settings) else OFF_REASON
