"""Rescan: stored texts are redacted again by today's rules, and written back without secrets.

Rules learn to find more; what was stored before is redacted whenever it is read, and a rescan
takes it off the disk. It goes on where it was left: a record carries the stamp of the rules that
have read it, and records come last.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ..domain.facts import lock_name
from ..errors import CorruptError, InputError, StorageError
from ..exported import ExportScope, Rescanned
from ..ingest.background import BackgroundTasks
from ..knowledge.originals import Originals
from ..knowledge.redacted_original import rescan_originals
from ..legacy.end_summaries import EndSummaries
from ..runtime import Runtime
from ..transfer.observation_archive import ObservationArchive
from ..transfer.progress import Progress, unwatched
from ..transfer.redact import ExportRedactor
from ..types import Job

log = logging.getLogger("taishi.rescan")
RECORDS_AT_ONCE = 200


@dataclass(slots=True)
class _Tally:
    looked: int = 0
    records: int = 0
    texts: int = 0
    pages: int = 0
    jobs: int = 0
    left: tuple[str, ...] = ()

    def result(self) -> Rescanned:
        return Rescanned(
            self.looked, self.records, self.texts, self.pages, self.jobs, tuple(self.left)
        )


class RescanService:
    def __init__(
        self,
        runtime: Runtime,
        background: BackgroundTasks,
        legacy: EndSummaries,
        archive: ObservationArchive,
    ) -> None:
        self._archive = archive
        self._runtime = runtime
        parts = runtime.parts
        self._store, self._queue, self._pages = parts.store, parts.queue, parts.pages
        self._locks = parts.locks
        self._background = background
        self._legacy = legacy

    def rescan(self, progress: Progress) -> Rescanned:
        """Read everything that is stored by today's redaction rules and take what they find off
        the disk: records, pages with their snapshots, jobs, messages.

        A process that keeps running does this by itself where it is due. Safe to repeat.
        """
        self._runtime.check_open()
        self._background.store_all_turns()
        tally = _Tally()
        for _ in self._rescan_steps(tally, progress, "python"):
            pass
        return tally.result()

    def rescan_if_due(self) -> None:
        """In the background, a piece at a time, so that other tasks have their turn."""
        if self._store.rescan.is_due(self._runtime.redactor.stamp):
            steps = self._rescan_steps(_Tally(), unwatched, "upkeep")
            self._background.submit(lambda: self._rescan_next(steps))

    def _rescan_next(self, steps: Iterator[None]) -> None:
        for _ in steps:
            self._background.submit(lambda: self._rescan_next(steps))
            return

    def _rescan_steps(self, tally: _Tally, progress: Progress, door: str) -> Iterator[None]:
        cleaner = ExportRedactor(self._runtime.redactor, trusting=True)
        total = self._store.rescan.waiting(self._runtime.redactor.stamp)
        progress(0, total)
        tally.jobs = len(self._queue.transfer.rewrite(_other(cleaner.job), cleaner.text))
        yield
        tally.texts = self._store.rescan.other_texts(cleaner.text)
        tally.texts += self._legacy.rewrite(cleaner.text)
        tally.texts += self._archive.rewrite(cleaner.record_alone)
        yield
        for _ in self._rescan_pages(tally, cleaner):
            yield
        for place, _ in self._store.places():
            after = 0
            while True:
                with self._locks.hold(lock_name(place)):
                    looked = self._store.rescan.records(
                        place,
                        self._runtime.redactor.stamp,
                        after,
                        RECORDS_AT_ONCE,
                        cleaner.record_alone,
                    )
                after = looked.last
                tally.looked += looked.records
                tally.records += looked.changed
                progress(tally.looked, max(total, tally.looked))
                if looked.records < RECORDS_AT_ONCE:
                    break
                yield
        for _ in self._rescan_originals(tally):
            yield
        self._rescanned(tally.result(), door)

    def _rescan_originals(self, tally: _Tally) -> Iterator[None]:
        parts, redactor = self._runtime.parts, self._runtime.redactor
        originals = Originals(parts.originals)
        for place, _ in self._store.places():
            for changed in rescan_originals(self._store, originals, parts.reader, redactor, place):
                tally.texts += changed
                yield

    def _rescan_pages(self, tally: _Tally, cleaner: ExportRedactor) -> Iterator[None]:
        pages = self._pages
        for entity in pages.entities(ExportScope()):
            try:
                tally.pages += pages.rewrite(entity, cleaner.text)
            except (CorruptError, StorageError, InputError) as error:
                log.warning("%s was not read again: %s", entity, error)
                tally.left = (*tally.left, f"{entity.entity_type}:{entity.entity_id}: {error}")
            yield

    def _rescanned(self, done: Rescanned, door: str) -> None:
        if not done.changed:
            return
        self._background.forget_embedded()
        self._runtime.text_caches.clear()
        self._store.erasure.compact()
        row = (self._runtime.clock(), "", door, "rescan", "", "", done.changed)
        self._store.deletions.add(row, ())
        self._background.wake_embedding()
        log.info(
            "read again by newer redaction rules: %d records, of which %d changed; %d other texts, "
            "%d pages and %d jobs changed",
            done.looked,
            done.records,
            done.texts,
            done.pages,
            done.jobs,
        )


def _other(change: Callable[[Job], Job]) -> Callable[[Job], Job | None]:
    """None for a job whose words stay: it need not be written."""

    def changed(job: Job) -> Job | None:
        new = change(job)
        return None if replace(new, redaction=job.redaction) == job else new

    return changed
