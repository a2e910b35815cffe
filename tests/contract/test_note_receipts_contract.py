"""What a store must do with the receipts of changes to notes."""

from __future__ import annotations

from support.stores import OpenStore
from taishi.ports import NoteReceipt
from taishi.types import Partition

ANN, BOB = Partition("default", "private", "ann"), Partition("default", "private", "bob")


def receipt(key: str, version: int = 1) -> NoteReceipt:
    return NoteReceipt(key, "print", version, 1)


def test_T5_a_receipt_is_its_partitions_and_is_replaced_by_its_key(open_store: OpenStore) -> None:
    receipts = open_store().note_receipts
    assert receipts.get(ANN, "a") is None
    receipts.put(ANN, receipt("a"), 9)
    receipts.put(ANN, receipt("a", 2), 9)
    assert receipts.get(ANN, "a") == receipt("a", 2)
    assert receipts.get(BOB, "a") is None


def test_T5_the_oldest_receipts_go_but_not_that_without_a_key(open_store: OpenStore) -> None:
    receipts = open_store().note_receipts
    receipts.put(ANN, receipt("", 7), 3)
    receipts.put(BOB, receipt("0"), 3)
    for n in range(6):
        receipts.put(ANN, receipt(str(n)), 3)
    left = [key for key in ("", *"012345") if receipts.get(ANN, key)]
    assert left == ["", "3", "4", "5"]
    assert receipts.get(BOB, "0") is not None
