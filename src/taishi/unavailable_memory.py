"""A memory whose store cannot be opened, for hosts that must chat on without it (C4)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from .errors import StorageError
from .memory import Memory
from .observe.metrics import METRICS, Metrics, engine_values, families, model_totals
from .observe.process_status import NO_WORK
from .observe.tracing import tracing
from .settings import Report, Settings
from .types import Hit, Profile, Scope

log = logging.getLogger("taishi")


class UnavailableMemory(Memory):
    """Switched off for good: a chat's verbs keep and find nothing, those that look after what is
    stored say why they cannot. It has none of the parts of a memory."""

    def __init__(
        self,
        address: str | Path,
        settings: Settings,
        reason: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        off = replace(settings.memory, enabled=False, legacy_end_summaries=False)
        self.settings = replace(settings, memory=off)
        self._address = address
        self._reason = reason
        self._clock = clock
        self._zone = settings.zone()
        self._lock = self._tuning = threading.Lock()
        self._closed = False
        self._gauges = Metrics()
        self._tracing = tracing(settings.telemetry)
        self._workers = []
        self._watching = None
        log.error("memory is off and the chat goes on without it: %s", reason)

    def __getattr__(self, name: str) -> NoReturn:
        """The parts that are not there."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise StorageError(
            f"memory was switched off when it was opened: {self._reason}. "
            "Mend that (`taishi doctor` may help), then open it again"
        )

    def close(self) -> None:
        self._closed = True

    def start_worker(self) -> Memory:
        self._check_open()
        return self

    def watch_settings(self, path: str | Path | None = None) -> None:
        """Nothing to follow: only opening it again may switch it on."""
        self._check_open()

    def apply_settings(self, new: Settings) -> Report:
        self._check_open()
        return Report((), ())

    def drain(self, timeout: float = 600.0) -> bool:
        """False: what waits in a queue that cannot be read is not known."""
        self._check_open()
        return False

    def get(self, scope: Scope, id: str) -> Hit | None:
        self._check_scope(scope)
        return None

    def get_profile(self, scope: Scope, entity_type: str, entity_id: str | int) -> Profile | None:
        self._check_scope(scope)
        return None

    def known_turn(self, scope: Scope, request_id: str) -> str | None:
        self._check_scope(scope)
        return None

    def status(self, records: bool = True) -> dict[str, Any]:
        self._check_open()
        return {
            "folder": str(self._address),
            "enabled": False,
            "off_reason": self._reason,
            "read_only": False,
            "scopes": self._scopes(),
            "records": {},
            "queue": {"pending": 0, "processing": 0, "failed": 0, "oldest_seconds": 0.0},
            **NO_WORK,
            "processes": [],
            "readable_after_ms": 0.0,
            "index": {"places": 0, "rows": 0, "vectors": 0, "bytes": 0, "kept_records_bytes": 0},
            "embedder": {"on": False, "note": "off"},
            "tokenizer": "off",
            "models": model_totals([]),
        }

    def metrics(self) -> dict[str, Any]:
        return families(METRICS, engine_values(self._gauges, self.status(), []))
