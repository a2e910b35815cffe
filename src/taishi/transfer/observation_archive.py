"""Old tool runs leave the store for files that a person can read and `taishi import` takes back.

Each file is an export of its own (docs/reference/export-format.md): a header, one line a record, an
end. New lines take the place of the end, and are on the disk before their records are removed: a
crash in between leaves a record in both, never in neither.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC
from itertools import groupby

from ..domain.deletion_marks import COPIED, Marks
from ..errors import InputError
from ..exported import ExportedRecord
from ..ports import ArchiveStore, Locks, Store
from ..times import to_datetime
from ..types import Edit, Partition, Record, Scope
from .format import End, Header, Line, read_line, write_line

log = logging.getLogger("taishi.archive")
KIND = "observation"
LOCK = "the archive of tool runs"
BATCH = 500
Change = Callable[[Record], Record | None]  # None: it goes
Test = Callable[[bytes], bool]


class ObservationArchive:
    """Safe for several threads and processes: whoever writes the files holds a lock.

    `clean` takes out what must not be written, as for any export; `marks` tell the copies that an
    import made in other workspaces.
    """

    def __init__(
        self,
        files: ArchiveStore,
        store: Store,
        locks: Locks,
        clean: Callable[[Record], Record],
        clock: Callable[[], float],
        marks: Callable[[], Marks],
    ) -> None:
        self._files = files
        self._store = store
        self._locks = locks
        self._clean = clean
        self._clock = clock
        self._marks = marks

    def archive(self, place: Partition, before: float, limit: int = BATCH) -> int:
        """Move some of the tool runs of a place that are older than `before`; how many.

        Whoever forgets takes them out of the store first and out of the files then, under the
        same lock: what is read here is either still in the store or found in the files by them.
        """
        with self._locks.hold(LOCK):
            found = self._store.older(place, KIND, before, limit)
            if not found:
                return 0
            found.sort(key=_month)
            for month, records in groupby(found, key=_month):
                self._append(f"observations-{month}", list(records))
            return self._store.apply([Edit("remove", place=place, id=one.id) for one in found])

    def of_scope(self, scope: Scope) -> Iterator[Record]:
        """The archived records that forgetting this scope reaches."""
        return self.find(self._belongs_to(scope), scope.home.id)

    def forget_scope(self, scope: Scope) -> int:
        """Take out what is of this scope; how many records went. Call it after the store has
        forgotten them: see `archive`."""
        return self.forget(self._belongs_to(scope), scope.home.id)

    def forget_record(self, place: Partition, id: str) -> int:
        """The same for one record of a place, and its copies in other workspaces."""
        marks = self._marks()
        return self.forget(lambda one: one.id == id and belongs_to(one, place, None, marks), id)

    def find(self, matches: Callable[[Record], bool], naming: str = "") -> Iterator[Record]:
        """The archived records that match. A record that does not hold the id `naming` cannot
        match: its line need not be parsed, which takes most of the time."""
        concerns = _holds(naming)
        for name in self._files.names():
            for line in filter(concerns, self._files.lines(name)):
                record = _record(line)
                if record is not None and matches(record):
                    yield record

    def counts(self) -> dict[str, int | str]:
        """How many tool runs are in how many files, and of which months. Reads only the last line
        of each file, which says how many it has."""
        names = self._files.names()
        months = [name.removeprefix("observations-") for name in names] or [""]
        return {
            "files": len(names),
            "tool_runs": sum(self._end_of(name)[1] for name in names),
            "oldest": months[0],
            "newest": months[-1],
        }

    def lines(self) -> Iterator[str]:
        """The line of every archived record."""
        for name in self._files.names():
            yield from (line.decode() for line in self._files.lines(name) if _record(line))

    def forget(self, matches: Callable[[Record], bool], naming: str = "") -> int:
        """Take out the records that match, as `find` finds them; how many went."""
        gone: set[tuple[Partition, str]] = set()

        def without(record: Record) -> Record | None:
            if not matches(record):
                return record
            gone.add((record.place, record.id))
            return None

        self._rewrite_all(without, _holds(naming))
        return len(gone)

    def rewrite(self, clean: Callable[[Record], Record]) -> int:
        """Every record as `clean` returns it; how many changed."""
        return self._rewrite_all(clean, _holds(""))

    def _belongs_to(self, scope: Scope) -> Callable[[Record], bool]:
        home, marks = scope.home, self._marks()
        user = home.id if home.kind == "private" else None
        return lambda one: belongs_to(one, home, user, marks)

    # -- writing -------------------------------------------------------------------------------

    def _append(self, name: str, records: list[Record]) -> None:
        after, count = self._end_of(name)
        new = [write_line(ExportedRecord(self._clean(record))) for record in records]
        head = [self._header(name)] if after == 0 else []
        text = "".join([*head, *new, _end(count + len(new))])
        self._files.append(name, after, text.encode())

    def _end_of(self, name: str) -> tuple[int, int]:
        """How many bytes to keep, and how many lines of records are in them."""
        begin, last = self._files.last_line(name)
        item = _item(last)
        if isinstance(item, End):
            return begin, sum(item.counts.values())
        return self._end_after_a_crash(name)

    def _end_after_a_crash(self, name: str) -> tuple[int, int]:
        """Up to the last line that can be read. What follows was not yet durable, and its records
        are still in the store."""
        after = count = at = lines = 0
        for line in self._files.lines(name):
            at += len(line)
            item = _item(line)
            lines += not isinstance(item, Header | End)
            if item is not None:
                after, count = at, lines
        return after, count

    def _header(self, name: str) -> str:
        return write_line(Header(self._clock(), None, False, f"tool runs, archived: {name}"))

    # -- rewriting -----------------------------------------------------------------------------

    def _rewrite_all(self, change: Change, concerns: Test) -> int:
        with self._locks.hold(LOCK):
            return sum(self._rewrite(name, change, concerns) for name in self._files.names())

    def _rewrite(self, name: str, change: Change, concerns: Test) -> int:
        """Only lines that `concerns` tells are changed. One of them that cannot be read goes, too:
        nobody can tell what else it says."""
        kept = changed = damaged = 0
        for entry in self._entries(name, concerns):
            if isinstance(entry, bytes):
                kept += 1
            elif isinstance(entry, ExportedRecord):
                new = change(entry.record)
                kept += new is not None
                changed += new is None or not _same(new, entry.record)
            elif entry is None:
                damaged += 1
        if damaged:
            log.warning("%s: %d damaged lines were removed", name, damaged)
        if kept and (changed or damaged):
            self._files.replace(name, self._rewritten(name, change, concerns, kept))
        elif changed or damaged:
            self._files.remove(name)
        return changed

    def _rewritten(self, name: str, change: Change, concerns: Test, count: int) -> Iterator[bytes]:
        yield self._header(name).encode()
        for entry in self._entries(name, concerns):
            if isinstance(entry, bytes):
                yield entry
            elif isinstance(entry, ExportedRecord) and (new := change(entry.record)) is not None:
                yield write_line(ExportedRecord(new)).encode()
        yield _end(count).encode()

    def _entries(self, name: str, concerns: Test) -> Iterator[bytes | Line | None]:
        """Each line: parsed if it has to be looked at (None: damaged), or else as it is."""
        for number, line in enumerate(self._files.lines(name)):
            is_frame = number == 0 or b'"end"' in line
            is_torn = b"\0" in line or not line.endswith(b"\n")
            yield _item(line) if is_frame or is_torn or concerns(line) else line


def belongs_to(record: Record, home: Partition, user: str | None, marks: Marks) -> bool:
    """Whether forgetting a place, or a user of its workspace, reaches an archived record: it is
    theirs, or what an import copied from theirs into another workspace."""
    place = record.place
    if place.workspace != home.workspace:
        original = replace(place, workspace=home.workspace)
        if record.data.get(COPIED) != marks.record(original, record.id).hex():
            return False
        place = original
    return place == home or (user is not None and record.user == user)


def _holds(id: str) -> Test:
    """Whether a line holds this id as a JSON string, in either way of writing it; "": any does."""
    plain, escaped = (json.dumps(id, ensure_ascii=is_ascii).encode() for is_ascii in (False, True))
    return lambda line: not id or plain in line or escaped in line


def _item(line: bytes) -> Line | None:
    """None: it cannot be read, or was cut short."""
    try:
        return read_line(line) if line.endswith(b"\n") else None
    except InputError:
        return None


def _record(line: bytes) -> Record | None:
    item = _item(line)
    return item.record if isinstance(item, ExportedRecord) else None


def _same(one: Record, other: Record) -> bool:
    return (one.text, dict(one.data)) == (other.text, dict(other.data))


def _month(record: Record) -> str:
    when = to_datetime(record.time or 0.0, UTC)
    return f"{when.year:04}-{when.month:02}"


def _end(records: int) -> str:
    return write_line(End({"record": records}))
