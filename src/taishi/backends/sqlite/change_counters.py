"""Whether anything changed, told without asking the database: counts in memory that all processes
of a folder share.

A writer counts up before it commits and, in a second count, after. Where the two are equal nobody
is at it; where they are also what they were, nothing has happened since. A writer that dies in
between leaves them unequal until the next write there, and whoever looks asks the database.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Collection, Iterable
from pathlib import Path

from ..file_permissions import FILE_MODE

# Places share slots by their number: a change of one then makes readers of another look, too.
SLOTS = 4096
CELL_BYTES = 8
SIZE = 2 * SLOTS * CELL_BYTES
# Which places and links there are, and what concerns every place. No place has this number.
ANY = 0


class ChangeCounters:
    """Writers call it while they hold the database's write lock, so none counts beside another."""

    def __init__(self, path: Path) -> None:
        file = os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
        try:
            if os.fstat(file).st_size < SIZE:
                os.ftruncate(file, SIZE)
            self._map = mmap.mmap(file, SIZE)
        finally:
            os.close(file)
        self._cells = memoryview(self._map).cast("Q")

    def mark(self, places: Collection[int]) -> tuple[int, ...] | None:
        """The same as before: nothing changed in these places since. None: somebody is writing."""
        found = []
        for slot in (ANY, *places):
            at = 2 * _slot(slot)
            begun = self._cells[at]
            if begun != self._cells[at + 1]:
                return None
            found.append(begun)
        return tuple(found)

    def begin(self, places: Iterable[int]) -> dict[int, int]:
        """About to commit changes in these places; what to `end` with, committed or not."""
        counts = {2 * _slot(place): 0 for place in places}
        for at in counts:
            counts[at] = self._cells[at] = self._cells[at] + 1
        return counts

    def end(self, counts: dict[int, int]) -> None:
        for at, count in counts.items():
            # The next writer may have begun: its count is not ours to end.
            self._cells[at + 1] = max(count, self._cells[at + 1])

    def close(self) -> None:
        self._cells.release()
        self._map.close()


def _slot(place: int) -> int:
    return place and 1 + place % (SLOTS - 1)
