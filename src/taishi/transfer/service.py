"""`memory.transfer`: a memory as a whole, out, in and copied (O2)."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ..domain.deletion_marks import Marks, copied
from ..errors import InputError
from ..exported import (
    Backup,
    ExportedJob,
    ExportedOriginal,
    ExportedProfile,
    ExportedRecord,
    ExportScope,
    Imported,
    Moved,
)
from ..ingest.background import BackgroundTasks
from ..ingest.historian_threads import HistorianThreads
from ..ingest.request_numbers import RequestNumbers
from ..knowledge.originals import Originals, is_kept
from ..legacy.migrate import Migrated, MigrationService
from ..recall.vector_codec import decode
from ..runtime import Runtime
from ..types import Record, Scope, clean_id
from .format import MAX_LINE_CHARS, End, Header, type_of, write_line
from .importing import ImportRun
from .progress import Progress, unwatched
from .redact import ExportRedactor
from .staging import StagedImport, bounded, remapped

log = logging.getLogger("taishi.transfer")
MAX_ORIGINAL_BYTES = MAX_LINE_CHARS * 3 // 4 - 1000  # in base64


class TransferService:
    def __init__(
        self,
        runtime: Runtime,
        background: BackgroundTasks,
        threads: HistorianThreads,
        numbers: RequestNumbers,
        migration: MigrationService,
    ) -> None:
        self._runtime = runtime
        self._migration = migration
        parts = runtime.parts
        self._store, self._queue, self._pages = parts.store, parts.queue, parts.pages
        self._background = background
        self._threads = threads
        self._numbers = numbers

    # -- out ---------------------------------------------------------------------------------

    def export(
        self, scope: Scope | None = None, *, workspace: str | None = None, vectors: bool = False
    ) -> Iterator[str]:
        """All there is, as lines of JSON (docs/reference/export-format.md), read as they are taken.

        With `workspace`, only that one; with a scope, only its own place. `vectors` come along
        if asked for; without them they are made again where the lines come in.
        """
        self._runtime.check_open()
        extent = export_scope(self._runtime, scope, workspace)
        self._background.store_all_turns()  # what was accepted is to be among the records
        return self._lines(extent, vectors)

    def _lines(self, extent: ExportScope, vectors: bool) -> Iterator[str]:
        # Jobs first: one that is done meanwhile is then in both, which does no harm, or else it
        # would be in neither.
        waiting, left_out = self._queue.transfer.jobs()
        jobs = [one for one in waiting if extent.holds(one.job.scope.home)]
        if extent != ExportScope():
            left_out = []  # files that cannot be read are nobody's in particular
        pages = self._pages
        entities = pages.entities(extent)
        model = self._runtime.embedder.name if self._runtime.embedder is not None else None
        cleaner = ExportRedactor(self._runtime.redactor, trusting=True)
        sent: Counter[str] = Counter()
        documents: list[Record] = []
        with self._store.transfer.look(extent, model if vectors else None) as look:
            counts = {**look.counts(), "profile": len(entities), "job": len(jobs)}
            yield write_line(Header(self._runtime.clock(), model, vectors, str(extent), counts))
            parts: tuple[Iterable[Moved | str], ...] = (
                look.records(),
                look.messages(),
                look.sessions(),
                look.links(),
                look.ledger(),
                pages.pages(entities),
                jobs,
            )
            for part in parts:
                for item in part:
                    cleaned = item if isinstance(item, str) else self._outgoing(item, cleaner)
                    if isinstance(cleaned, str):
                        log.warning("left out of the export: %s", cleaned)
                        left_out.append(cleaned)
                    else:
                        sent[type_of(cleaned)] += 1
                        yield write_line(cleaned)
                        if isinstance(cleaned, ExportedRecord) and is_kept(cleaned.record):
                            documents.append(cleaned.record)
        for original in self._originals(documents, cleaner):
            if isinstance(original, str):
                left_out.append(original)
            else:
                sent[type_of(original)] += 1
                yield write_line(original)
        yield write_line(End(dict(sent), tuple(left_out)))

    def _originals(
        self, documents: Iterable[Record], cleaner: ExportRedactor
    ) -> Iterator[Moved | str]:
        originals = Originals(self._runtime.parts.originals)
        for record in documents:
            data = originals.get(record.place, record.id)
            if data is not None and len(data) > MAX_ORIGINAL_BYTES:
                name = str(record.data.get("name"))
                yield f"the file of the document {name[:80]}: too large for a line"
            elif data is not None:
                yield cleaner.clean(ExportedOriginal(record.place, record.id, data))

    def _outgoing(self, item: Moved, cleaner: ExportRedactor) -> Moved | str:
        if isinstance(item, ExportedRecord) and item.stored:
            vector = decode(item.stored).astype("<f4")
            item = ExportedRecord(item.record, vector.tobytes())
        cleaned = cleaner.clean(item)
        if isinstance(cleaned, ExportedProfile) and cleaned != item:
            try:
                self._pages.check(cleaned)
            except InputError as error:
                return f"profile {cleaned.entity_type}:{cleaned.entity_id}: {error}"
        return cleaned

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
        """Take in the lines of an export. All are checked before the first is written, and taking
        them in twice is like once, so that after a crash it is simply done again.

        With `workspace` or a scope, a line that belongs anywhere else is an error. `remap` says
        what workspaces become: `{"old": "new"}`. What is here already in another form is kept,
        or with `replace` overwritten. `skip_bad` leaves wrong lines out instead of refusing all.
        What was forgotten here since is left out, or with `even_forgotten` taken in again, and
        that is recorded among the `deletions`.
        """
        self._runtime.check_open()
        extent = export_scope(self._runtime, scope, workspace)
        workspaces = {_workspace(old): _workspace(new) for old, new in (remap or {}).items()}
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
        if run.brought_back and not dry_run:
            row = (self._runtime.clock(), "", "import", "import", "", "", -run.brought_back)
            self._store.deletions.add(row, ())
        if not dry_run:
            self._background.wake_embedding()
            self._take_up(run.new_jobs)
        return Imported(**outcomes, bad=tuple(checked.bad), dry_run=dry_run)

    def _take_up(self, jobs: Iterable[ExportedJob]) -> None:
        """What open() does with jobs that it finds: they can be read at once, and are worked."""
        for moved in jobs:
            self._numbers.count(moved.job)
            self._background.land(moved.job)
        self._threads.wake()

    # -- a copy ------------------------------------------------------------------------------

    def backup(self, target: str | Path) -> Backup:
        """Copy the whole data folder, in use or not, to a new folder; open that to restore it.

        Nothing is under that name until the copy is whole and checked.
        """
        self._runtime.check_open()
        self._background.store_all_turns()
        return self._runtime.parts.copy_to(Path(target).expanduser().absolute())

    def migrate_end_summaries(
        self,
        file: str | Path,
        scope: Scope | None = None,
        *,
        workspace: str = "default",
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Migrated:
        """Bring the entries of an old list in, as events at their own times.

        `scope` is for entries that do not say whose they are; those that do go where they belong,
        in its workspace, or in `workspace` where no scope is given. An entry that was brought in
        before is left as it is, so a run that was interrupted is simply run again. Rules rewrite
        the text: no model is asked.
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
