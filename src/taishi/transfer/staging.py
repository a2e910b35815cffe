"""Validates a whole export before any of it is written, then hands out its lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from tempfile import SpooledTemporaryFile
from types import TracebackType

from ..errors import InputError, TaishiError
from ..exported import (
    BadLine,
    ExportedCalls,
    ExportedJob,
    ExportedLink,
    ExportedMessage,
    ExportedOriginal,
    ExportedProfile,
    ExportedRecord,
    ExportedSession,
    ExportScope,
    Moved,
)
from ..types import Partition
from .format import End, Header, read_line, write_line

IN_MEMORY = 8 << 20


class StagedImport:
    """The good lines of an export, put aside until all are known to be good.

    They wait in memory or, if they are many, in a file without a name, which nobody finds after
    a crash. `prepare` may change a line and may refuse it.
    """

    def __init__(
        self,
        lines: Iterable[str | bytes],
        prepare: Callable[[Moved], Moved],
        skip_bad: bool,
    ) -> None:
        self.bad: list[BadLine] = []
        self.count = 0
        self.header: Header | None = None
        self._prepare = prepare
        self._skip_bad = skip_bad
        self._lines = 0
        self._spool = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  (closed by exit)
        try:
            self._read(lines)
        except BaseException:
            self._spool.close()
            raise

    def __enter__(self) -> StagedImport:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._spool.close()

    def items(self) -> Iterator[Moved]:
        self._spool.seek(0)
        for line in self._spool:
            item = read_line(line)
            assert not isinstance(item, (Header, End))
            yield item

    def _read(self, lines: Iterable[str | bytes]) -> None:
        number, end = 0, None
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            if end is not None:
                raise InputError(f"line {number}: there is more after the end; nothing was changed")
            end = self._line(number, line)
            self._lines += 1
        if self.header is None:
            raise InputError("there is nothing in it: an export begins with a header line")
        if end is None:
            self._wrong(number + 1, "the end line is missing: the file was cut short; export again")
        elif sum(end.counts.values()) != self._lines - 2:  # the header and the end
            self._wrong(number, "the counts of the end line do not fit the lines; export again")

    def _line(self, number: int, line: str | bytes) -> End | None:
        if self.header is None:
            self.header = self._read_header(number, line)
            return None
        try:
            item = read_line(line)
            if isinstance(item, End):
                return item
            if isinstance(item, Header):
                raise InputError("a second header; import one export at a time")
            prepared = self._prepare(item)
        except TaishiError as error:
            self._wrong(number, str(error))
            return None
        self._spool.write(write_line(prepared).encode())
        self.count += 1
        return None

    def _read_header(self, number: int, line: str | bytes) -> Header:
        try:
            header = read_line(line)
        except InputError as error:
            raise InputError(f"line {number}: {error}") from error
        if not isinstance(header, Header):
            raise InputError(f"line {number}: an export begins with a header line; this has none")
        return header

    def _wrong(self, number: int, reason: str) -> None:
        if not self._skip_bad:
            raise InputError(
                f"line {number}: {reason}. Nothing was imported; correct it, or leave such lines "
                "out with skip_bad (on the command line --skip-bad)"
            )
        self.bad.append(BadLine(number, reason))


def place_of(item: Moved) -> Partition | None:
    """Where something belongs; None: to nobody in particular."""
    match item:
        case ExportedRecord():
            return item.record.place
        case ExportedMessage() | ExportedSession() | ExportedProfile() | ExportedOriginal():
            return item.place
        case ExportedLink():
            return Partition(item.workspace, "private", item.user)
        case ExportedJob():
            return item.job.scope.home
        case ExportedCalls():
            return None


def bounded(item: Moved, extent: ExportScope) -> Moved:
    """The item, if it belongs where this import may write; InputError otherwise."""
    place = place_of(item)
    if place is None:
        if extent != ExportScope():
            raise InputError(
                f"the ledger belongs to the whole memory; only {extent} may be written here"
            )
    elif not extent.holds(place):
        raise InputError(f"it belongs to {place}; only {extent} may be written here")
    return item


def remapped(item: Moved, workspaces: Mapping[str, str]) -> Moved:
    """The item in the workspace that its own is to become."""

    def there(place: Partition) -> Partition:
        return replace(place, workspace=workspaces.get(place.workspace, place.workspace))

    match item:
        case ExportedRecord():
            record = item.record
            return replace(item, record=replace(record, place=there(record.place)))
        case ExportedMessage() | ExportedSession() | ExportedOriginal():
            return replace(item, place=there(item.place))
        case ExportedLink() | ExportedProfile():
            return replace(item, workspace=workspaces.get(item.workspace, item.workspace))
        case ExportedJob():
            job = item.job
            workspace = workspaces.get(job.workspace, job.workspace)
            return replace(item, job=replace(job, workspace=workspace))
        case ExportedCalls():
            return item
