"""`Memory`: the public door, opened and closed, and what keeps it in order."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from .background import Loop
from .curating import Curating
from .errors import ScopeError
from .ports import Embedder
from .reading import Reading
from .settings import Settings, load
from .types import Place, Scope, clean_id
from .writing import Writing

DRAIN_PAUSE = 0.02


class Memory(Writing, Reading, Curating):
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
        self.stop_worker()
        self._keeper.close()
        self._recaller.close()
        self._parts.queue.close()
        if self._parts.chat is not None:
            self._parts.chat.close()
        self._parts.store.close()
        if self._embedder is not None:
            self._embedder.close()

    def start_worker(self) -> Memory:
        """Start the historian in the background: `with memory.start_worker(): …` works too."""
        self._check_open()
        if not self._workers and self.settings.memory.enabled:
            historian = self.settings.historian
            self._parts.queue.recover()
            self._workers = [
                Loop(f"historian-{n}", self._work, historian.poll_interval_seconds)
                for n in range(historian.workers)
            ]
        return self

    def stop_worker(self) -> None:
        workers, self._workers = self._workers, []
        for loop in workers:
            loop.stop()

    def _work(self) -> bool:
        worked = self._worker.step()
        if worked:
            self._keeper.wake_embedding()
        return worked

    def drain(self, timeout: float = 600.0) -> None:
        """Work until no turn, job or text waits. Jobs held elsewhere are waited for."""
        self._check_open()
        end = time.monotonic() + timeout
        queue = self._parts.queue
        while time.monotonic() < end:
            worked = self._keeper.land_some()
            worked = self._worker.step() or worked
            worked = self._keeper.run_errands() or worked
            worked = self._keeper.embed_some() or worked
            if not worked:
                counts = queue.counts()
                if not counts["pending"] and not counts["processing"]:
                    return
                time.sleep(DRAIN_PAUSE)

    def forget(self, scope: Scope, id: str | None = None) -> int:
        """Remove one record of this scope's place, or (no id) the whole of it; how many went.

        `Scope(user=…)` forgets that person in the whole workspace: the private chat, what they
        said in groups, their jobs and profile. `Scope(group=…)` forgets that group.
        """
        self._check_scope(scope)
        store, home = self._parts.store, scope.home
        if id is not None:
            return store.forget_record(home, clean_id(id, "id") or "")
        if home.kind == "private":
            matches = partial(_is_about_user, scope)
        else:
            matches = partial(_is_in_place, home)
        with self._worker.paused():  # or a job at hand would write it all back
            self._echoes.forget()
            removed = self._keeper.forget(matches)
            removed += self._parts.queue.forget(lambda job: matches(job.scope))
            removed += self._profiles.forget(scope)
            if home.kind == "private":
                return removed + store.forget_user(home.workspace, home.id)
            return removed + store.forget_place(home)

    def set_link(self, scope: Scope, on: bool) -> None:
        """Let this user's private chat and groups know each other (S2); off by default."""
        self._check_scope(scope)
        if scope.user is None:
            raise ScopeError("a link belongs to a user: pass Scope(user=…)")
        self._parts.store.set_link(scope.workspace, scope.user, on)

    def status(self) -> dict[str, Any]:
        """What is kept, what waits, how fast; all of it cheap to ask for."""
        self._check_open()
        parts = self._parts
        return {
            "folder": str(parts.folder),
            "enabled": self.settings.memory.enabled,
            "records": parts.store.counts(),
            "queue": {**parts.queue.counts(), "oldest_seconds": round(parts.queue.oldest_age(), 3)},
            "jobs": asdict(self._worker.tally),
            "observations": {"waiting": len(self._observations),
                             "dropped": self._observations.dropped},
            "readable_after_ms": round(self._keeper.last_lag_ms, 3),
            "index": self._recaller.stats(),
            "embedder": {"on": self._embedder is not None, "note": parts.embedder_note},
        }  # fmt: skip

    def check(self) -> str:
        """ "ok", or what SQLite says is wrong with the file."""
        return self._parts.store.check()


def _is_about_user(scope: Scope, other: Scope) -> bool:
    return (other.workspace, other.user) == (scope.workspace, scope.user)


def _is_in_place(place: Place, other: Scope) -> bool:
    return other.home == place
