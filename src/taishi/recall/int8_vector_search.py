"""The in-process implementation of the VectorSearch port: one int8 matrix per partition."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence

import numpy as np

from .int8_matrix import MISSING, Int8Matrix
from .topk import Mask, Rows, best
from .vector_codec import Floats, encode
from .vector_search import RESCORED, with_pieces

PARTITION_BITS = 32  # a record's number: the partition's above these bits
# Replaced and removed vectors stay in the matrix until there are as many as current ones.
MIN_STALE = 64
NONE: Rows = np.zeros(0, np.int64)


class Int8VectorSearch:
    """Implements ports.VectorSearch. Safe between threads."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self._model: str | None = None
        self._partitions: dict[int, _PartitionVectors] = {}

    def put(self, model: str, vectors: Sequence[tuple[int, int, Floats]]) -> None:
        with self._lock:
            if model != self._model:
                self._model = model
                self._partitions.clear()
            for number, revision, vector in vectors:
                partition = number >> PARTITION_BITS
                if partition not in self._partitions:
                    self._partitions[partition] = _PartitionVectors(self._dimensions)
                self._partitions[partition].put(number, revision, vector)

    def remove(self, numbers: Collection[int]) -> None:
        with self._lock:
            for number in numbers:
                partition = self._partitions.get(number >> PARTITION_BITS)
                if partition is not None:
                    partition.remove(number)

    def search(
        self,
        partition: int,
        queries: Sequence[Floats],
        k: int,
        allowed: Collection[int] | None = None,
    ) -> list[tuple[int, float]]:
        with self._lock:
            vectors = self._partitions.get(partition)
            return [] if vectors is None or k < 1 else vectors.search(queries, k, allowed)


class _PartitionVectors:
    """The vectors of one partition. A replaced one gets a new row, and its old row is stale."""

    def __init__(self, dimensions: int) -> None:
        self._matrix = Int8Matrix(dimensions)
        self._numbers: list[int] = []  # by row
        self._current: dict[int, tuple[int, int]] = {}  # by number: row and revision

    def put(self, number: int, revision: int, vector: Floats) -> None:
        _, known = self._current.get(number, (0, None))
        if known is not None and known >= revision:
            return
        row = len(self._numbers)
        self._matrix.add([row], [encode(vector)])
        self._numbers.append(number)
        self._current[number] = row, revision
        self._compact()

    def remove(self, number: int) -> None:
        if self._current.pop(number, None) is not None:
            self._compact()

    def _compact(self) -> None:
        stale = len(self._numbers) - len(self._current)
        if stale <= max(MIN_STALE, len(self._current)):
            return
        rows = sorted((row, number) for number, (row, _) in self._current.items())
        self._matrix = self._matrix.compacted(np.array([row for row, _ in rows], np.int64))
        self._numbers = [number for _, number in rows]
        revisions = {number: revision for number, (_, revision) in self._current.items()}
        self._current = {n: (row, revisions[n]) for row, n in enumerate(self._numbers)}

    def search(
        self, queries: Sequence[Floats], k: int, allowed: Collection[int] | None
    ) -> list[tuple[int, float]]:
        """From int8 first, then the best again, and some that were close, from 16 bits."""
        mask = self._mask(allowed)
        rows, (whole, *parts) = self._matrix.scores(queries, len(mask), mask, lambda: NONE)
        cosines = with_pieces(whole, parts)
        visible = mask if rows is None else mask[rows]
        top = best(cosines, visible, k + RESCORED, MISSING / 2)
        top = top if rows is None else rows[top]
        whole, *parts = [self._matrix.exact_scores(query, top) for query in queries]
        exact = with_pieces(whole, parts)
        order = np.argsort(-exact, kind="stable")[:k]
        return [(self._numbers[top[at]], float(exact[at])) for at in order.tolist()]

    def _mask(self, allowed: Collection[int] | None) -> Mask:
        mask = np.zeros(len(self._numbers), np.bool_)
        chosen = self._current if allowed is None else self._current.keys() & set(allowed)
        mask[[self._current[number][0] for number in chosen]] = True
        return mask
