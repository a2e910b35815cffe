"""`memory.configuration`: settings that change while the memory is open (C2)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..domain import arguments
from ..ingest.background import BackgroundTasks
from ..ingest.historian_threads import HistorianThreads
from ..ingest.worker_threads import WorkerThread
from ..runtime import Runtime
from ..settings import WATCH_SECONDS, Report, Settings, Watch, as_read, load, merge
from ..settings.live import Changed as Changed

log = logging.getLogger("taishi.settings")


class LiveSettings:
    """Takes changed settings over, and follows the file that they were read from."""

    def __init__(
        self, runtime: Runtime, threads: HistorianThreads, background: BackgroundTasks
    ) -> None:
        self._runtime = runtime
        self._queue = runtime.parts.queue
        self._threads = threads
        self._background = background
        self._lock = threading.Lock()
        self._last_read: Settings | None = None  # as the file was last taken over
        self._watching: WorkerThread | None = None

    def apply(self, new: Settings) -> Report:
        with self._lock:
            return self._take(self._runtime.settings, new)

    def apply_file(self, new: Settings) -> Report:
        """What was read from the file: only what changed there is taken over, since the program
        may have changed other keys after it read the file."""
        with self._lock:
            report = self._take(self._last_read or as_read(self._runtime.settings), new)
            self._adopt(new)
            return report

    def watch(self, path: Path | None = None) -> None:
        settings = self._runtime.settings if path is None else self._load_beside(path)
        watch = Watch(settings, self.apply_file)
        with self._lock:
            if path is not None:
                self._take(self._runtime.settings, settings)
                self._adopt(settings)
            old = self._watching
            self._watching = WorkerThread("settings", watch.look, WATCH_SECONDS)
        if old is not None:
            old.stop()

    def watch_own_file(self) -> None:
        """Follow the file that the settings were read from, if there is one."""
        if self._watching is None and self._runtime.settings.origin.file is not None:
            self.watch()

    def stop_watching(self) -> None:
        with self._lock:
            watching, self._watching = self._watching, None
        if watching is not None:
            watching.stop()

    def _load_beside(self, path: Path) -> Settings:
        """Another file, under the same environment and overrides."""
        origin = self._runtime.settings.origin
        return load(path, origin.environ, origin.overrides) if origin.file else load(path)

    def _adopt(self, read: Settings) -> None:
        """From now on this is what the file says."""
        self._last_read = read
        self._runtime.settings = replace(self._runtime.settings, origin=read.origin)

    def _take(self, before: Settings, after: Settings) -> Report:
        was = self._runtime.settings
        self._runtime.settings, report = merge(was, before, after)
        self._queue.max_retries = self._runtime.settings.historian.job_max_retries
        if was.memory.enabled and not self._runtime.settings.memory.enabled:
            log.warning("memory is switched off; what waits in the queue stays there")
            self._threads.rest()
            self._background.rest()
        elif report.applied:
            self._threads.wake()
        return report


class ConfigurationService:
    def __init__(self, runtime: Runtime, live: LiveSettings) -> None:
        self._runtime = runtime
        self._live = live

    def apply(self, new: Settings) -> Report:
        """Apply what can change while running; names what needs a restart.

        A call in progress finishes with the settings it began with.
        """
        self._runtime.check_open()
        return self._live.apply(new)

    def watch(self, path: str | Path | None = None) -> None:
        """Follow a settings file, by default the one that the settings were read from.

        An invalid file changes nothing and is reported in one line of the log.
        """
        self._runtime.check_open()
        self._live.watch(None if path is None else Path(path))

    def change(self, changes: Mapping[str, Any]) -> Changed:
        """Write these keys into the settings file, keeping its comments, and apply them.

        Keys are dotted or nested; None removes a key from the file. A change that would make the
        file unusable is refused before anything is written. No value is ever returned.
        """
        from ..settings.writer import change, checked, overridden

        self._runtime.check_open()
        arguments.mapping(changes, "changes")
        keys = [".".join(key) for key in checked(changes)]
        origin = self._runtime.settings.origin
        with self._runtime.parts.locks.hold("the settings file"):
            new = change(origin, changes)
            report = self._live.apply_file(new)
        return Changed(report.applied, report.need_restart, overridden(new, keys), str(origin.file))
