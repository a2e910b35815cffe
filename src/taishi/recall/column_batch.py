"""Rows of a shelf, column by column: how they come from the store, and how they are packed.

A pack is a sheet written down. It holds nothing that the rows do not, in the form in which a
cold index wants it: a few large arrays instead of a hundred thousand small objects.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ports import IndexRow
from .bm25 import POSTING
from .columns import Codes
from .passage_index import unpacked
from .vector_codec import SCALE_BYTES, Int8Planes

Floats = NDArray[np.float32]
FORMAT = 4
_HEAD = struct.Struct("<II")
NO_ROWS = np.zeros(0, np.int32)
_NUMBERS = ("numbers", "revisions")
_MOMENTS = ("times", "sinces", "untils")
_STANDINGS = ("trusts", "uses")
_NAMES = ("kinds", "states", "users", "speakers", "sessions")


@dataclass(frozen=True, slots=True)
class DictionaryColumn:
    """A column of strings: each name once, and its place in that list for every row (-1: none)."""

    names: Sequence[str]
    codes: NDArray[np.int32]

    @staticmethod
    def of(names: Sequence[str | None]) -> DictionaryColumn:
        codes = Codes()
        numbers = codes.all(names)
        return DictionaryColumn(codes.names, numbers)

    def into(self, codes: Codes) -> NDArray[np.int32]:
        """The same column in an index's own numbers."""
        own = np.array([*(codes[name] for name in self.names), -1], np.int32)
        return own[self.codes]


@dataclass(frozen=True, slots=True)
class VectorBlock:
    """The rows (or pieces) that have this block of a vector, counted within the sheet."""

    owners: NDArray[np.int32]
    planes: Int8Planes


@dataclass(frozen=True, slots=True)
class ColumnBatch:
    numbers: NDArray[np.int64]
    revisions: NDArray[np.int64]
    times: NDArray[np.float64]
    sinces: NDArray[np.float64]
    untils: NDArray[np.float64]
    trusts: Floats
    uses: Floats
    kinds: DictionaryColumn
    states: DictionaryColumn
    users: DictionaryColumn
    speakers: DictionaryColumn
    sessions: DictionaryColumn
    pieces: NDArray[np.int32]  # of each row: one, or as many as it has passages
    term_counts: NDArray[np.int32]  # of each piece
    terms: bytes
    blocks: tuple[VectorBlock, ...]
    passages: tuple[VectorBlock, ...]

    def __len__(self) -> int:
        return len(self.numbers)

    @staticmethod
    def of(rows: Sequence[IndexRow], widths: Sequence[int]) -> ColumnBatch:
        (
            numbers,
            revisions,
            kinds,
            states,
            times,
            sinces,
            untils,
            users,
            speakers,
            sessions,
            trusts,
            uses,
            terms,
            codes,
            passages,
        ) = zip(*rows, strict=True)
        pieces, term_counts, words = _by_piece(terms)
        return ColumnBatch(
            numbers=np.array(numbers, np.int64),
            revisions=np.array(revisions, np.int64),
            times=_moments(times, np.nan),
            sinces=_moments(sinces, -np.inf),
            untils=_moments(untils, np.inf),
            trusts=np.array(trusts, np.float32),
            uses=np.array(uses, np.float32),
            kinds=DictionaryColumn.of(kinds),
            states=DictionaryColumn.of(states),
            users=DictionaryColumn.of(users),
            speakers=DictionaryColumn.of(speakers),
            sessions=DictionaryColumn.of(sessions),
            pieces=pieces,
            term_counts=term_counts,
            terms=words,
            blocks=tuple(_vector_blocks(codes, widths)),
            passages=tuple(_vector_blocks(_of_pieces(passages, pieces), widths)),
        )

    # -- written down and read back ------------------------------------------------------------

    def packed(self) -> bytes:
        head = {
            "rows": len(self),
            "names": {name: list(getattr(self, name).names) for name in _NAMES},
            "pieces": len(self.term_counts),
            "terms": len(self.terms),
            "blocks": [list(block.planes.upper.shape) for block in self.blocks],
            "passages": [list(block.planes.upper.shape) for block in self.passages],
        }
        text = json.dumps(head, ensure_ascii=False).encode("utf-8", "surrogatepass")
        names = (*_NUMBERS, *_MOMENTS, *_STANDINGS)
        columns: list[bytes | NDArray[Any]] = [getattr(self, name) for name in names]
        columns += [getattr(self, name).codes for name in _NAMES]
        columns += [self.pieces, self.term_counts, self.terms]
        for block in (*self.blocks, *self.passages):
            planes = block.planes
            columns += [block.owners, planes.scales, planes.upper, planes.lower]
        parts = [part if isinstance(part, bytes) else part.tobytes() for part in columns]
        return b"".join([_HEAD.pack(FORMAT, len(text)), text, *parts])

    @staticmethod
    def unpacked(data: bytes) -> ColumnBatch | None:
        """None: written by another version; the rows are still in the store."""
        version, size = _HEAD.unpack_from(data)
        if version != FORMAT:
            return None
        start = _HEAD.size + size
        head = json.loads(data[_HEAD.size : start].decode("utf-8", "surrogatepass"))
        reader = _Reader(data, start)
        rows = head["rows"]
        columns: dict[str, Any] = {name: reader.array(np.int64, rows) for name in _NUMBERS}
        columns |= {name: reader.array(np.float64, rows) for name in _MOMENTS}
        columns |= {name: reader.array(np.float32, rows) for name in _STANDINGS}
        for name in _NAMES:
            columns[name] = DictionaryColumn(head["names"][name], reader.array(np.int32, rows))
        return ColumnBatch(
            **columns,
            pieces=reader.array(np.int32, rows),
            term_counts=reader.array(np.int32, head["pieces"]),
            terms=reader.bytes(head["terms"]),
            blocks=tuple(reader.block(count, width) for count, width in head["blocks"]),
            passages=tuple(reader.block(count, width) for count, width in head["passages"]),
        )


