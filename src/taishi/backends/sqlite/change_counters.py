"""Change counters in shared memory: whether anything changed, without a query.

All processes that have a folder open map the same file. A writer increments a first counter before
it commits and a second one after. Equal counters: no write is in progress. Equal to an earlier
reading as well: nothing has changed since. A writer that dies in between leaves them unequal until
the next write to the same slot, and readers query the database meanwhile.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Collection, Iterable
from pathlib import Path

from ...disk.file_permissions import make_private_file

# Partitions share slots by their number: a change of one may make readers of another query in vain.
SLOTS = 4096
CELL_BYTES = 8
SIZE = 2 * SLOTS * CELL_BYTES
# Changes to the set of partitions and links, and to all partitions. No partition has this number.
ANY = 0


class ChangeCounters:
    """Callers hold the write lock of the database, so there is one writer at a time."""

    def __init__(self, path: Path) -> None:
        make_private_file(path)
        file = os.open(path, os.O_RDWR)
        try:
            if os.fstat(file).st_size < SIZE:
                os.ftruncate(file, SIZE)
            self._map = mmap.mmap(file, SIZE)
        finally:
            os.close(file)
        self._cells = memoryview(self._map).cast("Q")

    def token(self, places: Collection[int]) -> tuple[int, ...] | None:
        """A token; equal to an earlier one: nothing changed in these partitions. None: a write
        is in progress."""
        found = []
        for slot in (ANY, *places):
            at = 2 * _slot(slot)
            begun = self._cells[at]
            if begun != self._cells[at + 1]:
                return None
            found.append(begun)
        return tuple(found)

    def begin(self, places: Iterable[int]) -> dict[int, int]:
        """A commit to these partitions is about to happen; pass the result to `end`, whether it
        succeeds or not."""
        counts = {2 * _slot(place): 0 for place in places}
        for at in counts:
            counts[at] = self._cells[at] = self._cells[at] + 1
        return counts

    def end(self, counts: dict[int, int]) -> None:
        for at, count in counts.items():
            # The next writer may have begun: never lower its counter.
            self._cells[at + 1] = max(count, self._cells[at + 1])

    def close(self) -> None:
        self._cells.release()
        self._map.close()


def _slot(place: int) -> int:
    return place and 1 + place % (SLOTS - 1)
