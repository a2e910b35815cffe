"""The legacy file `end_summaries.json`, maintained alongside the memory if configured (C3).

Other programs may read and write it: entries that are not ours are left alone.
"""

from __future__ import annotations

import json
import logging
import threading
from collections import deque
from collections.abc import Callable, Collection, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import Any

from ..disk.durable_io import write_durably
from ..errors import CorruptError, InputError, StorageError, TaishiError
from ..language.analyzer import terms
from ..ports import Locks
from ..types import EMPTY, Job, Partition, Record, Scope, VisiblePartition
from . import entries as entries
from .entries import Entry

log = logging.getLogger("taishi.legacy")
FILE = "end_summaries.json"
LOCK = "the old list of summaries"
# Only the newest entries are searched: reading must stay fast whatever the file's size.
MAX_SEARCHED = 2000


class EndSummaries:
    """The legacy list. Safe for several threads and processes; a write replaces the whole file."""

    def __init__(self, folder: Path, locks: Locks, keep: Callable[[], int], zone: tzinfo) -> None:
        self.file = folder / FILE
        self._locks = locks
        self._keep = keep
        self._zone = zone
        self._waiting: deque[Job] = deque()
        self._lock = threading.Lock()
        self._cached: tuple[tuple[int, ...], list[Entry]] = ((), [])

    def add_later(self, job: Job) -> None:
        """Written by the next `flush`; the job itself is durable elsewhere."""
        self._waiting.append(job)

    def flush(self) -> None:
        """Write pending entries. A failure is only logged: the list is not essential."""
        with self._lock:
            jobs = [self._waiting.popleft() for _ in range(len(self._waiting))]
            if not jobs:
                return
            try:
                self._append([entries.from_job(job) for job in jobs])
            except TaishiError as error:
                log.warning("%d turns are not in the old list: %s", len(jobs), error)

    def forget(self, matches: Callable[[Scope], bool], place: Partition) -> int:
        """Remove a scope's entries, and ownerless ones that the user said; returns how many."""

        def is_theirs(entry: Entry) -> bool:
            scope = entry.scope()
            sender_partition = (entry.workspace or "default", "private", entry.sender_id or "")
            return (scope is not None and matches(scope)) or Partition(*sender_partition) == place  # type: ignore[arg-type]

        return self._remove(is_theirs)

    def forget_record(self, place: Partition, id: str) -> int:
        return self._remove(lambda entry: entry.id == id and _partition(entry) == place)

    def rewrite(self, change: Callable[[str], str]) -> int:
        """Apply `change` to every text of our entries; returns how many entries changed."""
        with self._lock, self._locks.hold(LOCK):
            if not self.file.exists():
                return 0
            try:
                raw_entries = self._read_for_update()
            except TaishiError as error:
                log.warning("the old list was not read again: %s", error)
                return 0
            rewritten = [
                _rewrite_texts(raw, change) if entries.is_ours(raw) else raw for raw in raw_entries
            ]
            changed = sum(old != new for old, new in zip(raw_entries, rewritten, strict=True))
            if changed:
                self._write(rewritten)
                self._cached = ((), [])
            return changed

    def find(
        self,
        query: str,
        sights: Sequence[VisiblePartition],
        top_k: int,
        kinds: Collection[str] | None,
        time_from: float | None,
        time_to: float | None,
        floor: float | None,
    ) -> list[tuple[Record, float]]:
        """Keyword search, newer first among equals; the newest entries if no word matches."""
        if kinds is not None and "event" not in kinds:
            return []
        visible = [entry for entry in self._read_cached() if _is_visible(entry, sights)]
        in_range = [entry for entry in visible if _is_in_range(entry.time, time_from, time_to)]
        newest = sorted(in_range[-MAX_SEARCHED:], key=lambda entry: -(entry.time or 0.0))
        query_terms = set(terms(query))
        scored = [(entry, _term_overlap(query_terms, entry)) for entry in newest]
        matching = [pair for pair in scored if pair[1] > 0] if query_terms else []
        matching.sort(key=lambda pair: -pair[1])
        chosen = matching or scored
        if floor is not None:
            chosen = [pair for pair in chosen if pair[1] >= floor]
        return [(to_record(entry), score) for entry, score in chosen[:top_k]]

    def _append(self, new: Sequence[dict[str, Any]]) -> None:
        with self._locks.hold(LOCK):
            raw_entries = [*self._read_for_update(), *new]
            ours = [number for number, raw in enumerate(raw_entries) if entries.is_ours(raw)]
            expired = set(ours[: max(0, len(ours) - self._keep())])
            self._write([raw for number, raw in enumerate(raw_entries) if number not in expired])

    def _remove(self, should_remove: Callable[[Entry], bool]) -> int:
        with self._lock:
            waiting = [
                j for j in self._waiting if not should_remove(self._entry(entries.from_job(j)))
            ]
            removed = len(self._waiting) - len(waiting)
            self._waiting = deque(waiting)
            if not self.file.exists():
                return removed
            with self._locks.hold(LOCK):
                raw_entries = self._read_for_update()
                remaining = [raw for raw in raw_entries if not should_remove(self._entry(raw))]
                if len(remaining) < len(raw_entries):
                    self._write(remaining)
            self._cached = ((), [])
            return removed + len(raw_entries) - len(remaining)

    def _entry(self, raw: object) -> Entry:
        try:
            return entries.read(raw, self._zone)
        except InputError:
            return Entry("")  # without an owner

    def _read(self) -> list[object]:
        try:
            return entries.parse(self.file.read_bytes(), str(self.file))
        except FileNotFoundError:
            return []
        except InputError as error:
            raise CorruptError(f"{error}; nothing was overwritten") from error
        except OSError as error:
            raise StorageError(
                f"{self.file} cannot be read ({error}); check the file and its permissions"
            ) from error

    def _read_for_update(self) -> list[object]:
        """Read for rewriting. Only a plain list is accepted: another format would be lost."""
        raw_entries = self._read()
        if raw_entries and self.file.read_bytes().lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"[":
            raise CorruptError(
                f"{self.file} is not a plain JSON list; `taishi migrate end-summaries` brings it "
                "in, then move it away"
            )
        return raw_entries

    def _write(self, raw_entries: Sequence[object]) -> None:
        try:
            content = json.dumps(raw_entries, ensure_ascii=False, indent=1).encode()
        except UnicodeEncodeError:  # a lone surrogate that another program escaped
            content = json.dumps(raw_entries, indent=1).encode()
        try:
            write_durably(self.file, content)
        except OSError as error:
            raise StorageError(
                f"{self.file} cannot be written ({error}); check the file and its permissions"
            ) from error

    def _read_cached(self) -> list[Entry]:
        try:
            stat = self.file.stat()
        except FileNotFoundError:
            return []
        fingerprint = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        cached_fingerprint, parsed = self._cached
        if cached_fingerprint != fingerprint:
            parsed = entries.identified([e for e in map(self._entry, self._read()) if e.whole])
            self._cached = (fingerprint, parsed)
        return parsed


