"""`taishi copy`: everything of one memory into another, whatever engines they are on (O2).

Streamed, in batches of some hundred rows, without a file in between. What an import would judge
(was it forgotten here, was it rejected) is not judged: the target becomes what the source is, with
its log of deletions.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import InputError, StorageError
from ..exported import ExportScope, Moved
from ..knowledge.originals import check_originals, place_of_files
from ..ports import Outcome
from ..runtime import Runtime
from ..types import Edit, Record
from .copy_marker import CopyMarker
from .exporting import ExportRun
from .format import End, Header, type_of, write_line
from .importing import BATCH, ImportRun
from .observation_archive import LOCK
from .progress import CopyProgress, Progress

MAX_PASSES = 4
MAX_DELETIONS = 1_000_000
ALL = ExportScope()
# A second one into the same memory would undo what is written there after the first is done.
RUNNING = "a copy into this memory"
RUNNING_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy that was verified: `counts` of lines by type, and the `checksum` of them all, equal on
    both sides. `same_order`: the exports are equal byte by byte but for the time in their header.
    `added`, `same` and `replaced` say what became of them in the last pass of `passes`; `removed`
    are records that the source no longer had. `left_out`: what could not come along, and why."""

    counts: Mapping[str, int]
    checksum: str
    same_order: bool
    added: Mapping[str, int]
    same: Mapping[str, int]
    replaced: Mapping[str, int]
    removed: int
    archives: int
    deletions: int
    passes: int
    left_out: tuple[str, ...] = ()


class MemoryCopy:
    """One copy of `source` into `target`, as often as the source changes meanwhile."""

    def __init__(self, source: Runtime, target: Runtime, progress: CopyProgress) -> None:
        self._source = source
        self._target = target
        self._progress = progress
        self._left_out: tuple[str, ...] = ()
        self._removed = 0

    def run(self) -> Copied:
        with self._target.parts.locks.hold(RUNNING, RUNNING_SECONDS):
            try:
                self._check()
            except InputError:
                self._clear_early_mark()
                raise
            self._mark()
            return self._run()

    def _run(self) -> Copied:
        for number in range(1, MAX_PASSES + 1):
            outcomes = self._copy_items()
            archives, deletions = self._copy_archives(), self._copy_deletions()
            here, there = self._digest(self._source), self._digest(self._target)
            if here.is_equal(there):
                self._target.parts.copy_mark.clear()
                return Copied(
                    counts=dict(here.counts),
                    checksum=here.checksum,
                    same_order=here.bytes.digest() == there.bytes.digest(),
                    added=dict(outcomes["added"]),
                    same=dict(outcomes["same"]),
                    replaced=dict(outcomes["replaced"]),
                    removed=self._removed,
                    archives=archives,
                    deletions=deletions,
                    passes=number,
                    left_out=self._left_out,
                )
            self._remove_surplus()
        raise StorageError(
            f"the copy still differs from its source ({here.difference(there)}): something "
            "writes to one of them. Stop the servers and workers that use them, and run it again"
        )

    def _check(self) -> None:
        source, target = self._source.parts, self._target.parts
        if source.address == target.address or (
            # a memory in a database only has a local folder, which others may have, too
            "://" not in source.address + target.address and _is_same(source.folder, target.folder)
        ):
            raise InputError("source and target are the same memory; name another target")
        if self._target.parts.is_read_only():
            raise InputError("the target can only be read; name another one")
        self._check_originals()
        if self._marked() or self._is_empty():
            return
        raise InputError(
            "the target holds a memory already. Name an empty one; to add one memory to another, "
            "use `taishi export` and `taishi import`"
        )

    def _check_originals(self) -> None:
        files = self._source.parts.originals
        if missing := check_originals(self._source.parts.store, files).missing:
            raise InputError(
                f"{len(missing)} documents have no original in {place_of_files(files)}, such as "
                f"{missing[0]}. Set storage.files to the place where the originals are; if there "
                "are none, add these documents again or remove them"
            )

    def _marked(self) -> bool:
        """Whether an earlier copy of the same source was interrupted here."""
        begun = CopyMarker.read(self._target.parts.copy_mark)
        if begun is None or not begun.source:
            return False
        source = self._source.parts
        current = CopyMarker.of(self._source_name, source.address, source.folder)
        if begun.source != self._source_name or begun.is_elsewhere(current):
            raise InputError(
                f"the target holds a part of a copy of {begun.name}; go on with that, or name "
                "another target"
            )
        return True

    @property
    def _source_name(self) -> str:
        """Tells one source from another; it stays the same when its folder is moved."""
        return hashlib.sha256(self._source.parts.store.deletions.key()).hexdigest()[:16]

    def _is_empty(self) -> bool:
        parts = self._target.parts
        with parts.store.transfer.look(ALL) as look:
            counts = look.counts()
        has_jobs = any(parts.queue.transfer.jobs())
        return not any(counts.values()) and not has_jobs and not parts.pages.entities(ALL)

    def _mark(self) -> None:
        source, target = self._source.parts, self._target
        marker = CopyMarker.of(self._source_name, source.address, source.folder)
        target.parts.copy_mark.write(marker.content(target.clock()))

    def _clear_early_mark(self) -> None:
        """The target is left as the empty memory that it is."""
        mark = self._target.parts.copy_mark
        if (begun := CopyMarker.read(mark)) is not None and begun.is_early:
            mark.clear()

    def _copy_items(self) -> Mapping[Outcome, Mapping[str, int]]:
        stream = _Stream(ExportRun(self._source).items(ALL, vectors=True))

        def advance(done: int, total: int) -> None:
            self._progress("copying", done, max(done, total))

        outcomes = _CopyRun(self._target, stream, advance).run()
        self._left_out = stream.left_out
        return outcomes

    def _copy_archives(self) -> int:
        source, target = self._source.parts, self._target.parts
        with ExitStack() as held:
            for parts in (source, target):
                held.enter_context(parts.locks.hold(LOCK))
            names = source.archive.names()
            for name in names:
                target.archive.replace(name, source.archive.lines(name))
            for name in set(target.archive.names()) - set(names):
                target.archive.remove(name)
        return len(names)

    def _copy_deletions(self) -> int:
        """What was forgotten stays forgotten in the copy, also for an import."""
        log = self._source.parts.store.deletions
        rows = log.list(MAX_DELETIONS)[::-1]
        self._target.parts.store.deletions.adopt(log.key(), rows, log.marks())
        return len(rows)

    def _remove_surplus(self) -> None:
        """Records that are in the target alone: the source deleted them after they were copied."""
        source, store = self._source.parts.store, self._target.parts.store
        gone: list[Record] = []
        with store.transfer.look(ALL) as look:
            for item in look.records():
                if source.get(item.record.place, item.record.id) is None:
                    gone.append(item.record)
        for start in range(0, len(gone), BATCH):
            some = gone[start : start + BATCH]
            store.apply([Edit("remove", place=one.place, id=one.id) for one in some])
        self._removed += len(gone)

    def _digest(self, side: Runtime) -> _Digest:
        digest, total = _Digest(), 0
        for item in ExportRun(side).items(ALL, vectors=False):
            if isinstance(item, Header):
                total = sum(item.counts.values())
            elif not isinstance(item, End):
                digest.add(item)
                if digest.size % BATCH == 0:
                    self._progress("checking", digest.size, max(total, digest.size))
        self._progress("checking", digest.size, digest.size)
        return digest


