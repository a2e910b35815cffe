"""`memory.maintenance`: derived data rebuilt, and the check of the store."""

from __future__ import annotations

from ..erase.rescan import RescanService
from ..errors import ModelMissingError, StorageError
from ..exported import Rebuilt, Rescanned
from ..ingest.background import BackgroundTasks
from ..ingest.rebuild import RebuildService
from ..knowledge.originals import check_originals, place_of_files
from ..observe.minutes import Activity
from ..recall.vector_index import VectorIndexCheck
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
        self._vectors = runtime.vectors
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
        """Rebuild facts, procedures, profiles and indexes from the stored events.

        What a person corrected, rejected, approved or wrote stays as it is. With `dry_run`, only
        say what would change. If a model is configured, it is asked again for each turn.
        """
        return self._rebuilding.rebuild(scope, workspace, dry_run, actor, door, progress)

    def rescan(self, progress: Progress = unwatched) -> Rescanned:
        """Check everything that is stored with the current redaction rules and remove what they
        find from the disk: records, pages with their snapshots, jobs, messages.

        A running process does this by itself when needed. Safe to repeat.
        """
        return self._rescanning.rescan(progress)

    def activity(self) -> Activity:
        """The last three hours of this process by the minute: how long recalls and turns took, and
        how old the queue was."""
        return self._runtime.metrics.activity()

    def reembed(self) -> int:
        """Re-embed everything, in the background; returns how many texts are waiting. Until it is
        done, recall is by keyword."""
        self._runtime.check_open()
        embedder = self._runtime.embedder
        if embedder is None:
            raise ModelMissingError(
                f"there is no embedder ({self._runtime.parts.embedder_note}); the old "
                "vectors were kept. `taishi doctor` says what is missing"
            )
        embedder.clear_text()  # or it would answer from its cache
        self._vectors.restart()
        waiting = self._store.void_vectors()
        self._background.wake_embedding()
        return waiting

    def verify_vectors(self, progress: Progress = unwatched) -> VectorIndexCheck:
        """Compare the vector engine (`storage.vectors`) with the store: every number and revision,
        and a sample of vectors. Pending vectors are added first."""
        self._runtime.check_open()
        return self._vectors.verify(progress)

    def rebuild_vectors(self, progress: Progress = unwatched) -> int:
        """Empty the vector engine (`storage.vectors`) and add every stored vector again; returns
        how many. Until it is done, recall is by keyword."""
        self._runtime.check_open()
        return self._vectors.rebuild(progress)

    def check(self) -> str:
        """ "ok", or what SQLite says is wrong with the file."""
        return self._store.check()

    def check_files(self) -> str:
        """ "ok", or what is wrong with the files of documents: they cannot be read, some documents
        lack theirs, or some belong to no document."""
        self._runtime.check_open()
        files = self._runtime.parts.originals
        try:
            found = check_originals(self._store, files)
        except StorageError as error:
            return str(error)
        where, missing, lost = place_of_files(files), found.missing, found.lost
        if missing:
            return f"{len(missing)} documents have no original in {where}, such as {missing[0]}"
        if lost:
            return (
                f"{len(lost)} files in {where} belong to no document, such as {lost[0]}; "
                "remove them"
            )
        return "ok"
