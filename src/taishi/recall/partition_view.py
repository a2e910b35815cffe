"""The part of a partition that one request may see."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ..types import Partition, VisiblePartition
from . import query as questions
from .filter_matches import among
from .intent import FAVOURED
from .partition_index import PartitionIndex
from .record_filter import RecordFilter
from .topk import Mask, Rows

MAX_SCANNED = 300_000


@dataclass(frozen=True, slots=True)
class PartitionView:
    """`rows` is fixed, whatever is appended meanwhile; `speakers` are those the question names.
    `is_linked`: the question is asked elsewhere."""

    place: Partition
    index: PartitionIndex
    rows: int
    mask: Mask
    speakers: tuple[str, ...]
    is_linked: bool = False

    @staticmethod
    def of(
        index: PartitionIndex,
        visible: VisiblePartition,
        text: str,
        wanted: RecordFilter,
        allowed: Rows | None = None,
    ) -> PartitionView:
        """`allowed` are the numbers of the records that the caller's filters ask for."""
        rows = index.rows
        mask = index.mask(rows, visible, wanted)
        if allowed is not None:
            mask = mask & among(index.numbers(rows), allowed)
        named = questions.named_speakers(text, index.speakers.names)
        is_linked = visible.only_user is not None
        return PartitionView(visible.place, index, rows, mask, tuple(named), is_linked)


def may_favour(kinds: Mapping[Partition, Collection[str]]) -> bool:
    """Whether the intent of a question matters: is there anything that it could favour?"""
    return any(
        partition.kind == "workspace" or not FAVOURED.isdisjoint(names)
        for partition, names in kinds.items()
    )


def most_pieces(rows: int) -> int:
    """Each sentence is one more scan: a large partition has time for few."""
    return max(1, MAX_SCANNED // max(rows, 1))