@dataclass
class _Digest:
    """Counts and checksums of an export. The sum of the hashes of its lines, with sorted fields,
    does not depend on their order; `bytes` does."""

    counts: Counter[str] = field(default_factory=Counter)
    sums: Counter[str] = field(default_factory=Counter)
    bytes: hashlib._Hash = field(default_factory=hashlib.sha256)
    size: int = 0

    def add(self, item: Moved) -> None:
        line = write_line(item)
        name = type_of(item)
        canonical = json.dumps(json.loads(line), sort_keys=True).encode()
        self.sums[name] += int.from_bytes(hashlib.sha256(canonical).digest())
        self.counts[name] += 1
        self.bytes.update(line.encode("utf-8", "surrogatepass"))
        self.size += 1

    def is_equal(self, other: _Digest) -> bool:
        return self.counts == other.counts and self.checksum == other.checksum

    @property
    def checksum(self) -> str:
        text = json.dumps({name: str(total) for name, total in sorted(self.sums.items())})
        return hashlib.sha256(text.encode()).hexdigest()

    def difference(self, other: _Digest) -> str:
        names = sorted({*self.sums, *other.sums})
        differing = [name for name in names if self.sums[name] != other.sums[name]]
        return ", ".join(f"{n}: {self.counts[n]} and {other.counts[n]}" for n in differing)


class _Stream:
    """The items of an export as they come, with the face of a staged import."""

    def __init__(self, lines: Iterator[Header | End | Moved]) -> None:
        first = next(lines)
        assert isinstance(first, Header)
        self.header: Header | None = first
        self.count = sum(first.counts.values())
        self.left_out: tuple[str, ...] = ()
        self._lines = lines

    def items(self) -> Iterator[Moved]:
        for item in self._lines:
            if isinstance(item, End):
                self.left_out = item.left_out
            elif not isinstance(item, Header):
                yield item


class _CopyRun(ImportRun):
    """An import that takes everything as it is, over whatever an earlier pass left."""

    def __init__(self, target: Runtime, stream: _Stream, advance: Progress) -> None:
        super().__init__(
            target,
            stream,
            replace=True,
            dry=False,
            even_forgotten=False,
            workspaces={},
            progress=advance,
        )

    def _is_forgotten(self, item: Moved) -> bool:
        return False

    def _left(self, item: Moved) -> Moved | None:
        return item

    def _is_rejected(self, record: Record) -> bool:
        return False

    def _noted(self, record: Record) -> Record:
        return record


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == other.resolve()
