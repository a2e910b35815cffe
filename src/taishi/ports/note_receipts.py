"""Port to the receipts of changes to notes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..types import Partition


@dataclass(frozen=True, slots=True)
class NoteReceipt:
    """What a change came to: the version it made (0: none is left), and how many notes there were
    to change. `key` and `fingerprint` are keyed hashes: neither id nor content is in them."""

    key: str
    fingerprint: str
    version: int
    count: int


class NoteReceipts(Protocol):
    """Receipts by partition and key. They go when the partition is forgotten."""

    def get(self, place: Partition, key: str) -> NoteReceipt | None: ...

    def put(self, place: Partition, receipt: NoteReceipt, most: int) -> None:
        """Insert or replace. Beyond `most` in a partition the oldest go, but never that with the
        key ""."""
