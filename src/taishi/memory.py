"""`Memory`: the public door, opened and closed, and what keeps it in order."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from .context_block.service import Briefing
from .curate.evidence import EvidenceVerbs
from .curate.live_settings import Tuning
from .curate.records import Shelving
from .curate.service import Curating
from .erase.rescan import Rescanning
from .erase.service import Forgetting
from .errors import InputError, ScopeError
from .ingest.drain import Drain
from .ingest.turns import Writing
from .ingest.worker_threads import WorkerThread
from .legacy.migrate import Migrating
from .observe.metrics import METRICS, engine_values, families, model_totals
from .observe.process_status import summed
from .ports import Embedder
from .settings import Settings, load, scopes_in
from .types import Scope

WORK_SECONDS = 0.2
TURN_UPON_TURN_SECONDS = 0.005
TURN_SECONDS = 0.1  # one that begun longer ago is held up by something else
TURNS_FIRST_SECONDS = 0.25
OFF_REASON = "memory.enabled = false"


class Memory(
    Writing, Briefing, Curating, Shelving, EvidenceVerbs, Tuning, Migrating, Forgetting, Rescanning
):
    """Open one per data folder; share it between threads. See `Memory.open`."""

    @classmethod
    def open(
        cls,
        address: str | Path | None = None,
        settings: Settings | None = None,
        *,
        embedder: Embedder | None = None,
        clock: Callable[[], float] = time.time,
        count_tokens: Callable[[str], int] | None = None,
        on_error: Literal["raise", "off"] = "raise",
    ) -> Memory:
        """Open the data folder at `address` (default: the settings' own), made if need be.

        `count_tokens` is the model's own count, by which prompt blocks keep to their budget.

        `on_error="off"`: if that fails, a memory that is switched off, so that the chat goes on
        (C4); the reason is in the log and in `status()`.
        """
        if on_error not in ("raise", "off"):
            raise InputError(f"on_error {on_error!r:.40} is not known; use raise or off")
        settings = load() if settings is None else settings
        place = settings.memory.data if address is None else address
        try:
            return cls._opened(cls(place, settings, embedder, clock, count_tokens))
        except Exception as error:
            if on_error == "raise":
                raise
            from .unavailable_memory import UnavailableMemory

            return UnavailableMemory(place, settings, f"{error}" or type(error).__name__, clock)

    @staticmethod
    def _opened(memory: Memory) -> Memory:
        """With what earlier processes left behind; if that cannot be read, nothing stays open."""
        try:
            memory._begin()
        except BaseException:
            memory.close()
            raise
        return memory

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
        self._echoes.flush()
        self._recaller.close()
        self._parts.queue.close()
        self._presence.close()
        self._parts.ledger.flush()
        for chat in (self._parts.chat, self._parts.intent):
            if chat is not None:
                chat.close()
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
        if not self._workers and self.settings.memory.enabled and not self._parts.read_only:
            self._parts.queue.recover()
            self._keeper.errand(self._parts.leftovers.sweep_pages)
            self._keeper.errand(self._rescan_if_due)
            self._workers = [
                WorkerThread(f"historian-{n}", self._work, self._poll_seconds)
                for n in range(self.settings.historian.workers)
            ]
            self._presence.tell(at_once=True)
        return self

    def _poll_seconds(self) -> float:
        return self.settings.historian.poll_interval_seconds

    def stop_worker(self) -> None:
        workers, self._workers = self._workers, []
        for loop in workers:
            loop.stop()
        self._worker.write_pages()
        if workers:
            self._presence.tell(at_once=True)

    def _let_turns_pass(self) -> None:
        """While turns end one upon another, each would wait for the interpreter at the heels of
        the historian: its work can wait, but not for long."""
        end = time.monotonic() + TURNS_FIRST_SECONDS
        while (now := time.monotonic()) < end:
            is_quiet = now - self._turn_ended > TURN_UPON_TURN_SECONDS
            if is_quiet and not self._turn_ended < self._turn_begun > now - TURN_SECONDS:
                return
            time.sleep(TURN_UPON_TURN_SECONDS)

    def _work(self) -> bool:
        self._gauges.beat()
        self._let_turns_pass()
        worked = self._worker.step()
        self._gauges.beat()
        self._presence.tell()
        if worked:
            self._keeper.wake_embedding()
        return worked

    def drain(self, timeout: float = 600.0) -> bool:
        """Work until no turn, job or text waits; True if that is so. Jobs held elsewhere are waited
        for. It ends with `timeout` seconds, whatever hangs."""
        self._check_open()
        keeper = self._keeper
        steps = (keeper.land_some, self._work_some, keeper.run_errands, keeper.embed_some)
        drain = Drain(steps, self._is_queue_empty, lambda: self.settings.memory.enabled)
        try:
            done = drain.run(timeout)
        finally:
            self._presence.tell(at_once=True)
        return done or (not self.settings.memory.enabled and self._is_queue_empty())

    def _work_some(self) -> bool:
        """Jobs for a moment: what they leave behind is embedded together. True: there may be
        more."""
        end = time.monotonic() + WORK_SECONDS
        while self._worker.step():
            if time.monotonic() > end:
                return True
        return False

    def _is_queue_empty(self) -> bool:
        counts = self._parts.queue.counts()
        return not counts["pending"] and not counts["processing"]

    def set_link(self, scope: Scope, on: bool) -> None:
        """Let this user's private chat and groups know each other (S2); off by default."""
        self._check_scope(scope)
        if scope.user is None:
            raise ScopeError("a link belongs to a user: pass Scope(user=…)")
        self._parts.store.set_link(scope.workspace, scope.user, on)

    def status(self, records: bool = True) -> dict[str, Any]:
        """What is kept, what waits, how fast, in all processes. Without `records` these are not
        counted: that reads the whole table, and a probe that asks every second should not."""
        self._check_open()
        parts = self._parts
        processes = self._presence.everybody(self._own_work(), os.getpid())
        enabled = self.settings.memory.enabled
        return {
            "folder": str(parts.folder),
            "enabled": enabled,
            "off_reason": "" if enabled else OFF_REASON,
            "read_only": parts.read_only,
            "scopes": self._scopes(),
            "records": parts.store.counts() if records else {},
            "queue": {**parts.queue.counts(), "oldest_seconds": round(parts.queue.oldest_age(), 3)},
            **summed(processes),
            "processes": processes,
            "readable_after_ms": round(self._keeper.last_lag_ms, 3),
            "index": self._recaller.stats(),
            "embedder": {"on": self._embedder is not None, "note": parts.embedder_note},
            "tokenizer": self._tokens.note(self.settings.query.tokenizer),
            "models": model_totals(self._ledger_rows()),
        }

    def _scopes(self) -> dict[str, list[str]]:
        settings = self.settings.memory
        lists = {"only": settings.only_scopes, "except": settings.except_scopes}
        return {name: [str(one) for one in scopes_in(text)] for name, text in lists.items()}

    def metrics(self) -> dict[str, Any]:
        """Everything that is counted and measured, by name: kind, help, labels, samples.

        Jobs, workers and tool runs are those of this process: a monitor adds processes up itself.
        """
        status = {**self.status(), **self._own_work()}
        return families(METRICS, engine_values(self._gauges, status, self._ledger_rows()))

    def check(self) -> str:
        """ "ok", or what SQLite says is wrong with the file."""
        return self._parts.store.check()
