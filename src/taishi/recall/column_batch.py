"""Index rows as columns, and their serialised form, the pack.

A pack holds nothing that the rows do not, in the form that a cold index loads fastest: a few large
arrays instead of a hundred thousand small objects.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ports import IndexRow
from .bm25 import POSTING
from .columns import Codes
from .passage_index import unpacked
from .vector_codec import Int8Planes

Floats = NDArray[np.float32]
FORMAT = 5
_HEAD = struct.Struct("<II")
_NUMBERS = ("numbers", "revisions")
_TIMES = ("times", "sinces", "untils")
_TRUST = ("trusts", "uses")
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
class ColumnBatch:
    """Some rows of the index, one array per column."""

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
    vectors: Int8Planes  # their owners are rows
    passages: Int8Planes  # their owners are pieces

    def __len__(self) -> int:
        return len(self.numbers)

    @staticmethod
    def of(rows: Sequence[IndexRow], dimensions: int) -> ColumnBatch:
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
            times=_as_times(times, np.nan),
            sinces=_as_times(sinces, -np.inf),
            untils=_as_times(untils, np.inf),
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
            vectors=Int8Planes.of(codes, dimensions),
            passages=Int8Planes.of(_of_pieces(passages, pieces), dimensions),
        )

    def packed(self) -> bytes:
        head = {
            "rows": len(self),
            "names": {name: list(getattr(self, name).names) for name in _NAMES},
            "pieces": len(self.term_counts),
            "terms": len(self.terms),
            "dimensions": self.vectors.upper.shape[1],
            "vectors": len(self.vectors.owners),
            "passages": len(self.passages.owners),
        }
        text = json.dumps(head, ensure_ascii=False).encode("utf-8", "surrogatepass")
        names = (*_NUMBERS, *_TIMES, *_TRUST)
        columns: list[bytes | NDArray[Any]] = [getattr(self, name) for name in names]
        columns += [getattr(self, name).codes for name in _NAMES]
        columns += [self.pieces, self.term_counts, self.terms]
        for planes in (self.vectors, self.passages):
            columns += [planes.owners, planes.scales, planes.upper, planes.lower]
        parts = [part if isinstance(part, bytes) else part.tobytes() for part in columns]
        return b"".join([_HEAD.pack(FORMAT, len(text)), text, *parts])

    @staticmethod
    def unpacked(data: bytes, dimensions: int) -> ColumnBatch | None:
        """None: written by another version, or by an embedder of another width that had the same
        name; the rows are still in the store."""
        version, size = _HEAD.unpack_from(data)
        if version != FORMAT:
            return None
        start = _HEAD.size + size
        head = json.loads(data[_HEAD.size : start].decode("utf-8", "surrogatepass"))
        if head["dimensions"] != dimensions:
            return None
        reader = _Reader(data, start)
        rows = head["rows"]
        columns: dict[str, Any] = {name: reader.array(np.int64, rows) for name in _NUMBERS}
        columns |= {name: reader.array(np.float64, rows) for name in _TIMES}
        columns |= {name: reader.array(np.float32, rows) for name in _TRUST}
        for name in _NAMES:
            columns[name] = DictionaryColumn(head["names"][name], reader.array(np.int32, rows))
        return ColumnBatch(
            **columns,
            pieces=reader.array(np.int32, rows),
            term_counts=reader.array(np.int32, head["pieces"]),
            terms=reader.bytes(head["terms"]),
            vectors=reader.planes(head["vectors"], dimensions),
            passages=reader.planes(head["passages"], dimensions),
        )


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

    def planes(self, count: int, width: int) -> Int8Planes:
        owners, scales = self.array(np.int32, count), self.array(np.float32, count)
        upper, lower = self.array(np.int8, 2 * count * width).reshape(2, count, width)
        return Int8Planes(owners, upper, lower, scales)

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


def _as_times(times: Sequence[float | None], unknown: float) -> NDArray[np.float64]:
    values = np.array(times, np.float64)  # None becomes NaN
    values[np.isnan(values)] = unknown
    return values
