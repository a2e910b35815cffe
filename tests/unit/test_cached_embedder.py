"""Questions are embedded beside other work, by any embedder, and vectors are cached."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from support.hash_embedder import HashEmbedder
from taishi.backends.memory_cache import MemoryCache
from taishi.errors import ModelError
from taishi.models.cached_embedder import CachedEmbedder
from taishi.ports import QueryEmbedder, Vector
from taishi.recall.deadline import BoundedExecutor, Deadline, LateError


class Plain(HashEmbedder):
    """An embedder of a caller's own, which has `embed` and nothing else; counts its texts."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.asked: list[str] = []
        self.threads: set[str] = set()

    def embed(self, texts: Sequence[str], kind: Any) -> Vector:
        self.gate.wait(10)
        self.asked.extend(texts)
        self.threads.add(threading.current_thread().name)
        return super().embed(texts, kind)


@pytest.fixture
def executor() -> Iterator[BoundedExecutor]:
    executor = BoundedExecutor("vector", 2)
    yield executor
    executor.close()


def same(found: Sequence[Vector], *texts: str) -> bool:
    return bool(np.array_equal(np.stack(found), HashEmbedder().embed(texts, "query")))


def test_an_embedder_that_only_embeds_works_on_a_thread(executor: BoundedExecutor) -> None:
    plain = Plain()
    embedder: QueryEmbedder = CachedEmbedder(plain, MemoryCache(), 1.0, executor)
    plain.gate.clear()
    pending = embedder.start(["tea", "boat"])
    assert not pending.is_done and not plain.asked, "start does not wait for it"
    plain.gate.set()
    assert same(pending.result(Deadline(5.0)), "tea", "boat")
    assert same(pending.result(Deadline(5.0)), "tea", "boat"), "and again"
    assert plain.threads == {"taishi-vector-1"}


def test_a_vector_that_has_not_the_dimensions_it_should_have_is_not_taken() -> None:
    class Wrong(HashEmbedder):
        @property
        def dimensions(self) -> int:
            return 48

    embedder = CachedEmbedder(Wrong(), MemoryCache(), 1.0)
    with pytest.raises(ModelError, match=r"hash-1 gave a vector of 64 numbers.* is 48: correct"):
        embedder.embed(["tea"], "document")
    assert embedder.cached_texts() == []


def test_without_an_executor_whoever_starts_embeds() -> None:
    plain = Plain()
    pending = CachedEmbedder(plain, MemoryCache(), 1.0).start(["tea"])
    assert pending.is_done and same(pending.result(Deadline(0.0)), "tea")
    assert plain.threads == {threading.current_thread().name}


def test_Q6_what_is_cached_is_there_at_once(executor: BoundedExecutor) -> None:
    plain, looked = Plain(), list[tuple[str, str]]()
    now = [0.0]
    embedder = CachedEmbedder(
        plain, MemoryCache(clock=lambda: now[0]), 1.0, executor,
        looked_up=lambda cache, result: looked.append((cache, result)),
    )  # fmt: skip
    embedder.start(["tea", "boat"]).result(Deadline(5.0))
    again = embedder.start(["boat", "tea"])
    assert again.is_done and same(again.result(Deadline(0.0)), "boat", "tea")
    embedder.start(["tea", "rain"]).result(Deadline(5.0))
    assert plain.asked == ["tea", "boat", "rain"], "only what is missing is embedded"
    assert looked == [("vectors", "miss"), ("vectors", "hit"), ("vectors", "miss")]
    assert set(embedder.cached_texts()) == {"tea", "boat", "rain"}
    now[0] = 3601.0
    embedder.start(["tea"]).result(Deadline(5.0))
    assert plain.asked[-1] == "tea", "an hour later it is embedded anew"
    embedder.clear()
    assert embedder.cached_texts() == []


def test_Q2_who_cannot_wait_is_told_and_the_vectors_are_cached_all_the_same(
    executor: BoundedExecutor,
) -> None:
    plain = Plain()
    embedder = CachedEmbedder(plain, MemoryCache(), 1.0, executor)
    plain.gate.clear()
    pending = embedder.start(["tea"])
    time.sleep(0.05)  # it has begun
    with pytest.raises(LateError):
        pending.result(Deadline(0.01))
    plain.gate.set()
    deadline = Deadline(5.0)
    while not embedder.cached_texts() and deadline.left:
        time.sleep(0.01)
    assert embedder.start(["tea"]).is_done


def test_what_goes_wrong_is_raised_where_the_vectors_are_wanted(executor: BoundedExecutor) -> None:
    def broken(embed: Callable[[], list[Vector]]) -> list[Vector]:
        raise ModelError("the circuit breaker is open")

    plain = Plain()
    pending = CachedEmbedder(plain, MemoryCache(), 1.0, executor, guard=broken).start(["tea"])
    with pytest.raises(ModelError, match="breaker"):
        pending.result(Deadline(5.0))
    assert not plain.asked
