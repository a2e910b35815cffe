"""One import on its way: rows in batches, pages and jobs one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace as changed
from typing import Protocol

import numpy as np

from ..domain.deletion_marks import Marks
from ..domain.facts import lock_name
from ..domain.rejections import HISTORY, RejectedStatements, rejected_in
from ..exported import ExportedJob, ExportedOriginal, ExportedProfile, ExportedRecord, Moved
from ..knowledge.originals import Originals, is_kept
from ..ports import Outcome, Row
from ..recall.vector_codec import encode
from ..runtime import Runtime
from ..types import Partition, Record
from .format import Header, type_of
from .progress import Progress
from .staging import place_of, remapped

BATCH = 500
UNIT_ERROR = 0.01
UNITS = ("fact", "note", "short_term", "procedure")  # what says that something is so


class Items(Protocol):
    """What is to be taken in: a staged file, or a stream from another memory."""

    header: Header | None
    count: int

    def items(self) -> Iterator[Moved]: ...


class ImportRun:
    def __init__(
        self,
        runtime: Runtime,
        staged: Items,
        replace: bool,
        dry: bool,
        even_forgotten: bool,
        workspaces: Mapping[str, str],
        progress: Progress,
    ) -> None:
        self._runtime = runtime
        parts = runtime.parts
        self._store, self._queue, self._pages = parts.store, parts.queue, parts.pages
        self._locks = parts.locks
        self._staged = staged
        self._replace = replace
        self._dry = dry
        self._progress = progress
        self._rows: list[Row] = []
        self._model = self._usable_model()
        self._dimensions = runtime.embedder.dimensions if runtime.embedder else 0
        self._outcomes: dict[Outcome, Counter[str]] = {
            "added": Counter(),
            "same": Counter(),
            "kept": Counter(),
            "replaced": Counter(),
            "forgotten": Counter(),
        }
        self._even_forgotten = even_forgotten
        self._marks = Marks(self._store.deletions.key())
        self._forgotten = runtime.forgotten()
        # Each way, from where it is put to where it was: there it may have been deleted.
        self._origins = [{}, *({new: old} for old, new in workspaces.items() if new != old)]
        self._rejected: dict[Partition, RejectedStatements] = {}
        self.brought_back = 0
        self.new_jobs: list[ExportedJob] = []

    def _usable_model(self) -> str | None:
        """Vectors of another model cannot be compared with ours: they are computed again."""
        header, embedder = self._staged.header, self._runtime.embedder
        if header is None or embedder is None or header.embedder != embedder.name:
            return None
        return embedder.name

    def run(self) -> dict[Outcome, Mapping[str, int]]:
        for done, item in enumerate(self._staged.items(), 1):
            self._take(item)
            if done % BATCH == 0:
                self._progress(done, self._staged.count)
        self._flush()
        self._progress(self._staged.count, self._staged.count)
        return {outcome: dict(counted) for outcome, counted in self._outcomes.items()}

    def record_brought_back(self) -> None:
        """What was forgotten and is here again stands in the log of deletions."""
        if self.brought_back:
            row = (self._runtime.clock(), "", "import", "import", "", "", -self.brought_back)
            self._store.deletions.add(row, ())

    def _take(self, item: Moved) -> None:
        stamp = self._runtime.redactor.stamp
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
            self._count(item, self._pages.take_in(item, overwrite=self._replace, dry=self._dry))
        elif isinstance(item, ExportedOriginal):
            self._flush()
            self._count(item, self._take_original(item))
        elif isinstance(item, ExportedJob):
            self._flush()
            job = changed(item.job, redaction=stamp)
            moved = changed(item, job=job)
            outcome = self._take_job(moved)
            self._count(moved, outcome)
            if outcome == "added" and not moved.failed:
                self.new_jobs.append(moved)
        else:
            if isinstance(item, ExportedRecord):
                if self._is_rejected(item.record):
                    self._count(item, "kept")
                    return
                record = self._noted(changed(item.record, redaction=stamp))
                item = ExportedRecord(record, stored=stored_vector(item.vector, self._dimensions))
            self._rows.append(item)
            if len(self._rows) >= BATCH:
                self._flush()

    def _noted(self, record: Record) -> Record:
        if record.kind in HISTORY:
            return self._rejected_in(record.place).with_notes(record)
        return record

    def _is_rejected(self, record: Record) -> bool:
        """Whether a person said here that it is not so: a file from before does not change that."""
        if record.kind not in UNITS or record.state == "rejected":
            return False
        return self._rejected_in(record.place).saying(record.text) is not None

    def _rejected_in(self, place: Partition) -> RejectedStatements:
        if place not in self._rejected:
            self._rejected[place] = rejected_in(self._store, place)
        return self._rejected[place]

    def _is_forgotten(self, item: Moved) -> bool:
        """Whether it was here before somebody had it deleted."""
        there = (remapped(item, origin) for origin in self._origins)
        dated = [one for form in there for one in self._marks.of_item(form)]
        since = self._store.deletions.times([one.mark for one in dated])
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
            taken = self._take_rows(rows)
            for row, outcome in zip(rows, taken, strict=True):
                self._count(row, outcome)

    def _count(self, item: Moved, outcome: Outcome) -> None:
        self._outcomes[outcome][type_of(item)] += 1

    def _take_rows(self, rows: list[Row]) -> list[Outcome]:
        with ExitStack() as held:
            if (
                self._replace and not self._dry
            ):  # the historian reads, thinks and writes under this lock
                places = {place for row in rows if (place := place_of(row)) is not None}
                for place in sorted(places):
                    held.enter_context(self._locks.hold(lock_name(place)))
            return self._store.transfer.take_in(
                rows, overwrite=self._replace, model=self._model, dry=self._dry
            )

    def _take_original(self, moved: ExportedOriginal) -> Outcome:
        """A file whose document is not here, as it was forgotten since, is not taken in."""
        originals = Originals(self._runtime.parts.originals)
        there = originals.get(moved.place, moved.document)
        if there is not None and (there == moved.data or not self._replace):
            return "same" if there == moved.data else "kept"
        manifest = self._store.get(moved.place, moved.document)
        if manifest is None or not is_kept(manifest):
            return "added" if self._dry else "forgotten"
        if not self._dry:
            originals.put(moved.place, moved.document, moved.data)
        return "added" if there is None else "replaced"

    def _take_job(self, moved: ExportedJob) -> Outcome:
        job = moved.job
        done = self._store.get(job.scope.home, job.event_id)
        if done is not None and done.kind == "event" and done.owner == job.job_id:
            return "same"
        return self._queue.transfer.take_in(moved, self._dry)


def stored_vector(data: bytes | None, dimensions: int) -> bytes | None:
    """A vector of a line as the store keeps it; None if it is none of this width and length 1."""
    if not data or len(data) != 4 * dimensions:
        return None
    vector = np.frombuffer(data, "<f4").astype(np.float32)
    if not np.isfinite(vector).all() or abs(float(np.linalg.norm(vector)) - 1) > UNIT_ERROR:
        return None
    return encode(vector)
