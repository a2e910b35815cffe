"""What a kind of data address provides: every part of a memory that keeps something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..exported import Backup
from ..ports import (
    ArchiveStore,
    CopyMark,
    FileStore,
    JobQueue,
    Leftovers,
    Locks,
    OutsideEngine,
    PartitionSearch,
    ProcessBoard,
    ProfilePages,
    ProfileTransfer,
    Store,
    StoredBytes,
)


@dataclass(frozen=True, slots=True)
class DatabaseProbe:
    """What a health check found at the address of a database."""

    host: str
    version: str
    milliseconds: float
    bypasses_row_security: bool
    has_memory: bool
    is_read_only: bool


@dataclass(frozen=True, slots=True)
class OutsideFiles:
    """Files of a memory that are in an object store."""

    originals: FileStore
    archive: ArchiveStore


@dataclass(frozen=True, slots=True)
class Storage:
    """Parts by port, as in runtime.Parts. `folder` is a local one in every case."""

    address: str
    folder: Path
    store: Store
    queue: JobQueue
    profiles: ProfilePages
    pages: ProfileTransfer
    locks: Locks
    archive: ArchiveStore
    originals: FileStore
    processes: ProcessBoard
    leftovers: Leftovers
    stored_bytes: StoredBytes
    copy_mark: CopyMark
    read_only: bool  # for as long as it is open
    copy_to: Callable[[Path, OutsideFiles | None], Backup]
    close: Callable[[], None]
    partition_search: PartitionSearch | None = None  # of partitions too large for memory
    engines: tuple[OutsideEngine, ...] = ()  # what may be away for a while
    is_read_only: Callable[[], bool] = lambda: False  # now; of a database, which may change
