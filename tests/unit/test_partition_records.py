from __future__ import annotations

import threading

import numpy as np
import pytest

from taishi.recall.partition_records import LARGEST, PartitionRecords
from taishi.types import EMPTY, Partition, Record

HERE = Partition("default", "group", "g")
DATA = {"tags": ["a", None, {"deep": [1, 2.5, True]}], "表": "格"}


def record(number: int, **fields: object) -> Record:
    return Record(id=f"r{number}", place=HERE, kind="fact", text=f"text {number} 猫", **fields)  # type: ignore[arg-type]


def test_every_field_comes_back() -> None:
    whole = Record(
        id="x", place=HERE, kind="procedure", text="a \ud800 b\0", time=1.5, since=-2.0, until=3e9,
        created=4.0, user="u", speaker="Ann", session="s", source="m1", state="pending",
        confidence=0.25, owner="job", redaction=9, data=DATA,
    )  # fmt: skip
    leaves = PartitionRecords()
    leaves.put([3, 0], [whole, record(0)], leaves.generation)
    assert leaves.get(3, HERE) == whole
    plain = leaves.get(0, HERE)
    assert plain == record(0)
    assert plain is not None
    assert plain.data is EMPTY


def test_what_is_not_here_is_nothing_and_is_lacking() -> None:
    leaves = PartitionRecords()
    assert leaves.get(0, HERE) is None
    leaves.put([1, 4], [record(1), record(4)], leaves.generation)
    assert [leaves.get(row, HERE) for row in (0, 2, 9)] == [None] * 3
    assert leaves.missing(np.array([0, 1, 3, 4, 7])).tolist() == [0, 3, 7]
    leaves.put([], [], leaves.generation)
    assert leaves.missing(np.array([1, 4])).tolist() == []


def test_what_was_read_before_a_clearing_is_not_kept() -> None:
    leaves = PartitionRecords()
    began = leaves.generation
    leaves.put([0], [record(0)], began)
    assert leaves.nbytes > 0
    leaves.clear()
    leaves.put([1], [record(1)], began)
    assert leaves.nbytes == 0
    assert leaves.get(0, HERE) is None
    assert leaves.get(1, HERE) is None
    leaves.put([1], [record(1)], leaves.generation)
    assert leaves.get(1, HERE) == record(1)


def test_what_is_large_is_neither_here_nor_lacking() -> None:
    leaves = PartitionRecords()
    large = Record(id="x", place=HERE, kind="fact", text="x" * LARGEST)
    leaves.put([0, 1], [large, record(1)], leaves.generation)
    assert leaves.get(0, HERE) is None
    assert leaves.get(1, HERE) == record(1)
    assert leaves.missing(np.array([0, 1, 2])).tolist() == [2]
    assert leaves.nbytes < LARGEST


def test_bytes_are_few() -> None:
    leaves = PartitionRecords()
    leaves.put(list(range(1000)), [record(n) for n in range(1000)], leaves.generation)
    assert leaves.nbytes < 1000 * (100 + len(record(999).text.encode()))


@pytest.mark.parametrize("clearing", [False, True])
def test_readers_see_whole_records_while_others_write(clearing: bool) -> None:
    leaves, wrong, stop = PartitionRecords(), [], threading.Event()

    def read() -> None:
        while not stop.is_set():
            for row in range(0, 3000, 7):
                found = leaves.get(row, HERE)
                if found not in (None, record(row)):
                    wrong.append(found)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for start in range(0, 3000, 50):
        rows = list(range(start, start + 50))
        leaves.put(rows, [record(row) for row in rows], leaves.generation)
        if clearing and start % 500 == 0:
            leaves.clear()
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []
