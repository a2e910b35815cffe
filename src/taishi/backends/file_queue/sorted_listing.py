"""The names of a folder in order, cached between listings."""

from __future__ import annotations

import heapq
import math
import time
from collections import deque
from collections.abc import Callable

from ..durable_io import Folder

LARGE_FOLDER = 1000


class SortedListing:
    """The names in a folder in order, cached so that taking the next one does not list the folder.

    `ready_at` returns when a name may be taken (0: at once), or None for a name to ignore.

    The folder is listed again when the cache is used up, when the next name is newer than the
    listing (another process may have put an older one), and once a second for jobs that others gave
    back; but listing a large folder never takes more than a twentieth of the time.
    """

    def __init__(self, folder: Folder, ready_at: Callable[[str], int | None]) -> None:
        self._folder = folder
        self._ready_at = ready_at
        # Bounded for a process that only puts; what is dropped is found by the next listing.
        self._added: deque[tuple[int, str]] = deque(maxlen=10_000)
        self._ready: list[str] = []
        self._waiting: list[tuple[int, str]] = []
        self._youngest = ""
        self._listed_at = -math.inf
        self._cost = 0.0
        self._is_large = False

    def add(self, name: str, ready_at: int) -> None:
        """Needs no lock, so that a put never waits for a claim."""
        self._added.append((ready_at, name))

    def next(self, now: int) -> str | None:
        """The oldest name that is ready at `now`. One caller at a time."""
        return heapq.heappop(self._ready) if self.is_ready(now) else None

    def is_ready(self, now: int) -> bool:
        """Whether a name is ready at `now`. One caller at a time."""
        self._take_in(now)
        if self._is_stale():
            self._list()
            self._take_in(now)
        return bool(self._ready)

    def _take_in(self, now: int) -> None:
        while self._added:
            heapq.heappush(self._waiting, self._added.popleft())
        while self._waiting and self._waiting[0][0] <= now:
            heapq.heappush(self._ready, heapq.heappop(self._waiting)[1])

    def _is_stale(self) -> bool:
        age = time.monotonic() - self._listed_at
        if self._is_large and age < 20 * self._cost:
            return False
        return not self._ready or self._ready[0] > self._youngest or age > 1.0

    def _list(self) -> None:
        started = time.monotonic()
        self._added.clear()
        names = [(at, n) for n in self._folder.names() if (at := self._ready_at(n)) is not None]
        self._ready = sorted(name for at, name in names if at == 0)
        self._waiting = sorted((at, name) for at, name in names if at > 0)
        self._youngest = max((name for _, name in names), default="")
        self._listed_at = time.monotonic()
        self._cost = self._listed_at - started
        # By size, not time: on a busy machine even an empty folder may take long to list.
        self._is_large = len(names) > LARGE_FOLDER
