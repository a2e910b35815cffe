"""Opening and closing: what earlier processes left is taken up, background work starts and ends."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from ..errors import ClosedError, TaishiError
from ..runtime import Runtime
from .background import BackgroundTasks
from .historian_threads import HistorianThreads
from .request_numbers import RequestNumbers
from .worker_threads import WorkerThread

log = logging.getLogger("taishi")
LOOK_SECONDS = 1.0  # whether a database that could only be read can be written now
STAYING = ("serve", "work")  # processes that are looked for in the status


class SettingsWatch(Protocol):
    """What the life of a memory needs of its configuration."""

    def watch_own_file(self) -> None: ...
    def stop_watching(self) -> None: ...


class Lifecycle:
    """`after_kill` mends what a killed process left half done; `closing` are the flushes and the
    executors that end between the background work and the store."""

    def __init__(
        self,
        runtime: Runtime,
        threads: HistorianThreads,
        background: BackgroundTasks,
        numbers: RequestNumbers,
        settings_watch: SettingsWatch,
        after_kill: Callable[[], None],
        rescan_if_due: Callable[[], None],
        closing: Sequence[Callable[[], object]],
    ) -> None:
        self._runtime = runtime
        self._parts = runtime.parts
        self._threads = threads
        self._background = background
        self._numbers = numbers
        self._settings_watch = settings_watch
        self._after_kill = after_kill
        self._rescan_if_due = rescan_if_due
        self._closing = closing
        self._starting = threading.Lock()
        self._until_writable: WorkerThread | None = None
        self._is_worker_due = False  # asked for before anything could be written

    def open(self) -> None:
        """Switched off: nothing is read or embedded, and the jobs that wait stay. So they do on
        media that cannot be written, where there is no background work at all; in a database that
        can only be read, it begins as soon as that is over."""
        if self._parts.read_only:
            self._background.close()
        if self._parts.read_only or not self._runtime.settings.memory.enabled:
            return
        if self._parts.is_read_only():
            self._until_writable = WorkerThread("until-writable", self._begin_late, LOOK_SECONDS)
        else:
            self._begin()

    def _begin_late(self) -> bool:
        if self._parts.is_read_only():
            return False
        with self._starting:
            self._begin()
            if self._is_worker_due:
                self._start_threads()
        raise ClosedError("it has begun; there is nothing left to wait for")

    def _begin(self) -> None:
        settings = self._runtime.settings
        self._runtime.tokens.chosen(settings.query.tokenizer)  # loaded before the first question
        self._threads.process_status.tell(at_once=True)
        if settings.machine.role in STAYING:
            self._threads.process_status.start_heartbeat()
        self._sweep()
        for job in self._background.adopt():
            self._numbers.count(job)

    def _sweep(self) -> None:
        """Files of killed processes are in nobody's way, so a failure here stops nobody."""
        try:
            if self._parts.leftovers.sweep():
                self._background.submit(self._parts.leftovers.sweep_pages)
                self._background.submit(self._after_kill)
        except (OSError, TaishiError) as error:
            log.warning("files of processes that were killed could not be removed: %s", error)

    def start_worker(self) -> None:
        self._runtime.check_open()
        self._settings_watch.watch_own_file()
        with self._starting:
            self._is_worker_due = True
            self._start_threads()

    def _start_threads(self) -> None:
        if self._threads.start():
            self._background.submit(self._parts.leftovers.sweep_pages)
            self._background.submit(self._rescan_if_due)

    def stop_worker(self, seconds: float) -> None:
        self._is_worker_due = False
        self._threads.stop(seconds)

    def drain(self, timeout: float) -> bool:
        self._runtime.check_open()
        return self._threads.drain(timeout)

    def close(self) -> None:
        if not self._runtime.close_once():
            return
        self._settings_watch.stop_watching()
        if self._until_writable is not None:
            self._until_writable.stop()
        self._threads.stop()
        self._background.close()
        for close in self._closing:
            close()
        parts = self._parts
        parts.queue.close()
        self._threads.process_status.close()
        parts.ledger.flush()
        for chat in (parts.chat, parts.intent, parts.query):
            if chat is not None:
                chat.close()
        if parts.reranker is not None:
            parts.reranker.close()
        parts.close()
        if self._runtime.embedder is not None:
            self._runtime.embedder.close()
