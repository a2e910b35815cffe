"""Which partitions the database searches by itself, and the work of preparing them.

A partition that has grown over the limit is filled in and indexed by a thread of its own, one
process of a fleet at a time, while questions are answered from the index in memory.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import psycopg

from ...errors import TaishiError
from ...ports import LargePartition, PartitionState, PartitionStatistics
from ...types import Partition
from ..record_rows import number_range
from . import large_partition_indexes as indexes
from . import large_partition_rows as rows
from .database import Database
from .driver_errors import translated
from .partition_statistics import read_statistics
from .search_rows import FILLING, OFF, READY

log = logging.getLogger("taishi")
# What was read of a partition counts for so many seconds; if it is far from the limit, for longer.
FRESH_SECONDS = 5.0
FAR_SECONDS = 60.0
# Below this share of the limit a partition goes back to an index in memory.
SHRUNK_SHARE = 0.5
# In smaller partitions all rows are compared, without indexes of their own.
INDEXED_FROM = 2000
# Statistics of more rows are read again after so many seconds, in the background.
EXACT_ROWS = 5000
STATISTICS_SECONDS = 600.0
RETRY_SECONDS = 60.0
_LOCK_CLASS = 0x7A15  # of advisory locks
_READ = """
SELECT no, next, sql_search FROM partitions WHERE no = ANY (%s::bigint[])"""
_MODEL = "SELECT no FROM models WHERE name = %s"


@dataclass(frozen=True, slots=True)
class Model:
    """The embedder's number in the table of models; 0: it has no vectors yet."""

    no: int
    dimensions: int


@dataclass(frozen=True, slots=True)
class _Mode:
    next: int
    sql_search: int
    until: float


@dataclass(frozen=True, slots=True)
class _Counted:
    seq: int
    at: float
    statistics: PartitionStatistics
    indexed: bool


