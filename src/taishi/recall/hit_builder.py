"""Records and profile pages as they are shown to a caller: redacted, without private fields."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, tzinfo

from ..domain import corrections
from ..domain.citations import citation
from ..domain.event_evidence import RETAINED
from ..domain.profile_records import KEPT_BACK as PROFILE_FIELDS
from ..domain.profile_records import heading_chars
from ..language.passages import cut
from ..language.redaction.redactor import Redactor, redacted_kinds
from ..times import to_datetime
from ..transfer.redact import ExportRedactor
from ..types import Hit, Passage, Profile, Record
from .excerpts import Passages

QUOTE = "quote"
NO_PASSAGES: Passages = {}
NOTE_FIELDS = frozenset({"note", "earlier_notes"})  # of a document that is a note
HIDDEN_FIELDS = PROFILE_FIELDS | {RETAINED}  # of a record's data
HISTORY = ("event", "turn", "summary")
CACHED_PAGES = 64


class HitBuilder:
    """A record that today's redaction rules have not read is redacted on the way out (R1)."""

    def __init__(self, redactor: Redactor, zone: tzinfo) -> None:
        self._redactor = redactor
        self._zone = zone
        self._lock = threading.Lock()
        self._pages: OrderedDict[str, str] = OrderedDict()  # bodies as on disk → redacted

    def hit(self, record: Record, score: float, passages: Passages = NO_PASSAGES) -> Hit:
        stored, record = record, self.record(record)
        data = {
            **{key: value for key, value in record.data.items() if key not in HIDDEN_FIELDS},
            "user": record.user,
            "session": record.session,
            "state": record.state,
            "confidence": record.confidence,
            "place": str(record.place),
        }
        if record.kind == "document":
            data = {key: value for key, value in data.items() if key not in NOTE_FIELDS}
        if record.kind in ("chunk", "document") and (where := citation(data)):
            data["citation"] = where
        before_page = heading_chars(record)
        text = record.text[before_page:]
        if record.kind in HISTORY:  # history stays, with what became of it
            text = corrections.with_note(text, data)
        return Hit(
            record.id,
            text,
            score,
            record.kind,
            None if record.time is None else self._time(record.time),
            record.speaker,
            record.source,
            data,
            _from(before_page, self.passage(stored, passages)),
            created=self._time(record.created),
            updated=self._time(record.updated or record.created),
            expires=None if record.expires is None else self._time(record.expires),
            redacted=redacted_kinds(record.text, record.speaker, record.data),
        )

    def _time(self, epoch: float) -> datetime:
        return to_datetime(epoch, self._zone)

    def passage(self, record: Record, passages: Passages) -> Passage | None:
        """Where it is in the text as it is shown: redaction may have made that shorter."""
        found = passages.get((record.place, record.id)) if passages else None
        if found is None or (text := self.text(record)) == record.text:
            return found
        return next((one for one in reversed(cut(text)) if one.start <= found.start), None)

    def record(self, record: Record) -> Record:
        """As today's rules leave it; its data, too, if other rules have read it."""
        if record.redaction == self._redactor.stamp:
            return record
        if record.redaction == 0:  # learned: besides its text, only its quote is anybody's words
            data = dict(record.data)
            data |= {QUOTE: self._redactor.text(str(data[QUOTE] or ""))} if QUOTE in data else {}
            return replace(record, text=self.text(record), data=data)
        return ExportRedactor(self._redactor, trusting=True).record_alone(record)

    def text(self, record: Record) -> str:
        is_current = record.redaction == self._redactor.stamp
        return record.text if is_current else self._redactor.text(record.text)

    def page(self, page: Profile) -> Profile:
        """A person may have typed anything into the file. A page is redacted whole, because a key
        may go over several lines; once for each version."""
        with self._lock:
            body = self._pages.get(page.body)
        if body is None:
            body = self._redactor.text(page.body)
            with self._lock:
                self._pages[page.body] = body
                if len(self._pages) > CACHED_PAGES:
                    self._pages.popitem(last=False)
        return page if body == page.body else replace(page, body=body)

    def cached_texts(self) -> Iterable[str]:
        with self._lock:
            return list(self._pages)

    def clear_text(self) -> None:
        with self._lock:
            self._pages.clear()


def _from(start: int, passage: Passage | None) -> Passage | None:
    """A passage of a text of which only what comes after `start` is shown."""
    if passage is None or not start:
        return passage
    return Passage(max(passage.start - start, 0), max(passage.end - start, 0))
