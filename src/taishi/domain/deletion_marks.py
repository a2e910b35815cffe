"""Records every deletion, with hashes by which deleted content is recognised later (O2).

The record says who, when, by which door, what kind of scope and how many, never the content: the
scope is a keyed hash, so that the id itself can be gone from every file. An import consults the
marks, so that an export taken before a deletion does not bring it back.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC
from typing import Any

from ..errors import TimeError
from ..exported import (
    ExportedJob,
    ExportedLink,
    ExportedMessage,
    ExportedProfile,
    ExportedRecord,
    ExportedSession,
    Moved,
)
from ..times import to_epoch
from ..types import Partition, Record, Scope
from .event_evidence import job_of, own_messages
from .profile_labels import labels_of
from .profile_owners import pages_of
from .text_identity import formerly_normal, normal, statement_key

COPIED = "copied_from"
MARK_BYTES = 16
SHORTEST = 6  # characters


@dataclass(frozen=True, slots=True)
class Dated:
    """A mark of something and when that was created; None if unknown."""

    mark: bytes
    time: float | None


class Marks:
    """Keyed hashes. The key never leaves the folder, so that ids cannot be guessed elsewhere."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def place(self, place: Partition) -> bytes:
        return self._mark("place", str(place))

    def user(self, workspace: str, user: str) -> bytes:
        return self._mark("user", workspace, user)

    def record(self, place: Partition, id: str) -> bytes:
        return self._mark("record", str(place), id)

    def statement(self, place: Partition, text: str) -> bytes:
        return self._mark("statement", str(place), statement_key(text))

    def _statements(self, place: Partition, text: str) -> Iterator[bytes]:
        """Also by the hash that earlier versions kept of it."""
        for words in dict.fromkeys((statement_key(text), formerly_normal(text))):
            yield self._mark("statement", str(place), words)

    def message(self, place: Partition, id: str) -> bytes:
        return self._mark("message", str(place), id)

    def label(self, place: Partition, text: str) -> bytes:
        """A name or tag of a page."""
        return self._mark("label", str(place), normal(text))

    def session(self, place: Partition, session: str) -> bytes:
        return self._mark("session", str(place), session)

    def of_deleted(self, record: Record) -> Iterator[bytes]:
        """The marks of one record: of its id, its text, and those of its turn and messages."""
        place = record.place
        yield self.record(place, record.id)
        yield self.statement(place, record.text)
        yield from (
            self.label(page.place, one) for page in pages_of(record) for one in labels_of(record)
        )
        if record.kind in ("event", "turn"):
            yield from (self.statement(place, one) for one in statements_of(record))
            for message in own_messages(record):
                yield from self._of_message(place, message)
            if record.session:
                yield self.session(place, record.session)

    def _of_message(self, place: Partition, message: Mapping[str, Any]) -> Iterator[bytes]:
        text = str(message.get("text") or "")
        if len(normal(text)) >= SHORTEST:  # "yes" is nobody's in particular
            yield self.statement(place, text)
        if message.get("id"):
            yield self.message(place, str(message["id"]))

    def of_scope(self, scope: Scope) -> list[bytes]:
        """The marks of a whole scope: its partition, and the person everywhere else."""
        home = scope.home
        found = [self.place(home)]
        if home.kind == "private":
            found.append(self.user(home.workspace, home.id))
        return found

    def of_item(self, item: Moved) -> Iterator[Dated]:
        """All marks under which an exported item may have been deleted."""
        if isinstance(item, ExportedRecord):
            record = item.record
            when = record.created or record.time
            yield from self._of(record.place, record.user, when)
            yield Dated(self.record(record.place, record.id), when)
            for mark in self._statements(record.place, record.text):
                yield Dated(mark, when)
            if record.kind == "summary" and record.session:
                yield Dated(self.session(record.place, record.session), record.time)
        elif isinstance(item, ExportedMessage):
            yield from self._of(item.place, item.speaker_id, item.time)
            yield Dated(self.statement(item.place, item.text), item.time)
            if item.id:
                yield Dated(self.message(item.place, item.id), None)
        elif isinstance(item, ExportedSession):
            made = item.last_summary or item.scratchpad_time
            yield from self._of(item.place, None, made)
            yield Dated(self.session(item.place, item.session), made)
        elif isinstance(item, ExportedJob):
            job = item.job
            yield from self._of(job.scope.home, job.sender_id or job.user_id, job.epoch)
            yield Dated(self.record(job.scope.home, job.event_id), job.epoch)
        elif isinstance(item, ExportedProfile):
            yield from self._of(item.place, None, _updated(item.page or ""))
        elif isinstance(item, ExportedLink):
            yield Dated(self.user(item.workspace, item.user), None)

    def _of(self, place: Partition, user: str | None, time: float | None) -> Iterator[Dated]:
        yield Dated(self.place(place), time)
        if user:
            yield Dated(self.user(place.workspace, user), time)

    def _mark(self, *parts: str) -> bytes:
        text = "\x1f".join(parts).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text, key=self._key, digest_size=MARK_BYTES).digest()


def copied(item: Moved, there: Moved, marks: Marks) -> Moved:
    """A record that an import puts into another workspace knows what it is a copy of, so that the
    deletion of the one reaches the other."""
    if not isinstance(item, ExportedRecord) or not isinstance(there, ExportedRecord):
        return there
    if item.record.place == there.record.place:
        return there
    mark = marks.record(item.record.place, item.record.id).hex()
    data = {**there.record.data, COPIED: mark}
    return replace(there, record=replace(there.record, data=data))


def statements_of(event: Record) -> list[str]:
    """What a turn told, sentence by sentence as it came; a raw turn has one a line."""
    job = job_of(event)
    told = list(job.new_info) or [job.action_summary]
    if event.kind == "turn":
        told += event.text.splitlines()
    return [one for one in told if len(normal(one)) >= SHORTEST]


def _updated(page: str) -> float | None:
    """When a page was last written, as its front matter says."""
    found = re.search(r"(?m)^updated_at: *['\"]?([0-9T:.+ Z-]{10,40})", page[:4000])
    try:
        return to_epoch(found[1].strip(), UTC) if found else None
    except TimeError:
        return None
