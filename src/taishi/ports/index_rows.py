"""Values that a store hands to the in-memory index of a partition, and takes back from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class PartitionState:
    """A place as the index last saw it: its number in the store and its change count."""

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
    """All of a place at one change count: its packs by chunk, and the rows that are in none,
    by the chunk at which each run of them begins."""

    seq: int
    packs: Sequence[tuple[int, bytes]]
    rows: Mapping[int, Sequence[IndexRow]]


@dataclass(frozen=True, slots=True)
class Changes:
    """What happened in a place since some count; `gone` are numbers that were removed."""

    seq: int
    rows: Sequence[IndexRow]
    gone: Sequence[int]


@dataclass(frozen=True, slots=True)
class Unembedded:
    number: int
    revision: int
    text: str


@dataclass(frozen=True, slots=True)
class Embedded:
    number: int
    revision: int
    code: bytes
    passages: bytes | None = None