def to_record(entry: Entry) -> Record:
    """As a recall result. Our texts were redacted when written; others' are redacted on output."""
    return Record(
        id=entry.id or "",
        place=_partition(entry) or Partition("default", "workspace"),
        kind="event",
        text=entry.whole,
        time=entry.time,
        user=entry.sender_id or entry.user,
        speaker=entry.sender_name,
        session=entry.session,
        data={**EMPTY, "is_absolute": False, "legacy": True},
    )


def _partition(entry: Entry) -> Partition | None:
    scope = entry.scope()
    return None if scope is None else scope.home


def _is_visible(entry: Entry, visible: Sequence[VisiblePartition]) -> bool:
    """Whether a scope may see the entry; one without an owner is visible to nobody (S3)."""
    partition, user = _partition(entry), entry.sender_id or entry.user
    return partition is not None and any(
        visible_partition.place == partition and visible_partition.only_user in (None, user)
        for visible_partition in visible
    )


def _is_in_range(time: float | None, begin: float | None, end: float | None) -> bool:
    if time is None:
        return begin is None and end is None
    return (begin is None or time >= begin) and (end is None or time <= end)


def _term_overlap(query_terms: set[str], entry: Entry) -> float:
    """The fraction of the query's terms that the entry contains."""
    return len(query_terms & set(terms(entry.whole))) / len(query_terms) if query_terms else 0.0


def _rewrite_texts(raw: object, change: Callable[[str], str]) -> object:
    if isinstance(raw, str):
        return change(raw)
    if isinstance(raw, list):
        return [_rewrite_texts(item, change) for item in raw]
    if isinstance(raw, dict):
        return {key: _rewrite_texts(value, change) for key, value in raw.items()}
    return raw
