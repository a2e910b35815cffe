"""`memory.maintenance`: derived data made anew, and the check of the store."""

from __future__ import annotations

from ..erase.rescan import RescanService
from ..errors import ModelMissingError
from ..exported import Rebuilt, Rescanned
from ..ingest.background import BackgroundTasks
from ..ingest.rebuild import RebuildService
from ..runtime import Runtime
from ..transfer.progress import Progress, unwatched
from ..types import Scope


class MaintenanceService:
    def __init__(
        self,
        runtime: Runtime,
        background: BackgroundTasks,
        rebuilding: RebuildService,
        rescanning: RescanService,
    ) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store
        self._background = background
        self._rebuilding = rebuilding
        self._rescanning = rescanning

    def rebuild(
        self,
        scope: Scope | None = None,
        *,
        workspace: str | None = None,
        dry_run: bool = False,
        actor: str = "",
        door: str = "python",
        progress: Progress = unwatched,
    ) -> Rebuilt:
        """Learn again from the events that are kept: facts, procedures, pages and indexes.

        What a person corrected, rejected, approved or wrote stays as it is. With `dry_run`, only
        what would change. Where a model is configured, it is asked again for each turn.
        """
        return self._rebuilding.rebuild(scope, workspace, dry_run, actor, door, progress)

    def rescan(self, progress: Progress = unwatched) -> Rescanned:
        """Read everything that is stored by today's redaction rules and take what they find off
        the disk: records, pages with their snapshots, jobs, messages.

        A process that keeps running does this by itself where it is due. Safe to repeat.
        """
        return self._rescanning.rescan(progress)

    def reembed(self) -> int:
        """Make every vector anew, in the background; how many texts wait. Words find them
        meanwhile."""
        self._runtime.check_open()
        embedder = self._runtime.embedder
        if embedder is None:
            raise ModelMissingError(
                f"there is no embedder to do it ({self._runtime.parts.embedder_note}); the old "
                "vectors were kept. `taishi doctor` says what is missing"
            )
        embedder.clear_text()  # or it would answer from its cache
        waiting = self._store.void_vectors()
        self._background.wake_embedding()
        return waiting

    def check(self) -> str:
        """ "ok", or what SQLite says is wrong with the file."""
        return self._store.check()
