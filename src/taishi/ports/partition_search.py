"""Port of a database that searches partitions too large for an index in memory.

It finds candidates by words, by vector and by time, and returns their index rows; recall then works
on those rows as on any partition, with the statistics of the whole.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..times import Deadline
from ..types import Partition, VisiblePartition
from .candidates import Floats, RecordFilter
from .index_rows import IndexRow, PartitionState


@dataclass(frozen=True, slots=True)
class PartitionStatistics:
    """What recall has to know of all rows of a partition; counts may be some minutes old."""

    rows: int
    average_length: float  # distinct terms of a row
    sessions: int
    kinds: tuple[str, ...]
    speakers: tuple[str, ...]
    usual_share: float = 0.0  # of rows that are approved and true without end
    terms: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))  # ascending
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def frequencies(self, terms: NDArray[np.uint32]) -> NDArray[np.int64]:
        """In how many rows each of these terms is; 0 for one that is not known."""
        if not len(self.terms):
            return np.zeros(len(terms), np.int64)
        at = self.terms.searchsorted(terms)
        there = self.terms.take(at, mode="clip") == terms
        return np.where(there, self.counts.take(at, mode="clip"), 0)


@dataclass(frozen=True, slots=True)
class LargePartition:
    """A partition that the database searches. `has_vectors` is False while their index is built."""

    place: Partition
    no: int
    statistics: PartitionStatistics
    has_vectors: bool = True


@dataclass(frozen=True, slots=True)
class SearchTarget:
    """Where to look, for what this reader may see and asked for; `only` are the numbers of the few
    records that the caller's filters ask for, if that is known."""

    partition: LargePartition
    visible: VisiblePartition
    wanted: RecordFilter
    only: tuple[int, ...] | None = None


class TermRow(NamedTuple):
    """A row that has some of the terms: enough to rank it by words."""

    number: int
    session: str | None
    terms: bytes


@dataclass(frozen=True, slots=True)
class WordsQuery:
    """A search by words: rows that have all terms of some group, at most about so many; and the
    newest few."""

    groups: Sequence[Sequence[int]]
    most: int
    newest: int


@dataclass(frozen=True, slots=True)
class NearestQuery:
    """A search by meaning: the question's vector and those of its sentences. `speakers` and
    `markers` (terms) name rows that are worth more, and of which some are wanted in any case."""

    vectors: Sequence[Floats]
    count: int
    speakers: Collection[str] = ()
    markers: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class WordsFound:
    """Rows with the words, and the numbers of the newest."""

    rows: Sequence[TermRow] = ()
    newest: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class RowsInSession:
    """Rows in ascending order; `before` has the previous one in its session, of each that has
    one."""

    rows: Sequence[IndexRow]
    before: Mapping[int, int]


class PartitionSearch(Protocol):
    """Every search is given up at its deadline, in the database as well. May be used by several
    threads."""

    def use_model(self, name: str | None, dimensions: int) -> None:
        """The embedder whose vectors are searched; None: words alone."""

    def searched(
        self, states: Mapping[Partition, PartitionState]
    ) -> Mapping[Partition, LargePartition]:
        """Those of some partitions that the database answers for now. May block; one that has
        grown or shrunk is prepared in the background meanwhile."""

    def known(
        self, states: Mapping[Partition, PartitionState]
    ) -> Mapping[Partition, LargePartition] | None:
        """The same without blocking; None: not known."""

    def with_words(self, target: SearchTarget, query: WordsQuery, deadline: Deadline) -> WordsFound:
        """BusyError if the deadline passed; so do the next two."""

    def nearest(
        self, target: SearchTarget, query: NearestQuery, deadline: Deadline
    ) -> Sequence[Sequence[int]]:
        """Numbers, the nearest first: to each vector, and of the rows that are worth more."""

    def rows(
        self,
        partition: LargePartition,
        numbers: Collection[int],
        around: Collection[int],
        deadline: Deadline,
    ) -> RowsInSession:
        """The index rows of some numbers, and of the neighbours of those `around`."""

    def forget(self) -> None:
        """Keep nothing of a partition in memory."""

    def stats(self) -> dict[str, int]:
        """Partitions that are searched in the database, and those being prepared."""

    def close(self) -> None: ...