def owners_in(blocks: Sequence[VectorBlock], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Whose the vectors of these blocks are, if each sheet's rows (or pieces) start there."""
    pairs = zip(blocks, starts, strict=False)
    return np.concatenate([block.owners + start for block, start in pairs])


def rows_with(term: int, packed: bytes, counts: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which of the rows, given as packed terms end to end, hold a term."""
    at = np.flatnonzero(np.frombuffer(packed, POSTING)["term"] == term)
    mask: NDArray[np.bool_] = np.zeros(len(counts), np.bool_)
    mask[np.searchsorted(np.cumsum(counts), at, side="right")] = True
    return mask


class _Reader:
    def __init__(self, data: bytes, start: int) -> None:
        self._data = data
        self._at = start

    def array(self, dtype: Any, count: int) -> NDArray[Any]:
        found = np.frombuffer(self._data, dtype, count, self._at)
        self._at += found.nbytes
        return found

    def block(self, count: int, width: int) -> VectorBlock:
        owners, scales = self.array(np.int32, count), self.array(np.float32, count)
        upper, lower = self.array(np.int8, 2 * count * width).reshape(2, count, width)
        return VectorBlock(owners, Int8Planes(upper, lower, scales))

    def bytes(self, count: int) -> bytes:
        self._at += count
        return self._data[self._at - count : self._at]


def _by_piece(terms: Sequence[bytes]) -> tuple[NDArray[np.int32], NDArray[np.int32], bytes]:
    """How many pieces each row has, how many terms each piece, and all terms end to end."""
    sizes = np.fromiter(map(len, terms), np.int32, len(terms)) // POSTING.itemsize
    joined = b"".join(terms)
    postings = np.frombuffer(joined, POSTING)
    gaps = np.flatnonzero(postings["count"] == 0)  # segment.NEXT_PASSAGE
    if not len(gaps):
        return np.ones(len(terms), np.int32), sizes, joined
    ends = np.cumsum(sizes)
    pieces = 1 + np.bincount(ends.searchsorted(gaps, side="right"), minlength=len(terms))
    # A gap begins the piece after it; of a row's start and a gap in one place, the row's is first.
    begins = np.concatenate([ends - sizes, gaps])
    order = begins.argsort(kind="stable")
    counts = np.diff(begins[order], append=len(postings)) - (order >= len(terms))
    words = postings[postings["count"] > 0].tobytes()
    return pieces.astype(np.int32), counts.astype(np.int32), words


def _of_pieces(stored: Sequence[bytes | None], pieces: NDArray[np.int32]) -> Sequence[bytes | None]:
    """The vector of each piece, as far as it has one of its own."""
    if not any(stored):
        return ()
    found: list[bytes | None] = []
    for one, count in zip(stored, pieces.tolist(), strict=True):
        codes = unpacked(one)[:count]
        found += codes
        found += [None] * (count - len(codes))
    return found


def _vector_blocks(codes: Sequence[bytes | None], widths: Sequence[int]) -> Iterable[VectorBlock]:
    """A code is a scale, the upper bytes and the lower ones; trailing blocks may be left out."""
    there = [code for code in codes if code is not None]
    if not there:  # as it is of what was written a moment ago
        yield from [VectorBlock(NO_ROWS, Int8Planes.none(width)) for width in widths]
        return
    rows = np.flatnonzero([code is not None for code in codes]).astype(np.int32)
    start = 0
    for width in widths:
        end = start + width
        has = np.fromiter(map(_numbers_in, there), np.int64, len(there)) >= end
        if not has.all():
            rows, there = rows[has], [code for code in there if _numbers_in(code) >= end]
        upper = b"".join([code[SCALE_BYTES:][start:end] for code in there])
        lower = b"".join([code[SCALE_BYTES + _numbers_in(code) :][start:end] for code in there])
        scales = np.frombuffer(b"".join([code[:SCALE_BYTES] for code in there]), np.float32)
        shape = (len(there), width)
        planes = [np.frombuffer(plane, np.int8).reshape(shape) for plane in (upper, lower)]
        yield VectorBlock(rows, Int8Planes(planes[0], planes[1], scales))
        start = end


def _numbers_in(code: bytes) -> int:
    return (len(code) - SCALE_BYTES) // 2


def _moments(times: Sequence[float | None], unknown: float) -> NDArray[np.float64]:
    values = np.array(times, np.float64)  # None becomes NaN
    values[np.isnan(values)] = unknown
    return values