class LargePartitions:
    """`limit` is the setting: partitions with more records are searched in the database."""

    def __init__(
        self,
        db: Database,
        limit: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._db = db
        self.limit = limit
        self._clock = clock
        self._name: str | None = None
        self.model = Model(0, 0)
        self._lock = threading.Lock()
        self._modes: dict[int, _Mode] = {}
        self._counted: dict[int, _Counted] = {}
        self._waiting: deque[tuple[Callable[[str, int], None], str, int]] = deque()
        self._busy: dict[int, float] = {}  # being prepared, or not before this time
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()

    def use_model(self, name: str | None, dimensions: int) -> None:
        self._name, self.model = name, Model(0, dimensions if name else 0)

    def known(
        self, states: Mapping[Partition, PartitionState]
    ) -> Mapping[Partition, LargePartition] | None:
        now, found = self._clock(), {}
        for place, state in states.items():
            mode = self._modes.get(state.no)
            if mode is None or now >= mode.until:
                return None
            if mode.sql_search == READY:
                counted = self._counted.get(state.no)
                if counted is None or _is_outdated(counted, state.seq, now):
                    return None
                found[place] = LargePartition(place, state.no, counted.statistics, counted.indexed)
        return found

    def searched(
        self, states: Mapping[Partition, PartitionState]
    ) -> Mapping[Partition, LargePartition]:
        self._read_modes(states)
        found = {}
        for place, state in states.items():
            mode = self._modes.get(state.no)
            if mode is None:
                continue
            if mode.sql_search == READY:
                found[place] = self._large(place, state)
            elif mode.next - 1 > self.limit:
                self._begin(self._prepare, place.workspace, state.no)
        return found

    def _large(self, place: Partition, state: PartitionState) -> LargePartition:
        counted = self._counted.get(state.no)
        if counted is None or _is_outdated(counted, state.seq, self._clock()):
            if counted is None or counted.statistics.rows <= EXACT_ROWS:
                counted = self._count(place.workspace, state.no, state.seq)
            else:
                self._begin(self._count_again, place.workspace, state.no)
        if counted.statistics.rows < self.limit * SHRUNK_SHARE:
            self._begin(self._release, place.workspace, state.no)
        elif not counted.indexed:
            self._begin(self._prepare, place.workspace, state.no)
        return LargePartition(place, state.no, counted.statistics, counted.indexed)

    def _read_modes(self, states: Mapping[Partition, PartitionState]) -> None:
        now = self._clock()
        by_workspace: dict[str, list[int]] = {}
        for place, state in states.items():
            mode = self._modes.get(state.no)
            if mode is None or now >= mode.until:
                by_workspace.setdefault(place.workspace, []).append(state.no)
        for workspace, numbers in by_workspace.items():
            with self._db.reading(workspace) as connection:
                if self._name and not self.model.no:
                    row = connection.execute(_MODEL, (self._name,)).fetchone()
                    self.model = Model(row[0] if row else 0, self.model.dimensions)
                for no, following, state in connection.execute(_READ, (numbers,)):
                    far = state == OFF and following < self.limit // 2
                    self._modes[no] = _Mode(
                        following, state, now + (FAR_SECONDS if far else FRESH_SECONDS)
                    )

    def _count(self, workspace: str, no: int, seq: int) -> _Counted:
        with self._db.reading(workspace) as connection:
            statistics = read_statistics(connection, no)
            indexed = statistics.rows < INDEXED_FROM or indexes.are_made(
                connection, no, self.model.no
            )
        counted = self._counted[no] = _Counted(seq, self._clock(), statistics, indexed)
        return counted

    def _count_again(self, workspace: str, no: int) -> None:
        seq = self._db.scalar(workspace, "SELECT seq FROM partitions WHERE no = %s", no)
        self._count(workspace, no, int(seq or 0))

    def _prepare(self, workspace: str, no: int) -> None:
        """Fill in what is missing, build the indexes, and only then answer by them."""
        with translated(self._db.host), self._db.connect() as connection:
            lock = "SELECT pg_try_advisory_lock(%s::integer, %s::integer)"
            if connection.execute(lock, (_LOCK_CLASS, no)).fetchone() != (True,):
                return  # another process is at it
            state = self._db.scalar(workspace, _STATE, no)
            if state == OFF and not rows.mark(connection, workspace, no, FILLING):
                return
            filled = rows.fill(connection, workspace, no, self._stopped.is_set)
            if filled is None:
                return
            total = int(self._db.scalar(workspace, _TOTAL, *number_range(no)))
            if total >= INDEXED_FROM and self.model.no:
                indexes.make(connection, no, self.model.no, self.model.dimensions, total)
                connection.execute("ANALYZE record_terms, record_vectors, index_rows")
            rows.mark(connection, workspace, no, READY)
        self._modes.pop(no, None)
        self._counted.pop(no, None)
        log.info("partition %d is searched in the database from now on: %d records", no, total)

    def _release(self, workspace: str, no: int) -> None:
        """It has shrunk: the index in memory serves it again."""
        with translated(self._db.host), self._db.connect() as connection:
            lock = "SELECT pg_try_advisory_lock(%s::integer, %s::integer)"
            if connection.execute(lock, (_LOCK_CLASS, no)).fetchone() != (True,):
                return
            rows.mark(connection, workspace, no, OFF)
            self._modes.pop(no, None)
            rows.remove(connection, workspace, no)
            indexes.drop(connection, no)
        self._counted.pop(no, None)

    def _begin(self, work: Callable[[str, int], None], workspace: str, no: int) -> None:
        """In the background, one at a time; not again soon after it failed."""
        with self._lock:
            if self._stopped.is_set() or self._busy.get(no, 0.0) > self._clock():
                return
            self._busy[no] = float("inf")
            self._waiting.append((work, workspace, no))
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="taishi-large-partitions", daemon=True
                )
                self._thread.start()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting or self._stopped.is_set():
                    self._thread = None
                    return
                work, workspace, no = self._waiting.popleft()
            again = 0.0
            try:
                work(workspace, no)
            except (TaishiError, psycopg.Error, OSError) as error:
                again = self._clock() + RETRY_SECONDS
                log.warning("partition %d could not be prepared: %s", no, error)
            with self._lock:
                self._busy[no] = again

    def wait(self, seconds: float) -> None:
        """Until what is being prepared is done."""
        until = time.monotonic() + seconds
        while (thread := self._thread) is not None and time.monotonic() < until:
            thread.join(0.05)

    def forget(self) -> None:
        self._counted.clear()
        self._modes.clear()

    def stats(self) -> dict[str, int]:
        with self._lock:
            busy = sum(until == float("inf") for until in self._busy.values())
        modes: Iterable[_Mode] = list(self._modes.values())
        searched = sum(mode.sql_search == READY for mode in modes)
        return {"searched_in_database": searched, "being_prepared": busy}

    def close(self) -> None:
        self._stopped.set()
        self.wait(5.0)


_STATE = "SELECT sql_search FROM partitions WHERE no = %s"
_TOTAL = "SELECT count(*) FROM record_terms WHERE number >= %s AND number < %s"


def _is_outdated(counted: _Counted, seq: int, now: float) -> bool:
    if counted.seq == seq:
        return False
    return counted.statistics.rows <= EXACT_ROWS or now - counted.at > STATISTICS_SECONDS
