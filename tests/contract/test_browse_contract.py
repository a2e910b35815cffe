"""Every store lists a partition newest first, filters it and counts it, on its real engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support.stores import OpenStore
from taishi.ports import Embedded, GrowthCounts, ListingFilter, PartitionDigest, Store
from taishi.types import Edit, Partition, Record

HOME = Partition("default", "private", "ann")
OTHER = Partition("default", "group", "ann")
NOW = 1_000_000_000.0
DAY = 86_400
ROWS = [
    Record("f1", HOME, "fact", "Ann likes TEA", confidence=0.4, user="ann", created=NOW - 2 * DAY,
           data={"tags": ["drink", "a\"b"]}),
    Record("f2", HOME, "fact", "100% 茶 _", confidence=0.8, created=NOW - DAY, until=NOW - 1),
    Record("n1", HOME, "note", "plain", time=5.0, created=NOW - DAY, data={"tags": "drink"}),
    Record("f3", HOME, "fact", "maybe", state="candidate", confidence=0.1, created=NOW,
           data={"tags": [1, None, ["drink"]]}),
    Record("e1", HOME, "event", "tea again", time=9.0, created=NOW),
]  # fmt: skip


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    opened = open_store(lambda: NOW)
    elsewhere = [replace(row, place=OTHER, text=f"other {row.text}") for row in ROWS]
    opened.apply([Edit("put", row) for pair in zip(ROWS, elsewhere, strict=True) for row in pair])
    return opened


def listed(store: Store, before: int = 0, limit: int = 100, **only: Any) -> list[str]:
    rows = store.browse.newest(HOME, ListingFilter(**only), before, limit)
    assert all(record.place == HOME and "other" not in record.text for _, record in rows)
    return [record.id for _, record in rows]


@pytest.mark.parametrize(("only", "ids"), [
    ({}, ["e1", "f3", "n1", "f2", "f1"]),
    ({"kinds": ["fact"]}, ["f3", "f2", "f1"]),
    ({"kinds": []}, []),
    ({"kinds": ["fact"], "states": ["approved"]}, ["f2", "f1"]),
    ({"user": "ann"}, ["f1"]),
    ({"tag": "drink"}, ["n1", "f1"]),
    ({"tag": 'a"b'}, ["f1"]),
    ({"tag": "%"}, []),
    ({"text": "tea"}, ["e1", "f1"]),
    ({"text": "茶"}, ["f2"]),
    ({"text": "_"}, ["f2"]),
    ({"text": "0% "}, ["f2"]),
    ({"time_from": 6.0, "time_to": 10.0}, ["e1"]),
    ({"time_from": NOW - DAY}, ["f3", "f2"]),
    ({"min_confidence": 0.8, "kinds": ["fact"]}, ["f2"]),
    ({"expired_at": NOW}, ["f2"]),
])  # fmt: skip
def test_Q10_filters(store: Store, only: dict[str, Any], ids: list[str]) -> None:
    assert listed(store, **only) == ids


def test_Q10_page_by_page(store: Store) -> None:
    seen: list[str] = []
    before = 0
    while rows := store.browse.newest(HOME, ListingFilter(), before, 2):
        seen += [record.id for _, record in rows]
        before = rows[-1][0]
    assert seen == ["e1", "f3", "n1", "f2", "f1"]


def test_S3_a_number_of_another_partition_opens_nothing(store: Store) -> None:
    numbers = [number for number, _ in store.browse.newest(OTHER, ListingFilter(), 0, 9)]
    for before in (*numbers, 1, 2**62):
        listed(store, before=before)


def test_a_digest_counts_what_is_there(store: Store) -> None:
    found = store.browse.digest(HOME, NOW, 3)
    assert found.total == 5
    assert found.kinds == {"event": 1, "fact": 3, "note": 1}
    assert found.states == {"approved": 4, "candidate": 1}
    assert found.mean_confidence == pytest.approx(0.6)
    assert found.expired == 1
    assert list(found.growth.values()) == [1, 2, 2]
    assert store.browse.digest(Partition("w", "agent", "x"), NOW, 3) == PartitionDigest()


def test_growth_counts_by_kind_and_day(store: Store) -> None:
    browse = store.browse
    assert isinstance(browse, GrowthCounts)
    today, yesterday, before = "2001-09-09", "2001-09-08", "2001-09-07"
    assert browse.growth(HOME, NOW, 3) == {
        "event": {today: 1},
        "fact": {before: 1, yesterday: 1, today: 1},
        "note": {yesterday: 1},
    }
    assert browse.growth(HOME, NOW, 1) == {"event": {today: 1}, "fact": {today: 1}}
    store.apply([Edit("remove", place=HOME, id="e1"), Edit("put", replace(ROWS[0], id="f4"))])
    assert browse.growth(HOME, NOW, 3)["fact"] == {before: 2, yesterday: 1, today: 1}
    assert "event" not in browse.growth(HOME, NOW, 3)
    assert browse.growth(Partition("w", "agent", "x"), NOW, 3) == {}


def test_vectors_are_given_for_records_of_the_partition_alone(store: Store) -> None:
    store.adopt_model("m", 3)
    store.put_vectors("m", [Embedded(one.number, one.revision, b"abc")
                            for one in store.unembedded(7)])  # fmt: skip
    numbers = {place: [number for number, _ in store.browse.newest(place, ListingFilter(), 0, 9)]
               for place in (HOME, OTHER)}  # fmt: skip
    everything = numbers[HOME] + numbers[OTHER]
    found = {place: store.browse.codes(place, everything) for place in numbers}
    assert sum(map(len, found.values())) == 7
    for place, codes in found.items():
        assert set(codes) <= set(numbers[place]) and set(codes.values()) == {b"abc"}
    assert store.browse.codes(Partition("w", "agent", "x"), everything) == {}
