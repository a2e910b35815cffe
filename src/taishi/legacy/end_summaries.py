"""The old list `end_summaries.json`, kept beside the memory for as long as somebody wants it (C3).

Other programs may read it, and may have written it: what is there and is not ours is left alone.
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

from ..backends.durable_io import write_durably
from ..errors import CorruptError, InputError, StorageError, TaishiError
from ..language.analyzer import terms
from ..ports import Locks
from ..types import EMPTY, Job, Partition, Record, Scope, VisiblePartition
from . import entries as entries
from .entries import Entry

log = logging.getLogger("taishi.legacy")
FILE = "end_summaries.json"
LOCK = "the old list of summaries"
# Newest entries that a question is held against: reading must stay quick whatever is in the file.
MAX_SEARCHED = 2000


class EndSummaries:
    """The list. Safe for several threads and processes; a write replaces the file whole."""

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
        """Write what waits. A list that cannot be written stops nobody: that is logged."""
        with self._lock:
            jobs = [self._waiting.popleft() for _ in range(len(self._waiting))]
            if not jobs:
                return
            try:
                self._append([entries.from_job(job) for job in jobs])
            except TaishiError as error:
                log.warning("%d turns are not in the old list: %s", len(jobs), error)

    def forget(self, matches: Callable[[Scope], bool], place: Partition) -> int:
        """Take out what is somebody's; how many went. Also what they said without an owner."""

        def is_theirs(entry: Entry) -> bool:
            scope = entry.scope()
            said = (entry.workspace or "default", "private", entry.sender_id or "")
            return (scope is not None and matches(scope)) or Partition(*said) == place  # type: ignore[arg-type]

        return self._remove(is_theirs)

    def forget_record(self, place: Partition, id: str) -> int:
        return self._remove(lambda entry: entry.id == id and _place(entry) == place)

    def rewrite(self, change: Callable[[str], str]) -> int:
        """Every text of the entries that are ours as changed; how many entries changed."""
        with self._lock, self._locks.hold(LOCK):
            if not self.file.exists():
                return 0
            try:
                there = self._read_to_change()
            except TaishiError as error:
                log.warning("the old list was not read again: %s", error)
                return 0
            new = [_changed(raw, change) if entries.is_ours(raw) else raw for raw in there]
            changed = sum(old != now for old, now in zip(there, new, strict=True))
            if changed:
                self._write(new)
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
        """By words, the newer first among equals; the newest where no word is found."""
        if kinds is not None and "event" not in kinds:
            return []
        seen = [entry for entry in self._read_cached() if _is_seen(entry, sights)]
        timed = [entry for entry in seen if _is_within(entry.time, time_from, time_to)]
        newest = sorted(timed[-MAX_SEARCHED:], key=lambda entry: -(entry.time or 0.0))
        wanted = set(terms(query))
        scored = [(entry, _share(wanted, entry)) for entry in newest]
        found = [pair for pair in scored if pair[1] > 0] if wanted else []
        found.sort(key=lambda pair: -pair[1])
        chosen = found or scored
        if floor is not None:
            chosen = [pair for pair in chosen if pair[1] >= floor]
        return [(to_record(entry), score) for entry, score in chosen[:top_k]]

    def _append(self, new: Sequence[dict[str, Any]]) -> None:
        with self._locks.hold(LOCK):
            there = [*self._read_to_change(), *new]
            ours = [number for number, raw in enumerate(there) if entries.is_ours(raw)]
            leaving = set(ours[: max(0, len(ours) - self._keep())])
            self._write([raw for number, raw in enumerate(there) if number not in leaving])

    def _remove(self, is_leaving: Callable[[Entry], bool]) -> int:
        with self._lock:
            waiting = [j for j in self._waiting if not is_leaving(self._entry(entries.from_job(j)))]
            removed = len(self._waiting) - len(waiting)
            self._waiting = deque(waiting)
            if not self.file.exists():
                return removed
            with self._locks.hold(LOCK):
                there = self._read_to_change()
                kept = [raw for raw in there if not is_leaving(self._entry(raw))]
                if len(kept) < len(there):
                    self._write(kept)
            self._cached = ((), [])
            return removed + len(there) - len(kept)

    def _entry(self, raw: object) -> Entry:
        try:
            return entries.read(raw, self._zone)
        except InputError:
            return Entry("")  # nobody's

    def _read(self) -> list[object]:
        try:
            return entries.parse(self.file.read_bytes(), str(self.file))
        except FileNotFoundError:
            return []
        except InputError as error:
            raise CorruptError(f"{error}; nothing was overwritten") from error
        except OSError as error:
            raise StorageError(f"{self.file} cannot be read ({error}); see to it") from error

    def _read_to_change(self) -> list[object]:
        """Only a plain list is written back: another program's own form would be lost."""
        there = self._read()
        if there and self.file.read_bytes().lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"[":
            raise CorruptError(
                f"{self.file} is not a plain JSON list; `taishi migrate end-summaries` brings it "
                "in, then move it away"
            )
        return there

    def _write(self, there: Sequence[object]) -> None:
        try:
            content = json.dumps(there, ensure_ascii=False, indent=1).encode()
        except UnicodeEncodeError:  # half a character that another program escaped
            content = json.dumps(there, indent=1).encode()
        try:
            write_durably(self.file, content)
        except OSError as error:
            raise StorageError(f"{self.file} cannot be written ({error}); see to it") from error

    def _read_cached(self) -> list[Entry]:
        try:
            stat = self.file.stat()
        except FileNotFoundError:
            return []
        stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        kept, found = self._cached
        if kept != stamp:
            found = entries.identified([e for e in map(self._entry, self._read()) if e.whole])
            self._cached = (stamp, found)
        return found


def to_record(entry: Entry) -> Record:
    """As recall hands it out. The text was redacted when we wrote it; others' are when shown."""
    return Record(
        id=entry.id or "",
        place=_place(entry) or Partition("default", "workspace"),
        kind="event",
        text=entry.whole,
        time=entry.time,
        user=entry.sender_id or entry.user,
        speaker=entry.sender_name,
        session=entry.session,
        data={**EMPTY, "is_absolute": False, "legacy": True},
    )


def _place(entry: Entry) -> Partition | None:
    scope = entry.scope()
    return None if scope is None else scope.home


def _is_seen(entry: Entry, sights: Sequence[VisiblePartition]) -> bool:
    """An entry that does not say whose it is can be shown to nobody (S3)."""
    place, user = _place(entry), entry.sender_id or entry.user
    return place is not None and any(
        sight.place == place and sight.only_user in (None, user) for sight in sights
    )


def _is_within(time: float | None, begin: float | None, end: float | None) -> bool:
    if time is None:
        return begin is None and end is None
    return (begin is None or time >= begin) and (end is None or time <= end)


def _share(wanted: set[str], entry: Entry) -> float:
    """The part of the question's words that the entry has."""
    return len(wanted & set(terms(entry.whole))) / len(wanted) if wanted else 0.0


def _changed(raw: object, change: Callable[[str], str]) -> object:
    if isinstance(raw, str):
        return change(raw)
    if isinstance(raw, list):
        return [_changed(one, change) for one in raw]
    if isinstance(raw, dict):
        return {key: _changed(value, change) for key, value in raw.items()}
    return raw
