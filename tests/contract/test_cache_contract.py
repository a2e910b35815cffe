"""What a cache must do, whatever holds it: expire, forget, keep its bounds, serve threads (Q6)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from support.engine_valkey import new_secret, valkey
from taishi.backends.memory_cache import MemoryCache
from taishi.backends.redis.cache import RedisCache
from taishi.backends.redis.link import RedisLink
from taishi.backends.redis.sealing import Sealing
from taishi.ports import Cache

__all__ = ["valkey"]


@dataclass
class Served:
    """A cache, and how its clock is moved on."""

    cache: Cache
    wait: Callable[[float], None]
    name: Callable[[str], str] = lambda key: key  # as `keys` shows it


def in_memory(_: pytest.FixtureRequest) -> Served:
    now = [1000.0]

    def wait(seconds: float) -> None:
        now[0] += seconds

    return Served(MemoryCache(clock=lambda: now[0]), wait)


def in_valkey(request: pytest.FixtureRequest) -> Served:
    sealing = Sealing(new_secret())
    link = RedisLink(request.getfixturevalue("valkey"), timeout=5)
    request.addfinalizer(link.close)
    cache = RedisCache(link, sealing, "test")
    request.addfinalizer(cache.clear)

    def name(key: str) -> str:
        return sealing.name("test", key).removeprefix(f"{sealing.prefix}test:")

    return Served(cache, time.sleep, name)


BACKENDS: dict[str, Callable[[pytest.FixtureRequest], Served]] = {
    "memory": in_memory,
    "valkey": in_valkey,
}


@pytest.fixture(params=BACKENDS)
def served(request: pytest.FixtureRequest) -> Served:
    return BACKENDS[request.param](request)


@pytest.fixture
def cache(served: Served) -> Cache:
    return served.cache


@pytest.mark.parametrize("key", ["a", "用户的问题？", "a/../b", "x" * 10_000, "line\nbreak\0"])
@pytest.mark.parametrize("value", [b"", b"1", bytes(range(256)) * 100])
def test_Q6_what_is_put_is_got(served: Served, key: str, value: bytes) -> None:
    cache = served.cache
    assert cache.get(key) is None
    cache.put(key, value, 60)
    assert cache.get(key) == value
    assert cache.keys() == [served.name(key)]


def test_Q6_a_key_is_compared_whole(cache: Cache) -> None:
    cache.put("a", b"1", 60)
    assert [cache.get(key) for key in ("A", "a ", "", "aa")] == [None] * 4
    assert cache.get("a") == b"1"


def test_Q6_the_last_value_counts(cache: Cache) -> None:
    cache.put("a", b"old", 60)
    cache.put("a", b"new", 60)
    assert cache.get("a") == b"new"


def test_Q6_an_entry_lives_for_its_own_time(served: Served) -> None:
    cache = served.cache
    cache.put("short", b"1", 1)
    cache.put("long", b"2", 60)
    assert cache.get("short") == b"1"
    served.wait(1.1)
    assert cache.get("short") is None
    assert cache.keys() == [served.name("long")], "an expired key is not shown"
    assert cache.get("long") == b"2"


def test_Q6_reading_does_not_prolong_and_putting_does(served: Served) -> None:
    cache = served.cache
    cache.put("read", b"1", 1)
    cache.put("put", b"1", 1)
    served.wait(0.6)
    assert cache.get("read") == b"1"
    cache.put("put", b"2", 1)
    served.wait(0.6)
    assert cache.get("read") is None
    assert cache.get("put") == b"2"


@pytest.mark.parametrize("ttl", [0, -1.0, float("nan")])
def test_Q6_without_a_time_to_live_nothing_is_kept(cache: Cache, ttl: float) -> None:
    cache.put("a", b"1", 60)
    cache.put("a", b"2", ttl)
    assert cache.get("a") is None, "the old value would be wrong"


def test_O2_deleting_and_clearing_leave_nothing(served: Served) -> None:
    cache = served.cache
    for name in "abc":
        cache.put(name, b"1", 60)
    cache.delete("a")
    cache.delete("a")
    assert sorted(cache.keys()) == sorted([served.name("b"), served.name("c")])
    cache.clear()
    assert cache.keys() == []
    assert cache.get("b") is None
    cache.put("b", b"2", 60)
    assert cache.get("b") == b"2", "it works on afterwards"


def test_Q6_threads_share_it(cache: Cache) -> None:
    faults: list[object] = []

    def use(name: str) -> None:
        for n in range(300):
            cache.put(f"{name}{n % 7}", f"{name}{n}".encode(), 60)
            got = cache.get(f"{name}{n % 7}")
            if got is not None and not got.startswith(name.encode()):
                faults.append(got)
            if n % 50 == 0:
                cache.clear()
            if n % 11 == 0:
                cache.delete(f"{name}{n % 7}")
            cache.keys()

    threads = [threading.Thread(target=use, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []


def test_Q6_the_memory_stays_within_its_bytes_and_the_least_used_goes_first() -> None:
    cache = MemoryCache(max_bytes=305)
    for name in ("a", "b", "c"):
        cache.put(name, b"x" * 100, 60)
    assert cache.get("a") is not None
    cache.put("d", b"x" * 100, 60)
    assert sorted(cache.keys()) == ["a", "c", "d"], "b was used longest ago"
    cache.put("e", b"x" * 1000, 60)
    assert cache.get("e") is None, "larger than the whole cache"
    assert sorted(cache.keys()) == ["a", "c", "d"], "and nothing was evicted for it"
    cache.put("a", b"x" * 1000, 60)
    assert cache.get("a") is None, "nor is the old value left"


def test_Q6_the_memory_stays_within_its_entries() -> None:
    cache = MemoryCache(max_entries=3)
    for n in range(10):
        cache.put(str(n), b"", 60)
    assert cache.keys() == ["7", "8", "9"]


def test_Q6_bytes_are_counted_right_over_a_long_time() -> None:
    now = [0.0]
    cache = MemoryCache(max_bytes=1000, clock=lambda: now[0])
    for n in range(1000):
        cache.put(f"k{n % 13}", b"x" * (n % 40), 1 + n % 3)
        now[0] += 0.5
        cache.get(f"k{n % 5}")
        if n % 17 == 0:
            cache.delete(f"k{n % 13}")
    cache.clear()
    cache.put("k", b"x" * 999, 60)
    assert cache.get("k") == b"x" * 999
