"""Computes which rows of a partition a request may see and asks for, as a boolean mask."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..ports import RecordFilter
from ..types import VisiblePartition
from .columns import Codes, Column
from .topk import Mask

__all__ = ["FilterColumns", "RecordFilter", "RecordMasks", "one_of"]

SUPERSEDED = "superseded"
MAX_CACHED = 8
UNKNOWN_USER = -2  # no row has this code; -1 is that of rows without a user


@dataclass(frozen=True, slots=True)
class FilterColumns:
    """The columns that a filter reads, and the names of their codes."""

    alive: Column[np.bool_]
    state: Column[np.int32]
    kind: Column[np.int32]
    user: Column[np.int32]
    time: Column[np.float64]
    since: Column[np.float64]
    until: Column[np.float64]
    states: Codes
    kinds: Codes
    users: Codes


@dataclass(frozen=True, slots=True)
class CachedMask:
    """A mask that is valid for this version of the index, between two times when a row ends."""

    version: int
    rows: int
    since: float
    until: float
    mask: Mask

    def is_valid(self, version: int, rows: int, now: float) -> bool:
        return (self.version, self.rows) == (version, rows) and self.since <= now < self.until


class RecordMasks:
    """The part of a mask that most requests have in common is computed once per change."""

    def __init__(self, columns: FilterColumns) -> None:
        self._columns = columns
        self._cached: dict[object, CachedMask] = {}

    def mask(
        self,
        version: int,
        rows: int,
        visible: VisiblePartition,
        wanted: RecordFilter,
        some_end: bool,
    ) -> Mask:
        """Not to be written to. `some_end`: whether any row is true for a time only."""
        columns = self._columns
        allowed = self._wanted(version, rows, wanted, some_end)
        if visible.only_user is not None:
            user = columns.users.get(visible.only_user, UNKNOWN_USER)
            allowed = allowed & (
                columns.user.view(rows) == (UNKNOWN_USER if user is None else user)
            )
        if wanted.time_from is not None:
            allowed = allowed & (columns.time.view(rows) >= wanted.time_from)
        if wanted.time_to is not None:
            allowed = allowed & (columns.time.view(rows) <= wanted.time_to)
        return allowed

    def _wanted(self, version: int, rows: int, wanted: RecordFilter, some_end: bool) -> Mask:
        kinds = None if wanted.kinds is None else tuple(wanted.kinds)
        key = (kinds, tuple(wanted.states), wanted.asked is not None)
        cached = self._cached.get(key)
        if cached is None or not cached.is_valid(version, rows, wanted.now):
            cached = self._computed(version, rows, wanted)
            if len(self._cached) >= MAX_CACHED:
                self._cached.clear()
            self._cached[key] = cached
        if wanted.asked is None:
            return cached.mask
        begin, end = wanted.asked
        mask = cached.mask & (self._columns.since.view(rows) < end)
        if some_end:
            mask &= self._columns.until.view(rows) > begin
        return mask

    def _computed(self, version: int, rows: int, wanted: RecordFilter) -> CachedMask:
        """Rows in a wanted state that are true now. A question about the past also finds what was
        superseded since, which is the right answer to it; not what was withdrawn: that held at no
        time."""
        columns, past = self._columns, wanted.asked is not None
        states = (*wanted.states, SUPERSEDED) if past else wanted.states
        mask = columns.alive.view(rows) & one_of(columns.state.view(rows), columns.states, states)
        if wanted.kinds is not None:
            mask &= one_of(columns.kind.view(rows), columns.kinds, wanted.kinds)
        if past:
            held = columns.until.view(rows) > columns.since.view(rows)
            mask &= held | ~one_of(columns.state.view(rows), columns.states, (SUPERSEDED,))
            return CachedMask(version, rows, -np.inf, np.inf, mask)
        ends = columns.until.view(rows)
        mask &= ends > wanted.now
        since = float(np.max(ends, where=ends <= wanted.now, initial=-np.inf))
        until = float(np.min(ends, where=ends > wanted.now, initial=np.inf))
        return CachedMask(version, rows, since, until, mask)


def one_of(values: NDArray[np.int32], codes: Codes, names: Collection[str]) -> Mask:
    known = [code for name in names if (code := codes.get(name)) is not None]
    mask: Mask = np.zeros(len(values), np.bool_)
    for code in known:  # a handful; np.isin costs twenty times as much
        mask |= values == code
    return mask
