"""Listings and counts against a brute force over random records, before and after random writes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from taishi.backends.sqlite import SqliteStore
from taishi.ports import ListingFilter, PartitionDigest, Store
from taishi.types import Edit, Partition, Record

HOME = Partition("default", "private", "ann")
OTHER = Partition("default", "private", "bo")
NOW = 1_000_000_000.0
DAY = 86_400
RECORDS = 400
KINDS = ("fact", "event", "note", "turn")
STATES = ("approved", "approved", "candidate", "rejected", "superseded", "conflict")
WORDS = ("Tea", "TEAPOT", "oolong", "Ärger", "ÉTÉ", "茶", "茶叶", "叶子", "100%", "_", "a\\b")
PARTS = ("ea", "tea tea", "été", "叶", "叶 茶", "\\", "nothing")
TAGS = ("work", "家", 'a"b', "a\\b", "work2", "w", "é")


def open_sqlite(folder: Path) -> Store:
    return SqliteStore(folder / "taishi.db", clock=lambda: NOW)


BACKENDS: dict[str, Callable[[Path], Store]] = {"sqlite": open_sqlite}


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = BACKENDS[request.param](tmp_path)
    yield opened
    opened.close()


def some_record(rng: random.Random, id: str, place: Partition) -> Record:
    tags: Any = rng.sample(TAGS, rng.randint(0, 3))
    if rng.random() < 0.1:
        tags = rng.choice(["work", {"x": "work"}, None, [1, ["work"]], "家"])
    return Record(
        id, place, rng.choice(KINDS), " ".join(rng.choices(WORDS, k=rng.randint(1, 6))),
        time=rng.choice([None, NOW - rng.uniform(0, 100) * DAY]),
        until=rng.choice([None, None, NOW + rng.uniform(-1, 1) * DAY]),
        created=NOW - rng.uniform(0, 40) * DAY,
        user=rng.choice([None, "ann", "cy"]),
        state=rng.choice(STATES),
        confidence=round(rng.random(), 2),
        data={"tags": tags} if tags is not None else {},
    )  # fmt: skip


def some_filter(rng: random.Random) -> ListingFilter:
    def perhaps(value: Any, share: float = 0.3) -> Any:
        return value if rng.random() < share else None

    moment = NOW - rng.uniform(0, 100) * DAY
    return ListingFilter(
        kinds=perhaps(rng.sample(KINDS, rng.randint(1, 3))),
        states=perhaps([rng.choice(STATES)]),
        user=perhaps(rng.choice(["ann", "cy", "nobody"])),
        tag=perhaps(rng.choice(TAGS)),
        text=perhaps(rng.choice([*WORDS, *PARTS]), 0.6),
        time_from=perhaps(moment),
        time_to=perhaps(moment + 20 * DAY),
        min_confidence=perhaps(round(rng.random(), 2)),
        expired_at=perhaps(NOW, 0.1),
    )


def tagged(record: Record, tag: str) -> bool:
    tags = record.data.get("tags")
    values = tags.values() if isinstance(tags, dict) else tags if isinstance(tags, list) else [tags]
    return any(isinstance(value, str) and value == tag for value in values)


def fits(record: Record, only: ListingFilter) -> bool:
    when = record.created if record.time is None else record.time
    return all((
        only.kinds is None or record.kind in only.kinds,
        only.states is None or record.state in only.states,
        only.user is None or record.user == only.user,
        only.tag is None or tagged(record, only.tag),
        only.text is None or only.text.lower() in record.text.lower(),
        only.time_from is None or when >= only.time_from,
        only.time_to is None or when <= only.time_to,
        only.min_confidence is None or record.confidence >= only.min_confidence,
        only.expired_at is None or (record.state == "approved" and record.until is not None
                                    and record.until <= only.expired_at),
    ))  # fmt: skip


def digest(records: list[Record], now: float, days: int) -> tuple[Any, ...]:
    sure = [one.confidence for one in records if (one.kind, one.state) == ("fact", "approved")]
    first = int(now // DAY) - days + 1
    return (
        len(records),
        {kind: n for kind in sorted(KINDS) if (n := sum(one.kind == kind for one in records))},
        {s: n for s in sorted(set(STATES)) if (n := sum(one.state == s for one in records))},
        pytest.approx(sum(sure) / len(sure)) if sure else None,
        sum(one.state == "approved" and one.until is not None and one.until <= now
            for one in records),
        [sum(int(one.created // DAY) == day for one in records)
         for day in range(first, first + days)],
    )  # fmt: skip


def seen(found: PartitionDigest) -> tuple[Any, ...]:
    return (found.total, dict(found.kinds), dict(found.states), found.mean_confidence,
            found.expired, list(found.growth.values()))  # fmt: skip


def check(store: Store, records: dict[str, Record], rng: random.Random, filters: int) -> int:
    """`records` are in the order in which they came. How many were found in all."""
    newest = list(records.values())[::-1]
    found = 0
    for _ in range(filters):
        only, size = some_filter(rng), rng.randint(1, 40)
        wanted = [one.id for one in newest if fits(one, only)]
        ids: list[str] = []
        before = 0
        while rows := store.browse.newest(HOME, only, before, size):
            assert len(rows) <= size
            ids += [record.id for _, record in rows]
            before = rows[-1][0]
        assert ids == wanted, only
        found += len(ids)
    for now in (NOW, NOW - DAY / 2):
        assert seen(store.browse.digest(HOME, now, 30)) == digest(newest, now, 30)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_Q10_the_same_ids_in_the_same_order(store: Store, seed: int) -> None:
    rng = random.Random(seed)
    records = {f"r{n}": some_record(rng, f"r{n}", HOME) for n in range(RECORDS)}
    elsewhere = [some_record(rng, f"r{n}", OTHER) for n in range(RECORDS)]
    mixed = [one for pair in zip(records.values(), elsewhere, strict=True) for one in pair]
    store.apply([Edit("put", record) for record in mixed])
    assert check(store, records, rng, 40) > 100
    for turn in range(8):
        id = rng.choice(list(records))
        if turn % 3 == 0:
            store.apply([Edit("remove", place=HOME, id=id)])
            del records[id]
        elif turn % 3 == 1:  # what it was created at stays
            new = replace(some_record(rng, id, HOME), created=records[id].created)
            store.apply([Edit("put", new)])
            records[id] = new
        else:
            records[f"n{turn}"] = some_record(rng, f"n{turn}", HOME)
            store.apply([Edit("put", records[f"n{turn}"])])
        check(store, records, rng, 8)


def test_S3_words_of_another_partition_are_not_found(store: Store) -> None:
    store.apply([Edit("put", Record("a", HOME, "note", "plain")),
                 Edit("put", Record("b", OTHER, "note", "the plainest secret"))])  # fmt: skip
    only = ListingFilter(text="plain")
    assert [record.id for _, record in store.browse.newest(HOME, only, 0, 9)] == ["a"]
    assert [record.id for _, record in store.browse.newest(OTHER, only, 0, 9)] == ["b"]
    assert store.browse.newest(HOME, ListingFilter(text="secret"), 0, 9) == []
