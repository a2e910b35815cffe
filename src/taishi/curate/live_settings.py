"""Settings that change while the memory is open (C2): taken over, watched, written."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..ingest.worker_threads import WorkerThread
from ..runtime import Core
from ..settings import WATCH_SECONDS, Report, Settings, Watch, as_read, load, merge

log = logging.getLogger("taishi.settings")


@dataclass(frozen=True, slots=True)
class Changed(Report):
    """What became of a change: also which keys something stronger than the file still sets."""

    overridden: Mapping[str, str] | None = None
    file: str = ""


class Tuning(Core):
    def apply_settings(self, new: Settings) -> Report:
        """Take over what may change while we run; name what waits for a restart.

        Whoever is in the middle of a call finishes it with the settings it began with.
        """
        self._check_open()
        with self._tuning:
            return self._take(self.settings, new)

    def watch_settings(self, path: str | Path | None = None) -> None:
        """Follow a settings file: by itself the one that the settings were read from.

        A file that cannot be used changes nothing and is named in one line of the log.
        """
        self._check_open()
        settings = self.settings if path is None else self._load_beside(Path(path))
        watch = Watch(settings, self._take_read)
        with self._tuning:
            if path is not None:
                self._take(self.settings, settings)
                self._adopt(settings)
            old, self._watching = (
                self._watching,
                WorkerThread("settings", watch.look, WATCH_SECONDS),
            )
        if old is not None:
            old.stop()

    def change_settings(self, changes: Mapping[str, Any]) -> Changed:
        """Write these keys into the settings file, comments kept, and take them over.

        Keys are dotted or nested; None takes a key out of the file. What would make the file
        unusable is refused before anything is written. No value is ever returned.
        """
        from ..settings.writer import change, checked, overridden

        self._check_open()
        keys = [".".join(key) for key in checked(changes)]
        origin = self.settings.origin
        with self._parts.locks.hold("the settings file"):
            new = change(origin, changes)
            report = self._take_read(new)
        return Changed(report.applied, report.need_restart, overridden(new, keys), str(origin.file))

    def _load_beside(self, path: Path) -> Settings:
        """Another file, under the same environment and overrides."""
        origin = self.settings.origin
        return load(path, origin.environ, origin.overrides) if origin.file else load(path)

    def _take_read(self, new: Settings) -> Report:
        """What was read from the file: only what changed there is taken over, since the program
        may have changed other keys after it read the file."""
        with self._tuning:
            report = self._take(self._settings_read or as_read(self.settings), new)
            self._adopt(new)
            return report

    def _adopt(self, read: Settings) -> None:
        """From now on this is what the file says."""
        self._settings_read = read
        self.settings = replace(self.settings, origin=read.origin)

    def _take(self, before: Settings, after: Settings) -> Report:
        was = self.settings
        self.settings, report = merge(was, before, after)
        self._parts.queue.max_retries = self.settings.historian.job_max_retries
        if was.memory.enabled and not self.settings.memory.enabled:
            self._rest()
        elif report.applied:
            for loop in self._workers:
                loop.wake()
        return report

    def _rest(self) -> None:
        """Switched off: the historian ends with the job at hand. What waits, waits durably."""
        log.warning("memory is switched off; what waits in the queue stays there")
        workers, self._workers = self._workers, []
        for loop in workers:
            loop.stop(timeout=0)
        self._keeper.rest()

    def _stop_watching(self) -> None:
        with self._tuning:
            watching, self._watching = self._watching, None
        if watching is not None:
            watching.stop()
