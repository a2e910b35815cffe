"""`memory.transfer`: a memory as a whole, out, in and copied (O2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO
from zoneinfo import ZoneInfo

from ..domain import arguments
from ..domain.deletion_marks import Marks, copied
from ..errors import InputError
from ..exported import (
    Backup,
    ExportedJob,
    ExportedProfile,
    ExportScope,
    Imported,
    Moved,
)
from ..importers.formats import format_of
from ..importers.values import ReadOptions
from ..ingest.background import BackgroundTasks
from ..ingest.historian_threads import HistorianThreads
from ..ingest.job_builder import JobBuilder
from ..ingest.request_numbers import RequestNumbers
from ..legacy.migrate import Migrated, MigrationService
from ..runtime import Runtime
from ..types import Scope, clean_id
from ..working.service import WorkingMemory
from .chat_import import ChatImport, ChatImportOptions
from .chat_learning import ChatLearning
from .chat_report import ImportedChats
from .chat_targets import ChatTargets
from .copying import Copied, MemoryCopy
from .exporting import ExportRun
from .format import write_line
from .importing import ImportRun
from .progress import CopyProgress, Progress, quiet, unwatched
from .redact import ExportRedactor
from .staging import StagedImport, bounded, remapped


class TransferService:
    def __init__(
        self,
        runtime: Runtime,
        background: BackgroundTasks,
        threads: HistorianThreads,
        numbers: RequestNumbers,
        migration: MigrationService,
        builder: JobBuilder,
        working: WorkingMemory,
    ) -> None:
        self._runtime = runtime
        self._migration = migration
        parts = runtime.parts
        self._store, self._queue, self._pages = parts.store, parts.queue, parts.pages
        self._background = background
        self._threads = threads
        self._numbers = numbers
        self._builder = builder
        self._working = working

    # -- out ---------------------------------------------------------------------------------

    def export(
        self, scope: Scope | None = None, *, workspace: str | None = None, vectors: bool = False
    ) -> Iterator[str]:
        """Everything, as lines of JSON (docs/reference/export-format.md), read as you consume them.

        With `workspace`, only that one; with a scope, only its partition. `vectors` are included if
        asked for; without them they are computed again where the lines are imported.
        """
        self._runtime.check_open()
        extent = export_scope(self._runtime, scope, workspace)
        self._background.store_all_turns()  # what was accepted is to be among the records
        return map(write_line, ExportRun(self._runtime).items(extent, bool(vectors)))

    # -- in ----------------------------------------------------------------------------------

    def import_records(
        self,
        lines: Iterable[str | bytes],
        scope: Scope | None = None,
        *,
        workspace: str | None = None,
        remap: Mapping[str, str] | None = None,
        replace: bool = False,
        dry_run: bool = False,
        skip_bad: bool = False,
        even_forgotten: bool = False,
        progress: Progress = unwatched,
    ) -> Imported:
        """Import the lines of an export. All are checked before the first is written. Safe to
        repeat: after a crash, simply run it again.

        With `workspace` or a scope, a line that belongs anywhere else is an error. `remap` maps
        old names of workspaces to new ones: `{"old": "new"}`. Records that differ here are kept,
        or with `replace` overwritten. `skip_bad` skips wrong lines instead of refusing all.
        What was forgotten here since is skipped, or with `even_forgotten` imported again, which
        is recorded among the `deletions`.
        """
        self._runtime.check_open()
        extent = export_scope(self._runtime, scope, workspace)
        workspaces = {
            _workspace(old): _workspace(new)
            for old, new in arguments.mapping(remap or {}, "remap").items()
        }
        lines = map(arguments.line, arguments.each(lines, "lines"))
        cleaner = ExportRedactor(self._runtime.redactor, trusting=False)

        marks = Marks(self._store.deletions.key())

        def prepare(item: Moved) -> Moved:
            there = copied(item, remapped(item, workspaces), marks)
            cleaned = cleaner.clean(bounded(there, extent))
            if isinstance(cleaned, ExportedProfile):
                self._pages.check(cleaned)
            return cleaned

        with StagedImport(lines, prepare, skip_bad) as checked:
            run = ImportRun(
                self._runtime, checked, replace, dry_run, even_forgotten, workspaces, progress
            )
            outcomes = run.run()
        if not dry_run:
            run.record_brought_back()
            self._background.wake_embedding()
            self._take_up(run.new_jobs)
        return Imported(**outcomes, bad=tuple(checked.bad), dry_run=dry_run)

    def _take_up(self, jobs: Iterable[ExportedJob]) -> None:
        """What open() does with jobs that it finds: they can be read at once, and are worked."""
        for moved in jobs:
            self._numbers.count(moved.job)
            self._background.land(moved.job)
        self._threads.wake()

    def import_chats(
        self,
        source: str | Path | BinaryIO,
        format: str,
        scope: Scope | None = None,
        *,
        workspace: str = "default",
        chats: Mapping[str, str] | None = None,
        self_name: str = "",
        bot_names: Collection[str] = (),
        timezone: str | None = None,
        encoding: str | None = None,
        learn: bool = False,
        replace: bool = False,
        even_forgotten: bool = False,
        dry_run: bool = False,
        user_prefix: str = "",
        progress: Progress = unwatched,
        door: str = "python",
    ) -> ImportedChats:
        """Import an export of another program: a file, or a zip with it. Safe to repeat: one that
        was interrupted is simply run again.

        `format` is chatgpt, claude, mem0, sillytavern, character-card, telegram, discord, qq,
        wechat or openai-jsonl. `Scope(user=…)` is the owner of private chats; each group becomes
        a group with its id in the file. With any other scope, everything goes there. `chats` sends
        some elsewhere, by title or id: `{"Family": "group:family", "*": "skip"}`. `self_name` is
        the owner's name in the file, `timezone` is for times without one and for what "yesterday"
        means. `user_prefix` goes before the ids of speakers, as the host writes them ("QQClient:").
        Messages are stored word for word; with `learn` the historian reads them, too.

            memory.transfer.import_chats("result.json", "telegram", Scope(user="u7"))
        """
        self._runtime.check_open()
        if scope is not None:
            self._runtime.check_scope(scope)
            workspace = scope.workspace
        names = {self_name} if self_name else set()
        targets = ChatTargets(
            _workspace(workspace), scope, chats or {}, names, bot_names, user_prefix
        )
        zone = _zone(timezone) if timezone else self._runtime.zone
        options = ChatImportOptions(
            targets, ReadOptions(zone, self_name), encoding, replace, even_forgotten, dry_run, door
        )
        learning = ChatLearning(self._working, door, zone) if learn else None
        run = ChatImport(
            self._runtime,
            self._builder,
            self._background,
            format_of(format),
            options,
            learning,
            progress,
        )
        return run.run(source)

    # -- a copy ------------------------------------------------------------------------------

    def backup(self, target: str | Path, *, originals: bool = True) -> Backup:
        """Copy the whole data folder, even while in use, to a new folder; open that to restore it.

        The folder gets its name only when the copy is complete and checked. What is in
        `storage.files` (originals of documents, archives) is copied, too, unless `originals` is
        False.
        """
        self._runtime.check_open()
        self._background.store_all_turns()
        return self._runtime.parts.copy_to(Path(target).expanduser().absolute(), originals)

    def copy_to(self, target: TransferService, *, progress: CopyProgress = quiet) -> Copied:
        """Copy everything into another open memory, whatever its database, and verify it.

        `target` is the `transfer` of a memory that is empty, or holds a part of an earlier copy of
        this one: if a copy was interrupted, run it again. Changes made here during the copy are
        copied, too; if they never stop, StorageError says so. API keys are not part of a memory.
        """
        for service in (self, target):
            service._runtime.check_open()
            service._background.store_all_turns()
        return MemoryCopy(self._runtime, target._runtime, progress).run()

    def migrate_end_summaries(
        self,
        file: str | Path,
        scope: Scope | None = None,
        *,
        workspace: str = "default",
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Migrated:
        """Import the entries of an old list, as events at their own times.

        `scope` is for entries that do not say whose they are; those that do go where they belong,
        in its workspace, or in `workspace` without a scope. Safe to repeat: an entry that was
        imported before is left as it is. Rules rewrite the text: no model is asked.
        """
        return self._migration.migrate(file, scope, workspace, dry_run, progress)


def export_scope(runtime: Runtime, scope: Scope | None, workspace: str | None) -> ExportScope:
    named = clean_id(workspace, "workspace")
    if workspace is not None and named is None:
        raise InputError("workspace is empty; leave it out for all of them")
    if scope is None:
        return ExportScope(named)
    runtime.check_scope(scope)
    if named is not None and named != scope.workspace:
        raise InputError(f"the scope is in {scope.workspace}, not in {named}; give one of them")
    return ExportScope(scope.workspace, scope.home)


def _workspace(name: str) -> str:
    found = clean_id(name, "a workspace in remap")
    if found is None:
        raise InputError("remap names an empty workspace; write it as {'old': 'new'}")
    return found


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise InputError(f"{name!r:.40} is no timezone; use one such as Asia/Shanghai") from None
