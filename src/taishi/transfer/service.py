"""The verbs that move a memory as a whole: export, import, back-up, new vectors (O2)."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace as changed
from pathlib import Path

import numpy as np

from ..domain.deletion_marks import Marks, copied
from ..domain.facts import lock_name
from ..domain.rejections import HISTORY, RejectedStatements, rejected_in
from ..errors import InputError, ModelMissingError
from ..exported import (
    Backup,
    ExportedJob,
    ExportedProfile,
    ExportedRecord,
    ExportScope,
    Imported,
    Moved,
)
from ..ports import Outcome, Row
from ..recall.int8_matrix import decode, encode
from ..runtime import Core
from ..types import Partition, Record, Scope, clean_id
from .format import End, Header, type_of, write_line
from .redact import ExportRedactor
from .staging import StagedImport, bounded, place_of, remapped

log = logging.getLogger("taishi.moving")
BATCH = 500
UNIT_ERROR = 0.01
UNITS = ("fact", "note", "short_term", "procedure")  # what says that something is so

Progress = Callable[[int, int], None]


def _unseen(done: int, total: int) -> None:
    """Nobody watches."""


class Moving(Core):
    # -- out ---------------------------------------------------------------------------------

    def export(
        self, scope: Scope | None = None, *, workspace: str | None = None, vectors: bool = False
    ) -> Iterator[str]:
        """All there is, as lines of JSON (docs/reference/export-format.md), read as they are taken.

        With `workspace`, only that one; with a scope, only its own place. `vectors` come along
        if asked for; without them they are made again where the lines come in.
        """
        self._check_open()
        extent = self._extent(scope, workspace)
        while self._keeper.land_some():  # what was accepted is to be among the records
            pass
        return self._lines(extent, vectors)

    def _lines(self, extent: ExportScope, vectors: bool) -> Iterator[str]:
        # Jobs first: one that is done meanwhile is then in both, which does no harm, or else it
        # would be in neither.
        waiting, left_out = self._parts.queue.transfer.jobs()
        jobs = [one for one in waiting if extent.holds(one.job.scope.home)]
        if extent != ExportScope():
            left_out = []  # files that cannot be read are nobody's in particular
        pages = self._parts.pages
        entities = pages.entities(extent)
        model = self._embedder.name if self._embedder is not None else None
        cleaner = ExportRedactor(self._redactor, trusting=True)
        sent: Counter[str] = Counter()
        with self._parts.store.transfer.look(extent, model if vectors else None) as look:
            counts = {**look.counts(), "profile": len(entities), "job": len(jobs)}
            yield write_line(Header(self._clock(), model, vectors, str(extent), counts))
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
        yield write_line(End(dict(sent), tuple(left_out)))

    def _outgoing(self, item: Moved, cleaner: ExportRedactor) -> Moved | str:
        if isinstance(item, ExportedRecord) and item.stored and self._embedder is not None:
            width = sum(self._embedder.blocks)
            vector = decode(item.stored, width).astype("<f4")
            item = ExportedRecord(item.record, vector.tobytes())
        cleaned = cleaner.clean(item)
        if isinstance(cleaned, ExportedProfile) and cleaned != item:
            try:
                self._parts.pages.check(cleaned)
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
        progress: Progress = _unseen,
    ) -> Imported:
        """Take in the lines of an export. All are checked before the first is written, and taking
        them in twice is like once, so that after a crash it is simply done again.

        With `workspace` or a scope, a line that belongs anywhere else is an error. `remap` says
        what workspaces become: `{"old": "new"}`. What is here already in another form is kept,
        or with `replace` overwritten. `skip_bad` leaves wrong lines out instead of refusing all.
        What was forgotten here since is left out, or with `even_forgotten` taken in again, and
        that is recorded among the `deletions`.
        """
        self._check_open()
        extent = self._extent(scope, workspace)
        workspaces = {_workspace(old): _workspace(new) for old, new in (remap or {}).items()}
        cleaner = ExportRedactor(self._redactor, trusting=False)

        marks = Marks(self._parts.store.deletions.key())

        def prepare(item: Moved) -> Moved:
            there = copied(item, remapped(item, workspaces), marks)
            cleaned = cleaner.clean(bounded(there, extent))
            if isinstance(cleaned, ExportedProfile):
                self._parts.pages.check(cleaned)
            return cleaned

        with StagedImport(lines, prepare, skip_bad) as checked:
            taking = _Taking(self, checked, replace, dry_run, even_forgotten, workspaces, progress)
            outcomes = taking.run()
        if taking.brought_back and not dry_run:
            row = (self._clock(), "", "import", "import", "", "", -taking.brought_back)
            self._parts.store.deletions.add(row, ())
        if not dry_run:
            self._keeper.wake_embedding()
            self._take_up(taking.new_jobs)
        return Imported(**outcomes, bad=tuple(checked.bad), dry_run=dry_run)

    def _take_up(self, jobs: Iterable[ExportedJob]) -> None:
        """What open() does with jobs that it finds: they can be read at once, and are worked."""
        for moved in jobs:
            job = moved.job
            key = (job.scope.home, job.request_id)
            with self._lock:
                self._requests[key] = max(job.end_seq, self._requests.get(key, 0))
            self._keeper.land(job)
        for loop in self._workers:
            loop.wake()

    def _take_rows(
        self, rows: list[Row], model: str | None, replace: bool, dry: bool
    ) -> list[Outcome]:
        with ExitStack() as held:
            if replace and not dry:  # the historian reads, thinks and writes under this lock
                places = {place for row in rows if (place := place_of(row)) is not None}
                for place in sorted(places):
                    held.enter_context(self._parts.locks.hold(lock_name(place)))
            return self._parts.store.transfer.take_in(rows, overwrite=replace, model=model, dry=dry)

    def _take_job(self, moved: ExportedJob, dry: bool) -> Outcome:
        job = moved.job
        done = self._parts.store.get(job.scope.home, job.event_id)
        if done is not None and done.kind == "event" and done.owner == job.job_id:
            return "same"
        return self._parts.queue.transfer.take_in(moved, dry)

    # -- a copy ------------------------------------------------------------------------------

    def backup(self, target: str | Path) -> Backup:
        """Copy the whole data folder, in use or not, to a new folder; open that to restore it.

        Nothing is under that name until the copy is whole and checked.
        """
        self._check_open()
        while self._keeper.land_some():
            pass
        return self._parts.copy_to(Path(target).expanduser().absolute())

    # -- vectors -----------------------------------------------------------------------------

    def reembed(self) -> int:
        """Make every vector anew, in the background; how many texts wait. Words find them
        meanwhile."""
        self._check_open()
        if self._embedder is None:
            raise ModelMissingError(
                f"there is no embedder to do it ({self._parts.embedder_note}); the old vectors "
                "were kept. `taishi doctor` says what is missing"
            )
        self._embedder.clear()  # or it would answer from what it remembers
        waiting = self._parts.store.void_vectors()
        self._keeper.wake_embedding()
        return waiting

    def _extent(self, scope: Scope | None, workspace: str | None) -> ExportScope:
        named = clean_id(workspace, "workspace")
        if workspace is not None and named is None:
            raise InputError("workspace is empty; leave it out for all of them")
        if scope is None:
            return ExportScope(named)
        self._check_scope(scope)
        if named is not None and named != scope.workspace:
            raise InputError(f"the scope is in {scope.workspace}, not in {named}; give one of them")
        return ExportScope(scope.workspace, scope.home)


class _Taking:
    """One import on its way: rows in batches, pages and jobs one by one."""

    def __init__(
        self,
        memory: Moving,
        checked: StagedImport,
        replace: bool,
        dry: bool,
        even_forgotten: bool,
        workspaces: Mapping[str, str],
        progress: Progress,
    ) -> None:
        self._memory = memory
        self._checked = checked
        self._replace = replace
        self._dry = dry
        self._progress = progress
        self._rows: list[Row] = []
        self._model = self._usable_model()
        self._blocks = memory._embedder.blocks if memory._embedder else ()
        self._outcomes: dict[Outcome, Counter[str]] = {
            "added": Counter(),
            "same": Counter(),
            "kept": Counter(),
            "replaced": Counter(),
            "forgotten": Counter(),
        }
        self._even_forgotten = even_forgotten
        self._marks = Marks(memory._parts.store.deletions.key())
        self._forgotten = memory._forgotten()
        # Each way, from where it is put to where it was: there it may have been deleted.
        self._origins = [{}, *({new: old} for old, new in workspaces.items() if new != old)]
        self._rejected: dict[Partition, RejectedStatements] = {}
        self.brought_back = 0
        self.new_jobs: list[ExportedJob] = []

    def _usable_model(self) -> str | None:
        """Vectors of another model cannot be compared with ours: they are made anew."""
        header, embedder = self._checked.header, self._memory._embedder
        if header is None or embedder is None or header.embedder != embedder.name:
            return None
        return embedder.name

    def run(self) -> dict[Outcome, Mapping[str, int]]:
        for done, item in enumerate(self._checked.items(), 1):
            self._take(item)
            if done % BATCH == 0:
                self._progress(done, self._checked.count)
        self._flush()
        self._progress(self._checked.count, self._checked.count)
        return {outcome: dict(counted) for outcome, counted in self._outcomes.items()}

    def _take(self, item: Moved) -> None:
        memory = self._memory
        if self._is_forgotten(item):
            if not self._even_forgotten:
                self._count(item, "forgotten")
                return
            self.brought_back += 1
        left = item if self._even_forgotten else self._left(item)
        if left is None:
            self._count(item, "forgotten")
            return
        item = left
        if isinstance(item, ExportedProfile):
            self._flush()
            pages = memory._parts.pages
            self._count(item, pages.take_in(item, overwrite=self._replace, dry=self._dry))
        elif isinstance(item, ExportedJob):
            self._flush()
            job = changed(item.job, redaction=memory._redactor.stamp)
            moved = changed(item, job=job)
            outcome = memory._take_job(moved, self._dry)
            self._count(moved, outcome)
            if outcome == "added" and not moved.failed:
                self.new_jobs.append(moved)
        else:
            if isinstance(item, ExportedRecord):
                if self._is_rejected(item.record):
                    self._count(item, "kept")
                    return
                record = changed(item.record, redaction=memory._redactor.stamp)
                if record.kind in HISTORY:
                    record = self._rejected_in(record.place).with_notes(record)
                item = ExportedRecord(record, stored=stored_vector(item.vector, self._blocks))
            self._rows.append(item)
            if len(self._rows) >= BATCH:
                self._flush()

    def _is_rejected(self, record: Record) -> bool:
        """Whether a person said here that it is not so: a file from before does not change that."""
        if record.kind not in UNITS or record.state == "rejected":
            return False
        return self._rejected_in(record.place).saying(record.text) is not None

    def _rejected_in(self, place: Partition) -> RejectedStatements:
        if place not in self._rejected:
            self._rejected[place] = rejected_in(self._memory._parts.store, place)
        return self._rejected[place]

    def _is_forgotten(self, item: Moved) -> bool:
        """Whether it was here before somebody had it deleted."""
        there = (remapped(item, origin) for origin in self._origins)
        dated = [one for form in there for one in self._marks.of_item(form)]
        since = self._memory._parts.store.deletions.times([one.mark for one in dated])
        return any(
            one.mark in since and (one.time is None or one.time <= since[one.mark]) for one in dated
        )

    def _left(self, item: Moved) -> Moved | None:
        """The item without what was deleted of it, here or where it was."""
        left: Moved | None = item
        for origin in self._origins:
            if left is not None:
                left = self._forgotten.item(remapped(left, origin))
            if left is not None:
                left = remapped(left, {old: new for new, old in origin.items()})
        return left

    def _flush(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            taken = self._memory._take_rows(rows, self._model, self._replace, self._dry)
            for row, outcome in zip(rows, taken, strict=True):
                self._count(row, outcome)

    def _count(self, item: Moved, outcome: Outcome) -> None:
        self._outcomes[outcome][type_of(item)] += 1


def stored_vector(data: bytes | None, blocks: Sequence[int]) -> bytes | None:
    """A vector of a line as the store keeps it; None if it is none of this width and length 1."""
    if data is None or not blocks or len(data) != 4 * sum(blocks):
        return None
    vector = np.frombuffer(data, "<f4").astype(np.float32)
    if not np.isfinite(vector).all() or abs(float(np.linalg.norm(vector)) - 1) > UNIT_ERROR:
        return None
    return encode(vector, blocks)


def _workspace(name: str) -> str:
    found = clean_id(name, "a workspace in remap")
    if found is None:
        raise InputError("remap names an empty workspace; write it as {'old': 'new'}")
    return found
