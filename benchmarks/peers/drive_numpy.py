"""Plain numpy: a float32 matrix a group and one product; a file that is appended to and synced."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.serve import TOP, Query, Records, serve

Found = list[tuple[int, str]]


class Plain:
    def __init__(self, records: Records, folder: Path, options: Sequence[str]) -> None:
        self._records = records
        self._vectors = (folder / "vectors.f32").open("ab", buffering=0)
        self._texts = (folder / "texts.jsonl").open("ab", buffering=0)
        self._all: NDArray[np.float32] = np.zeros((0, records.width), np.float32)
        self._of_group: dict[str, tuple[NDArray[np.int64], NDArray[np.float32]]] = {}
        self.searches = {"filtered": self._filtered, "unfiltered": self._unfiltered}
        self.writes = {"one": self._write}

    def build(self) -> None:
        records = self._records
        self._all = records.vectors[: records.size]
        groups = np.asarray(records.groups[: records.size])
        for group in set(records.groups):
            rows = np.flatnonzero(groups == group)
            self._of_group[group] = rows, np.ascontiguousarray(self._all[rows])
        self._append(range(records.size))

    def _append(self, numbers: Sequence[int]) -> None:
        records = self._records
        lines = ((records.groups[n], records.texts[n]) for n in numbers)
        self._texts.write("".join(json.dumps(line) + "\n" for line in lines).encode())
        self._vectors.write(records.vectors[numbers[0] : numbers[-1] + 1].tobytes())
        os.fsync(self._texts.fileno())
        os.fsync(self._vectors.fileno())

    def _filtered(self, query: Query) -> Found:
        rows, matrix = self._of_group[query.group]
        return self._named(rows[_best(matrix @ query.vector)])

    def _unfiltered(self, query: Query) -> Found:
        return self._named(_best(self._all @ query.vector))

    def _named(self, rows: NDArray[np.int64]) -> Found:
        return [(row, self._records.texts[row]) for row in rows.tolist()]

    def _write(self, number: int) -> None:
        self._append([number])

    def numbers_of(self, answer: Found) -> list[int]:
        return [row for row, _ in answer]

    def close(self) -> None:
        self._vectors.close()
        self._texts.close()


def _best(scores: NDArray[np.float32]) -> NDArray[np.int64]:
    rows = np.argpartition(scores, len(scores) - TOP)[-TOP:]
    best: NDArray[np.int64] = rows[np.argsort(-scores[rows])]
    return best


if __name__ == "__main__":
    serve(Plain)
