"""Which turns wait in a queue folder, by partition and event id."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from ...disk.durable_io import Folder
from ...types import Partition
from .listing import QueueListing
from .names import parse


class OpenTurns:
    """Of what any process put there. A job's file is read once, as its ids do not change."""

    def __init__(self, listing: QueueListing, pending: Folder, processing: Folder) -> None:
        self._listing = listing
        # A job may be claimed or given back meanwhile: in this order, it is found all the same.
        self._folders = (processing, pending, processing)
        self._lock = threading.Lock()
        self._known: dict[str, tuple[Partition, str] | None] = {}

    def ids(self, partition: Partition, prefix: str) -> list[str]:
        with self._lock:
            there = {id for folder in self._folders for id in self._ids_in(folder)}
            self._known = {id: one for id, one in self._known.items() if id in there}
            if len(there) > len(self._known):
                self._read_new()
            found = [(id, one[1]) for id, one in self._known.items() if one and one[0] == partition]
        return [event_id for _, event_id in sorted(found) if event_id.startswith(prefix)]

    def _ids_in(self, folder: Folder) -> Iterator[str]:
        for name in folder.names():
            id = name.partition(".")[0]
            if id in self._known or parse(name):
                yield id

    def _read_new(self) -> None:
        for id, job in self._listing.walk(*self._folders, known=self._known.keys()):
            self._known[id] = None if job is None else (job.scope.home, job.event_id)

    def clear(self) -> None:
        with self._lock:
            self._known = {}
