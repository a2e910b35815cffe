"""What a caller asks of recall, and what comes back before it is formatted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace

from ..exported import IntentDecision
from ..observe.stage_times import StageTimes
from ..ports import Expander, RecordFilter
from ..settings import QuerySettings
from ..types import EMPTY, Explained, Level, Record, VisiblePartition
from .excerpts import Passages
from .period_questions import Period
from .query import TimeMention


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """One request to recall. `visible` returns the partitions that may be read and queries the
    store for that, so it is called only where blocking is allowed; `reader` is equal for requests
    with the same ones, None if that is not known. `unchanged` is False if something that the store
    does not know of, such as a profile's file, may have changed them. `visible_alone`: the part of
    them that is known without the store, the scope's own first.

    `settings` are those the request began with; None: those in force.
    """

    text: str
    visible: Callable[[], tuple[VisiblePartition, ...]]
    top_k: int
    wanted: RecordFilter
    floor: float | None = None
    half_life_days: float = 14.0
    explain: bool = False
    settings: QuerySettings | None = None
    moments: tuple[TimeMention, ...] = ()
    reader: Hashable | None = None
    unchanged: Callable[[], bool] = lambda: True
    visible_alone: Callable[[], tuple[VisiblePartition, ...]] = tuple
    most_events: int | None = None  # of `top_k`; None: no limit
    expander: Expander | None = None  # adds to the hits of this request
    times: StageTimes | None = None  # asked for with `explain`
    skip_if_absent: bool = False  # nothing is searched if nothing of these kinds is there
    period: Period | None = None  # all that the question names
    live: bool = False  # about the present: an equal request soon after may be served from a cache

    def of_kinds(self, kinds: Collection[str], top_k: int) -> RecallRequest:
        """The same question about other kinds of records, if there are any."""
        return replace(
            self,
            wanted=replace(self.wanted, kinds=kinds),
            top_k=top_k,
            most_events=None,
            skip_if_absent=True,
            times=None,
        )

    def key(self, visible: tuple[VisiblePartition, ...]) -> Hashable:
        """Equal for requests with the same answer, as long as nothing changes."""
        w = self.wanted
        kinds = None if w.kinds is None else tuple(w.kinds)
        return (
            visible,
            self.text,
            self.top_k,
            kinds,
            tuple(w.states),
            w.time_from,
            w.time_to,
            w.asked,
            w.filters,
            self.moments,
            self.floor,
            self.half_life_days,
            self.settings,
            self.most_events,
            self.expander,
        )


@dataclass(frozen=True, slots=True)
class RawResult:
    """The hits of a request, by which paths they were found, and why, if that was asked."""

    hits: tuple[tuple[Record, float], ...]
    level: Level
    paths: Mapping[str, str]
    explained: tuple[tuple[Record, Explained], ...] = ()
    weights: Mapping[str, float] = field(default_factory=lambda: EMPTY)
    passages: Passages = field(default_factory=dict)
    intent: IntentDecision | None = None
    kinds: frozenset[str] | None = None  # that can be read at all; None: not known
