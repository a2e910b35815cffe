"""Redacts records on their way out of and into an export, and drops what cannot be stored (R1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..domain.text_terms import TextTerms
from ..errors import InputError
from ..exported import (
    ExportedCalls,
    ExportedJob,
    ExportedLink,
    ExportedMessage,
    ExportedOriginal,
    ExportedProfile,
    ExportedRecord,
    ExportedSession,
    Moved,
)
from ..knowledge.redacted_original import redacted_bytes
from ..language.redaction.assignments import is_sensitive_key
from ..language.redaction.redactor import Redactor
from ..language.text import well_formed
from ..ports.chat_message import with_texts
from ..types import Job, Record

MAX_DEPTH = 64


class ExportRedactor:
    """`trusting`: what today's rules have read already, as its stamp says, is not read again."""

    def __init__(self, redactor: Redactor, trusting: bool) -> None:
        self._redactor = redactor
        self._trusting = trusting

    def clean(self, item: Moved) -> Moved:
        text = self.text
        match item:
            case ExportedRecord():
                return self.record(item)
            case ExportedMessage():
                return replace(item, text=text(item.text), body=with_texts(item.body, text))
            case ExportedSession():
                pad = with_texts(item.scratchpad, text)
                return replace(item, summary=text(item.summary), scratchpad=pad)
            case ExportedCalls():
                return replace(item, last_error=text(item.last_error))
            case ExportedProfile():
                snapshots = tuple((name, text(page)) for name, page in item.snapshots)
                page = None if item.page is None else text(item.page)
                return replace(item, page=page, snapshots=snapshots)
            case ExportedJob():
                return replace(item, reason=text(item.reason), job=self.job(item.job))
            case ExportedOriginal():
                return replace(item, data=redacted_bytes(self._redactor, item.data))
            case ExportedLink():
                return item

    def _read(self, stamp: int) -> bool:
        return self._trusting and stamp == self._redactor.stamp

    def record(self, item: ExportedRecord) -> ExportedRecord:
        record = item.record
        if self._read(record.redaction):
            return item
        text = self.text(record.text)
        data = self._value(record.data, 0)
        cleaned = replace(record, text=text, data=data, redaction=self._redactor.stamp)
        # A vector is made of the text; of another text it says too much or the wrong thing.
        if text != record.text:
            return ExportedRecord(cleaned)
        return replace(item, record=cleaned)

    def record_alone(self, record: Record) -> Record:
        return self.record(ExportedRecord(record)).record

    def job(self, job: Job) -> Job:
        if self._read(job.redaction):
            return job
        text = self.text
        return replace(
            job,
            action_summary=text(job.action_summary),
            new_info=tuple(map(text, job.new_info)),
            source_message=text(job.source_message),
            recent_messages=tuple({**m, "text": text(m["text"])} for m in job.recent_messages),
            recalled=tuple(TextTerms.read(one).kept() for one in job.recalled),
            metadata=self._value(job.metadata, 0),
            redaction=self._redactor.stamp,
        )

    def text(self, text: str) -> str:
        return well_formed(self._redactor.text(text))

    def _value(self, value: Any, depth: int) -> Any:
        """Like the redactor's own walk, but without its limits: what is stored comes whole."""
        if depth > MAX_DEPTH:
            raise InputError(f"data is nested deeper than {MAX_DEPTH}; flatten it")
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return dict(self._pair(key, inner, depth) for key, inner in value.items())
        if isinstance(value, (list, tuple)):
            return [self._value(inner, depth + 1) for inner in value]
        return value

    def _pair(self, key: str, value: Any, depth: int) -> tuple[str, Any]:
        """A value is judged with its key: a password is one by its name."""
        if isinstance(value, (Mapping, list, tuple)) and not is_sensitive_key(key):
            return self.text(key), self._value(value, depth + 1)
        judged = self._redactor.value({key: value})
        assert isinstance(judged, dict)
        ((name, shown),) = judged.items()
        return well_formed(name), well_formed(shown) if isinstance(shown, str) else shown
