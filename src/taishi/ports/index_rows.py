"""Values that a store hands to the in-memory index of a partition, and takes back from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

# When a store was asked something, by what it had told of erasures until then.
Moment = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PartitionState:
    """A partition's number in the store and its change count at the last read."""

    no: int
    seq: int


class IndexRow(NamedTuple):
    """What the in-memory index needs of one record; `terms`, `code` and `passages`, the vectors of
    a long text's passages, are packed.

    A tuple, because a cold index reads a hundred thousand of them before its first answer.
    """

    number: int
    revision: int
    kind: str
    state: str
    time: float | None
    since: float | None
    until: float | None
    user: str | None
    speaker: str | None
    session: str | None
    trust: float
    uses: int
    terms: bytes
    code: bytes | None
    passages: bytes | None = None


@dataclass(frozen=True, slots=True)
class IndexSnapshot:
    """A whole partition at one change count: its column batches by chunk, and the rows that are in
    none of them, by the chunk at which each run of rows begins."""

    seq: int
    packs: Sequence[tuple[int, bytes]]
    rows: Mapping[int, Sequence[IndexRow]]


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed in a partition since a change count; `gone` are the numbers removed."""

    seq: int
    rows: Sequence[IndexRow]
    gone: Sequence[int]


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A text without a vector; `revision` tells whether it changed before the vector is stored."""

    number: int
    revision: int
    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Embedded:
    """A vector for one revision of a record, encoded; `passages` for the parts of a long text."""

    number: int
    revision: int
    code: bytes
    passages: bytes | None = None
