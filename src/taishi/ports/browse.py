"""Port to what a person sees who looks through a partition: newest first, filtered, counted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args, runtime_checkable

from ..types import EMPTY, Partition, Record
from .filter_expression import FilterExpression

Order = Literal["arrival", "created", "updated"]
ORDERS: tuple[Order, ...] = get_args(Order)


@dataclass(frozen=True, slots=True)
class ListingFilter:
    """Which records of a partition to list; what is left out does not narrow.

    `text` is searched for as it stands, without regard to the case of Latin letters. `expired_at`
    keeps what is in force by its state but ended before that moment. `deleted_at` leaves out what
    is to be deleted by then. By "arrival", the last to come to this store is the first: an import
    brings records with older times.
    """

    kinds: Collection[str] | None = None
    states: Collection[str] | None = None
    user: str | None = None
    tag: str | None = None
    text: str | None = None
    time_from: float | None = None
    time_to: float | None = None
    min_confidence: float | None = None
    expired_at: float | None = None
    session: str | None = None
    filters: FilterExpression | None = None
    deleted_at: float | None = None
    order_by: Order = "arrival"


@dataclass(frozen=True, slots=True)
class PartitionDigest:
    """How a partition is made up. `growth` counts records by the day (UTC) they were stored."""

    total: int = 0
    kinds: Mapping[str, int] = field(default_factory=lambda: EMPTY)
    states: Mapping[str, int] = field(default_factory=lambda: EMPTY)
    mean_confidence: float | None = None  # of the facts in force
    expired: int = 0  # in force by its state, but ended
    growth: Mapping[str, int] = field(default_factory=lambda: EMPTY)


class Browse(Protocol):
    def newest(
        self,
        place: Partition,
        only: ListingFilter,
        before: int,
        limit: int,
        at: float | None = None,
    ) -> list[tuple[int, Record]]:
        """Records with their numbers, the newest first in the order that `only` names. They follow
        the record with the number `before`, which has the time `at` in that order, unless it is
        that of arrival; 0: from the newest on."""

    def matching(self, place: Partition, filters: FilterExpression) -> Sequence[int]:
        """The numbers of a partition's records that a caller's filters ask for, ascending."""

    def codes(self, place: Partition, numbers: Sequence[int]) -> dict[int, bytes]:
        """The encoded vectors of records of a partition, by number; without those that have
        none."""

    def digest(self, place: Partition, now: float, days: int) -> PartitionDigest:
        """Counts of everything in a partition, and its growth over the last `days` days."""


@runtime_checkable
class GrowthCounts(Protocol):
    """A `Browse` that can also say of which kind what came was."""

    def growth(self, place: Partition, now: float, days: int) -> dict[str, dict[str, int]]:
        """Records that are there by kind and by the day (UTC) they were stored, over the last
        `days` days; days on which nothing came are left out."""
