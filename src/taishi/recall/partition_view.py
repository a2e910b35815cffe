"""The part of a partition that one request may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..types import Partition, VisiblePartition
from . import query as questions
from .intent import FAVOURED
from .partition_index import PartitionIndex
from .record_filter import RecordFilter
from .topk import Mask

MAX_SCANNED = 300_000


@dataclass(frozen=True, slots=True)
class PartitionView:
    """`rows` is fixed, whatever is appended meanwhile; `speakers` are those the question names."""

    place: Partition
    index: PartitionIndex
    rows: int
    mask: Mask
    speakers: tuple[str, ...]

    @staticmethod
    def of(
        index: PartitionIndex, visible: VisiblePartition, text: str, wanted: RecordFilter
    ) -> PartitionView:
        rows = index.rows
        mask = index.mask(rows, visible, wanted)
        named = questions.named_speakers(text, index.speakers.names)
        return PartitionView(visible.place, index, rows, mask, tuple(named))


def may_favour(indexes: Mapping[Partition, PartitionIndex]) -> bool:
    """Whether the intent of a question matters: is there anything that it could favour?"""
    return any(
        partition.kind == "workspace" or not FAVOURED.isdisjoint(index.kinds.names)
        for partition, index in indexes.items()
    )


def most_pieces(views: Sequence[PartitionView]) -> int:
    """Each sentence is one more scan: a large partition has time for few."""
    rows = sum(view.rows for view in views)
    return max(1, MAX_SCANNED // max(rows, 1))
