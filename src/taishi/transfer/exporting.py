"""An export on its way: everything in one order, redacted by the rules in force (O2)."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator

from ..errors import InputError
from ..exported import ExportedOriginal, ExportedProfile, ExportedRecord, ExportScope, Moved
from ..knowledge.originals import Originals, is_kept, name_of, place_of_files
from ..recall.vector_codec import decode
from ..runtime import Runtime
from ..types import Record
from .format import MAX_LINE_CHARS, End, Header, Line, type_of
from .redact import ExportRedactor

log = logging.getLogger("taishi.transfer")
MAX_ORIGINAL_BYTES = MAX_LINE_CHARS * 3 // 4 - 1000  # in base64


class ExportRun:
    """The order does not depend on the engine: partitions and pages by name, what is in them in the
    order it was stored."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        parts = runtime.parts
        self._store, self._queue, self._pages = parts.store, parts.queue, parts.pages

    def items(self, extent: ExportScope, vectors: bool) -> Iterator[Line]:
        """A header, every item, an end, read as they are taken."""
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
            yield Header(self._runtime.clock(), model, vectors, str(extent), counts)
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
                        yield cleaned
                        if isinstance(cleaned, ExportedRecord) and is_kept(cleaned.record):
                            documents.append(cleaned.record)
        for original in self._originals(documents, cleaner):
            if isinstance(original, str):
                left_out.append(original)
            else:
                sent[type_of(original)] += 1
                yield original
        yield End(dict(sent), tuple(left_out))

    def _originals(
        self, documents: Iterable[Record], cleaner: ExportRedactor
    ) -> Iterator[Moved | str]:
        originals = Originals(self._runtime.parts.originals)
        for record in documents:
            data = originals.get(record.place, record.id)
            if data is None:
                where = place_of_files(self._runtime.parts.originals)
                yield f"the file of the document {name_of(record)}: not in {where}"
            elif len(data) > MAX_ORIGINAL_BYTES:
                yield f"the file of the document {name_of(record)}: too large for a line"
            else:
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
