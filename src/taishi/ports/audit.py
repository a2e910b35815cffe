"""Ports to the records of deletions and refused writes, and to the redaction rescan."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..types import Partition, Record


class Deletions(Protocol):
    """Who deleted, when and how many, and keyed hashes of what was deleted. Rows are only added."""

    def key(self) -> bytes:
        """The secret with which this store hashes what was forgotten."""

    def newest(self) -> float | None:
        """When something was last deleted; None: never."""

    def add(self, row: Sequence[Any], marks: Collection[bytes]) -> None:
        """`row` has the fields of exported.Deletion in order; the hashes get its time."""

    def list(self, limit: int) -> list[tuple[Any, ...]]:
        """The newest first."""

    def times(self, marks: Collection[bytes]) -> dict[bytes, float]:
        """Which of these hashes are stored, and since when."""

    def marks(self) -> Iterator[tuple[bytes, float]]:
        """Every hash, in order, and since when."""

    def adopt(
        self,
        key: bytes,
        rows: Iterable[Sequence[Any]],
        marks: Iterable[tuple[bytes, float]],
    ) -> None:
        """Take over another store's secret, log (oldest first) and hashes in place of our own."""


class Refusals(Protocol):
    """Writes that were refused; only the newest are kept."""

    def add(self, row: Sequence[Any]) -> None:
        """`row` has the fields of exported.Refusal in order."""

    def list(self, limit: int) -> list[tuple[Any, ...]]:
        """The newest first."""


@dataclass(frozen=True, slots=True)
class RescanStep:
    """One batch: how many records were read, how many changed, and the number of the last."""

    records: int
    changed: int
    last: int


class Rescan(Protocol):
    """Stored texts redacted again by newer rules, in batches. Every step is safe to repeat."""

    def is_due(self, stamp: int) -> bool:
        """Whether any record was redacted by rules other than those of `stamp`."""

    def waiting(self, stamp: int) -> int: ...

    def records(
        self,
        place: Partition,
        stamp: int,
        after: int,
        limit: int,
        change: Callable[[Record], Record],
    ) -> RescanStep:
        """Some records of a partition after this number, each written back as `change` returns
        it, read and written in one transaction."""

    def other_texts(self, change: Callable[[str], str]) -> int:
        """Messages, session summaries and errors of models; how many changed."""
