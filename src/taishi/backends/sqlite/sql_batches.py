"""Lists of numbers in pieces that fit into one SQL statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

IN_BATCH = 500


def batches(numbers: Sequence[int]) -> Iterator[tuple[str, Sequence[int]]]:
    for start in range(0, len(numbers), IN_BATCH):
        part = numbers[start : start + IN_BATCH]
        yield ",".join("?" * len(part)), part
