"""What a request asks for, and which rows that lets through."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..ports import RecordFilter
from .columns import Codes
from .topk import Mask

__all__ = ["CachedMask", "RecordFilter", "one_of"]


@dataclass(frozen=True, slots=True)
class CachedMask:
    """A mask that holds for this state of the index, between two moments when a row ends."""

    version: int
    rows: int
    since: float
    until: float
    mask: Mask

    def holds(self, version: int, rows: int, now: float) -> bool:
        return (self.version, self.rows) == (version, rows) and self.since <= now < self.until


def one_of(values: NDArray[np.int32], codes: Codes, names: Collection[str]) -> Mask:
    known = [code for name in names if (code := codes.get(name)) is not None]
    mask: Mask = np.zeros(len(values), np.bool_)
    for code in known:  # a handful; np.isin costs twenty times as much
        mask |= values == code
    return mask
