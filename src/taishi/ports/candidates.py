"""Ports of recall: what a search engine has to return so that recall can score and show it.

A `CandidateSource` finds a few hundred candidates for a request; scoring, diversity, deduplication
and explanations then work on `Candidates` alone. The in-process index of the partitions is one
source; a database that returns k rows by vector and k by words, with their columns, is another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..observe.stage_times import StageTimes
from ..times import Deadline
from ..types import Level, Partition, Record, VisiblePartition
from .filter_expression import FilterExpression

APPROVED = "approved"

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]
RecordsByNumber = dict[int, Record]
# Runs work that may block until the deadline, on a thread that can be left behind.
RunBlocking = Callable[[Callable[[], RecordsByNumber]], RecordsByNumber]


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """Which records a request asks for. `asked` is the time that the question itself is about;
    `filters` are the caller's own (Q10)."""

    now: float
    kinds: Collection[str] | None = None
    states: Collection[str] = (APPROVED,)
    time_from: float | None = None
    time_to: float | None = None
    asked: tuple[float, float] | None = None
    filters: FilterExpression | None = None


@dataclass(frozen=True, slots=True)
class CandidateRequest:
    """What a source is asked for: the best `count` of every path.

    `visible` queries the store, so it is called only where blocking is allowed. `reader` is equal
    for requests that may read the same partitions; None: not known. `unchanged` is False if
    something that the store does not know of, such as a file, may have changed what is visible.
    `visible_alone` is the part of `visible` that can be told without the store, the scope's own
    partition first.
    """

    text: str
    visible: Callable[[], tuple[VisiblePartition, ...]]
    filter: RecordFilter
    count: int
    reader: Hashable | None = None
    unchanged: Callable[[], bool] = lambda: True
    visible_alone: Callable[[], tuple[VisiblePartition, ...]] = tuple
    times: StageTimes | None = None  # where a source notes how long its stages took


@dataclass(frozen=True, slots=True)
class SearchSnapshot:
    """The state of the source that one request is answered from."""

    visible: tuple[VisiblePartition, ...]
    version: object  # equal versions: nothing changed in between; None: do not cache the answer
    intent_matters: bool  # whether any record is of a kind that an intent of the question favours
    state: Any = None  # what the source itself needs in order to answer
    kinds: frozenset[str] | None = None  # which there may be; None: not known
    is_behind: bool = False  # the store is away: as it was when it was last heard of


class CandidateDetails(Protocol):
    """Columns that are read only for some candidates, addressed by `Candidates.rows`."""

    @property
    def has_passages(self) -> bool:
        """Whether any text is long enough to be searched by its passages."""

    def identities(self, rows: Rows) -> list[tuple[int, int]]:
        """The number and the revision of each record."""

    def said(self, rows: Rows) -> Mask:
        """Which were said by a person, as far as is known: not by the assistant."""

    def trust(self, rows: Rows) -> Floats | None:
        """The factor for how reliable each one is; None: 1 for all."""

    def shared(self, rows: Rows) -> Mask:
        """Which live in the partition that the whole workspace shares."""

    def vectors(self, rows: Rows) -> NDArray[Any]:
        """One row each, to compare candidates with each other: only the direction counts. Zeros
        for a candidate without a vector."""

    def passage(self, row: int) -> int | None:
        """The number of the passage that matches best; None: the text is short."""

    def records(self, rows: Rows, run_blocking: RunBlocking) -> RecordsByNumber:
        """The records of some rows, without those that were removed meanwhile."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What every path found, once each: one entry per candidate in every array."""

    rows: Rows  # ascending; opaque keys for `details`
    ranked: Mapping[str, Rows]  # by path, which rows it found, the best first
    times: NDArray[np.float64]  # NaN: not known
    sessions: NDArray[np.integer]  # below `session_count`; below 0: in none
    session_count: int
    kinds: NDArray[np.integer]  # positions in `kind_names`
    kind_names: Sequence[str]
    first: Mask  # opens its session
    unembedded: Mask  # has no vector yet, while others have
    cosine: Floats  # with the question, plus boosts such as for the speaker that it names
    nearness: Floats  # the same without boosts
    coverage: Floats  # share of the question's words, weighted by rarity
    around: Floats  # the same with the words of the messages before and after
    session_coverage: Floats  # share of the question's words that are anywhere in its session
    details: CandidateDetails
    paths: Mapping[str, str]  # by path: ok, off, late, failed or behind
    level: Level  # "hybrid" if vectors took part, else "keyword"

    @property
    def relevance(self) -> Floats:
        """How sure we are that this is about the question at all, about 0 to 1."""
        return np.maximum(self.nearness, self.coverage)

    def __len__(self) -> int:
        return len(self.rows)


class CandidateSource(Protocol):
    """Finds candidates for a request, in the partitions that it may read and nowhere else."""

    @property
    def uses_vectors(self) -> bool:
        """Whether questions are embedded."""

    def warm_snapshot(self, request: CandidateRequest) -> SearchSnapshot | None:
        """A snapshot, if one can be had without blocking; else None."""

    def snapshot(self, request: CandidateRequest, deadline: Deadline) -> SearchSnapshot:
        """A snapshot of the present state; may block."""

    def held_snapshot(self, request: CandidateRequest) -> SearchSnapshot | None:
        """While the store is away: from what is in memory, though something may have been added
        since; None if there is too little, or if something may have been erased since. Does not
        block."""

    def candidates(
        self, request: CandidateRequest, snapshot: SearchSnapshot, deadline: Deadline
    ) -> Candidates | None:
        """None: there are no records in what may be read. A path that fails or is late is left
        out and named in `paths`. From a warm snapshot this does not block beyond the deadline."""

    def forget(self, partition: Partition, changed: Sequence[Partition]) -> None:
        """A partition was erased, and records of others were: keep nothing of them in memory."""

    def forget_texts(self) -> None:
        """Keep no text of a record in memory."""

    def stats(self) -> dict[str, int]: ...

    def close(self) -> None: ...


class Expander(Protocol):
    """Adds to the hits what belongs with them, such as neighbours and parents."""

    def expand(self, hits: Sequence[tuple[Record, float]]) -> Sequence[tuple[Record, float]]:
        """The hits with what was added, in the order in which they are shown. What the reader
        could not have recalled himself is left out afterwards."""
