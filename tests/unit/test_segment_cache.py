"""Cached texts and counts of a partition: right after every write, bounded, and gone when told."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from taishi.backends.sqlite import SqliteStore
from taishi.backends.sqlite.segment_cache import SEGMENT_BITS, SegmentCache
from taishi.backends.sqlite.text_segments import TextSegment
from taishi.ports import ListingFilter
from taishi.types import Edit, Partition, Record

HOME = Partition("default", "private", "ann")
ROWS = 3 << SEGMENT_BITS  # three segments and a bit, as the first number is 1


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "taishi.db", clock=lambda: 1.0)
    yield opened
    opened.close()


def put(store: SqliteStore, *numbers: int, text: str = "tea") -> None:
    store.apply([Edit("put", Record(f"r{n}", HOME, "note", f"{text} {n}")) for n in numbers])


def found(store: SqliteStore, text: str) -> list[str]:
    rows = store.browse.newest(HOME, ListingFilter(text=text), 0, 20_000)
    return [record.id for _, record in rows]


def test_Q10_a_write_makes_only_its_own_segment_be_read_again(store: SqliteStore) -> None:
    put(store, *range(ROWS))
    loaded: list[int] = []

    def load(connection: apsw.Connection, low: int, high: int) -> TextSegment:
        loaded.append(low >> SEGMENT_BITS)
        return TextSegment.load(connection, low, high)

    cache = SegmentCache(store._db, load, lambda one: one.nbytes, 1 << 24)

    def read() -> int:
        loaded.clear()
        with cache.reading(1) as (_, segments):
            return sum(len(one.numbers) for one in segments.newest_first())

    assert read() == ROWS and len(loaded) == 4
    assert read() == ROWS and loaded == []
    put(store, 5, text="coffee")
    assert read() == ROWS and len(loaded) == 1
    put(store, ROWS)
    store.apply([Edit("remove", place=HOME, id="r6")])
    assert read() == ROWS and len(loaded) == 2
    cache.clear()
    assert read() == ROWS and len(loaded) == 4


def test_Q10_a_write_of_another_process_is_seen(store: SqliteStore) -> None:
    put(store, 1, 2, 3)
    assert found(store, "tea 2") == ["r2"]
    other = SqliteStore(store.path, clock=lambda: 1.0)
    put(other, 2, text="coffee")
    other.close()
    assert found(store, "tea 2") == []
    assert found(store, "coffee") == ["r2"]


def test_O2_forgotten_texts_leave_the_memory(store: SqliteStore) -> None:
    put(store, 1, text="Secret")
    assert found(store, "secret") == ["r1"]
    assert list(store.browse.cached_texts()) == ["secret 1"]
    store.erasure.forget_place(HOME)
    store.browse.clear_text()
    assert list(store.browse.cached_texts()) == []
    assert found(store, "secret") == []
    put(store, 1, text="tea")  # the partition is a new one
    assert found(store, "tea") == ["r1"]


def test_a_cache_that_is_too_small_gives_the_same_answers(store: SqliteStore) -> None:
    put(store, *range(ROWS))
    for limit in (0, 150_000):
        cache = SegmentCache(store._db, TextSegment.load, lambda one: one.nbytes, limit)
        for _ in range(2):
            with cache.reading(1) as (_, segments):
                numbers = [n for one in segments.newest_first() for n in one.newest_with(b"tea 77")]
            assert len(numbers) == len([n for n in range(ROWS) if str(n).startswith("77")])
            assert numbers == sorted(numbers, reverse=True)
            assert sum(one.nbytes for one in cache.values()) <= limit


def test_what_was_read_before_a_clear_is_not_kept_after_it(store: SqliteStore) -> None:
    put(store, 1)
    cache = SegmentCache(store._db, TextSegment.load, lambda one: one.nbytes, 1 << 20)
    with cache.reading(1) as (_, segments):
        cache.clear()
        assert [len(one.numbers) for one in segments.newest_first()] == [1]
    assert cache.values() == []


def test_Q10_searching_while_others_write(store: SqliteStore) -> None:
    put(store, *range(50))
    wrong: list[list[str]] = []

    def search() -> None:
        for _ in range(60):
            ids = found(store, "tea")
            if ids != sorted(set(ids), key=lambda id: -int(id[1:])) or len(ids) < 50:
                wrong.append(ids)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(50, 90):
        put(store, number)
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(found(store, "tea")) == 90


def test_words_are_found_in_linear_time_and_text_by_text(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "other.db", clock=lambda: 1.0)
    store.apply([Edit("put", Record("long", HOME, "note", "a" * 300_000)),
                 Edit("put", Record("nul", HOME, "note", "one\0two"))])  # fmt: skip
    assert found(store, "a" * 999 + "b") == []
    assert found(store, "a" * 999) == ["long"]
    assert found(store, "aone") == []  # not across texts
    assert found(store, "one two") == ["nul"]
    store.close()
