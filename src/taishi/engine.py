"""`Memory`: the public door, opened and closed, and what keeps it in order."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from .background import Loop
from .curating import Curating
from .errors import ScopeError
from .forgetting import Forgetting
from .gauges import METRICS, engine_values, families
from .migrating import Migrating
from .ports import Embedder
from .reading import Reading
from .settings import Settings, load
from .shelving import Shelving
from .tuning import Tuning
from .types import Scope
from .writing import Writing

DRAIN_PAUSE = 0.02


class Memory(Writing, Reading, Curating, Shelving, Tuning, Migrating, Forgetting):
    """Open one per data folder; share it between threads. See `Memory.open`."""

    @classmethod
    def open(
        cls,
        address: str | Path | None = None,
        settings: Settings | None = None,
        *,
        embedder: Embedder | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Memory:
        """Open the data folder at `address` (default: the settings' own), made if need be."""
        settings = load() if settings is None else settings
        return cls(settings.memory.data if address is None else address, settings, embedder, clock)

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the background work and let go of the files. What waits, waits durably."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._stop_watching()
        self.stop_worker()
        self._keeper.close()
        self._legacy.flush()
        self._recaller.close()
        self._parts.queue.close()
        if self._parts.chat is not None:
            self._parts.chat.close()
        if self._parts.reranker is not None:
            self._parts.reranker.close()
        self._parts.store.close()
        if self._embedder is not None:
            self._embedder.close()

    def start_worker(self) -> Memory:
        """Start the historian in the background: `with memory.start_worker(): …` works too.

        The settings file is followed from now on, if the settings were read from one.
        """
        self._check_open()
        if self._watching is None and self.settings.origin.file is not None:
            self.watch_settings()
        if not self._workers and self.settings.memory.enabled:
            self._parts.queue.recover()
            self._keeper.errand(self._parts.profiles.sweep)
            self._workers = [
                Loop(f"historian-{n}", self._work, self._poll_seconds)
                for n in range(self.settings.historian.workers)
            ]
        return self

    def _poll_seconds(self) -> float:
        return self.settings.historian.poll_interval_seconds

    def stop_worker(self) -> None:
        workers, self._workers = self._workers, []
        for loop in workers:
            loop.stop()

    def _work(self) -> bool:
        self._gauges.beat()
        worked = self._worker.step()
        self._gauges.beat()
        if worked:
            self._keeper.wake_embedding()
        return worked

    def drain(self, timeout: float = 600.0) -> None:
        """Work until no turn, job or text waits. Jobs held elsewhere are waited for."""
        self._check_open()
        end = time.monotonic() + timeout
        queue = self._parts.queue
        while time.monotonic() < end and self.settings.memory.enabled:
            worked = self._keeper.land_some()
            worked = self._worker.step() or worked
            worked = self._keeper.run_errands() or worked
            worked = self._keeper.embed_some() or worked
            if not worked:
                counts = queue.counts()
                if not counts["pending"] and not counts["processing"]:
                    return
                time.sleep(DRAIN_PAUSE)

    def set_link(self, scope: Scope, on: bool) -> None:
        """Let this user's private chat and groups know each other (S2); off by default."""
        self._check_scope(scope)
        if scope.user is None:
            raise ScopeError("a link belongs to a user: pass Scope(user=…)")
        self._parts.store.set_link(scope.workspace, scope.user, on)

    def status(self, records: bool = True) -> dict[str, Any]:
        """What is kept, what waits, how fast. Without `records` these are not counted: that reads
        the whole table, and a probe that asks every second should not."""
        self._check_open()
        parts = self._parts
        idle = self._gauges.idle_seconds if self._workers else 0.0
        return {
            "folder": str(parts.folder),
            "enabled": self.settings.memory.enabled,
            "records": parts.store.counts() if records else {},
            "queue": {**parts.queue.counts(), "oldest_seconds": round(parts.queue.oldest_age(), 3)},
            "jobs": asdict(self._worker.tally),
            "observations": {"waiting": len(self._observations),
                             "dropped": self._observations.dropped},
            "workers": {"running": len(self._workers), "idle_seconds": round(idle, 3)},
            "readable_after_ms": round(self._keeper.last_lag_ms, 3),
            "index": self._recaller.stats(),
            "embedder": {"on": self._embedder is not None, "note": parts.embedder_note},
        }  # fmt: skip

    def metrics(self) -> dict[str, Any]:
        """Everything that is counted and measured, by name: kind, help, labels, samples."""
        rows = self._parts.store.history.totals()
        return families(METRICS, engine_values(self._gauges, self.status(), rows))

    def check(self) -> str:
        """ "ok", or what SQLite says is wrong with the file."""
        return self._parts.store.check()
